package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// target is a system and a kind of processor.
type target struct{ system, processor string }

// targets is what programs are made for. Packages and images are made for those with Linux.
var targets = []target{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
}

// here is the target of this machine's processor, with Linux.
func here() target { return target{"linux", runtime.GOARCH} }

func (t target) String() string { return t.system + "_" + t.processor }

// program is what the program is called there.
func (t target) program() string {
	if t.system == "windows" {
		return "groundwork.exe"
	}
	return "groundwork"
}

// shown is the name of the system for people.
func (t target) shown() string {
	if t.system == "darwin" {
		return "macos_" + t.processor
	}
	return t.String()
}

// built is a program and where it lies, with its bill of materials.
type built struct {
	target
	path, bill string
}

// compile makes the program for a target in a folder, as make build does it, and its bill of materials.
func (r *release) compile(ctx context.Context, t target, folder string) (built, error) {
	b := built{target: t, path: filepath.Join(folder, t.String(), t.program())}
	b.bill = filepath.Join(folder, t.String(), "groundwork.cdx.json")
	if err := os.MkdirAll(filepath.Dir(b.path), 0o755); err != nil {
		return b, err
	}
	_, err := command(ctx, r.top, []string{"GOOS=" + t.system, "GOARCH=" + t.processor}, "make", "--silent", "build",
		"OUT="+b.path, "VERSION="+r.version, "COMMIT="+r.commit)
	if err != nil {
		return b, fmt.Errorf("the program for %s: %w", t, err)
	}
	_, err = command(ctx, r.top, nil, "go", "run", "./scripts/audit", "-binary", b.path, "-bill", b.bill)
	if err != nil {
		return b, fmt.Errorf("the bill of materials for %s: %w", t, err)
	}
	return b, nil
}
