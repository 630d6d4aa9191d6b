package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryExperimentIsListed: whoever declares an experiment and forgets the table would never see it run.
func TestEveryExperimentIsListed(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^var (E[0-9]+) += &lab\.Experiment\{`)
	var found []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			found = append(found, string(m[1]))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	last := 0
	for _, x := range experiments {
		listed = append(listed, x.ID)
		n, err := strconv.Atoi(strings.TrimPrefix(x.ID, "E"))
		if err != nil || n <= last {
			t.Errorf("%s stands behind E%d; the table is in the order of the numbers", x.ID, last)
		}
		last = n
		if x.Title == "" || x.MustHold == "" || x.Control == "" || len(x.Engines) == 0 || x.Run == nil ||
			x.RunControl == nil {
			t.Errorf("%s is not whole: it needs a title, what must hold, engines, and a control that must fail", x.ID)
		}
	}
	for _, id := range found {
		if !slices.Contains(listed, id) {
			t.Errorf("%s is declared and not in the table of main.go: it never runs", id)
		}
	}
	if len(found) != len(listed) {
		t.Errorf("%d experiments are declared and %d listed", len(found), len(listed))
	}
}

// Results are published: no link that looks as if it opened something, and no folder of the machine.
func TestResultsAreMasked(t *testing.T) {
	link, folder := "gwi_"+strings.Repeat("a1", 12), "/anywhere/groundwork-prove-12/E48-3/miss"
	if got := masked(link + " " + folder); got != "gwi_… E48-3/miss" {
		t.Errorf("published: %s", got)
	}
	all, err := kept("results.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		for _, text := range append(r.Problems, r.Control) {
			if masked(text) != text {
				t.Errorf("%s on %s publishes %s", r.ID, r.Engine, text)
			}
		}
	}
}
