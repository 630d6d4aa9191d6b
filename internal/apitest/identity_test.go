package apitest_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// invitee is the address that both tenants invite.
const invitee = "victim@example.com"

// invite invites an address and gives the link that was answered; empty where there was none.
func invite(t *testing.T, by *apitest.Person, project string, more ...string) string {
	t.Helper()
	body := map[string]any{"email": invitee}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	got := by.Do("POST", "/projects/"+project+"/users/invites", body)
	if got.Status != 200 && got.Status != 201 {
		t.Fatalf("the invitation by %s: %d %s", by.Name, got.Status, got.Body)
	}
	if link := got.Text("invitation_url"); link != "null" {
		return link
	}
	return ""
}

// follow sets a password with a link.
func follow(t *testing.T, s *apitest.Server, link string) apitest.Response {
	t.Helper()
	got, err := s.Try("POST", link, url.Values{
		"password": {"a stranger at the site gate"}, "name": {"Vera Victim"},
	}.Encode(),
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// holder is whoever has the account of the address.
func holder(s *apitest.Server) *apitest.Person { return s.Person("victim", invitee) }

// shut holds that a person sees nothing of a project.
func shut(t *testing.T, who *apitest.Person, project string) {
	t.Helper()
	for _, path := range []string{"", "/users", "/issues", "/changes?after_seq=0"} {
		if got := who.Do("GET", "/projects/"+project+path, nil); got.Status != 403 {
			t.Errorf("%s reads %s of a project that waits: %d %s", who.Name, path, got.Status, got.Body)
		}
	}
	if got := who.Want(200, "GET", "/projects", nil); strings.Contains(string(got.Body), project) {
		t.Errorf("%s finds a project that waits: %s", who.Name, got.Body)
	}
}

// TestTakeoverByALaterInvitation: the victim's project invites first; an attacker who shares nothing with it invites
// the same address and gets no link.
func TestTakeoverByALaterInvitation(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		vic, mallory := s.Account("vic"), s.Account("mallory")
		tower, lair := vic.Project("Tower"), mallory.Project("Lair")
		first := invite(t, vic, tower)
		if first == "" {
			t.Fatal("whose invitation made the account is not shown its link")
		}
		if link := invite(t, mallory, lair); link != "" {
			t.Errorf("a stranger is shown a link to the account: %s", link)
			follow(t, s, link)
			if got := holder(s).Do("GET", "/projects/"+tower, nil); got.Status == 200 {
				t.Errorf("with it the stranger reads the project: %s", got.Body)
			}
			return
		}
		if link := invite(t, vic, tower); link != "" {
			t.Errorf("a link is shown although another project has invited the address: %s", link)
		}
		if got := follow(t, s, first); got.Status != 303 {
			t.Fatalf("the link that was shown: %d %s", got.Status, got.Body)
		}
		holder(s).Want(200, "GET", "/projects/"+tower, nil)
		shut(t, holder(s), lair)
	})
}

// TestTakeoverByAnEarlierInvitation: the attacker invites first and takes the account; the victim's project, which
// invites later, shows it nothing.
func TestTakeoverByAnEarlierInvitation(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		vic, mallory := s.Account("vic"), s.Account("mallory")
		tower, lair := vic.Project("Tower"), mallory.Project("Lair")
		taken := invite(t, mallory, lair)
		for _, before := range []bool{true, false} {
			if !before {
				if got := follow(t, s, taken); got.Status != 303 {
					t.Fatalf("%d %s", got.Status, got.Body)
				}
			}
			if link := invite(t, vic, tower); link != "" {
				t.Errorf("who did not make the account is shown a link to it: %s", link)
			}
		}
		shut(t, holder(s), tower)
		holder(s).Want(200, "GET", "/projects/"+lair, nil)
		own := holder(s).Project("Own")
		holder(s).Want(200, "GET", "/projects/"+own, nil)
	})
}
