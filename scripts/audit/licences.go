package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// judge classifies every part, and holds the committed document against what was found.
func (b *build) judge(write bool) (string, error) {
	for _, m := range slices.Concat(b.modules, b.tests) {
		if m.problem == "" {
			m.classify()
		}
	}
	problems := append(b.problems(), b.unreasoned(reasons)...)
	said := fmt.Sprintf("%d modules and %d browser packages: %s", len(b.modules), len(b.browser), b.count())
	if len(problems) > 0 {
		return said, joined(problems)
	}
	text := b.document()
	if write {
		return said + "; " + document + " is written", os.WriteFile(document, text, 0o644)
	}
	if kept, err := os.ReadFile(document); err != nil || string(kept) != string(text) {
		return said, fmt.Errorf(
			"%s is not what the binary is made of now. make audit ARGS=-write writes it anew; look at the difference, and commit it.", document)
	}
	return said + "; " + document + " is current", nil
}

// problems is what is wrong with licences.
func (b *build) problems() (out []string) {
	for _, m := range slices.Concat(b.modules, b.tests) {
		if m.problem != "" {
			out = append(out, fmt.Sprintf("%s %s: %s.", m.path, m.version, m.problem))
		}
	}
	if ids, _, err := classifyFile(filepath.Join(b.goRoot, "LICENSE")); err != nil ||
		!slices.Equal(ids, []string{"BSD-3-Clause"}) {
		out = append(out, fmt.Sprintf("The licence of Go's own library reads as %v: %v.", ids, err))
	}
	out = append(out, b.foreign...)
	for _, f := range b.browser {
		if f.Folder == appFolder {
			continue // its licence was read with it
		}
		folder := filepath.Join("internal/web", f.Folder)
		ids, bad, err := classifyFile(filepath.Join(folder, "LICENSE"))
		if err != nil || len(bad) > 0 || !slices.Equal(ids, []string{f.Licence}) {
			out = append(out, fmt.Sprintf("%s %s: the manifest says %s, its LICENSE reads as %v %v: %v.", f.Package,
				f.Version, f.Licence, ids, bad, err))
		}
		for name, want := range f.Files {
			content, err := os.ReadFile(filepath.Join(folder, name))
			if sum := sha256.Sum256(content); err != nil || hex.EncodeToString(sum[:]) != want {
				out = append(out, fmt.Sprintf("%s of %s is not the file that the manifest names: %v.", name, f.Package,
					err))
			}
			if _, bad := classify(string(content)); len(bad) > 0 && strings.Contains(strings.ToUpper(name), "LICENSE") {
				out = append(out, fmt.Sprintf("%s of %s names %v.", name, f.Package, bad))
			}
		}
	}
	slices.Sort(out)
	return out
}

// unreasoned finds direct dependencies without a reason, and reasons without a dependency.
func (b *build) unreasoned(reasons map[string]string) (out []string) {
	direct := map[string]bool{}
	for _, m := range slices.Concat(b.modules, b.tests) {
		if m.direct {
			direct[m.path] = true
			if reasons[m.path] == "" {
				out = append(out, m.path+
					" is asked for by go.mod, and nothing says why. Write the reason into scripts/audit/reason.go.")
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(reasons)) {
		if !direct[path] {
			out = append(out, path+" has a reason in scripts/audit/reason.go, and go.mod does not ask for it.")
		}
	}
	return out
}

// count says how many modules have which licence, the most frequent first.
func (b *build) count() string {
	n := map[string]int{}
	for _, m := range b.modules {
		for _, id := range m.licences {
			n[id]++
		}
	}
	ids := slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
	for i, id := range ids {
		ids[i] = fmt.Sprintf("%s %d", id, n[id])
	}
	return strings.Join(ids, ", ")
}

// document is what people read of it.
func (b *build) document() []byte {
	var w strings.Builder
	fmt.Fprint(&w, `<!-- Written by make audit ARGS=-write; do not edit. -->
# Licences

Groundwork itself is under the licence in [LICENSE](../LICENSE). This is what else its binary holds, read from the
binary; `+"`make audit`"+` fails when a part has no licence, one that is not known to it, or one that asks more of you than
these do (AGPL, GPL, LGPL, SSPL and their like). One exception was decided by hand: libheif and libde265 (LGPL-3.0) are in
it as a WebAssembly file of their own, which can be replaced ([why](adr/0016-files-are-read-in-a-child-process.md)).

## In the binary

| Module | Version | Licence | Used for |
|---|---|---|---|
| Go's own library | of the Go that builds it | BSD-3-Clause | |
`)
	row := func(m *module) {
		fmt.Fprintf(&w, "| %s | %s | %s | %s |\n", m.path, m.version, strings.Join(m.licences, ", "), reasons[m.path])
	}
	for _, m := range b.modules {
		row(m)
	}
	files := func(heading string, of string) {
		fmt.Fprintf(&w, "\n%s\n\n| Package | Version | Licence | Used for |\n|---|---|---|---|\n", heading)
		for _, f := range b.browser {
			if strings.HasPrefix(f.Folder, of) {
				fmt.Fprintf(&w, "| %s | %s | %s | %s |\n", f.Package, f.Version, f.Licence, f.Use)
			}
		}
	}
	files("Files that browsers load, unchanged:", "vendored/")
	files("Packages of which parts are in the application:", appFolder)
	files("Typefaces of reports and covers, unchanged:", fontFolder)
	fmt.Fprint(&w, "\nA module without a use is there because another one needs it.\n\n## In tests only\n\n| Module | Version | Licence | Used for |\n|---|---|---|---|\n")
	for _, m := range b.tests {
		row(m)
	}
	files("Files:", "testdata/")
	fmt.Fprint(&w, `
## In releases beside the binary

| Part | Licence | Where |
|---|---|---|
| Mozilla's list of certificate authorities, as golang.org/x/crypto/x509roots/fallback (BSD-3-Clause) has it | MPL-2.0 | the image |

What packs releases is in nothing that is released: github.com/goreleaser/nfpm/v2 (MIT) makes the packages of
Debian and Fedora, golang.org/x/crypto (BSD-3-Clause) signs, go.yaml.in/yaml/v3 (MIT, Apache-2.0) reads the examples of
deploy/ in tests. Their versions are in release/go.mod.
`)
	return []byte(w.String())
}
