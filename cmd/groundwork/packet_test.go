package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/draft"
)

// ask sends a request of a person and reads what comes back.
func (s *server) ask(t *testing.T, key, method, address, kind, body string) apitest.Response {
	t.Helper()
	if !strings.HasPrefix(address, "http") {
		address = s.base + address
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		r.SetBasicAuth(key, "")
	}
	r.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode > 299 {
		t.Fatalf("%s %s: %d %s %v", method, address, response.StatusCode, text, err)
	}
	return apitest.Response{Status: response.StatusCode, Body: text}
}

// publish uploads a set of drawings and waits until there are so many sheets, whose numbers it gives.
func (s *server) publish(t *testing.T, key, project, version string, set []byte, sheets int) (numbers []string) {
	t.Helper()
	const plain = "application/json"
	upload := s.ask(t, key, "POST", "/projects/"+project+"/sheets/uploads", plain,
		fmt.Sprintf(`{"num_files":1,"version_name":%q}`, version))
	offer := s.ask(t, key, "POST", upload.Text("file_upload_requests.0.url"), plain, `{"file_name":"set.pdf"}`)
	s.ask(t, "", "POST", offer.Text("storage_post_form_arguments.action"),
		"multipart/form-data; boundary="+apitest.Frontier, apitest.Form(offer, string(set)))
	s.ask(t, key, "POST", upload.Text("complete_url"), plain, "")
	await.Until(t, 3*time.Minute, func() string {
		var list struct {
			Data []struct{ Name string }
		}
		if err := json.Unmarshal(s.ask(t, key, "GET", "/projects/"+project+"/sheets", plain, "").Body,
			&list); err != nil {
			t.Fatal(err)
		}
		if len(list.Data) >= sheets {
			for _, one := range list.Data {
				numbers = append(numbers, one.Name)
			}
			return ""
		}
		return fmt.Sprintf("there are %d of %d sheets", len(list.Data), sheets)
	})
	return numbers
}

// TestPacket has packets made by the server that owns the data folder, and without one.
func TestPacket(t *testing.T) {
	var set bytes.Buffer
	if _, err := draft.Write(&set, draft.Options{Seed: 3, Sheets: 3, Plain: true}); err != nil {
		t.Fatal(err)
	}
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		createAccount(t, p, "anna@example.com")
		createAccount(t, p, "stranger@example.com")
		key := createKey(t, p, "anna@example.com")
		project := s.create(t, key, "/projects", `{"name":"School"}`)
		numbers := s.publish(t, key, project, "Issued for bid", set.Bytes(), 3)
		folder := t.TempDir()
		for _, where := range []string{"beside a server", "alone"} {
			pages := func(name string, want int, more ...string) {
				t.Helper()
				out := filepath.Join(folder, where+" "+name)
				works(t, p, "", append([]string{
					"packet", "--email", "anna@example.com", "--project", project, "--out", out,
				}, more...)...)
				if text, err := exec.Command("qpdf", "--check", out).CombinedOutput(); err != nil {
					t.Errorf("%s: qpdf: %v\n%s", where, err, text)
				}
				count, err := exec.Command("qpdf", "--show-npages", out).Output()
				if err != nil || strings.TrimSpace(string(count)) != fmt.Sprint(want) {
					t.Errorf("%s: %v has %s pages, want %d: %v", where, more, count, want, err)
				}
			}
			pages("all.pdf", 3)
			pages("cover.pdf", 4, "--cover", "--no-annotations")
			pages("version.pdf", 3, "--version", "issued for bid")
			pages("chosen.pdf", 3, "--sheets", numbers[2]+", "+strings.ToLower(numbers[0])+","+numbers[2])
			for text, args := range map[string][]string{
				"no account":                {"--email", "nobody@example.com"},
				"not a member":              {"--email", "stranger@example.com"},
				"There is no sheet Z-999":   {"--email", "anna@example.com", "--sheets", numbers[0] + ",Z-999"},
				"in the version set As bui": {"--email", "anna@example.com", "--version", "As built"},
			} {
				fails(t, p, text, "", append([]string{
					"packet", "--project", project, "--out", filepath.Join(folder, "none.pdf"),
				}, args...)...)
			}
			if where != "alone" && s.stop(t) != 0 {
				t.Fatal("the server did not stop")
			}
		}
		if entries, err := os.ReadDir(folder); err != nil || len(entries) != 8 {
			t.Errorf("there are %d files, not 8: %v %v", len(entries), entries, err)
		}
	})
}
