package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestParted holds that each test is in exactly one part, and that nobody's own arguments are lost.
func TestParted(t *testing.T) {
	t.Chdir("../..")
	names, err := browserTests(browsing)
	if err != nil || !slices.Contains(names, "TestADayOnSite") || slices.Contains(names, "TestSession") {
		t.Fatalf("browsers are opened by %v, %v", names, err)
	}
	all := "^(" + strings.Join(names, "|") + ")$"
	for _, c := range []struct{ args, want string }{
		{"-run X ./a", "-run X ./a"},
		{"-browsers=without -timeout 30m -skip Mutants ./...", "-timeout 30m -skip Mutants|" + all + " ./..."},
		{"-browsers=without ./...", "-skip " + all + " ./..."},
		{"-browsers=without -skip Mutants ./internal/web", "-skip Mutants ./internal/web"},
		{"-browsers=only -timeout 30m", "-run " + all + " -timeout 30m ./internal/web"},
		{"-browsers=only -run Day ./...", "-run " + all + " -run Day ./internal/web"},
	} {
		got, _, err := parted(strings.Fields(c.args))
		if joined := strings.Join(got, " "); err != nil || joined != c.want {
			t.Errorf("%s: %q, %v; want %q", c.args, joined, err, c.want)
		}
	}
	for name, pattern := range map[string]string{"-skip": "Mutants|" + all, "-run": all} {
		if match, err := regexp.MatchString(pattern, "TestPages"); err != nil || match {
			t.Errorf("%s %s takes tests that open no browser: %v", name, pattern, err)
		}
	}
}

// TestBrowsersAreOpenedInOnePlace holds that no test of another folder drives a browser: it would be in the part that
// opens none.
func TestBrowsersAreOpenedInOnePlace(t *testing.T) {
	files, err := filepath.Glob("../../*/*/*_test.go")
	more, moreErr := filepath.Glob("../../internal/*/*/*_test.go")
	if files = append(files, more...); err != nil || moreErr != nil || len(files) < 100 {
		t.Fatalf("%d files, %v, %v", len(files), err, moreErr)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\t\"github.com/chromedp/chromedp\"\n") &&
			!strings.Contains(filepath.ToSlash(name), "/"+browsing+"/") {
			t.Errorf("%s drives a browser; tests that do stand in %s.", name, browsing)
		}
	}
}
