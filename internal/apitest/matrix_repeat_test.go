package apitest_test

import (
	"testing"

	"groundwork/internal/apitest"
)

// TestRightsOnRepeats: an Idempotency-Key repeats an answer to who got it and may still ask; it opens nothing to
// anybody else.
func TestRightsOnRepeats(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		chief, helper, stranger := w.callers[admin], w.callers[collaborator], w.callers[outsider]
		here, away := "/projects/"+w.here, "/projects/"+w.away
		list := here + "/issue_lists/" + makers["issue_lists"](w, w.here, hereMark, w.overseer)
		rename := `{"name":"Renamed"}`
		ask := func(want int, who *caller, method, path, body string) answer {
			t.Helper()
			got := w.send(w.server.URL, who.sent[0], method, path, body, "Idempotency-Key", "one")
			if got.status != want {
				t.Errorf("%s %s by %s: %d, want %d: %s", method, path, who.name, got.status, want, got.body)
			}
			return got
		}
		same := func(a, b answer) {
			t.Helper()
			if a.body != b.body {
				t.Errorf("a repetition has another answer:\n%s\n%s", a.body, b.body)
			}
		}

		first := ask(200, chief, "PATCH", list, rename)
		same(first, ask(200, chief, "PATCH", list, rename))
		ask(403, helper, "PATCH", list, rename)
		ask(403, stranger, "PATCH", list, rename)
		ask(404, stranger, "PATCH", "/projects/"+w.away+list[len(here):], rename)
		ask(403, chief, "PATCH", away+list[len(here):], rename)

		// The same key and body by somebody else are somebody else's request.
		one, other := ask(201, chief, "POST", here+"/issues", `{"title":"One"}`), ask(201, helper, "POST",
			here+"/issues", `{"title":"One"}`)
		if one.body == other.body {
			t.Errorf("two people share an answer: %s", one.body)
		}
		// Who may no longer ask gets nothing repeated.
		w.place(w.here, chief.Person, collaborator)
		ask(403, chief, "PATCH", list, rename)
		same(one, ask(201, chief, "POST", here+"/issues", `{"title":"One"}`))
		w.place(w.here, chief.Person, "")
		ask(403, chief, "POST", here+"/issues", `{"title":"One"}`)
		ask(403, chief, "PATCH", list, rename)
	})
}
