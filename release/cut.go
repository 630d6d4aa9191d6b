package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// unreleased is the heading under which changes are noted until a version is cut.
const unreleased = "## [Unreleased]\n"

// cutForm is how a version is written that is released.
var cutForm = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`)

// cut makes a version of the commit at hand: what CHANGELOG.md notes as unreleased becomes its section, and that is
// committed and tagged, with an installation that keep leaves in the tree. Nothing is sent anywhere.
func cut(ctx context.Context, top, version string, keep func(ctx context.Context, top string) error) error {
	if !cutForm.MatchString(version) {
		return fmt.Errorf("say which version is cut, such as 0.1.0; %q is none", version)
	}
	changed, err := command(ctx, top, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return errors.New("the tree has changes that no commit has; commit them first:\n" + changed)
	}
	tags, err := command(ctx, top, nil, "git", "tag", "--list", "v"+version)
	if err != nil {
		return err
	}
	if tags != "" {
		return fmt.Errorf("version %s was cut before", version)
	}
	path := filepath.Join(top, "CHANGELOG.md")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	next, err := changelog(string(text), version, time.Now().UTC())
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(next), 0o644); err != nil {
		return err
	}
	if err := keep(ctx, top); err != nil {
		return errors.Join(err, os.WriteFile(path, text, 0o644))
	}
	for _, args := range [][]string{
		{"add", "--all"},
		{"commit", "--quiet", "--message", "release: " + version},
		{"tag", "--annotate", "v" + version, "--message", "Groundwork " + version},
	} {
		if _, err := command(ctx, top, nil, "git", args...); err != nil {
			return err
		}
	}
	fmt.Printf("Cut %s. Push it with git push --follow-tags when its packages are tried.\n", version)
	return nil
}

// keepInstallation keeps a small installation of the version, on both engines: later ones are tried on it.
func keepInstallation(ctx context.Context, top string) error {
	_, err := command(ctx, top, nil, "go", "run", "./scripts/test", "-timeout", "10m", "-run", "TestReleases",
		"./cmd/groundwork", "-update")
	return err
}

// changelog gives what was noted as unreleased the heading of a version, under an empty heading for what comes next.
func changelog(text, version string, day time.Time) (string, error) {
	before, after, found := strings.Cut(text, unreleased)
	if !found {
		return "", fmt.Errorf("CHANGELOG.md has no heading %q", strings.TrimSpace(unreleased))
	}
	noted, _, _ := strings.Cut(after, "\n## ")
	if strings.TrimSpace(noted) == "" {
		return "", errors.New("CHANGELOG.md notes nothing under its heading for what is unreleased")
	}
	heading := fmt.Sprintf("## [%s] - %s\n", version, day.Format(time.DateOnly))
	return before + unreleased + "\n" + heading + after, nil
}
