package apitest_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// rfiRule is what somebody gets who changes an RFI in a way.
type rfiRule struct {
	name           string
	mine, isMine   bool // made by the caller; assigned to the caller
	locked         bool
	body           string
	byCollaborator int
	byPower        int
	byAdmin        int
}

// rfiRules are the rights on RFIs that depend on the body and on the lock: a Collaborator changes RFIs that they made
// or that are assigned to them; while one is locked only Admins change it, and only they lock and unlock. A lock that
// is sent as it stands is no change.
var rfiRules = []rfiRule{
	{"somebody else's", false, false, false, `{"answer":"A"}`, 403, 200, 200},
	{"somebody else's, bad body", false, false, false, `{"status":7}`, 403, 400, 400},
	{"somebody else's, unknown status", false, false, false, `{"status":"00000000"}`, 403, 404, 404},
	{"assigned", false, true, false, `{"answer":"A","assigned_to":[]}`, 200, 200, 200},
	{"own", true, false, false, `{"answer":"A"}`, 200, 200, 200},
	{"own, unlocked as it is", true, false, false, `{"answer":"A","locked":false}`, 200, 200, 200},
	{"own, lock", true, false, false, `{"answer":"A","locked":true}`, 403, 403, 200},
	{"own, no lock", true, false, false, `{"answer":"A","locked":null}`, 200, 200, 200},
	{"locked", true, true, true, `{"answer":"A"}`, 403, 403, 200},
	{"locked, unlock", true, true, true, `{"locked":false}`, 403, 403, 200},
	{"locked, unlock and change", true, true, true, `{"locked":false,"answer":"A","title":null}`, 403, 403, 200},
	{"locked, locked as it is", true, true, true, `{"locked":true}`, 403, 403, 200},
	{"locked, without effect", true, true, true, `{"title":"Door"}`, 403, 403, 200},
}

func (r rfiRule) want(role string) int {
	return map[string]int{collaborator: r.byCollaborator, power: r.byPower, admin: r.byAdmin}[role]
}

func TestRightsOnRFIFields(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		for _, problem := range w.tryRFIRules(w.server.URL) {
			t.Error(problem)
		}
	})
}

// tryRFIRules plays the rules for each role.
func (w *world) tryRFIRules(to string) (problems []string) {
	w.t.Helper()
	rfis := "/projects/" + w.here + "/rfis"
	ask := func(rule string, who *caller, want int, method, path, body string) {
		before := w.overseer.Want(200, "GET", path, nil).Body
		got := w.sendBy(to, who, plainly, method, path, body)
		if got.status != want {
			problems = append(problems,
				fmt.Sprintf("%s as %s: %d, want %d: %s", rule, who.role, got.status, want, got.body))
		}
		after := w.overseer.Want(200, "GET", path, nil).Body
		if got.status >= 400 && string(before) != string(after) {
			problems = append(problems,
				fmt.Sprintf("%s as %s was refused and changed something:\n%s\n%s", rule, who.role, before, after))
		}
	}
	for _, rule := range rfiRules {
		for _, role := range roleNames {
			who, maker := w.callers[role], w.overseer
			if rule.mine {
				maker = who.Person
			}
			made := map[string]any{"title": "Door"}
			if rule.isMine {
				made["assigned_to"] = []string{who.UID}
			}
			path := rfis + "/" + maker.Want(201, "POST", rfis, made).Text("uid")
			if rule.locked {
				w.overseer.Want(200, "PATCH", path, map[string]any{"locked": true})
			}
			ask(rule.name, who, rule.want(role), "PATCH", path, rule.body)
		}
	}
	// Links are changes of the RFI: the same rights, the lock included.
	for _, locked := range []bool{false, true} {
		for _, role := range roleNames {
			who, photo := w.callers[role], w.linkable("photos")
			path := rfis + "/" + who.Want(201, "POST", rfis, map[string]any{"title": "Door"}).Text("uid")
			w.overseer.Want(201, "POST", path+"/attachments", map[string]any{
				"attachment_uid": w.linkable("attachments"),
			})
			w.overseer.Want(200, "PATCH", path, map[string]any{"locked": locked})
			link, unlink := 201, 204
			if locked && role != admin {
				link, unlink = 403, 403
			}
			name := fmt.Sprintf("locked %v", locked)
			ask(name+", link", who, link, "POST", path+"/photos", fmt.Sprintf(`{"photo_uid":%q}`, photo))
			if got := w.sendBy(to, who, plainly, "DELETE", path+"/attachments/"+w.linkable("attachments"),
				""); got.status != unlink {
				problems = append(problems,
					fmt.Sprintf("%s, unlink as %s: %d, want %d", name, role, got.status, unlink))
			}
		}
	}
	for role, want := range map[string]int{admin: 201, power: 403, collaborator: 403} {
		ask("made locked", w.callers[role], want, "POST", rfis, `{"locked":true}`)
	}
	return problems
}

// tryLinks puts uids that are not there where a link is made or taken away: they are unknown, and nothing changes.
func (w *world) tryLinks(to string) (problems []string) {
	w.t.Helper()
	for _, collection := range []string{"photos", "attachments", "snapshots"} {
		foreign := makers[collection](w, w.away, awayMark, w.foreigner)
		for _, kind := range []string{"issues", "rfis", "field_reports"} {
			for _, role := range roleNames {
				who := w.callers[role]
				owner := makers[kind](w, w.here, hereMark, who.Person)
				path := "/projects/" + w.here + "/" + kind + "/" + owner + "/" + collection
				before := w.look(w.here, "/users?limit=0")
				for _, uid := range []string{foreign, nowhere, owner, w.here, "no-uid", "%"} {
					want := fmt.Sprintf(`{"message":"%s %s does not exist."}`, title(collection), uid)
					for _, got := range []answer{
						w.sendBy(to, who, plainly, "POST", path,
							fmt.Sprintf(`{"%s_uid":%q}`, strings.TrimSuffix(collection, "s"), uid)),
						w.sendBy(to, who, plainly, "DELETE", path+"/"+url.PathEscape(uid), ""),
					} {
						if got.status != 404 || got.body != want {
							problems = append(problems, fmt.Sprintf("%s of %s, %s, by %s: %d %s", collection, kind, uid,
								role, got.status, got.body))
						}
					}
				}
				if after := w.look(w.here, "/users?limit=0"); after != before {
					problems = append(problems,
						fmt.Sprintf("%s of %s: refused links changed something", collection, kind))
				}
			}
		}
	}
	return problems
}

func TestRightsOnLinks(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		for _, problem := range w.tryLinks(w.server.URL) {
			t.Error(problem)
		}
	})
}
