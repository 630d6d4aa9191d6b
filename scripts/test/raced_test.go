package main

import (
	"slices"
	"strings"
	"testing"
)

// TestSplitRaced holds that every package runs exactly once, with the flags that were given.
func TestSplitRaced(t *testing.T) {
	list := func(patterns ...string) ([]string, error) {
		if patterns[0] == "./..." {
			return []string{"m/a", "m/b", "m/c", longest[1], longest[0]}, nil
		}
		out := slices.Clone(patterns)
		for i, p := range out {
			out[i] = "m" + strings.TrimPrefix(p, ".")
		}
		return out, nil
	}
	for _, c := range []struct{ args, want string }{
		{"-run X ./a", "-run X ./a"},
		{"-v ./...", "-v " + longest[0] + " " + longest[1] + " m/a m/b m/c"},
		{"-raced=./b,./c -skip Y ./...", "-race -skip Y m/b m/c; -skip Y " + longest[0] + " " + longest[1] + " m/a"},
	} {
		runs, err := splitRaced(strings.Fields(c.args), list)
		var got []string
		for _, r := range runs {
			got = append(got, strings.Join(r, " "))
		}
		if joined := strings.Join(got, "; "); err != nil || joined != c.want {
			t.Errorf("%s: %q, %v; want %q", c.args, joined, err, c.want)
		}
	}
}

// TestLongestAreThere holds that the packages that are begun first exist.
func TestLongestAreThere(t *testing.T) {
	all, err := listPackages("groundwork/...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range longest {
		if !slices.Contains(all, p) {
			t.Errorf("There is no package %s.", p)
		}
	}
}
