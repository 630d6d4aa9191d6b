package apitest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/fault"
	"groundwork/internal/project"
	"groundwork/internal/redact"
)

// puppet has somebody make an account, take it with the link that they are shown, and act with it.
func puppet(t *testing.T, s *apitest.Server, by *apitest.Person, project string) *apitest.Person {
	t.Helper()
	link := invite(t, by, project, "role_uid", roleUIDs[admin])
	if link == "" {
		t.Fatalf("%s is shown no link", by.Name)
	}
	if got := follow(t, s, link); got.Status != 303 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	return holder(s)
}

// TestUnprovenAccountsDoNotMultiply: whoever makes accounts and takes them has the budgets of one, and none of these
// makes the next.
func TestUnprovenAccountsDoNotMultiply(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := apitest.Start(t, engine, apitest.At(clock), apitest.StandardLimits())
		ada, bob := s.Account("ada"), s.Account("bob")
		one := puppet(t, s, ada, ada.Project("Tower"))

		got := one.Do("POST", "/me/applications", map[string]any{
			"name":          "Sync",
			"redirect_uris": []string{"https://sync.example.com/"}, "password": "a stranger at the site gate",
		})
		if got.Status != 403 || !strings.Contains(string(got.Body), "not proven") {
			t.Errorf("who is not proven registers an application: %d %s", got.Status, got.Body)
		}
		var own string
		for i := range 5 {
			own = one.Project(fmt.Sprint("Own ", i))
		}
		if got := one.Do("POST", "/projects", map[string]any{"name": "One more"}); got.Status != 409 {
			t.Errorf("who is not proven makes any number of projects: %d %s", got.Status, got.Body)
		}
		next := one.Want(201, "POST", "/projects/"+own+"/users/invites", map[string]any{"email": "next@example.com"})
		if link := next.Text("invitation_url"); link != "null" {
			t.Errorf("who is not proven is shown the link to the next account: %s", link)
		}
		two := s.Person("next", "next@example.com")

		// The clock stands still: all three have the 40 requests of one second.
		clock.Advance(time.Second)
		three := []*apitest.Person{ada, one, two}
		for i := range 40 {
			if got := three[i%3].Do("GET", "/me", nil); got.Status != 200 {
				t.Fatalf("request %d: %d %s", i, got.Status, got.Body)
			}
		}
		for _, who := range three {
			if got := who.Do("GET", "/me", nil); got.Status != 429 {
				t.Errorf("%s has a window of its own: %d", who.Email, got.Status)
			}
		}
		if got := two.Do("GET", "/me", nil); !strings.Contains(string(got.Body),
			"counted together with who invited it") {
			t.Errorf("%s", got.Body)
		}
		bob.Want(200, "GET", "/me", nil)
		// The operator knows them: from now on they stand for themselves.
		if err := s.App.Auth.Prove(t.Context(), one.UID); err != nil {
			t.Fatal(err)
		}
		one.Want(200, "GET", "/me", nil)
		ada.Want(429, "GET", "/me", nil)
	})
}

// TestUnprovenAccountsAreBounded: an account has so many others made that are not proven, whoever of them invites. It
// is told the same of an address with an account.
func TestUnprovenAccountsAreBounded(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := apitest.Start(t, engine, apitest.At(clock), apitest.Invitations(1))
		ada, bob := s.Account("ada"), s.Account("bob")
		tower := ada.Project("Tower")
		one := puppet(t, s, ada, tower)
		try := func(who *apitest.Person, email string) apitest.Response {
			t.Helper()
			clock.Advance(5 * time.Hour)
			return who.Do("POST", "/projects/"+tower+"/users/invites", map[string]any{"email": email})
		}
		for i := range 4 {
			if got := try([]*apitest.Person{ada, one}[i%2], fmt.Sprintf("p%d@example.com", i)); got.Status != 201 {
				t.Fatalf("%d: %d %s", i, got.Status, got.Body)
			}
		}
		for _, who := range []*apitest.Person{ada, one} {
			for _, email := range []string{"p5@example.com", bob.Email} {
				if got := try(who, email); got.Status != 409 ||
					!strings.Contains(string(got.Body), "whose addresses are not proven") {
					t.Errorf("%s invites %s: %d %s", who.Email, email, got.Status, got.Body)
				}
			}
		}
		if got := try(ada, "p0@example.com"); got.Status != 200 {
			t.Errorf("somebody who is invited is invited again: %d %s", got.Status, got.Body)
		}
		if err := s.App.Auth.Prove(t.Context(), s.Person("p0", "p0@example.com").UID); err != nil {
			t.Fatal(err)
		}
		if got := try(ada, "p5@example.com"); got.Status != 201 {
			t.Errorf("after one was proven: %d %s", got.Status, got.Body)
		}
		if got := try(one, "p6@example.com"); got.Status != 409 {
			t.Errorf("and one more: %d %s", got.Status, got.Body)
		}
		// Those who never chose a password are forgotten after a while: three of the five.
		clock.Advance(31 * 24 * time.Hour)
		if got := try(ada, "p6@example.com"); got.Status != 201 {
			t.Errorf("after a month: %d %s", got.Status, got.Body)
		}
	})
}

// TestRemovedInviterStaysOut: who is removed from a project, or disabled, does not come back as somebody whom they
// made.
func TestRemovedInviterStaysOut(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		for _, how := range []string{"removed", "leaves", "disabled"} {
			s := apitest.Start(t, engine)
			vic, mallory := s.Account("vic"), s.Account("mallory")
			tower := vic.Project("Tower")
			vic.Invite(tower, mallory, "Admin")
			back := puppet(t, s, mallory, tower)
			own := back.Project("Own")
			back.Want(200, "GET", "/projects/"+tower, nil)
			if got := member(vic, tower, back.UID); got.Text("proven") != "false" {
				t.Errorf("the team does not show who is not proven: %s", got.Body)
			}
			switch how {
			case "removed":
				vic.Want(204, "DELETE", "/projects/"+tower+"/users/"+mallory.UID, nil)
			case "leaves":
				mallory.Want(204, "DELETE", "/projects/"+tower+"/users/"+mallory.UID, nil)
			case "disabled":
				if err := s.App.Auth.DisableAccount(t.Context(), mallory.UID, true); err != nil {
					t.Fatal(err)
				}
			}
			shut(t, back, tower)
			back.Want(200, "GET", "/projects/"+own, nil)
			if how != "disabled" {
				vic.Invite(tower, mallory, "Admin")
				shut(t, back, tower)
			}
			// The word of the operator would let in whoever has it; a reset gives it to whom it belongs to.
			if err := s.App.Auth.Prove(t.Context(), back.UID); !fault.Is(err, fault.Conflict) {
				t.Errorf("an account that may be in the hands of who was %s is proven: %v", how, err)
			}
			if _, _, err := s.App.Auth.ResetPassword(t.Context(), invitee,
				redact.Secret("nineteen yellow hammers")); err != nil {
				t.Fatal(err)
			}
			person := holder(s)
			person.Want(200, "GET", "/projects/"+tower, nil)
			if got := member(vic, tower, back.UID); got.Text("proven") != "true" {
				t.Errorf("the team does not show who is proven: %s", got.Body)
			}
		}
	})
}

// TestOneInviterFillsNobodysPlaces: one person has a few projects wait for another, and leaves room for others; what
// nobody comes to lapses.
func TestOneInviterFillsNobodysPlaces(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := apitest.Start(t, engine, apitest.At(clock))
		ada, bob, cyd := s.Account("ada"), s.Account("bob"), s.Account("cyd")
		body := map[string]any{"email": bob.Email, "role_uid": roleUIDs[admin]}
		var sites []string
		for i := range 6 {
			sites = append(sites, ada.Project(fmt.Sprint("Site ", i)))
		}
		for _, p := range sites[:5] {
			ada.Want(201, "POST", "/projects/"+p+"/users/invites", body)
		}
		if got := ada.Do("POST", "/projects/"+sites[5]+"/users/invites", body); got.Status != 409 ||
			!strings.Contains(string(got.Body), "to 5 projects to which they have not come") {
			t.Fatalf("one inviter has any number of projects wait for somebody: %d %s", got.Status, got.Body)
		}
		ada.Want(200, "POST", "/projects/"+sites[0]+"/users/invites", body)
		cyd.Want(201, "POST", "/projects/"+cyd.Project("Bridge")+"/users/invites", body)
		bob.Want(200, "GET", "/projects/"+sites[0], nil)
		ada.Want(201, "POST", "/projects/"+sites[5]+"/users/invites", body)
		ada.Want(204, "DELETE", "/projects/"+sites[1]+"/users/"+bob.UID, nil)
		ada.Want(201, "POST", "/projects/"+sites[1]+"/users/invites", body)

		clock.Advance(20 * 24 * time.Hour)
		ada.Want(200, "POST", "/projects/"+sites[2]+"/users/invites", body)
		// Bob is the last Admin there: he stays.
		ada.Want(204, "DELETE", "/projects/"+sites[3]+"/users/"+ada.UID, nil)
		clock.Advance(11 * 24 * time.Hour)
		if err := project.Lapse(t.Context(), s.App.Store, s.App.Auth, s.App.Jobs); err != nil {
			t.Fatal(err)
		}
		for i, status := range map[int]int{0: 200, 1: 403, 2: 200, 3: 200, 4: 403, 5: 403} {
			if got := bob.Do("GET", "/projects/"+sites[i], nil); got.Status != status {
				t.Errorf("site %d: %d, want %d", i, got.Status, status)
			}
		}
		gone := member(ada, sites[4], bob.UID)
		if gone.Text("removed") != "true" || gone.Text("role") != "null" {
			t.Errorf("who never came is on the team: %s", gone.Body)
		}
		ada.Want(201, "POST", "/projects/"+sites[4]+"/users/invites", body)
		bob.Want(200, "GET", "/projects/"+sites[4], nil)
	})
}
