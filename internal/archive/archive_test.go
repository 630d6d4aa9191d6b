package archive_test

import (
	"archive/zip"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/store"
)

// Exported, imported on the other engine, exported, imported on the first one again and exported: always the same
// bytes.
func TestRoundTrip(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		e := makeEstate(t, engine)
		first := export(t, e.Server, e.project)
		t.Logf("%d bytes", len(read(t, first)))
		whatItHas(t, e, first)
		other := map[string]string{apitest.SQLite: apitest.Postgres, apitest.Postgres: apitest.SQLite}[engine]
		path := first
		for _, at := range []string{other, engine} {
			s := apitest.Start(t, at)
			before := dump(t, s)
			dry, err := s.App.Import(t.Context(), path, true, quiet)
			if err != nil || dump(t, s) != before {
				t.Fatalf("a dry run: %v %v", dry, err)
			}
			if r := bring(t, s, path); r.Already || len(r.People) != 4 || !r.People[0].New || r.Files < 8 {
				t.Errorf("imported %+v", r)
			}
			sound(t, s)
			again := export(t, s, e.project)
			same(t, first, again)
			after := dump(t, s)
			if r := bring(t, s, path); !r.Already || dump(t, s) != after {
				t.Errorf("a second import changed something: %+v", r)
			}
			path = again
			if at == engine {
				continue
			}
			// What waited is done, tiles are cut again, and they are as they were: the sheets have not changed.
			_, seq := stamp(t, s, e.project)
			work(t, s)
			if wrong := audit(t, s); wrong != "" {
				t.Error(wrong)
			}
			later := entries(t, export(t, s, e.project))["files.jsonl"]
			for line := range strings.Lines(entries(t, first)["files.jsonl"]) {
				if strings.Contains(line, `"made_again":true`) && !strings.Contains(later, line) {
					t.Errorf("the tiles are others: %s", line)
				}
			}
			if _, now := stamp(t, s, e.project); now != seq+1 { // the photo that was not looked at
				t.Errorf("%d changes after the import", now-seq)
			}
			sound(t, s)
		}
	})
}

func stamp(t *testing.T, s *apitest.Server, project string) (clock, seq int64) {
	t.Helper()
	p, err := s.App.Store.Project(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	return p.Stamp()
}

// audit compares the file store with what records show.
func audit(t *testing.T, s *apitest.Server) string {
	var all []string
	if err := s.App.Files.Audit(t.Context(), s.App.Store, true, func(w string) { all = append(all, w) }); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// same compares two archives, and says which entries differ.
func same(t *testing.T, want, got string) {
	t.Helper()
	if digest(t, want) == digest(t, got) {
		return
	}
	t.Error("the archives differ")
	a, b := entries(t, want), entries(t, got)
	for name, content := range a {
		if b[name] == content {
			continue
		}
		old, now := strings.Split(content, "\n"), strings.Split(b[name], "\n")
		for i := range max(len(old), len(now)) {
			if i >= len(old) || i >= len(now) || old[i] != now[i] {
				t.Errorf("%s differs from line %d on:\n%.500s\nwant\n%.500s", name, i+1, at(now, i), at(old, i))
				break
			}
		}
	}
	for name := range b {
		if _, there := a[name]; !there {
			t.Errorf("%s is new", name)
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "nothing"
}

// entries are the entries of an archive.
func entries(t *testing.T, path string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	all := map[string]string{}
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(content)
	}
	return all
}

// An imported project lets nobody in, tells nobody, and can be worked in by whoever was let in by the operator.
func TestImportedPeople(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		e := makeSmall(t, apitest.SQLite)
		path := export(t, e.Server, e.project)
		s := apitest.Start(t, engine, apitest.Mailed())
		bob := s.Account("bob") // another uid than there
		letters := jobs(t, s, "letter", "mail")
		bring(t, s, path)
		sound(t, s)
		if n := count(t, s, "capabilities") + count(t, s, "sessions") + count(t, s, "keys"); n != 1 { // bob's own
			t.Errorf("%d credentials", n)
		}
		if n := jobs(t, s, "letter", "mail"); n != letters {
			t.Errorf("%d letters wait, and %d did before", n, letters)
		}
		// Ada made the project: whoever takes her account over before she has shown that it is hers must not be in.
		ada, err := s.App.Auth.AccountByEmail(t.Context(), "ada@example.com")
		if err != nil || !ada.Invited || ada.Proven || ada.UID != e.ada.UID {
			t.Errorf("ada is %+v, %v", ada, err)
		}
		r := bob.Want(http.StatusOK, "GET", "/projects/"+e.project+"/issues", nil)
		if r.Text("data.0.created_by.uid") != e.ada.UID || r.Text("data.0.assigned_to.0.uid") != bob.UID {
			t.Errorf("issues %s", r.Body)
		}
		bob.Want(http.StatusCreated, "POST", "/projects/"+e.project+"/issues", map[string]any{"title": "next"})
		sound(t, s)
		// Imported again, the project stays as it has become.
		after := dump(t, s)
		if r := bring(t, s, path); !r.Already || dump(t, s) != after {
			t.Errorf("imported again: %+v", r)
		}
	})
}

func count(t *testing.T, s *apitest.Server, table string) int {
	return strings.Count(dump(t, s), "\n"+table+" ")
}

// whatItHas holds that every line is of the form that the schema says, that no secret is in an archive, and that
// nothing of what people typed can run in a page.
func whatItHas(t *testing.T, e *estate, path string) {
	t.Helper()
	all := entries(t, path)
	checked := validate(t, all)
	if checked < 200 {
		t.Errorf("%d lines were held against the schema", checked)
	}
	for name, content := range all {
		if strings.HasSuffix(name, ".html") {
			for _, bad := range []string{"<script", "<img src=x", "onerror=alert(1)>", "javascript:"} {
				if strings.Contains(strings.ToLower(content), bad) {
					t.Errorf("%s has %s", name, bad)
				}
			}
		}
		for _, secret := range []string{"argon2id", "gwk_", e.ada.Key, e.bob.Key} {
			if strings.Contains(content, secret) {
				t.Errorf("%s has %s", name, secret)
			}
		}
	}
	if page := all["pages/issues.html"]; !strings.Contains(page, "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;") ||
		!strings.Contains(page, "Comment: ") {
		t.Error("the page of issues shows no issues")
	}
	if index := all["index.html"]; !strings.Contains(index, "Tower &#34;&lt;b&gt;é&lt;/b&gt;&#34; &amp; Söhne") {
		t.Errorf("the first page is %s", index)
	}
	for _, kind := range kinds(t) {
		if all["records/"+kind+".jsonl"] == "" || all["pages/"+kind+".html"] == "" {
			t.Errorf("the estate has no %s, so nothing is shown of them", kind)
		}
	}
	for _, table := range []string{"version_uploads", "version_files", "version_pages"} {
		if all["tables/"+table+".jsonl"] == "" {
			t.Errorf("the estate has no %s", table)
		}
	}
	if !strings.Contains(all["files.jsonl"], `"made_again":true`) {
		t.Error("no tiles were left out")
	}
}

// A file that is gone is said, and the rest is exported and imported.
func TestFilesThatAreGone(t *testing.T) {
	e := makeSmall(t, apitest.SQLite)
	for object := range objectsOf(t, e.Server) {
		if err := e.App.Blob.Delete(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "a.zip")
	made, _, err := e.App.Export(t.Context(), e.project, path, quiet)
	if err != nil || len(made.Lost) != 1 || !strings.Contains(made.Lost[0], "is not in the file store") {
		t.Fatal(made, err)
	}
	s := apitest.Start(t, apitest.SQLite)
	if r := bring(t, s, path); len(r.Missing) != 1 || r.Files != 0 {
		t.Errorf("imported %+v", r)
	}
	again := filepath.Join(t.TempDir(), "b.zip")
	if _, _, err := s.App.Export(t.Context(), e.project, again, quiet); err != nil {
		t.Fatal(err)
	}
	same(t, path, again)
}

// A project whose log has jumps, since it was restored from a backup, comes with them.
func TestAfterARestore(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		e := makeSmall(t, apitest.SQLite)
		p, err := e.App.Store.Project(t.Context(), e.project)
		if err != nil {
			t.Fatal(err)
		}
		_, seq := p.Stamp()
		jump := (seq>>8 + 1) << 8
		err = e.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
			err := tx.Exec("INSERT INTO changes (id, record, clock, op, actor) SELECT $1, id, clock, 7, 0 FROM records WHERE id = $2",
				p.ID<<39|jump, store.MakeID(p.ID, 1, 1))
			return errors.Join(err, tx.Exec("UPDATE projects SET seq = $1 WHERE id = $2", jump, p.ID), tx.SetNote("restored", "1"))
		})
		if err != nil {
			t.Fatal(err)
		}
		path := export(t, e.Server, e.project)
		s := apitest.Start(t, engine)
		bring(t, s, path)
		sound(t, s)
		same(t, path, export(t, s, e.project))
		s.Restart()
		sound(t, s)
	})
}
