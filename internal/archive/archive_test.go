package archive_test

import (
	"archive/zip"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// Exported, imported on the other engine, exported, imported on the first one again and exported: always the same
// bytes.
func TestRoundTrip(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		e := makeEstate(t, engine)
		first := export(t, e.Server, e.project)
		t.Logf("%d bytes", len(read(t, first)))
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
	})
}

func count(t *testing.T, s *apitest.Server, table string) int {
	return strings.Count(dump(t, s), "\n"+table+" ")
}
