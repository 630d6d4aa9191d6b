package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/app"
	"groundwork/internal/await"
	"groundwork/internal/pgtest"
)

// A project is exported from a running server and imported into another one, on the other engine; exported there, it is
// the same file.
func TestExportAndImport(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		folder := t.TempDir()
		out, again := filepath.Join(folder, "a.zip"), filepath.Join(folder, "b.zip")
		s := serve(t, p)
		createAccount(t, p, "anna@example.com")
		key := createKey(t, p, "anna@example.com", "--limit", "all/1=1000")
		project := s.create(t, key, "/projects", `{"name":"Tower"}`)
		s.create(t, key, "/projects/"+project+"/issues", `{"title":"A crack"}`)
		said := works(t, p, "", "export", "--project", project, "--out", out)
		if !strings.HasPrefix(said, "Archive of project "+project) || !strings.Contains(said, "0 files") {
			t.Errorf("export printed %s", said)
		}
		fails(t, p, "exists already", "", "export", "--project", project, "--out", out)
		fails(t, p, "does not exist", "", "export", "--project", "nothing", "--out", again)
		if _, err := os.Stat(again); err == nil {
			t.Error("an export that failed has left a file")
		}
		if said := works(t, p, "", "import", out); !strings.Contains(said, "Nothing was changed") {
			t.Errorf("importing where it was made: %s", said)
		}
		other := newPlace(t)
		fails(t, other, "no installation to import into", "", "import", out)
		if len(p) == 2 {
			other = append(other, "--database-url", pgtest.Database(t))
		}
		there := serve(t, other)
		if said := works(t, other, "", "import", "--dry-run", out); !strings.Contains(said, "Would import the project \"Tower\", "+project+", as of ") ||
			!strings.Contains(said, " UTC: 1 project, ") || !strings.Contains(said, "1 issue, ") || strings.Contains(said, "Nobody can") || !strings.Contains(said, "anna@example.com would get an account") {
			t.Errorf("the dry run printed %s", said)
		}
		if said := works(t, other, "", "import", out); !strings.Contains(said, "Imported the project \"Tower\", "+project) ||
			!strings.HasSuffix(said, "\n"+app.NobodySignsIn) {
			t.Errorf("import printed %s", said)
		}
		if said := works(t, other, "", "import", out); !strings.Contains(said, "Nothing was changed") {
			t.Errorf("the second import printed %s", said)
		}
		works(t, other, "", "export", "--project", project, "--out", again)
		sameFile(t, out, again)
		fails(t, other, "it is no ZIP file", "", "import", writeFile(t, "no archive"))
		// Nobody is let in, until the operator says whose address it is.
		if said := works(t, other, "", "account", "list"); !strings.Contains(said, "anna@example.com") {
			t.Errorf("accounts: %s", said)
		}
		there.stop(t)
		there = serve(t, other)
		there.readTo(t, app.NobodySignsIn+"\n")
		if r := command(t, other, "", "doctor"); r.exit != exitFailure || !strings.Contains(r.out, "BAD somebody can sign in: Nobody can") {
			t.Errorf("doctor says %s%s", r.out, r.err)
		}
		works(t, other, "", "account", "prove", "anna@example.com")
		works(t, other, password, "account", "create", "--admin", "--email", "otto@example.com", "--name", "Otto Stein",
			"--password-stdin")
		if said := works(t, other, "", "import", out); strings.Contains(said, "Nobody can sign in") {
			t.Errorf("import printed %s", said)
		}
		key = createKey(t, other, "anna@example.com")
		if _, body := there.get(t, key, "/projects/"+project+"/issues"); !strings.Contains(body, "A crack") {
			t.Errorf("issues: %s", body)
		}
		if there.stop(t); !strings.Contains(there.errs.String(), "nobody can sign in") {
			t.Errorf("the log says %s", there.errs)
		}
		if r := command(t, other, "", "doctor", "--verify", "--files"); r.exit != 0 {
			t.Errorf("doctor says %s%s", r.out, r.err)
		}
	})
}

func writeFile(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "file.zip")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func sameFile(t *testing.T, want, got string) {
	t.Helper()
	a, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("%s of %d bytes and %s of %d bytes differ", want, len(a), got, len(b))
	}
}

// Imports that are killed bring nothing, or all of it.
func TestImportsThatAreKilled(t *testing.T) {
	p := newPlace(t)
	s := serve(t, p)
	createAccount(t, p, "anna@example.com")
	key := createKey(t, p, "anna@example.com", "--limit", "all/1=1000")
	project := s.create(t, key, "/projects", `{"name":"Tower"}`)
	for n := range 40 {
		offer := s.ask(t, key, "POST", "/projects/"+project+"/attachments/uploads", "application/json",
			fmt.Sprintf(`{"content_type":"text/plain","name":"notes %d.txt"}`, n))
		s.ask(t, "", "POST", offer.Text("storage_post_form_arguments.action"),
			"multipart/form-data; boundary="+apitest.Frontier, apitest.Form(offer, strings.Repeat(fmt.Sprint(n, " "), 500_000)))
	}
	folder := t.TempDir()
	out, again := filepath.Join(folder, "a.zip"), filepath.Join(folder, "b.zip")
	if said := works(t, p, "", "export", "--project", project, "--out", out); !strings.Contains(said, "40 files") {
		t.Fatalf("export printed %s", said)
	}
	other := newPlace(t)
	createAccount(t, other, "otto@example.com")
	killed, nothing := 0, 0
	for n := range 6 {
		cmd := exec.Command(program, append([]string{"import", out}, other...)...)
		cmd.Env = environment(t)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		await.True(t, time.Minute, "files", func() bool {
			return filesIn(other.folder()) > 6*n || len(ended) > 0
		})
		_ = cmd.Process.Kill()
		if <-ended != nil {
			killed++
			r := command(t, other, "", "export", "--project", project, "--out", filepath.Join(folder, fmt.Sprint(n, ".zip")))
			switch {
			case r.exit == 0 && strings.Contains(r.out, "40 files"):
			case r.exit == 1 && strings.Contains(r.err, "does not exist"):
				nothing++
			default:
				t.Errorf("after a kill: exit %d, %s%s", r.exit, r.out, r.err)
			}
		}
	}
	t.Logf("%d of 6 imports were killed, %d of them before the project was there", killed, nothing)
	works(t, other, "", "import", out)
	works(t, other, "", "export", "--project", project, "--out", again)
	sameFile(t, out, again)
	if r := command(t, other, "", "doctor", "--verify", "--files"); r.exit != 0 {
		t.Errorf("doctor says %s%s", r.out, r.err)
	}
	if n := filesIn(other.folder()); n < 40 { // what a kill left half is swept later
		t.Errorf("%d files lie in the store", n)
	}
	if killed == 0 {
		t.Error("no import was killed")
	}
}

// filesIn counts the files that lie in the store of a data folder.
func filesIn(folder string) (n int) {
	_ = filepath.WalkDir(filepath.Join(folder, "files"), func(_ string, d fs.DirEntry, _ error) error {
		if d != nil && d.Type().IsRegular() {
			n++
		}
		return nil
	})
	return n
}
