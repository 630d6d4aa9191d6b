package apitest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"groundwork/internal/apitest"
)

// teamStep is a request on the team of a project and what it must get. In paths and bodies {name} is the uid of a
// person or a role.
type teamStep struct {
	by, method, path, body string
	want                   int
}

// teamRules are the rights on the team that depend on who else is on it. Each begins with a project that ann founded,
// in which ben is Admin, pia Power Collaborator and cleo Collaborator; dan is not on the team.
var teamRules = map[string][]teamStep{
	"a project keeps an Admin, whoever asks": {
		{"ann", "DELETE", "/users/{ben}", "", 204},
		{"ann", "DELETE", "/users/{ann}", "", 409},
		{"ann", "PATCH", "/users/{ann}", `{"role_uid":"{power}"}`, 409},
		{"ann", "PATCH", "/users/{ann}", `{"role_uid":"{collaborator}"}`, 409},
		{"ann", "PATCH", "/users/{ann}", `{"role_uid":"{admin}"}`, 200},
		{"ann", "PATCH", "/users/{ann}", `{"role_uid":null}`, 200},
		{"ann", "GET", "/users/{ann}", "", 200},
		{"pia", "DELETE", "/users/{ann}", "", 403},
	},
	"an Admin who leaves may do so when another stays": {
		{"ann", "DELETE", "/users/{ann}", "", 204},
		{"ann", "GET", "", "", 403},
		{"ben", "DELETE", "/users/{ben}", "", 409},
		{"ben", "PATCH", "/users/{ben}", `{"role_uid":"{power}"}`, 409},
	},
	"an Admin may be demoted when another stays, also by themselves": {
		{"ann", "PATCH", "/users/{ann}", `{"role_uid":"{collaborator}"}`, 200},
		{"ann", "PATCH", "", `{"city":"Oslo"}`, 403},
		{"ann", "PATCH", "/users/{ann}", `{"role_uid":"{admin}"}`, 403},
		{"ben", "PATCH", "/users/{ben}", `{"role_uid":"{power}"}`, 409},
	},
	"a new Admin frees the last one": {
		{"ann", "DELETE", "/users/{ben}", "", 204},
		{"ann", "DELETE", "/users/{ann}", "", 409},
		{"ann", "PATCH", "/users/{cleo}", `{"role_uid":"{admin}"}`, 200},
		{"ann", "DELETE", "/users/{ann}", "", 204},
		{"cleo", "DELETE", "/users/{cleo}", "", 409},
	},
	"a removed Admin does not count, and comes back as what they are invited": {
		{"ann", "DELETE", "/users/{ben}", "", 204},
		{"ann", "POST", "/users/invites", `{"email":"ben@example.com","role_uid":"{collaborator}"}`, 201},
		{"ann", "DELETE", "/users/{ann}", "", 409},
		{"ben", "PATCH", "", `{"city":"Oslo"}`, 403},
		{"ben", "GET", "", "", 200},
	},
	"an invitation does not touch a present member": {
		{"ann", "POST", "/users/invites", `{"email":"cleo@example.com","role_uid":"{admin}"}`, 200},
		{"cleo", "PATCH", "", `{"city":"Oslo"}`, 403},
		{"ann", "POST", "/users/invites", `{"email":"ANN@example.com","role_uid":"{collaborator}"}`, 200},
		{"ann", "PATCH", "", `{"city":"Oslo"}`, 200},
	},
	"everybody may leave, once": {
		{"cleo", "DELETE", "/users/{cleo}", "", 204},
		{"cleo", "DELETE", "/users/{cleo}", "", 403},
		{"cleo", "GET", "/issues", "", 403},
		{"pia", "DELETE", "/users/{cleo}", "", 403},
		{"pia", "DELETE", "/users/{pia}", "", 204},
		{"pia", "GET", "", "", 403},
		{"pia", "POST", "/users/invites", `{"email":"pia@example.com"}`, 403},
		{"ann", "DELETE", "/users/{pia}", "", 204},
		{"ann", "PATCH", "/users/{pia}", `{"role_uid":"{admin}"}`, 400},
	},
	"nobody lifts themselves": {
		{"pia", "PATCH", "/users/{pia}", `{"role_uid":"{admin}"}`, 403},
		{"cleo", "PATCH", "/users/{cleo}", `{"role_uid":"{power}"}`, 403},
		{"cleo", "POST", "/users/invites", `{"email":"cleo@example.com","role_uid":"{admin}"}`, 403},
		{"pia", "POST", "/users/invites", `{"email":"dan@example.com","role_uid":"{collaborator}"}`, 403},
		{"dan", "GET", "", "", 403},
		{"dan", "PATCH", "/users/{dan}", `{"role_uid":"{admin}"}`, 403},
	},
	"a role counts from the next request on": {
		{"cleo", "POST", "/issue_lists", `{"name":"L"}`, 403},
		{"ann", "PATCH", "/users/{cleo}", `{"role_uid":"{power}"}`, 200},
		{"cleo", "POST", "/issue_lists", `{"name":"L"}`, 201},
		{"cleo", "POST", "/users/invites", `{"email":"dan@example.com"}`, 403},
		{"ann", "PATCH", "/users/{cleo}", `{"role_uid":"{admin}"}`, 200},
		{"cleo", "POST", "/users/invites", `{"email":"dan@example.com"}`, 201},
		{"dan", "GET", "/issues", "", 200},
		{"cleo", "DELETE", "/users/{ann}", "", 204},
		{"ann", "GET", "/issues", "", 403},
		{"ann", "GET", "/users/{ann}", "", 403},
	},
}

func TestRightsOnTeams(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := newTeams(t, engine)
		for name := range teamRules {
			for _, batch := range []bool{false, true} {
				for _, problem := range s.play(name, batch) {
					t.Error(problem)
				}
			}
		}
	})
}

// teams are the people of teamRules, on an installation whose clock stands still: what is over is over, however little
// time has passed.
type teams struct {
	t      testing.TB
	people map[string]*apitest.Person
	uids   *strings.Replacer
	server *apitest.Server
}

func newTeams(t testing.TB, engine string) *teams {
	t.Helper()
	s := &teams{
		t: t, people: map[string]*apitest.Person{}, server: apitest.Start(t, engine, apitest.At(apitest.NewClock())),
	}
	pairs := []string{"{admin}", roleUIDs[admin], "{power}", roleUIDs[power], "{collaborator}", roleUIDs[collaborator]}
	ann := s.server.Account("ann")
	for _, p := range append(invited(s.server, ann, "ben", "pia", "cleo", "dan"), ann) {
		s.people[p.Name] = p
		pairs = append(pairs, "{"+p.Name+"}", p.UID)
	}
	s.uids = strings.NewReplacer(pairs...)
	return s
}

func (s *teams) project() string {
	s.t.Helper()
	ann := s.people["ann"]
	project := ann.Project("Team")
	ann.Invite(project, s.people["ben"], admin)
	ann.Invite(project, s.people["pia"], power)
	ann.Invite(project, s.people["cleo"], collaborator)
	for _, name := range []string{"ben", "pia", "cleo"} { // who came to nothing is not invited for ever
		s.people[name].Want(200, "GET", "/projects/"+project, nil)
	}
	return project
}

// play does the steps of a rule in a new project: one by one, or in one batch of ann's whose parts have their own
// credentials.
func (s *teams) play(name string, batch bool) (problems []string) {
	s.t.Helper()
	steps, project := teamRules[name], s.project()
	status, body := make([]int, len(steps)), make([]string, len(steps))
	var parts []any
	for i, step := range steps {
		path, sent := s.uids.Replace("/projects/"+project+step.path), s.uids.Replace(step.body)
		if batch {
			part := map[string]any{"method": step.method, "path": path, "headers": []any{
				map[string]any{"name": "Authorization", "value": basic(s.people[step.by].Key)},
			}}
			if sent != "" {
				part["body"] = sent
			}
			parts = append(parts, part)
			continue
		}
		r := s.people[step.by].Do(step.method, path, sent)
		status[i], body[i] = r.Status, string(r.Body)
	}
	if batch {
		var got struct {
			Data []struct {
				Status int `json:"status_code"`
				Body   string
			}
		}
		if err := json.Unmarshal(s.people["ann"].Want(200, "POST", "/batch", parts).Body, &got); err != nil ||
			len(got.Data) != len(steps) {
			s.t.Fatalf("the batch: %v", err)
		}
		for i, result := range got.Data {
			status[i], body[i] = result.Status, result.Body
		}
	}
	for i, step := range steps {
		if status[i] != step.want {
			problems = append(problems, fmt.Sprintf("%s: step %d, %s %s %s by %s: %d, want %d: %s", name, i+1,
				step.method, step.path, step.body, step.by, status[i], step.want, body[i]))
		}
	}
	return problems
}

// TestRightsAtOnce: who is removed or whose key is deactivated has no access from the next request on, also on a
// connection that is open, and no longer sees the project in the list of projects.
func TestRightsAtOnce(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := newTeams(t, engine)
		project := s.project()
		ann, cleo := s.people["ann"], s.people["cleo"]
		path := "/projects/" + project
		issue := cleo.Want(201, "POST", path+"/issues", `{"title":"Mine"}`).Text("uid")
		everything := func(want int) {
			t.Helper()
			cleo.Want(want, "GET", path, nil)
			cleo.Want(want, "GET", path+"/issues", nil)
			cleo.Want(want, "GET", path+"/issues/"+issue, nil)
			cleo.Want(want, "PATCH", path+"/issues/"+issue, `{"title":"Still mine"}`)
			cleo.Want(want, "GET", path+"/users/"+cleo.UID, nil)
		}
		listed := func(want string) {
			t.Helper()
			if got := cleo.Want(200, "GET", "/projects", nil).Text("total_count"); got != want {
				t.Errorf("/projects shows %s projects, want %s", got, want)
			}
		}
		everything(200)
		listed("1")
		for range 3 {
			ann.Want(204, "DELETE", path+"/users/"+cleo.UID, nil)
			everything(403)
			listed("0")
			ann.Invite(project, cleo, collaborator)
			everything(200)
			listed("1")
		}

		spare := cleo.As(s.server.Key(cleo.Email))
		spare.Want(200, "GET", path, nil)
		if _, err := s.server.App.Auth.RevokeKey(t.Context(), cleo.Key); err != nil {
			t.Fatal(err)
		}
		cold, mad := cleo.Want(403, "GET", path, nil), cleo.As("letmein").Want(403, "GET", path, nil)
		if cold.Text("message") == mad.Text("message") {
			t.Errorf("a deactivated key and one that never was get the same message: %s", cold.Body)
		}
		cleo.Want(403, "GET", "/me", nil)
		spare.Want(200, "GET", path, nil)
		if err := s.server.App.Auth.DisableAccount(t.Context(), cleo.UID, true); err != nil {
			t.Fatal(err)
		}
		spare.Want(403, "GET", path, nil)
		spare.Want(403, "GET", "/me", nil)
	})
}

// TestRightsLastAdminRace: of all Admins who leave or demote each other at the same moment one stays.
func TestRightsLastAdminRace(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := newTeams(t, engine)
		for range 5 {
			project := s.project()
			ann, ben := s.people["ann"], s.people["ben"]
			users := "/projects/" + project + "/users/"
			demote := fmt.Sprintf(`{"role_uid":%q}`, roleUIDs[collaborator])
			var wait sync.WaitGroup
			for _, leave := range []func() (apitest.Response, error){
				func() (apitest.Response, error) { return ann.Try("DELETE", users+ann.UID, nil) },
				func() (apitest.Response, error) { return ben.Try("DELETE", users+ben.UID, nil) },
				func() (apitest.Response, error) { return ann.Try("PATCH", users+ben.UID, demote) },
				func() (apitest.Response, error) { return ben.Try("PATCH", users+ann.UID, demote) },
			} {
				wait.Go(func() {
					if r, err := leave(); err != nil || r.Status >= 500 {
						t.Errorf("%d %s %v", r.Status, r.Body, err)
					}
				})
			}
			wait.Wait()
			admins := s.people["pia"].Want(200, "GET",
				strings.TrimSuffix(users, "/")+"?deleted=false&role_uid="+roleUIDs[admin], nil)
			if admins.Text("total_count") != "1" {
				t.Errorf("the project has not one Admin left: %s", admins.Body)
			}
		}
	})
}
