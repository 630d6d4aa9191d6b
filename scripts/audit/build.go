package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// module is one part of the binary, or of its tests.
type module struct {
	path, version string
	sum           string // of its content, as go.sum has it
	dir           string
	direct        bool
	folders       []string // of its packages that are compiled in, and all above them
	licences      []string // SPDX names, sorted
	problem       string
}

// browserFile is a package whose files browsers load, as the manifest of internal/web has it.
type browserFile struct {
	Package, Version, Integrity, Licence, Use, Folder string
	Files                                             map[string]string
}

// build is all that went into the binary.
type build struct {
	goVersion string
	goRoot    string
	system    []string  // the environment in which its packages are those of the system that it is for
	modules   []*module // in the binary
	tests     []*module // direct dependencies that are not in it
	browser   []browserFile
	foreign   []string // what is wrong with the packages of the application
}

// run gives what a command prints; its error is what the command said.
func run(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return out, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

// readBuild reads what the binary says of itself, and where its parts lie on this machine.
func readBuild(ctx context.Context, binary string) (*build, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read; make build makes it: %w", binary, err)
	}
	b := &build{goVersion: strings.TrimPrefix(info.GoVersion, "go"), system: []string{"CGO_ENABLED=0"}}
	for _, s := range info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" {
			b.system = append(b.system, s.Key+"="+s.Value)
		}
	}
	root, err := run(ctx, "", nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	b.goRoot = strings.TrimSpace(string(root))
	known := map[string]*module{}
	for _, d := range info.Deps {
		if d.Replace != nil && strings.HasPrefix(d.Replace.Path, "./") {
			continue // our own code stands in for it
		}
		m := &module{path: d.Path, version: d.Version, sum: d.Sum}
		if d.Replace != nil {
			m.version, m.sum = d.Replace.Version, d.Replace.Sum
			if d.Replace.Path != d.Path {
				m.problem = "it is replaced by " + d.Replace.Path
			}
		}
		b.modules, known[m.path] = append(b.modules, m), m
	}
	if err := b.readDirect(ctx, known); err != nil {
		return nil, err
	}
	if err := b.locate(ctx, known); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(manifest)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &b.browser); err != nil {
		return nil, err
	}
	if text, err = os.ReadFile(typefaces); err != nil {
		return nil, err
	}
	var fonts []browserFile
	if err := json.Unmarshal(text, &fonts); err != nil {
		return nil, err
	}
	for _, f := range fonts {
		f.Folder = fontFolder + f.Folder
		b.browser = append(b.browser, f)
	}
	return b, b.addApplication()
}

// The typefaces of reports are described like the files that browsers load; their folders are seen from those.
const (
	typefaces  = "internal/drawing/print/fonts/manifest.json"
	fontFolder = "../drawing/print/fonts/"
)

// readDirect finds out which modules go.mod asks for itself; those that are not in the binary serve tests.
func (b *build) readDirect(ctx context.Context, known map[string]*module) error {
	text, err := run(ctx, "", nil, "go", "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var mod struct {
		Require []struct {
			Path, Version string
			Indirect      bool
		}
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		return err
	}
	for _, r := range mod.Require {
		if r.Indirect {
			continue
		}
		m := known[r.Path]
		if m == nil {
			m = &module{path: r.Path, version: r.Version}
			b.tests, known[m.path] = append(b.tests, m), m
		}
		m.direct = true
	}
	return nil
}

// locate finds the folders of the modules, and of those packages in them that are compiled into the binary.
func (b *build) locate(ctx context.Context, known map[string]*module) error {
	args := []string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}
	for path := range known {
		args = append(args, path)
	}
	out, err := run(ctx, "", nil, "go", args...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		m := known[path]
		if m.dir = dir; dir == "" {
			m.problem = "it is not on this machine; go mod download fetches it"
			continue
		}
		m.folders = []string{dir}
	}
	out, err = run(ctx, "", b.system, "go", "list", "-deps", "-f",
		"{{with .Module}}{{.Path}}{{end}}\t{{.Dir}}", "./cmd/groundwork")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		m := known[path]
		if m == nil || m.dir == "" {
			continue
		}
		for ; len(dir) > len(m.dir) && strings.HasPrefix(dir, m.dir); dir = filepath.Dir(dir) {
			if !slices.Contains(m.folders, dir) {
				m.folders = append(m.folders, dir)
			}
		}
	}
	return nil
}

// everything that was found wrong, as one error.
func joined(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return errors.New(strings.Join(problems, "\n"))
}
