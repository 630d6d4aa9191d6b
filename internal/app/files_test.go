package app

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/draft"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/foreign"
	"groundwork/internal/identity"
	"groundwork/internal/sheet/intake"
)

// Whoever is assigned to what comes with a file is told nothing, also while they are told of other things.
func TestFilesAreToldToNobody(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		v := settle(t, c)
		tower := v.do("ada", "POST", "/projects", `{"name":"Tower"}`)
		v.do("ada", "POST", "/projects/"+tower+"/users/invites", `{"email":"bob@example.com"}`)
		v.do("bob", "GET", "/projects/"+tower, "")
		v.want("the invitation", v.mails())
		path := filepath.Join(t.TempDir(), "tasks.csv")
		lines := "#,Title,Stamp,Room,Assigned To\n1,Door,D,101,bob@example.com\n2,Wall,W,102,bob@example.com\n"
		if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
			t.Fatal(err)
		}
		bring := func() {
			in := Files{Path: path, Email: "ada@example.com", Project: tower}
			if _, _, r, err := v.app.ImportTable(t.Context(), in, foreign.Options{}); err != nil || r.Made+r.Same != 2 {
				t.Fatalf("%+v %v", r, err)
			}
		}
		bring()
		v.want("the file alone", v.mails())
		other := v.do("ada", "POST", "/projects", `{"name":"Bridge"}`)
		v.do("ada", "POST", "/projects/"+other+"/users/invites", `{"email":"bob@example.com"}`)
		v.do("bob", "GET", "/projects/"+other, "")
		v.mails()
		tower = other
		v.do("ada", "POST", "/projects/"+tower+"/issues", `{"title":"Roof","assigned_to":["`+v.uids["bob"]+`"]}`)
		bring()
		v.want("beside something else", v.mails(), "bob@example.com: [Bridge] issue #1 is yours: Roof")
	})
}

// Drawings that are more than one set has, sets that came and were not read, and sets in which nothing could be read
// all come, also where no server runs.
func TestDrawingsOfOtherRuns(t *testing.T) { engines(t, drawingsOfOtherRuns) }

func drawingsOfOtherRuns(t *testing.T, c Config) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	folder := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(before func(a *App, in Files)) FolderReport {
		t.Helper()
		a, err := Open(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := a.Close(); err != nil {
				t.Error(err)
			}
		}()
		in := Files{Path: folder, Email: "ada@example.com", New: "Tower"}
		before(a, in)
		_, _, r, err := a.ImportFolder(ctx, in, FolderOptions{Publish: true, ofSet: 1})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	write("a.pdf", "%PDF-1.4 one")
	write("b.pdf", "%PDF-1.4 two")
	write("c.pdf", "%PDF-1.4 one")
	r := run(func(a *App, _ Files) {
		account := identity.NewAccount{Email: "ada@example.com", Name: "Ada Stone", Password: "seventeen purple anvils"}
		if _, err := a.Auth.CreateAccount(ctx, account); err != nil {
			t.Fatal(err)
		}
	})
	if told := strings.Join(r.Notes, "\n"); len(r.Sets) != 2 || r.PDFs != 2 || r.PDFsHere != 0 || r.Refused != 2 ||
		!strings.Contains(told, "c.pdf was left out: it is the same as a.pdf") {
		t.Errorf("the first run: %+v", r)
	}
	var content bytes.Buffer
	if _, err := draft.Write(&content, draft.Options{Seed: 5, Sheets: 1, Plain: true}); err != nil {
		t.Fatal(err)
	}
	write("plans.pdf", content.String())
	var waiting string
	r = run(func(a *App, in Files) {
		at, err := a.target(ctx, in, false)
		if err != nil {
			t.Fatal(err)
		}
		waiting, err = intake.Send(ctx, a.Store, a.Jobs, a.Files, at.Scope, intake.Sending{
			Version: "One", Publish: true, Files: []intake.Source{{
				Name: "plans.pdf",
				Open: func() (io.ReadCloser, error) { return os.Open(filepath.Join(folder, "plans.pdf")) },
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if len(r.Sets) != 3 || r.Sets[0] != waiting || r.PDFs != 2 || r.PDFsHere != 1 || r.Sheets+r.SheetsWaiting != 1 {
		t.Errorf("the second run, with %s: %+v", waiting, r)
	}
	r = run(func(*App, Files) {})
	if r.PDFs != 2 || r.PDFsHere != 1 || len(r.Sets) != 2 {
		t.Errorf("the third run: %+v", r)
	}
}

// A file that changes after it was looked at does not come as another than was looked for: it is told, the others come,
// and it comes with the next run.
func TestFilesThatChangeMeanwhile(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		folder := t.TempDir()
		write := func(name, content string) {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write("a.pdf", "%PDF-1.4 one")
		write("b.pdf", "%PDF-1.4 one")
		write("c.pdf", "%PDF-1.4 two")
		write("d.jpg", "\xff\xd8\xff\xe0 d")
		write("e.jpg", "\xff\xd8\xff\xe0 e")
		a := open(t, c)
		account := identity.NewAccount{Email: "ada@example.com", Name: "Ada Stone", Password: "seventeen purple anvils"}
		if _, err := a.Auth.CreateAccount(ctx, account); err != nil {
			t.Fatal(err)
		}
		run := func(how FolderOptions) FolderReport {
			t.Helper()
			in := Files{Path: folder, Email: "ada@example.com", New: "Tower"}
			_, _, r, err := a.ImportFolder(ctx, in, how)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		// The first step is that b.pdf is left out, before anything is sent.
		once := false
		r := run(FolderOptions{Publish: true, ofSet: 1, Progress: func(int) {
			if !once {
				once = true
				write("c.pdf", "%PDF-1.4 three")
				write("d.jpg", "\xff\xd8\xff\xe0 another")
			}
		}})
		told := strings.Join(r.Notes, "\n")
		if len(r.Sets) != 1 || r.PDFs != 1 || r.Photos != 1 || r.Refused != 3 ||
			!strings.Contains(told, "c.pdf did not come: It changed while it was imported.") ||
			!strings.Contains(told, "d.jpg did not come: It changed while it was imported.") {
			t.Errorf("files that change: %+v", r)
		}
		r = run(FolderOptions{Documents: true})
		if r.Documents != 3 || r.Photos != 1 || r.PhotosHere != 1 || r.Refused != 0 {
			t.Errorf("the next run: %+v", r)
		}
	})
}

// Whoever may not import a folder is told so before the folder is read, which may take long.
func TestFilesAreReadForWhoMay(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		v := settle(t, c)
		tower := v.do("ada", "POST", "/projects", `{"name":"Tower"}`)
		v.do("ada", "POST", "/projects/"+tower+"/users/invites", `{"email":"bob@example.com"}`)
		v.do("bob", "GET", "/projects/"+tower, "")
		missing := filepath.Join(t.TempDir(), "missing")
		for want, in := range map[string]Files{
			"nobody@example.com":            {Path: missing, Email: "nobody@example.com", Project: tower},
			"does not exist":                {Path: missing, Email: "ada@example.com", Project: v.uids["bob"]},
			"Files are imported by Admins":  {Path: missing, Email: "bob@example.com", Project: tower},
			"A project has a name of 1 to":  {Path: missing, Email: "ada@example.com", New: strings.Repeat("long", 100)},
			"missing cannot be read: no su": {Path: missing, Email: "ada@example.com", New: "Bridge"},
		} {
			_, _, _, err := v.app.ImportFolder(t.Context(), in, FolderOptions{})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v, want %q", in, err, want)
			}
		}
	})
}

// What takes a file asks for the right itself, whoever calls it.
func TestFilesComeWithRights(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		v := settle(t, c)
		tower := v.do("ada", "POST", "/projects", `{"name":"Tower"}`)
		v.do("ada", "POST", "/projects/"+tower+"/users/invites", `{"email":"bob@example.com"}`)
		v.do("bob", "GET", "/projects/"+tower, "")
		for who, refused := range map[string]bool{"ada": false, "bob": true} {
			account, err := v.app.able(t.Context(), who+"@example.com")
			if err != nil {
				t.Fatal(err)
			}
			scope, err := v.app.Auth.Enter(t.Context(), account, tower)
			if err != nil {
				t.Fatal(err)
			}
			made, err := taking("attachments")(t.Context(), v.app.site(), scope, family.Sending{
				UID: foreign.UID("document", who), Name: "plan.txt", Type: "text/plain", Dry: true,
			})
			if made == refused || refused != fault.Is(err, fault.Forbidden) {
				t.Errorf("%s: %t, %v", who, made, err)
			}
		}
	})
}
