package apitest_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/letter"
	"groundwork/internal/store"
)

// letterOf is the mail of an invitation to the address, as it would be sent now, and the link in it.
func letterOf(t *testing.T, s *apitest.Server) (text, link string) {
	t.Helper()
	m, to, err := s.App.Auth.Write(t.Context(), apitest.Base, letter.Letter{
		Kind: letter.AboutInvitation, Email: invitee, From: "Vic", Project: "Tower",
	})
	if err != nil || !to {
		t.Fatalf("no letter: %v", err)
	}
	return m.Text, regexp.MustCompile(`https://\S+`).FindString(m.Text)
}

// letters counts the invitations that wait to be written.
func letters(t *testing.T, s *apitest.Server) (n int) {
	t.Helper()
	err := s.App.Store.In(store.JobsOffice).Query(t.Context(),
		`SELECT COUNT(*) FROM jobs WHERE kind = $1 AND args LIKE $2`, []any{
			letter.Kind, "%" + string(letter.AboutInvitation) + "%",
		}, func(c *store.Cols) error {
			n = int(c.Int(0))
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// member is a member as a project shows them.
func member(who *apitest.Person, project, uid string) apitest.Response {
	return who.Want(200, "GET", "/projects/"+project+"/users/"+uid, nil)
}

// TestMailedLinkProves: with mail nobody is shown a link, and the one that is sent opens every project that has invited
// the address.
func TestMailedLinkProves(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine, apitest.Mailed())
		vic, mallory := s.Account("vic"), s.Account("mallory")
		tower, lair := vic.Project("Tower"), mallory.Project("Lair")
		for _, link := range []string{invite(t, vic, tower), invite(t, mallory, lair), invite(t, vic, tower)} {
			if link != "" {
				t.Errorf("with mail somebody is shown a link: %s", link)
			}
		}
		shut(t, holder(s), lair)
		_, one := letterOf(t, s)
		_, two := letterOf(t, s)
		if got := follow(t, s, one); got.Status != 303 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		for _, project := range []string{tower, lair} {
			holder(s).Want(200, "GET", "/projects/"+project, nil)
		}
		for _, used := range []string{one, two} {
			if got := follow(t, s, used); got.Status != 404 {
				t.Errorf("a link works again: %d", got.Status)
			}
		}
	})
}

// TestMailTakesAnAccountBack: somebody took the account by a link that they were shown. Mail comes later, and with it
// the person: nothing of the other is left.
func TestMailTakesAnAccountBack(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		vic, mallory := s.Account("vic"), s.Account("mallory")
		tower, lair := vic.Project("Tower"), mallory.Project("Lair")
		taken := follow(t, s, invite(t, mallory, lair))
		session := http.Header{"Cookie": {strings.Split(taken.Header.Get("Set-Cookie"), ";")[0]}}
		thief := holder(s)
		thief.Want(200, "PATCH", "/me", map[string]any{"first_name": "Thief", "company": "Thieves"})
		thief.Want(200, "GET", "/projects/"+lair, nil)
		own := thief.Project("Own")
		s.Restart(apitest.Mailed())
		invite(t, vic, tower)
		shut(t, thief, tower)
		text, link := letterOf(t, s)
		if !strings.Contains(text, "nobody has confirmed") {
			t.Errorf("the letter does not say what is so: %s", text)
		}
		if got := follow(t, s, link); got.Status != 303 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		if got := thief.Do("GET", "/me", nil); got.Status != 401 && got.Status != 403 {
			t.Errorf("the key of who had the account works on: %d", got.Status)
		}
		if got, err := s.Try("GET", "/account", nil, session); err != nil || got.Status != 303 {
			t.Errorf("the session of who had the account goes on: %d %v", got.Status, err)
		}
		if got := member(mallory, lair, thief.UID); got.Text("first_name") != "Thief" ||
			strings.Contains(string(got.Body), "Vera") {
			t.Errorf("the project of who had the account is shown the person: %s", got.Body)
		}
		person := holder(s)
		if me := person.Want(200, "GET", "/me", nil); me.Text("company") != "null" || me.Text("first_name") != "Vera" {
			t.Errorf("what the other said is left: %s", me.Body)
		}
		for _, project := range []string{tower, lair, own} {
			person.Want(200, "GET", "/projects/"+project, nil)
		}
	})
}

// TestOperatorsWord: what an operator can say of an address, and what that opens.
func TestOperatorsWord(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		vic, mallory := s.Account("vic"), s.Account("mallory")
		tower, lair := vic.Project("Tower"), mallory.Project("Lair")
		shown := invite(t, mallory, lair)
		invite(t, vic, tower)
		uid := holder(s).UID
		// Somebody has it: only a reset is safe.
		if got := follow(t, s, shown); got.Status != 303 {
			t.Fatal(got.Status)
		}
		thief := holder(s)
		if err := s.App.Auth.Prove(t.Context(), uid); !fault.Is(err, fault.Conflict) {
			t.Errorf("an account that a stranger holds is proven: %v", err)
		}
		shut(t, thief, tower)
		link, err := s.App.ResetLink(t.Context(), invitee)
		if err != nil {
			t.Fatal(err)
		}
		if got := follow(t, s, apitest.Base+link[strings.Index(link, "/reset-password/"):]); got.Status != 303 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		if got := thief.Do("GET", "/me", nil); got.Status == 200 {
			t.Error("the key of who had the account works on")
		}
		holder(s).Want(200, "GET", "/projects/"+tower, nil)
	})
	// Nobody has it: the word opens everything, and the link that was shown opens nothing.
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		vic, mallory := s.Account("vic"), s.Account("mallory")
		tower, lair := vic.Project("Tower"), mallory.Project("Lair")
		shown := invite(t, mallory, lair)
		invite(t, vic, tower)
		if err := s.App.Auth.Prove(t.Context(), holder(s).UID); err != nil {
			t.Fatal(err)
		}
		if got := follow(t, s, shown); got.Status != 404 {
			t.Errorf("a link that a stranger was shown opens a proven account: %d", got.Status)
		}
		if link := invite(t, mallory, lair); link != "" {
			t.Errorf("a link to a proven account is shown: %s", link)
		}
		holder(s).Want(200, "GET", "/projects/"+tower, nil)
	})
}

// TestRemovalWithdrawsLinks: who is sent away cannot come back as somebody whom they invited, and an invitation that is
// taken back opens nothing.
func TestRemovalWithdrawsLinks(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		for _, whose := range []string{"inviter", "invited"} {
			s := apitest.Start(t, engine)
			vic, mallory := s.Account("vic"), s.Account("mallory")
			tower := vic.Project("Tower")
			vic.Invite(tower, mallory, "Admin")
			link := invite(t, mallory, tower)
			gone := map[string]string{"inviter": mallory.UID, "invited": holder(s).UID}[whose]
			if link == "" {
				t.Fatal("no link")
			}
			vic.Want(204, "DELETE", "/projects/"+tower+"/users/"+gone, nil)
			if got := follow(t, s, link); got.Status != 404 {
				t.Errorf("the %s was removed, and the link works: %d", whose, got.Status)
			}
			if link := invite(t, vic, tower); link != "" {
				t.Errorf("another Admin is shown a link: %s", link)
			}
		}
	})
}

// TestProfileIsShownToWhomOneComes: before a person comes, a project shows what its invitation said; after they left,
// what it showed then.
func TestProfileIsShownToWhomOneComes(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob", "Bob Stone")
		bob.Want(200, "PATCH", "/me", map[string]any{"company": "Stone & Sons", "title": "Mason", "language": "en"})
		p := ada.Project("Tower")
		body := map[string]any{"email": "BOB@example.com", "first_name": "Robert"}
		sees := func(when string, email, first, company string) {
			t.Helper()
			got := member(ada, p, bob.UID)
			if got.Text("email") != email || got.Text("first_name") != first || got.Text("company") != company {
				t.Errorf("%s: %s", when, got.Body)
			}
		}
		if got := ada.Want(201, "POST", "/projects/"+p+"/users/invites", body); strings.Contains(string(got.Body),
			"Stone") || strings.Contains(string(got.Body), "Mason") {
			t.Errorf("the answer to an invitation tells of a person who never met the inviter: %s", got.Body)
		}
		sees("invited", "BOB@example.com", "Robert", "null")
		issue := ada.Want(201, "POST", "/projects/"+p+"/issues", map[string]any{
			"title": "x", "assigned_to": []string{bob.UID},
		})
		if got := issue.Text("assigned_to.0.email"); got != "BOB@example.com" {
			t.Errorf("assigned to %s", got)
		}
		before := ada.Want(200, "GET", "/projects/"+p+"/users", nil).Header.Get("ETag")
		bob.Want(200, "GET", "/projects/"+p+"/issues", nil)
		sees("come", "bob@example.com", "Bob", `Stone & Sons`)
		if after := ada.Want(200, "GET", "/projects/"+p+"/users", nil).Header.Get("ETag"); after == before {
			t.Error("the team shows something else under the same tag")
		}
		bob.Want(200, "PATCH", "/me", map[string]any{"company": "Stone Ltd"})
		sees("changed", "bob@example.com", "Bob", "Stone Ltd")
		ada.Want(204, "DELETE", "/projects/"+p+"/users/"+bob.UID, nil)
		bob.Want(200, "PATCH", "/me", map[string]any{"company": "Secret Ventures", "first_name": "Bobby"})
		sees("removed", "bob@example.com", "Bob", "Stone Ltd")
		ada.Want(201, "POST", "/projects/"+p+"/users/invites", body)
		sees("invited again", "bob@example.com", "Bob", "Stone Ltd")
		bob.Want(204, "DELETE", "/projects/"+p+"/users/"+bob.UID, nil)
		sees("left without coming", "bob@example.com", "Bob", "Stone Ltd")
		ada.Want(201, "POST", "/projects/"+p+"/users/invites", body)
		bob.Want(200, "GET", "/projects/"+p, nil)
		sees("come again", "bob@example.com", "Bobby", "Secret Ventures")
	})
}

// TestInvitationIsNoOracle: with mail, the answer is the same for an address that has an account and for one that has
// none.
func TestInvitationIsNoOracle(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine, apitest.Mailed())
		ada, bob := s.Account("ada"), s.Account("bob", "Bob Stone")
		other := bob.Project("Other")
		bob.Want(201, "POST", "/projects/"+other+"/users/invites", map[string]any{
			"email": "Cyd@Example.com", "first_name": "Cyd",
		})
		p := ada.Project("Tower")
		uids := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.+]+`)
		var want string
		for _, email := range []string{"nix@example.com", "bob@example.com", "cyd@example.com"} {
			for _, method := range []string{"POST", "POST", "GET"} {
				path := "/projects/" + p + "/users/invites"
				if method == "GET" {
					path = "/projects/" + p + "/users/" + s.Person("x", email).UID
				}
				var body any
				if method == "POST" {
					body = map[string]any{"email": email}
				}
				got := ada.Do(method, path, body)
				text := fmt.Sprint(got.Status, " ",
					strings.ReplaceAll(uids.ReplaceAllString(string(got.Body), "…"), email, "EMAIL"))
				if email == "nix@example.com" {
					want += text + "\n"
				} else if !strings.Contains(want, text+"\n") {
					t.Errorf("%s %s is told apart:\n%s\nnot one of\n%s", method, email, text, want)
				}
			}
		}
	})
}

// TestInvitationLimits: a batch of invitations, an address that many invite, an account that many projects wait for.
func TestInvitationLimits(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := apitest.Start(t, engine, apitest.Mailed(), apitest.StandardLimits(), apitest.At(clock))
		ada := s.Account("ada")
		ada.Key = s.Key(ada.Email, credential.Limit{Type: credential.LimitAll, Interval: 1, Limit: 1e9})
		p := ada.Project("Tower")
		// One project writes to an address once a day, however often it invites it.
		for range 5 {
			invite(t, ada, p)
		}
		if n := letters(t, s); n != 1 {
			t.Errorf("%d letters to somebody who was invited five times", n)
		}
		clock.Advance(25 * time.Hour)
		invite(t, ada, p)
		if n := letters(t, s); n != 2 {
			t.Errorf("%d letters after a day", n)
		}
		// All projects together write to it three times a day; the invitations stand.
		clock.Advance(25 * time.Hour)
		for i := range 4 {
			more := ada.Project(fmt.Sprint("Site ", i))
			invite(t, ada, more)
			if total := ada.Want(200, "GET", "/projects/"+more+"/users", nil).Text("total_count"); total != "2" {
				t.Errorf("the invitation does not stand: %s members", total)
			}
		}
		if n := letters(t, s); n != 5 {
			t.Errorf("%d letters, want 3 more", n)
		}
		// An account gives a hundred invitations an hour; each part of a batch counts.
		clock.Advance(25 * time.Hour)
		statuses := map[int]int{}
		var last apitest.Response
		for i := range 103 {
			last = ada.Do("POST", "/projects/"+p+"/users/invites", map[string]any{
				"email": fmt.Sprintf("p%d@example.com", i),
			})
			statuses[last.Status]++
		}
		if statuses[201] != 100 || statuses[429] != 3 || last.Header.Get("Retry-After") == "" ||
			!strings.Contains(string(last.Body), "within an hour") {
			t.Errorf("%v, then %v %s", statuses, last.Header, last.Body)
		}
		clock.Advance(time.Hour + time.Minute)
		ada.Want(201, "POST", "/projects/"+p+"/users/invites", map[string]any{"email": "p101@example.com"})
	})
}

// TestWaitingProjects: strangers can have so many projects wait for somebody, and no more.
func TestWaitingProjects(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		bob, body := s.Account("bob"), map[string]any{"email": "bob@example.com"}
		var first string
		for i := range 20 {
			who := s.Account(fmt.Sprint("ada", i))
			for j := range 5 {
				p := who.Project(fmt.Sprint("Site ", j))
				who.Want(201, "POST", "/projects/"+p+"/users/invites", body)
				first = p
			}
		}
		last := s.Account("cyd")
		p := last.Project("One more")
		got := last.Want(409, "POST", "/projects/"+p+"/users/invites", body)
		if want := "bob@example.com cannot be invited to further projects now."; got.Text("message") != want {
			t.Errorf("%s", got.Body)
		}
		bob.Want(200, "GET", "/projects/"+first, nil)
		last.Want(201, "POST", "/projects/"+p+"/users/invites", body)
	})
}
