package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const sampleLog = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Stairs.\n\n## [0.1.0] - 2026-01-02\n\n- Walls.\n"

func TestChangelog(t *testing.T) {
	day := time.Date(2026, 11, 18, 23, 0, 0, 0, time.UTC)
	got, err := changelog(sampleLog, "0.2.0", day)
	want := "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-18\n\n### Added\n\n- Stairs.\n\n" +
		"## [0.1.0] - 2026-01-02\n\n- Walls.\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := changelog(got, "0.3.0", day); err == nil {
		t.Error("a version without a change is cut")
	}
	if _, err := changelog("# Changelog\n", "0.3.0", day); err == nil {
		t.Error("a file without the heading is cut")
	}
}

func TestCut(t *testing.T) {
	top := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = top
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for name, value := range map[string]string{
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A",
		"GIT_COMMITTER_EMAIL": "a@example.com", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_COUNT": "0",
	} {
		t.Setenv(name, value)
	}
	var fails error
	keep := func(_ context.Context, top string) error {
		return errors.Join(fails, os.WriteFile(filepath.Join(top, "kept"), nil, 0o644))
	}
	path := filepath.Join(top, "CHANGELOG.md")
	git("init", "--quiet")
	if err := os.WriteFile(path, []byte(sampleLog), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := cut(t.Context(), top, "0.2.0", keep); err == nil || !strings.Contains(err.Error(), "no commit has") {
		t.Errorf("a tree with changes: %v", err)
	}
	git("add", ".")
	git("commit", "--quiet", "-m", "first")
	for _, wrong := range []string{"", "v0.2.0", "0.2", "0.2.0-rc1", "latest"} {
		if err := cut(t.Context(), top, wrong, keep); err == nil {
			t.Errorf("%q is cut", wrong)
		}
	}
	fails = errors.New("no room")
	if err := cut(t.Context(), top, "0.2.0", keep); !errors.Is(err, fails) {
		t.Errorf("where nothing is kept: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != sampleLog {
		t.Errorf("a version that was not cut is in the log: %v\n%s", err, text)
	}
	if err := os.Remove(filepath.Join(top, "kept")); err != nil {
		t.Fatal(err)
	}
	fails = nil
	if err := cut(t.Context(), top, "0.2.0", keep); err != nil {
		t.Fatal(err)
	}
	if files := git("show", "--name-only", "--format=", "HEAD"); files != "CHANGELOG.md\nkept" {
		t.Errorf("the commit has %s", files)
	}
	r, err := describe(t.Context(), top, "")
	if err != nil || r.version != "0.2.0" || r.dirty {
		t.Errorf("the tree is %+v, %v", r, err)
	}
	if subject := git("log", "-1", "--format=%s"); subject != "release: 0.2.0" {
		t.Errorf("the commit is %q", subject)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "\n## [0.2.0] - ") {
		t.Errorf("%v\n%s", err, text)
	}
	if err := cut(t.Context(), top, "0.2.0", keep); err == nil || !strings.Contains(err.Error(), "before") {
		t.Errorf("the same version again: %v", err)
	}
}
