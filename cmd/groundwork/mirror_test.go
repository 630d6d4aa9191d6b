package main

import (
	"archive/zip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A project is mirrored into an installation, with its server running and without, and followed along.
func TestMirrorAndFollow(t *testing.T) {
	places(t, func(t *testing.T, p place) {
		s := serve(t, p)
		createAccount(t, p, "anna@example.com")
		key := createKey(t, p, "anna@example.com", "--limit", "all/1=1000")
		project := s.create(t, key, "/projects", `{"name":"Tower"}`)
		issue := s.create(t, key, "/projects/"+project+"/issues", `{"title":"A crack"}`)

		createAccount(t, p, "bob@example.com")
		s.create(t, key, "/projects/"+project+"/users/invites", `{"email":"bob@example.com"}`)

		other := newPlace(t)
		fails(t, other, "no installation to mirror into", "", "mirror", s.base, "--key", key)
		there := serve(t, other)
		createAccount(t, other, "bob@example.com")
		for _, one := range []struct {
			want string
			args []string
		}{
			{"Give a key", []string{s.base}},
			{"must be a URL", []string{"nonsense", "--key", key}},
			{"must begin with https", []string{"http://example.com", "--key", key}},
			{"no user, query or fragment", []string{"https://u:p@example.com", "--key", key}},
			{"must be an API key", []string{s.base, "--key", "a b"}},
			{"is no uid", []string{s.base, "--key", key, "--project", "../x"}},
			{"must be a network", []string{s.base, "--key", key, "--allow-private", "10.0.0.1"}},
			{"must be a size", []string{s.base, "--key", key, "--max-file", "0B"}},
			{"does not take the key", []string{s.base, "--key", "gwk_wrong"}},
		} {
			fails(t, other, one.want, "", append([]string{"mirror"}, one.args...)...)
			if !strings.Contains(one.want, "take the key") {
				fails(t, other, one.want, "", append([]string{"follow", "--out", t.TempDir()}, one.args...)...)
			}
		}
		if said := works(t, other, "", "mirror", "--dry-run", s.base, "--key", key); !strings.Contains(said, "would be brought in") {
			t.Errorf("the dry run printed %s", said)
		}
		said := works(t, other, "", "mirror", s.base, "--key", key, "--project", project)
		if !strings.Contains(said, `"Tower", `+project+`, was brought in`) || !strings.Contains(said, "       1        1          0  issues") ||
			!strings.Contains(said, "anna@example.com got an account") {
			t.Errorf("mirror printed %s", said)
		}
		works(t, other, "", "account", "prove", "anna@example.com")
		here := createKey(t, other, "anna@example.com")
		if _, body := there.get(t, here, "/projects/"+project+"/issues/"+issue); !strings.Contains(body, "A crack") {
			t.Errorf("the issue: %s", body)
		}
		there.stop(t)
		s.create(t, key, "/projects/"+project+"/issues", `{"title":"Another"}`)
		if said := works(t, other, "", "mirror", s.base, "--key", key); !strings.Contains(said, "is up to date: 1 new record") {
			t.Errorf("the second mirror printed %s", said)
		}
		fails(t, other, "404", "", "mirror", s.base, "--key", key, "--project", "nothing")
		if r := command(t, other, "", "doctor", "--verify", "--files"); r.exit != 0 {
			t.Errorf("doctor says %s%s", r.out, r.err)
		}

		// Who was erased here stays so, whatever the source says of them.
		for _, who := range []string{"anna@example.com", "bob@example.com"} { // of whom one has the same uid on both sides
			works(t, other, "", "account", "erase", "--yes", who)
			s.create(t, key, "/projects/"+project+"/issues", `{"title":"Ask `+who+`"}`)
		}
		if r := command(t, other, "", "mirror", s.base, "--key", key); r.exit != 1 || strings.Count(r.out, "fields differ: [title]") != 2 {
			t.Errorf("mirror after an erasure: %d %s%s", r.exit, r.out, r.err)
		}
		file := filepath.Join(t.TempDir(), "tower.zip")
		works(t, other, "", "export", "--project", project, "--out", file)
		for name, text := range unpacked(t, file) {
			if strings.Contains(text, "anna@") || strings.Contains(text, "bob@") || strings.Contains(text, "Schmidt") {
				t.Errorf("%s brings back who was erased: %s", name, text)
			}
		}

		out := t.TempDir()
		if said := works(t, nil, "", "follow", s.base, "--key", key, "--out", out, "--once"); said != "The changes of 1 project are in "+out+"." {
			t.Errorf("follow printed %q", said)
		}
		text, err := os.ReadFile(filepath.Join(out, project, "changes.jsonl"))
		if err != nil || strings.Count(string(text), `"kind":"issues"`) != 4 {
			t.Errorf("%s %v", text, err)
		}
	})
}

// unpacked gives the texts of an archive.
func unpacked(t *testing.T, path string) map[string]string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	all := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(text)
	}
	return all
}
