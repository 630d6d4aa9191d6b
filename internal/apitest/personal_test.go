package apitest_test

import (
	"net/http"
	"regexp"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/sheet/register"
)

// nextAfter is the one thing in an answer that another member's personal mark moves.
var nextAfter = regexp.MustCompile(`"next_after":\d+`)

// TestWhatAPersonalMarkMoves pins what other members learn of somebody's personal marks: that something happened in the
// project, which the entity tags, X-Clock and next_after show, and nothing else. Every other byte of every answer is as
// it was.
func TestWhatAPersonalMarkMoves(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine, apitest.At(apitest.NewClock()))
		ada, bob := s.Account("ada"), s.Account("bob")
		project := ada.Project("Tower")
		ada.Invite(project, bob, "Admin")
		_, sheets := ada.Publish(project, []register.Page{s.Plan("A101", 0)})
		at := "/projects/" + project
		mark := func(who *apitest.Person, text, visibility string) string {
			body := map[string]any{
				"sheet_uid": sheets[0], "kind": "text", "text": text, "visibility": visibility,
				"geometry": map[string]any{"points": []any{map[string]any{"x": 0.5, "y": 0.5}}},
			}
			return who.Want(201, "POST", at+"/annotations", body).Text("uid")
		}
		mark(ada, "for all", "master")
		first := mark(bob, "of bob", "user")
		paths := []string{
			"/projects", at, at + "/users", at + "/issues", at + "/sheets", at + "/sheets/" + sheets[0],
			at + "/sheets?updated_after=1970-01-01T00:00:00Z", at + "/sheets/" + sheets[0] + "/text?q=wall",
			at + "/annotations", at + "/annotations?visibility=user", at + "/annotations?deleted=true",
			at + "/annotations?sheet_uid=" + sheets[0], at + "/annotations?updated_after=1970-01-01T00:00:00Z",
			at + "/annotations/" + first, at + "/comments", at + "/photos", at + "/changes", at + "/changes?limit=2",
			at + "/search?q=secret",
		}
		look := func() map[string]apitest.Response {
			seen := map[string]apitest.Response{}
			for _, path := range paths {
				r, err := bob.Try("GET", path, nil)
				if err != nil || r.Status != 200 && path != at+"/search?q=secret" {
					t.Fatalf("%s: %d %s %v", path, r.Status, r.Body, err)
				}
				seen[path] = r
			}
			return seen
		}
		before := look()
		hers := mark(ada, "secret", "user")
		ada.Want(200, "PATCH", at+"/annotations/"+hers, map[string]any{"text": "secret still"})
		ada.Want(204, "DELETE", at+"/annotations/"+mark(ada, "secret too", "user"), nil)
		after := look()
		for _, path := range paths {
			was, is := nextAfter.ReplaceAll(before[path].Body, nil), nextAfter.ReplaceAll(after[path].Body, nil)
			if string(was) != string(is) {
				t.Errorf("%s was\n%s\nand is\n%s", path, was, is)
			}
		}
		// What moves is written in the contract; should it move no more, that is to be changed too.
		moves := func(path, header string) bool {
			return before[path].Header.Get(header) != after[path].Header.Get(header)
		}
		if !moves(at+"/sheets", "ETag") || !moves(at+"/annotations", "X-Clock") ||
			string(before[at+"/changes"].Body) == string(after[at+"/changes"].Body) {
			t.Error("another member's personal mark no longer moves ETag, X-Clock and next_after")
		}
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			bob.Want(404, method, at+"/annotations/"+hers, map[string]any{"text": "x"})
		}
		if r, err := bob.TryWith("GET", at+"/changes", nil, http.Header{}); err != nil ||
			regexp.MustCompile(hers).Match(r.Body) {
			t.Errorf("the change log names it: %s %v", r.Body, err)
		}
		// A uid tells nothing of how many marks there are between.
		if second := mark(bob, "of bob again", "user"); second[28:] == "00000005" || first[28:] == "00000002" {
			t.Errorf("the uids %s and %s count the marks of all", first, second)
		}
	})
}
