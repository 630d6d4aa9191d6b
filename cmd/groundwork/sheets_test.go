package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"groundwork/internal/draft"
)

// newProject makes an account, its key and a project of its own.
func newProject(t *testing.T, p place, s *server, email string) (key, project string) {
	t.Helper()
	createAccount(t, p, email)
	key = createKey(t, p, email)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+"/projects",
		strings.NewReader(`{"name":"Tower"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(key, "")
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(answer.Body); err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s %v %s", answer.Status, err, body.String())
	}
	return key, regexp.MustCompile(`"uid":"([^"]+)"`).FindStringSubmatch(body.String())[1]
}

// TestSheetsUpload uploads sets without a server, which leaves the other work to one, and beside a server.
func TestSheetsUpload(t *testing.T) {
	folder := t.TempDir()
	var content bytes.Buffer
	truth, err := draft.Write(&content, draft.Options{Seed: 5, Sheets: 2, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	plans, letter := filepath.Join(folder, "plans é.pdf"), filepath.Join(folder, "letter.pdf")
	for path, content := range map[string][]byte{plans: content.Bytes(), letter: []byte("Dear Sir")} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		key, project := newProject(t, p, s, "ada@example.com")
		createAccount(t, p, "bob@example.com")
		upload := func(email string, args ...string) []string {
			return append([]string{"sheets", "upload", "--email", email, "--project", project, "--version", "Issue 1"},
				args...)
		}
		for _, running := range []bool{true, false} {
			if !running {
				if code := s.stop(t); code != 0 {
					t.Fatalf("the server ended with %d: %s", code, s.errs)
				}
			}
			fails(t, p, "not a member", "", upload("bob@example.com", plans)...)
			fails(t, p, "no account", "", upload("eve@example.com", plans)...)
			fails(t, p, "is no file", "", upload("ada@example.com", plans+"x")...)
			said := works(t, p, "", upload("ada@example.com", "--no-publish", plans, letter)...)
			sure := "75%"
			if !running {
				sure = "88%" // the project has these numbers by then
			}
			for _, want := range []string{
				"FILE", "plans é.pdf", truth.Pages[0].Number, truth.Pages[1].Title, truth.Pages[1].Date, sure,
				"The file is no PDF, or it is damaged.", "2 pages wait in version set ",
			} {
				if !strings.Contains(said, want) {
					t.Errorf("it does not say %q:\n%s", want, said)
				}
			}
			if said := works(t, p, "", upload("ada@example.com", plans)...); !strings.Contains(said,
				"2 sheets are published as version set ") {
				t.Errorf("it said\n%s", said)
			}
		}
		r := command(t, p, "", upload("ada@example.com", letter)...)
		if r.exit != exitFailure || !strings.Contains(r.out, "no PDF") ||
			!strings.Contains(r.err, "No page of the set can be read") {
			t.Errorf("exit %d\n%s%s", r.exit, r.out, r.err)
		}
		s = serve(t, p)
		if _, body := s.get(t, key, "/projects/"+project+"/sheets"); strings.Count(body, `"current":true`) != 2 ||
			!strings.Contains(body, `"total_count":4`) {
			t.Errorf("the sheets are %s", body)
		}
	})
}
