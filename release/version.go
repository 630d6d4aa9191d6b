package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// release is one version of the service that is being made.
type release struct {
	top     string // of the repository
	version string // 0.1.0, or 0.1.0+5.gabc for the fifth commit after it
	commit  string
	time    time.Time // of the commit: the only time that is written anywhere
	dirty   bool      // the tree has changes that no commit has
}

// described is what `git describe --tags --long --always --dirty` prints where a tag is reachable.
var described = regexp.MustCompile(`^v([0-9]+\.[0-9]+\.[0-9]+)-([0-9]+)-g([0-9a-f]+)(-dirty)?$`)

// versionForm is how versions are written: all package formats order such ones alike.
var versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(\+[0-9a-z.]+)?$`)

// version turns what git says of a commit into a version that packages order rightly: after the tag that it follows,
// and before the next one.
func version(said string) (string, error) {
	if m := described.FindStringSubmatch(said); m != nil {
		v := m[1]
		if m[2] != "0" {
			v += "+" + m[2] + ".g" + m[3]
		}
		return v + dirt(v, m[4] != ""), nil
	}
	// No version was released yet.
	hash, dirty := strings.CutSuffix(said, "-dirty")
	if !regexp.MustCompile(`^[0-9a-f]{7,40}$`).MatchString(hash) {
		return "", fmt.Errorf("git describes the commit as %q, which is no version", said)
	}
	v := "0.0.0+g" + hash
	return v + dirt(v, dirty), nil
}

// dirt is what a version ends with that has changes which no commit has.
func dirt(version string, dirty bool) string {
	switch {
	case !dirty:
		return ""
	case strings.Contains(version, "+"):
		return ".dirty"
	}
	return "+dirty"
}

// describe asks git which version the tree at top is; as says it instead.
func describe(ctx context.Context, top, as string) (*release, error) {
	said, err := command(ctx, top, nil, "git", "describe", "--tags", "--long", "--always", "--dirty",
		"--match", "v[0-9]*")
	if err != nil {
		return nil, err
	}
	commit, err := command(ctx, top, nil, "git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return nil, err
	}
	when := os.Getenv("SOURCE_DATE_EPOCH")
	if when == "" {
		if when, err = command(ctx, top, nil, "git", "log", "-1", "--format=%ct"); err != nil {
			return nil, err
		}
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(when), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("SOURCE_DATE_EPOCH is %q, not a number of seconds", when)
	}
	r := &release{
		top: top, commit: strings.TrimSpace(commit), time: time.Unix(seconds, 0).UTC(),
		dirty: strings.HasSuffix(strings.TrimSpace(said), "-dirty"), version: as,
	}
	if as == "" {
		r.version, err = version(strings.TrimSpace(said))
	}
	if err == nil && !versionForm.MatchString(r.version) {
		err = errors.New("a version is written 0.1.0, not " + r.version)
	}
	return r, err
}

// imageTag is the version as images are tagged, which know no plus sign.
func (r *release) imageTag() string { return strings.ReplaceAll(r.version, "+", "-") }
