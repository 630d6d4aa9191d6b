package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// rig holds everything of one run.
type rig struct {
	scale
	folder   string
	top      string // of the service's sources
	program  string // the released binary
	planted  string // the same, able to commit in groups of one
	servers  []*server
	cluster  *cluster
	results  *results
	quickest time.Duration // of the disk
}

// scale is how much is measured.
type scale struct {
	Issues int           `json:"issues"`
	Grown  int           `json:"grown"`
	Rounds int           `json:"rounds"`
	Turn   time.Duration `json:"turn"`
	File   int64         `json:"file"`  // bytes of a large file
	Stock  int64         `json:"stock"` // bytes of files of which backups are made
	Pages  int           `json:"pages"` // of a set of drawings
}

var (
	whole = scale{
		Issues: 100_000, Grown: 1_000_000, Rounds: 7, Turn: 1500 * time.Millisecond, File: 1 << 30, Stock: 10 << 30,
		Pages: 100,
	}
	short = scale{
		Issues: 10_000, Grown: 20_000, Rounds: 3, Turn: 300 * time.Millisecond, File: 64 << 20, Stock: 1 << 30,
		Pages: 10,
	}
)

const small = 1000

func newRig(program, top string, s scale) (*rig, error) {
	folder, err := os.MkdirTemp("", "groundwork-bench-")
	if err != nil {
		return nil, err
	}
	r := &rig{scale: s, folder: folder, top: top, results: newResults(s)}
	r.program, err = filepath.Abs(program)
	return r, err
}

// close ends what runs and removes what was made.
func (r *rig) close() error {
	for _, s := range slices.Backward(r.servers) {
		s.stop()
	}
	if r.cluster != nil {
		r.cluster.stop()
	}
	return os.RemoveAll(r.folder)
}

func (r *rig) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%s  %s\n", time.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
}

func (r *rig) tool(name string) string { return filepath.Join(r.folder, "tool-"+name) }

// build makes the floor, the rival, what writes as people do, and the service's planted variant, which never leaves
// this folder.
func (r *rig) build(ctx context.Context) error {
	r.say("building")
	r.planted = r.tool("planted")
	for _, one := range []struct {
		folder string
		args   []string
	}{
		{filepath.Join(r.top, "bench"), []string{"-o", r.tool("floor"), "./floor"}},
		{filepath.Join(r.top, "bench"), []string{"-o", r.tool("pocketbase"), "./pocketbase"}},
		{r.top, []string{"-tags", "planted", "-o", r.planted, "./cmd/groundwork"}},
		{r.top, []string{"-o", r.tool("bodies"), "./scripts/bodies"}},
		{r.top, []string{"-o", r.tool("drawings"), "./scripts/drawings"}},
	} {
		cmd := exec.CommandContext(ctx, "go",
			append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w"}, one.args...)...)
		cmd.Dir, cmd.Env = one.folder, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w\n%s", err, out)
		}
	}
	return r.certify()
}

// copied makes an installation of the same contents; the first must be stopped.
func (g *ground) copied(name string) (*ground, error) {
	c := *g
	c.data = filepath.Join(g.r.folder, name)
	return &c, copyFolder(g.data, c.data)
}

func copyFolder(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case d.Type().IsRegular():
			return copyFile(path, filepath.Join(to, rel))
		}
		return nil
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	// On the disk before anything is measured, or it would be written while something is.
	return errors.Join(err, out.Sync(), out.Close())
}
