package apitest_test

import (
	"fmt"
	"net/http"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/fault"
)

// TestRightsUnknownProject: an unknown project is told to everybody with a good key, before any right is looked at; to
// nobody else.
func TestRightsUnknownProject(t *testing.T) {
	t.Parallel()
	want := map[string]int{
		noKey: 401, garbage: 403, deactivated: 403,
		removed: 404, outsider: 404, admin: 404, power: 404, collaborator: 404,
	}
	rows := readRights(t)
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		for _, r := range rows {
			if !r.project() {
				continue
			}
			for name, status := range want {
				if r.capability() {
					status = 404
				}
				for _, by := range []way{plainly, inBatch} {
					c := cell{row: r, who: w.callers[name], target: lost, want: status}
					for _, problem := range w.try(w.server.URL, c, by) {
						t.Error(problem)
					}
				}
			}
		}
	})
}

// issueRule is what somebody gets who changes an issue in a way.
type issueRule struct {
	name           string
	mine, isMine   bool // made by the caller; assigned to the caller
	status, body   string
	byCollaborator int
	byManagers     int
}

// issueRules are the rights on issues that depend on the body: a Collaborator changes everything of an issue that they
// made; of one that is assigned to them the status only, and neither to nor from closed; of others nothing. Managers
// are Admins and Power Collaborators.
var issueRules = []issueRule{
	{"somebody else's", false, false, "open", `{"status":"pending"}`, 403, 200},
	{"somebody else's, without effect", false, false, "open", `{"status":"open"}`, 403, 200},
	{"somebody else's, bad body", false, false, "open", `{"status":"nope"}`, 403, 400},
	{"somebody else's, unknown list", false, false, "open", `{"issue_list_uid":"` + nowhere + `"}`, 403, 404},

	{"assigned, status", false, true, "open", `{"status":"in_review"}`, 200, 200},
	{"assigned, other status", false, true, "in_review", `{"status":"pending"}`, 200, 200},
	{"assigned, back to open", false, true, "pending", `{"status":"open"}`, 200, 200},
	{"assigned, close", false, true, "open", `{"status":"closed"}`, 403, 200},
	{"assigned, reopen", false, true, "closed", `{"status":"open"}`, 403, 200},
	{"assigned, closed as it is", false, true, "closed", `{"status":"closed"}`, 200, 200},
	{"assigned, title", false, true, "open", `{"title":"Mine now"}`, 403, 200},
	{"assigned, title as it is", false, true, "open", `{"title":"Crack","status":"pending"}`, 200, 200},
	{"assigned, title behind a status", false, true, "open", `{"status":"pending","title":"Mine now"}`, 403, 200},
	{"assigned, clears", false, true, "open", `{"description":null}`, 403, 200},
	{"assigned, room", false, true, "open", `{"room":"101"}`, 403, 200},
	{"assigned, type", false, true, "open", `{"type":"other"}`, 403, 200},
	{"assigned, dates", false, true, "open", `{"start_date":"2026-01-01"}`, 403, 200},
	{"assigned, due", false, true, "open", `{"due_at":"2026-01-01T00:00:00Z"}`, 403, 200},
	{"assigned, cost", false, true, "open", `{"cost_impact":1}`, 403, 200},
	{"assigned, has cost", false, true, "open", `{"has_cost_impact":true}`, 403, 200},
	{"assigned, schedule", false, true, "open", `{"schedule_impact":1}`, 403, 200},
	{"assigned, has schedule", false, true, "open", `{"has_schedule_impact":true}`, 403, 200},
	{"assigned, hands over", false, true, "open", `{"assigned_to":null}`, 403, 200},
	{"assigned, list", false, true, "open", `{"issue_list_uid":null,"title":"Mine now"}`, 403, 200},
	{"assigned, bad body", false, true, "open", `{"status":"nope"}`, 400, 400},
	{"assigned, nothing", false, true, "open", `{}`, 400, 400},

	{
		"own, everything", true, false, "open",
		`{"title":"T","description":null,"room":"1","status":"in_review","type":"issue","cost_impact":1}`, 200, 200,
	},
	{"own, close", true, false, "open", `{"status":"closed"}`, 200, 200},
	{"own, reopen", true, false, "closed", `{"status":"open"}`, 200, 200},
	{"own and assigned, title", true, true, "open", `{"title":"T"}`, 200, 200},
	{"own and assigned, close", true, true, "open", `{"status":"closed"}`, 200, 200},
	{"own and assigned, reopen", true, true, "closed", `{"status":"pending"}`, 200, 200},
	{"own, bad body", true, false, "open", `{"status":"nope"}`, 400, 400},
}

func (r issueRule) want(role string) int {
	if role == collaborator {
		return r.byCollaborator
	}
	return r.byManagers
}

func TestRightsOnIssueFields(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		for _, problem := range w.tryIssueRules(w.server.URL) {
			t.Error(problem)
		}
	})
}

// tryIssueRules plays the rules for each role, outside and inside of a batch.
func (w *world) tryIssueRules(to string) (problems []string) {
	w.t.Helper()
	issues := "/projects/" + w.here + "/issues"
	for _, rule := range issueRules {
		for _, role := range roleNames {
			for _, by := range []way{plainly, inBatch} {
				if rule.body == "{}" && by == inBatch {
					continue // the batch itself refuses a part without a field
				}
				who, maker := w.callers[role], w.overseer
				if rule.mine {
					maker = who.Person
				}
				made := map[string]any{"title": "Crack", "description": "Long", "status": rule.status}
				if rule.isMine {
					made["assigned_to"] = []string{who.UID}
				}
				path := issues + "/" + maker.Want(201, "POST", issues, made).Text("uid")
				before := w.overseer.Want(200, "GET", path, nil).Body
				got := w.sendBy(to, who, by, "PATCH", path, rule.body)
				if got.status != rule.want(role) {
					problems = append(problems, fmt.Sprintf("%s as %s: %d, want %d: %s", rule.name, role, got.status,
						rule.want(role), got.body))
				}
				after := w.overseer.Want(200, "GET", path, nil).Body
				if got.status >= 400 && string(before) != string(after) {
					problems = append(problems, fmt.Sprintf("%s as %s was refused and changed something:\n%s\n%s",
						rule.name, role, before, after))
				}
			}
		}
	}
	return problems
}

// sendBy sends a request of somebody with one good key.
func (w *world) sendBy(to string, who *caller, by way, method, path, body string) answer {
	w.t.Helper()
	if by == inBatch {
		return w.sendInBatch(to, who, who.sent[0], method, path, body)
	}
	return w.send(to, who.sent[0], method, path, body)
}

// TestRightsUIDsInBodies: a uid of another project inside a body is an unknown uid, and so is one of another kind.
func TestRightsUIDsInBodies(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		for _, problem := range w.tryBodies(w.server.URL) {
			t.Error(problem)
		}
	})
}

// tryBodies puts uids that are not there into every field that takes one.
func (w *world) tryBodies(to string) (problems []string) {
	w.t.Helper()
	foreignList := makers["issue_lists"](w, w.away, awayMark, w.foreigner)
	foreignIssue := makers["issues"](w, w.away, awayMark, w.foreigner)
	foreignStatus := makers["rfis/statuses"](w, w.away, awayMark, w.foreigner)
	foreignUser := makers["users"](w, w.away, awayMark, w.foreigner)
	list, issue, user := makers["issue_lists"](w, w.here, hereMark, w.overseer), makers["issues"](w, w.here, hereMark,
		w.overseer), makers["users"](w, w.here, hereMark, w.overseer)
	absent := []string{nowhere, foreignList, foreignIssue, foreignUser, w.foreigner.UID, w.away, "no-uid", "%"}
	for _, c := range []struct {
		method, path, body, title string
		present                   []string // of another kind
		roles                     []string
	}{
		{"POST", "/issues", `{"issue_list_uid":%q}`, "Issue list", []string{issue, user, roleUIDs[admin]}, roleNames},
		{"POST", "/issues", `{"assigned_to":[%q]}`, "User", []string{issue, list, roleUIDs[admin]}, roleNames},
		{"POST", "/issues", `{"assigned_to_uids":[%q]}`, "User", []string{issue, list, roleUIDs[admin]}, roleNames},
		{
			"POST", "/issues", `{"title":"x","assigned_to":%q}`, "User",
			[]string{issue, list, roleUIDs[admin]},
			roleNames,
		},
		{
			"POST", "/issues", `{"assigned_to":["` + user + `",%q]}`, "User",
			[]string{issue, list, roleUIDs[admin]},
			roleNames,
		},
		{"PATCH", "/issues/", `{"issue_list_uid":%q}`, "Issue list", []string{issue, user, roleUIDs[admin]}, roleNames},
		{
			"PATCH", "/issues/", `{"title":"x","assigned_to":[%q]}`, "User",
			[]string{issue, list, roleUIDs[admin]},
			roleNames,
		},
		{
			"PATCH", "/issues/", `{"assigned_to_uids":"` + user + `,%s"}`, "User",
			[]string{issue, list, roleUIDs[admin]},
			roleNames,
		},
		{"POST", "/rfis", `{"title":"x","status":%q}`, "RFI status", []string{
			issue, list, user, roleUIDs[admin], foreignStatus,
		}, roleNames},
		{"POST", "/rfis", `{"assigned_to":[%q]}`, "User", []string{issue, list, roleUIDs[admin]}, roleNames},
		{"POST", "/rfis", `{"assigned_to_uids":"%s"}`, "User", []string{issue, list, roleUIDs[admin]}, roleNames},
		{
			"POST", "/users/invites", `{"email":"smuggled@example.com","role_uid":%q}`, "Role",
			[]string{issue, list, user},
			[]string{admin},
		},
		{"PATCH", "/users/" + user, `{"role_uid":%q}`, "Role", []string{issue, list, user}, []string{admin}},
		{"POST", "/sheets/packets", `{"sheet_uids":[%q]}`, "Sheet", []string{issue, list, user}, roleNames},
		{
			"POST", "/field_reports/export", `{"field_report_uids":[%q]}`, "Field report",
			[]string{issue, list, user},
			roleNames,
		},
	} {
		for _, role := range c.roles {
			who := w.callers[role]
			path := "/projects/" + w.here + c.path
			if c.path == "/issues/" {
				path += makers["issues"](w, w.here, hereMark, who.Person)
			}
			for _, uid := range append(c.present, absent...) {
				for _, by := range []way{plainly, inBatch} {
					before := w.look(w.here, "/users?limit=0")
					got := w.sendBy(to, who, by, c.method, path, fmt.Sprintf(c.body, uid))
					want := fmt.Sprintf(`{"message":"%s %s does not exist."}`, c.title, uid)
					if got.status != 404 || got.body != want {
						problems = append(problems, fmt.Sprintf("%s %s %s by %s: %d %s, want 404 %s", c.method, c.path,
							fmt.Sprintf(c.body, uid), role, got.status, got.body, want))
					}
					if after := w.look(w.here, "/users?limit=0"); after != before {
						problems = append(problems, fmt.Sprintf("%s %s %s by %s changed something", c.method, c.path,
							fmt.Sprintf(c.body, uid), role))
					}
				}
			}
		}
	}
	if _, err := w.server.App.Auth.AccountByEmail(w.t.Context(), "smuggled@example.com"); !fault.Is(err,
		fault.NotFound) {
		problems = append(problems, fmt.Sprintf("a refused invitation made an account: %v", err))
	}
	return append(problems, w.tryFilters(to, map[string]string{
		"issues?issue_list_uid=": foreignList, "issues?assigned_to=": foreignUser, "rfis?assigned_to=": foreignUser,
		"rfis?status_uid=": foreignStatus, "users?role_uid=": foreignList,
	})...)
}

// tryFilters: a list filtered by a uid of another project is as empty as one filtered by a uid that nobody has.
func (w *world) tryFilters(to string, filters map[string]string) (problems []string) {
	w.t.Helper()
	w.foreigner.Want(201, "POST", "/projects/"+w.away+"/issues", map[string]any{
		"title": awayMark, "issue_list_uid": filters["issues?issue_list_uid="],
		"assigned_to": filters["issues?assigned_to="],
	})
	for filter, uid := range filters {
		for _, role := range roleNames {
			path := "/projects/" + w.here + "/" + filter
			got := w.sendBy(to, w.callers[role], plainly, "GET", path+uid, "")
			if want := `{"data":[],"total_count":0,"next_page_url":null}`; got.status != http.StatusOK ||
				got.body != want {
				problems = append(problems,
					fmt.Sprintf("GET %s%s by %s: %d %s", filter, uid, role, got.status, got.body))
			}
		}
	}
	return problems
}
