// Package house holds the rules of the building, which no compiler holds: which package may know which, where an
// engine's name may stand, what a file may not contain. It reads the source only; each refusal says the reason for its
// rule.
package house

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rules are checked on the whole module; each gives one sentence per break.
var rules = map[string]func(*tree) []string{
	"directions":       directions,
	"engine names":     engineNames,
	"package comments": packageComments,
	"file lengths":     fileLengths,
	"line lengths":     lineLengths,
	"omitted fields":   omittedFields,
	"init functions":   initFunctions,
	"package names":    packageNames,
	"skipped tests":    skippedTests,
	"cheap passwords":  cheapPasswords,
}

func TestRules(t *testing.T) {
	all, _ := load(t)
	for _, name := range slices.Sorted(maps.Keys(rules)) {
		t.Run(name, func(t *testing.T) {
			for _, sentence := range rules[name](all) {
				t.Error(sentence)
			}
		})
	}
}

// TestNounCanBeDeleted takes each noun's folder and its one line of app away. Everything else compiles then if nobody
// else imports it, and if app does.
func TestNounCanBeDeleted(t *testing.T) {
	all, top := load(t)
	found := map[string]bool{}
	for _, s := range all.sources {
		if floors[s.folder()] == nouns && !notKinds[s.folder()] {
			found[s.folder()] = true
		}
	}
	if len(found) == 0 {
		t.Fatal("There is no noun.")
	}
	for _, noun := range slices.Sorted(maps.Keys(found)) {
		t.Run(filepath.Base(noun), func(t *testing.T) {
			if allowed := commanded[noun]; allowed != nil {
				onlyCommands(t, all, noun, allowed)
				return
			}
			overlay := without(t, all, top, noun)
			cmd := exec.Command("go", "build", "-overlay", overlay, "./internal/app")
			cmd.Dir = top
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("Without %s the rest does not compile, so it cannot be understood or replaced alone: %v\n%s",
					noun, err, out)
			}
		})
	}
}

// onlyCommands holds that nothing but the line that mounts a noun and the files of its command know it.
func onlyCommands(t *testing.T, all *tree, noun string, allowed []string) {
	t.Helper()
	for _, s := range all.sources {
		imported, used := mentions(all, s, noun)
		switch {
		case nounOf(s.folder()) == noun: // its parts; directions holds that nobody else imports those
		case imported == nil || s.isTest() || s.folder() == noun || slices.Contains(allowed, s.name):
		case s.folder() != "internal/app" || len(used) != 1:
			t.Errorf("%s mentions %s on %d lines; beside its command one line of internal/app mounts it.", s.name, noun,
				len(used))
		}
	}
}

// without writes the overlay in which a noun's files do not exist and app does not mention it.
func without(t *testing.T, all *tree, top, noun string) string {
	t.Helper()
	replace, uses := map[string]string{}, 0
	for _, s := range all.sources {
		full := filepath.Join(top, s.name)
		switch {
		case s.folder() == noun:
			replace[full] = ""
		case s.folder() == "internal/app" && !s.isTest():
			imported, used := mentions(all, s, noun)
			if imported == nil {
				continue
			}
			uses += len(used)
			kept := strings.SplitAfter(string(s.text), "\n")
			for _, line := range slices.Concat(imported, used) {
				kept[line-1] = "\n"
			}
			changed := filepath.Join(t.TempDir(), filepath.Base(s.name))
			if err := os.WriteFile(changed, []byte(strings.Join(kept, "")), 0o600); err != nil {
				t.Fatal(err)
			}
			replace[full] = changed
		case !s.isTest():
			if imported, _ := mentions(all, s, noun); imported != nil {
				t.Errorf("%s imports %s; only a line of internal/app mounts it.", s.name, noun)
			}
		}
	}
	if uses != 1 {
		t.Errorf("internal/app mentions %s on %d lines; one line mounts a noun.", noun, uses)
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return overlay
}
