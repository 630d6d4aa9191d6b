package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundwork/internal/draft"
)

// Files of other services come into a running server, and without one, and nothing comes twice.
func TestImportFiles(t *testing.T) {
	var content bytes.Buffer
	truth, err := draft.Write(&content, draft.Options{Seed: 5, Sheets: 2, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "Issue 1")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "Issue 2")
	if err := os.Mkdir(bad, 0o700); err != nil {
		t.Fatal(err)
	}
	table, other := filepath.Join(t.TempDir(), "punch.csv"), filepath.Join(t.TempDir(), "other.csv")
	const rows = "Number,Title,Location,Punch Item Manager,Status,Colour\n1,Door,101,Jo,Open,Red\n2,Wall,102,Jo,Closed,\n"
	for path, text := range map[string][]byte{
		table: []byte(rows), filepath.Join(folder, "plans.pdf"): content.Bytes(),
		filepath.Join(folder, "notes.txt"): []byte("x"), filepath.Join(bad, "bad.pdf"): []byte("%PDF-1.4 bad"),
		other: []byte(strings.NewReplacer("Door", "Gate", "Wall", "Roof").Replace(rows)),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		key, project := newProject(t, p, s, "ada@example.com")
		into := []string{"--email", "ada@example.com", "--project", project}
		bring := func(path string, more ...string) string {
			return works(t, p, "", append(append([]string{"import", path}, into...), more...)...)
		}
		has := func(said string, want ...string) {
			t.Helper()
			for _, text := range want {
				if !strings.Contains(said, text) {
					t.Errorf("%q is not in\n%s", text, said)
				}
			}
		}
		fails(t, p, "Say with --email", "", "import", table)
		fails(t, p, "Say with --project", "", "import", table, "--email", "ada@example.com")
		fails(t, p, "not both", "", append([]string{"import", table, "--new", "x"}, into...)...)
		fails(t, p, "--from is \"word\"; known are plangrid, procore, fieldwire", "",
			append([]string{"import", table, "--from", "word"}, into...)...)
		fails(t, p, "punch.csv cannot be imported: no row of it has the headings", "",
			append([]string{"import", table, "--from", "fieldwire", "--kind", "rfis"}, into...)...)
		fails(t, p, "for folders", "", append([]string{"import", table, "--documents"}, into...)...)
		fails(t, p, "for tables", "", append([]string{"import", folder, "--day-first"}, into...)...)
		has(bring(table, "--dry-run"), "Would import Procore's punch list as issues: 2 new")
		has(bring(table), "Imported Procore's punch list as issues: 2 new, 0 changed, 0 as they were.",
			"New issue lists: Punch list.", "Location (room)", "kept as text in each record: Punch Item Manager",
			"not known, kept as text too: Colour")
		has(bring(table), "0 new, 0 changed, 2 as they were")
		fails(t, p, "2 of the 2 rows that came before have another title now", "",
			append([]string{"import", other}, into...)...)
		has(bring(other, "--source", "North"), "2 new, 0 changed")
		has(bring(other, "--although-renamed", "--dry-run"), "0 new, 2 changed")
		if _, body := s.get(t, key, "/projects/"+project+"/issues"); !strings.Contains(body, `Colour: Red`) {
			t.Errorf("issues: %s", body)
		}
		s.stop(t)
		has(bring(folder, "--dry-run"), "1 PDF would come, 0 were here", "notes.txt was left out")
		has(bring(folder), "1 PDF came, 0 were here", "2 sheets are published")
		has(bring(folder), "0 PDFs came, 1 was here")
		if r := command(t, p, "", append([]string{"import", bad}, into...)...); r.exit != exitFailure ||
			!strings.Contains(r.err, "1 file did not come") || !strings.Contains(r.out, "- bad.pdf: ") {
			t.Errorf("a bad file: exit %d\n%s%s", r.exit, r.out, r.err)
		}
		said := works(t, p, "", "import", table, "--email", "ada@example.com", "--new", "Bridge")
		has(said, "The project \"Bridge\" is ", "2 new")
		has(works(t, p, "", "import", table, "--email", "ada@example.com", "--new", "Bridge"),
			"The project \"Bridge\" is here already", "2 as they were")
		s = serve(t, p)
		if _, body := s.get(t, key, "/projects/"+project+"/sheets"); !strings.Contains(body, `"`+truth.Pages[0].Number+`"`) {
			t.Errorf("sheets: %s", body)
		}
		if r := command(t, p, "", "doctor", "--verify", "--files"); r.exit != 0 {
			t.Errorf("doctor says %s%s", r.out, r.err)
		}
	})
}
