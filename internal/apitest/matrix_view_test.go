package apitest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// viewRule is what somebody gets who saves a view, or changes one.
type viewRule struct {
	name string
	// visibility is that of the view that is changed; where it is "" the caller saves one. A published one is the
	// overseer's, a personal one the caller's.
	visibility     string
	method, body   string
	byCollaborator int
	byManagers     int
}

// viewRules are the rights on views that depend on the body: to publish, and to change what is published, is for
// managers, who are Admins and Power Collaborators; and nobody takes back what is published.
var viewRules = []viewRule{
	{"save", "", "POST", `{"name":"Mine","of":"issues"}`, 201, 201},
	{"save for all", "", "POST", `{"name":"Ours","of":"issues","visibility":"master"}`, 403, 201},
	{"publish", "user", "PATCH", `{"visibility":"master"}`, 403, 200},
	{"change", "user", "PATCH", `{"query":"status=open"}`, 200, 200},
	{"change a published one", "master", "PATCH", `{"query":"status=open"}`, 403, 200},
	{"change a published one, without effect", "master", "PATCH", `{"visibility":"master"}`, 403, 200},
	{"take back", "master", "PATCH", `{"visibility":"user"}`, 403, 400},
	{"bad query", "user", "PATCH", `{"query":"room=100%"}`, 400, 400},
	{"bad query of a published one", "master", "PATCH", `{"query":"room=100%"}`, 403, 400},
	{"another list", "user", "PATCH", `{"of":"rfis"}`, 400, 400},
	{"delete", "user", "DELETE", "", 204, 204},
	{"delete a published one", "master", "DELETE", "", 403, 204},
}

func TestRightsOnViews(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		for _, problem := range w.tryViewRules(w.server.URL) {
			t.Error(problem)
		}
	})
}

// tryViewRules plays the rules for each role.
func (w *world) tryViewRules(to string) (problems []string) {
	w.t.Helper()
	views := "/projects/" + w.here + "/views"
	for _, rule := range viewRules {
		for _, role := range roleNames {
			who, want, path, author := w.callers[role], rule.byManagers, views, w.overseer
			if role == collaborator {
				want = rule.byCollaborator
			}
			if rule.visibility == "user" {
				author = who.Person
			}
			if rule.visibility != "" {
				path += "/" + author.Want(201, "POST", views, map[string]any{
					"name": "Before", "of": "issues", "visibility": rule.visibility,
				}).Text("uid")
			}
			before := w.look(w.here, "/issues?limit=0")
			got := w.sendBy(to, who, plainly, rule.method, path, rule.body)
			if got.status != want {
				problems = append(problems,
					fmt.Sprintf("%s as %s: %d, want %d: %s", rule.name, role, got.status, want, got.body))
			}
			if after := w.look(w.here, "/issues?limit=0"); want >= 400 && after != before {
				problems = append(problems, fmt.Sprintf("%s as %s was refused and changed something", rule.name, role))
			}
		}
	}
	return problems
}

// TestViewsOfOthers: of a personal view others meet nothing, in lists, counts, the log, walks and by uid; when it is
// published they have it, whatever they were told before; and its author keeps it with one cursor throughout.
func TestViewsOfOthers(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada, bob, cleo := s.Account("ada"), s.Account("bob"), s.Account("cleo")
		uid := ada.Project("Tower")
		p := "/projects/" + uid
		ada.Invite(uid, bob, "Collaborator")
		ada.Invite(uid, cleo, "Power Collaborator")
		save := func(who *apitest.Person, name string) string {
			return who.Want(201, "POST", p+"/views", map[string]any{"name": name, "of": "issues"}).Text("uid")
		}
		early := save(cleo, "Before anybody looked")
		var all []*mirror
		for _, who := range []*apitest.Person{ada, bob, cleo} {
			m := &mirror{t: t, who: who, project: p}
			m.fill("")
			all = append(all, m)
		}
		// sees holds who has which views by their mirrors, in this order: ada, bob, cleo.
		sees := func(when string, want ...[]string) {
			t.Helper()
			for i, m := range all {
				m.follow("&limit=2")
				m.compare(when, "views")
				var got []string
				for name := range m.records {
					if one, is := strings.CutPrefix(name, "views/"); is {
						got = append(got, one)
					}
				}
				slices.Sort(got)
				slices.Sort(want[i])
				if !slices.Equal(got, want[i]) {
					t.Errorf("%s: %s has the views %v, not %v", when, m.who.Name, got, want[i])
				}
				if n, err := m.who.Want(200, "GET", p+"/views?limit=0", nil).Value("total_count"); err != nil ||
					fmt.Sprint(n) != fmt.Sprint(len(want[i])) {
					t.Errorf("%s: %s is told a count of %v, %v", when, m.who.Name, n, err)
				}
			}
		}
		sees("filled", nil, nil, []string{early})
		his := save(bob, "Bob's")
		bob.Want(200, "PATCH", p+"/views/"+his, `{"layout":"board"}`)
		sees("a personal one", nil, []string{his}, []string{early})
		for _, other := range []*apitest.Person{ada, cleo} {
			other.Want(404, "GET", p+"/views/"+his, nil)
			other.Want(404, "PATCH", p+"/views/"+his, `{"name":"x"}`)
			other.Want(404, "DELETE", p+"/views/"+his, nil)
			other.Want(404, "POST", p+"/views/"+his+"/restore", nil)
			if r := other.Want(200, "GET", p+"/changes?include=records&limit=1000", nil); strings.Contains(string(r.Body), his) {
				t.Errorf("the log tells %s of it: %s", other.Name, r.Body)
			}
		}
		bob.Want(204, "DELETE", p+"/views/"+his, nil)
		bob.Want(200, "POST", p+"/views/"+his+"/restore", nil)
		cleo.Want(200, "PATCH", p+"/views/"+early, `{"visibility":"master"}`)
		sees("one was published", []string{early}, []string{early, his}, []string{early})
		for i, m := range all {
			if m.hidden != 0 {
				t.Errorf("%s was told %d times that something is hidden", all[i].who.Name, m.hidden)
			}
		}
		// What somebody published is theirs no longer where their role does not allow it.
		becomes(t, ada, p, cleo, "Collaborator")
		cleo.Want(403, "PATCH", p+"/views/"+early, `{"name":"x"}`)
		cleo.Want(403, "DELETE", p+"/views/"+early, nil)
		ada.Want(204, "DELETE", p+"/views/"+early, nil)
		sees("deleted, it is told to all", []string{early}, []string{early, his}, []string{early})
	})
}

// becomes gives a member another role.
func becomes(t *testing.T, by *apitest.Person, project string, who *apitest.Person, role string) {
	t.Helper()
	for _, r := range list(by.Want(200, "GET", project+"/roles", nil)) {
		if r["label"] == role {
			by.Want(200, "PATCH", project+"/users/"+who.UID, map[string]any{"role_uid": r["uid"]})
		}
	}
}
