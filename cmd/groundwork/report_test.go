package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// create makes a record through the API and gives its uid.
func (s *server) create(t *testing.T, key, path, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(key, "")
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("POST %s: %d %s %v", path, response.StatusCode, text, err)
	}
	var made struct{ UID string }
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	return made.UID
}

// remove deletes a record through the API.
func (s *server) remove(t *testing.T, key, path string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, s.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(key, "")
	response, err := http.DefaultClient.Do(r)
	if err != nil || response.StatusCode != http.StatusNoContent {
		t.Fatalf("DELETE %s: %v %v", path, response, err)
	}
	response.Body.Close()
}

// TestReport has reports made by the server that owns the data folder, and without one.
func TestReport(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		createAccount(t, p, "anna@example.com")
		createAccount(t, p, "stranger@example.com")
		key := createKey(t, p, "anna@example.com")
		project := s.create(t, key, "/projects", `{"name":"School"}`)
		issue := s.create(t, key, "/projects/"+project+"/issues", `{"title":"Ρωγμή"}`)
		s.create(t, key, "/projects/"+project+"/issues", `{"title":"Second"}`)
		gone := s.create(t, key, "/projects/"+project+"/issues", `{"title":"Gone"}`)
		s.remove(t, key, "/projects/"+project+"/issues/"+gone)
		s.create(t, key, "/projects/"+project+"/field_reports", `{"report_date":"2026-03-02"}`)
		folder := t.TempDir()
		for _, where := range []string{"beside a server", "alone"} {
			at := func(name string) string { return filepath.Join(folder, where+" "+name) }
			report := func(out string, more ...string) {
				t.Helper()
				works(t, p, "", append([]string{
					"report", "--email", "anna@example.com", "--project", project, "--out", out,
				}, more...)...)
			}
			holds := func(out, begins string, has ...string) {
				t.Helper()
				content, err := os.ReadFile(out)
				if err != nil || !bytes.HasPrefix(content, []byte(begins)) {
					t.Fatalf("%s: %s begins with %.20q: %v", where, out, content, err)
				}
				for _, text := range has {
					if !bytes.Contains(content, []byte(text)) {
						t.Errorf("%s: %s does not have %q", where, out, text)
					}
				}
			}
			report(at("a.pdf"), "--title", "Punch list", "--paper", "letter", "--timezone", "America/New_York")
			holds(at("a.pdf"), "%PDF-", "%%EOF")
			report(at("b.csv"), "--issue", issue)
			holds(at("b.csv"), "\ufeffNumber,", "Ρωγμή")
			report(at("c"), "--format", "xlsx")
			holds(at("c"), "PK\x03\x04")
			report(at("d.xlsx"), "--field-reports", "--from", "2026-03-02", "--to", "2026-03-02")
			holds(at("d.xlsx"), "PK\x03\x04")
			report(at("e.pdf"), "--field-reports")
			holds(at("e.pdf"), "%PDF-")
			if out := works(t, p, "", "report", "--email", "anna@example.com", "--project", project, "--out", "-",
				"--format", "csv"); !strings.Contains(out, "Second") {
				t.Errorf("%s: on standard output is %q", where, out)
			}
			for text, args := range map[string][]string{
				"no account":   {"--email", "nobody@example.com"},
				"not a member": {"--email", "stranger@example.com"},
				"does not exist": {
					"--email", "anna@example.com", "--issue",
					"11111111-2222-4333-8444-555555555555",
				},
				"Issue " + gone + " is deleted": {"--email", "anna@example.com", "--issue", issue, "--issue", gone},
				"time zone":                     {"--email", "anna@example.com", "--timezone", "Mars"},
				"is no date": {
					"--email", "anna@example.com", "--field-reports", "--from",
					"yesterday",
				},
				"no field report":  {"--email", "anna@example.com", "--field-reports", "--from", "2026-04-01"},
				"pdf, xlsx or csv": {"--email", "anna@example.com", "--format", "docx"},
			} {
				fails(t, p, text, "", append([]string{"report", "--project", project, "--out", at("none")}, args...)...)
			}
			if where != "alone" && s.stop(t) != 0 {
				t.Fatal("the server did not stop")
			}
		}
		// What failed has left nothing, and what was made has left no part.
		entries, err := os.ReadDir(folder)
		if err != nil || len(entries) != 10 {
			t.Errorf("there are %d files, not 10: %v %v", len(entries), entries, err)
		}
	})
}

func TestBarNeverGoesBack(t *testing.T) {
	var out bytes.Buffer
	b := bar{to: &out}
	for _, percent := range []int{0, 50, 20, 50, 130} {
		b.show(percent)
	}
	b.end()
	if got := out.String(); strings.Count(got, "\r") != 3 || !strings.Contains(got, " 50 %") ||
		!strings.HasSuffix(got, "[========================================] 100 %\n") {
		t.Errorf("the bar was %q", got)
	}
}
