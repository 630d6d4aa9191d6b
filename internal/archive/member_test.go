package archive_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// An Admin has the archive of a project from the API: with what everybody sees and what they drew themselves, without
// what others did, and it can be imported.
func TestAdminsArchive(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		e := makeEstate(t, engine)
		sheet := e.post(t, e.ada, "GET", "/sheets", nil).Text("data.0.uid")
		drawn := map[string]string{}
		for who, visibility := range map[*apitest.Person]string{e.ada: "user", e.bob: "user"} {
			words := "words of " + who.Email + " alone"
			drawn[who.Email] = e.post(t, who, "POST", "/annotations", map[string]any{
				"sheet_uid": sheet, "kind": "text", "color": "#2F80ED", "text": words, "visibility": visibility,
				"geometry": map[string]any{"points": []any{map[string]any{"x": 0.25, "y": 0.5}}},
			}).Text("uid")
			e.post(t, who, "PATCH", "/annotations/"+drawn[who.Email], map[string]any{"text": words + ", again"})
		}
		e.post(t, e.bob, "POST", "/views", map[string]any{"name": "Bobs own view", "of": "issues", "query": "status=open"})

		path := fetchArchive(t, e, e.ada)
		all := entries(t, path)
		for name, content := range all {
			for _, secret := range []string{"words of " + e.bob.Email, "Bobs own view"} {
				if strings.Contains(content, secret) {
					t.Errorf("%s tells %q", name, secret)
				}
			}
		}
		if !strings.Contains(all["records/annotations.jsonl"], "words of "+e.ada.Email+" alone, again") ||
			!strings.Contains(all["changes.jsonl"], "words of "+e.ada.Email+" alone\"") {
			t.Error("what the asker drew is not there, or its history is not")
		}
		veiled := lineWith(all["records/annotations.jsonl"], drawn[e.bob.Email])
		if !strings.Contains(veiled, `"created_by":null`) || !strings.Contains(veiled, `"deleted":true`) ||
			strings.Contains(veiled, sheet) {
			t.Errorf("of a mark of somebody else it says %s", veiled)
		}
		for line := range strings.Lines(all["changes.jsonl"]) {
			if strings.Contains(line, drawn[e.bob.Email]) && !strings.Contains(line, `"by":null,"fields":null`) {
				t.Errorf("of a mark of somebody else it says %s", line)
			}
		}
		if !strings.Contains(all["manifest.json"], "drew for themselves") {
			t.Error("the manifest does not say what is left out")
		}
		validate(t, all)

		other := apitest.Start(t, engine)
		if r := bring(t, other, path); r.Already || r.Files < 8 {
			t.Errorf("imported %+v", r)
		}
		sound(t, other)
		again := entries(t, export(t, other, e.project))
		if again["records/annotations.jsonl"] != all["records/annotations.jsonl"] {
			t.Error("the marks are others after an import")
		}
	})
}

// Whoever asked for an archive and is no Admin any more when it is made does not get it.
func TestArchiveOfWhoIsNoAdmin(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		e := &estate{Server: s, ada: s.Account("ada"), bob: s.Account("bob")}
		e.project = e.ada.Project("Tower")
		e.ada.Invite(e.project, e.bob, "Admin")
		roles := e.post(t, e.ada, "GET", "/roles", nil)
		uids := map[string]string{}
		for i := range 3 {
			uids[roles.Text(fmt.Sprintf("data.%d.label", i))] = roles.Text(fmt.Sprintf("data.%d.uid", i))
		}
		become := func(role string) {
			e.post(t, e.ada, "PATCH", "/users/"+e.bob.UID, map[string]any{"role_uid": uids[role]})
		}
		for role, want := range map[string]string{
			"Admin": "complete", "Power Collaborator": "errored", "Collaborator": "errored",
		} {
			become("Admin")
			uid := e.post(t, e.bob, "POST", "/archives", nil).Text("uid")
			become(role)
			work(t, s)
			become("Admin")
			if made := e.post(t, e.bob, "GET", "/archives/"+uid, nil); made.Text("status") != want {
				t.Errorf("asked as an Admin, made for a %s: %s", role, made.Body)
			}
		}
	})
}

// fetchArchive asks for an archive as any client does.
func fetchArchive(t *testing.T, e *estate, who *apitest.Person) string {
	t.Helper()
	uid := e.post(t, who, "POST", "/archives", nil).Text("uid")
	if again := e.post(t, who, "POST", "/archives", nil).Text("uid"); again != uid {
		t.Errorf("asked again meanwhile: %s and %s", uid, again)
	}
	work(t, e.Server)
	made := e.post(t, who, "GET", "/archives/"+uid, nil)
	if made.Text("status") != "complete" {
		t.Fatalf("it is not made: %s", made.Body)
	}
	path := filepath.Join(t.TempDir(), "archive.zip")
	if err := os.WriteFile(path, e.Fetch(made.Text("file_url"), nil).Body, 0o600); err != nil {
		t.Fatal(err)
	}
	// The next one takes its place.
	next := e.post(t, who, "POST", "/archives", nil).Text("uid")
	work(t, e.Server)
	if now := e.post(t, who, "GET", "/archives/"+next, nil); now.Text("status") != "complete" {
		t.Errorf("the next one is not made: %s", now.Body)
	}
	if was := e.post(t, who, "GET", "/archives/"+uid, nil); was.Text("status") != "errored" ||
		was.Text("message") != "A newer one took its place." {
		t.Errorf("the first one beside a newer one: %s", was.Body)
	}
	return path
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}
