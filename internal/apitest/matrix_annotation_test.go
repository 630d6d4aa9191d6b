package apitest_test

import (
	"fmt"
	"testing"

	"groundwork/internal/apitest"
)

// annotationRule is what somebody gets who draws on a sheet, or changes what is drawn there.
type annotationRule struct {
	name string
	// placed says whose issue the annotation of the overseer shows the place of: the caller's or the overseer's; where
	// it is "" the caller draws for themselves.
	placed         string
	method, body   string
	byCollaborator int
	byManagers     int
}

// annotationRules are the rights on annotations that depend on the body and on the issue whose place one shows: to
// publish is for managers, who are Admins and Power Collaborators; and whoever may not change an issue changes nothing
// of what shows its place, not even what the issue itself does not show.
var annotationRules = []annotationRule{
	{"draw", "", "POST", `{"sheet_uid":%q}`, 201, 201},
	{"draw for all", "", "POST", `{"sheet_uid":%q,"visibility":"master"}`, 403, 201},
	{"publish", "", "PATCH", `{"visibility":"master"}`, 403, 200},
	{"place an own issue", own, "POST", `{"sheet_uid":%q,"issue_uid":%q}`, 201, 201},
	{"place another's issue", others, "POST", `{"sheet_uid":%q,"issue_uid":%q}`, 403, 201},
	{"take to an own issue", own, "PATCH", `{"issue_uid":%[2]q}`, 200, 200},
	{"take to another's issue", others, "PATCH", `{"issue_uid":%[2]q}`, 403, 200},
	{"of an own issue, text", own, "PATCH", `{"text":"Changed"}`, 200, 200},
	{"of an own issue, colour", own, "PATCH", `{"color":"#00FF00"}`, 200, 200},
	{"of an own issue, delete", own, "DELETE", "", 204, 204},
	{"of another's issue, text", others, "PATCH", `{"text":"Changed"}`, 403, 200},
	{"of another's issue, colour", others, "PATCH", `{"color":"#00FF00"}`, 403, 200},
	{"of another's issue, take away", others, "PATCH", `{"issue_uid":null}`, 403, 200},
	{"of another's issue, delete", others, "DELETE", "", 403, 204},
}

func TestRightsOnAnnotations(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		for _, problem := range w.tryAnnotationRules(w.server.URL) {
			t.Error(problem)
		}
	})
}

// tryAnnotationRules plays the rules for each role.
func (w *world) tryAnnotationRules(to string) (problems []string) {
	w.t.Helper()
	annotations, sheet := "/projects/"+w.here+"/annotations", w.sheetOf(w.here)
	for _, rule := range annotationRules {
		for _, role := range roleNames {
			who, want, issue := w.callers[role], rule.byManagers, ""
			if role == collaborator {
				want = rule.byCollaborator
			}
			drawn, artist := map[string]any{"sheet_uid": sheet}, who.Person
			switch rule.placed {
			case own:
				issue = makers["issues"](w, w.here, hereMark, who.Person)
			case others:
				issue = makers["issues"](w, w.here, hereMark, w.overseer)
			}
			body := rule.body
			switch {
			case rule.method == "POST" && issue == "":
				body = fmt.Sprintf(body, sheet)
			case rule.method == "POST":
				body = fmt.Sprintf(body, sheet, issue)
			case body == `{"issue_uid":%[2]q}`:
				body = fmt.Sprintf(body, sheet, issue)
			case issue != "":
				drawn["issue_uid"], artist = issue, w.overseer
			}
			path := annotations
			if rule.method != "POST" {
				path += "/" + artist.Want(201, "POST", annotations, drawn).Text("uid")
			}
			before := w.look(w.here, "/issues?limit=0")
			got := w.sendBy(to, who, plainly, rule.method, path, body)
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
