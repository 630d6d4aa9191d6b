package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// reproduce builds the release in two folders with names of their own and compares. Both may use what the compiler
// keeps, which with -trimpath does not depend on the folder; cold compiles everything of the second again, as another
// machine would.
func reproduce(ctx context.Context, cold bool) (string, error) {
	top, err := os.MkdirTemp("", "audit")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(top)
	first, second := filepath.Join(top, "here"), filepath.Join(top, "some", "where", "else")
	if err := copySources(ctx, first); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(second), 0o755); err != nil {
		return "", err
	}
	if err := os.CopyFS(second, os.DirFS(first)); err != nil { // not from the tree: somebody may be working in it
		return "", err
	}
	how, env := "from two folders", []string(nil)
	if cold {
		how, env = "from two folders, the second without a cache", []string{"GOCACHE=" + filepath.Join(top, "cache")}
	}
	sum, err := same(first, second, func(folder string) (string, error) {
		with := env
		if folder == first {
			with = nil
		}
		_, err := run(ctx, folder, with, "make", "build", "VERSION=audit", "COMMIT=audit")
		return filepath.Join(folder, binary), err
	})
	return how + ": sha256 " + sum, err
}

// same builds in both folders and tells the sum of what came out; an error when there are two.
func same(first, second string, build func(folder string) (string, error)) (string, error) {
	var sums [2]string
	for i, folder := range []string{first, second} {
		path, err := build(folder)
		if err != nil {
			return "", err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(content)
		sums[i] = hex.EncodeToString(sum[:])
	}
	if sums[0] != sums[1] {
		return sums[0], fmt.Errorf("The other binary has %s: the same sources do not give the same binary.", sums[1])
	}
	return sums[0], nil
}

// copySources copies what the binary is built from.
func copySources(ctx context.Context, to string) error {
	files, err := tree(ctx, "Makefile", "go.mod", "go.sum", "cmd", "internal", "tools/purego")
	if err != nil {
		return err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		path := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tree lists the files under the paths that are committed or would be.
func tree(ctx context.Context, paths ...string) ([]string, error) {
	out, err := run(ctx, "", nil, "git", append([]string{
		"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--",
	}, paths...)...)
	if err != nil {
		return nil, err
	}
	var files []string
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() { // not one that was just removed
			files = append(files, name)
		}
	}
	return files, nil
}
