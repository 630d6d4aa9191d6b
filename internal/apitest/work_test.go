package apitest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
)

// todo is an entry of what waits for somebody.
type todo struct {
	Reason  string `json:"reason"`
	Project struct {
		UID string `json:"uid"`
	} `json:"project"`
	UID     string `json:"uid"`
	Overdue bool   `json:"overdue"`
	Comment *struct {
		Text  string `json:"text"`
		Count int    `json:"count"`
	} `json:"comment"`
}

// workOf reads all of what waits for somebody, and in how many parts it came.
func workOf(t *testing.T, who *apitest.Person, path string) (all []todo, parts int) {
	t.Helper()
	for path != "" {
		var page struct {
			Data        []todo `json:"data"`
			NextPageURL string `json:"next_page_url"`
		}
		if err := json.Unmarshal(who.Want(200, "GET", path, nil).Body, &page); err != nil {
			t.Fatal(err)
		}
		if parts++; parts > 100 {
			t.Fatal("the list does not end")
		}
		all, path = append(all, page.Data...), page.NextPageURL
	}
	return all, parts
}

// TestWorkIsOnesOwn: what waits for somebody is in projects that they are in, at once in every process, and nowhere
// else: not where they were removed, and not where their membership waits.
func TestWorkIsOnesOwn(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		other := s.Beside()
		ada, bob := s.Account("ada"), s.Account("bob")
		tower, bridge := ada.Project("Tower"), ada.Project("Bridge")
		for _, p := range []string{tower, bridge} {
			ada.Invite(p, bob, "Collaborator")
			bob.Want(200, "GET", "/projects/"+p, nil)
			ada.Want(201, "POST", "/projects/"+p+"/issues", `{"title":"a","assigned_to":["`+bob.UID+`"]}`)
		}
		// A record with the uid of a person is no place on a team.
		ada.Want(201, "POST", "/projects/"+ada.Project("Lair")+"/issues", `{"title":"b","uid":"`+bob.UID+`"}`)
		if all, _ := workOf(t, bob.At(other), "/me/work"); len(all) != 2 {
			t.Fatalf("%d of 2 are there: %+v", len(all), all)
		}
		ada.Want(204, "DELETE", "/projects/"+tower+"/users/"+bob.UID, nil)
		for _, at := range []*apitest.Person{bob, bob.At(other)} {
			if all, _ := workOf(t, at, "/me/work"); len(all) != 1 || all[0].Project.UID != bridge {
				t.Errorf("who was removed is shown %+v", all)
			}
		}
		// A membership that waits until its address is proven.
		mallory := s.Account("mallory")
		lair := mallory.Project("Lair")
		if got := follow(t, s, invite(t, mallory, lair)); got.Status != 303 {
			t.Fatal(got.Status)
		}
		invite(t, ada, bridge)
		thief := holder(s)
		shut(t, thief, bridge)
		for _, p := range []struct {
			by      *apitest.Person
			project string
		}{{ada, bridge}, {mallory, lair}} {
			p.by.Want(201, "POST", "/projects/"+p.project+"/issues", `{"title":"c","assigned_to":["`+thief.UID+`"]}`)
		}
		if all, _ := workOf(t, thief, "/me/work"); len(all) != 1 || all[0].Project.UID != lair {
			t.Errorf("whose membership waits is shown %+v", all)
		}
	})
}

// TestWorkIsBounded: one request looks at some projects, comments and records, and the rest comes with the next, each
// entry once.
func TestWorkIsBounded(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		const projects = 60
		for i := range projects {
			p := ada.Project(fmt.Sprint("Tower ", i))
			if i%2 > 0 {
				continue
			}
			ada.Invite(p, bob, "Collaborator")
			bob.Want(200, "GET", "/projects/"+p, nil)
			if i%20 > 0 { // most have nothing for Bob
				continue
			}
			for n := range 5 {
				issue := ada.Want(201, "POST", "/projects/"+p+"/issues",
					fmt.Sprintf(`{"title":"%d","assigned_to":["%s"]}`, n, bob.UID)).Text("uid")
				ada.Want(201, "POST", "/projects/"+p+"/issues/"+issue+"/comments", `{"text":"a"}`)
			}
		}
		whole, parts := workOf(t, ada, "/me/work")
		if len(whole) != 0 || parts != 3 {
			t.Errorf("Ada founded %d projects: %d entries in %d parts, and 25 projects make one", projects, len(whole), parts)
		}
		whole, _ = workOf(t, bob, "/me/work")
		some, _ := workOf(t, bob, "/me/work?limit=2")
		for name, all := range map[string][]todo{"at once": whole, "by two": some} {
			seen := map[string]bool{}
			for _, w := range all {
				seen[w.Reason+w.Project.UID+w.UID] = true
			}
			if len(all) != 30 || len(seen) != 30 {
				t.Errorf("%s: %d entries, %d of them different; there are 30", name, len(all), len(seen))
			}
		}
	})
}

// TestCommentsThatWait: whose word comes last, and how long it is waited for.
func TestCommentsThatWait(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := apitest.Start(t, engine, apitest.At(clock))
		ada, bob := s.Account("ada"), s.Account("bob")
		p := "/projects/" + ada.Project("Tower")
		ada.Invite(strings.TrimPrefix(p, "/projects/"), bob, "Collaborator")
		issue := ada.Want(201, "POST", p+"/issues", `{"title":"a","assigned_to":["`+bob.UID+`"]}`).Text("uid")
		say := func(who *apitest.Person, text string) string {
			return who.Want(201, "POST", p+"/issues/"+issue+"/comments", map[string]any{"text": text}).Text("uid")
		}
		is := func(when string, text string, count int) {
			t.Helper()
			all, _ := workOf(t, bob, "/me/work")
			got, n := "", 0
			for _, w := range all {
				if w.Comment != nil {
					got, n = w.Comment.Text, w.Comment.Count
				}
			}
			if got != text || n != count {
				t.Errorf("%s: %d waiting, the last is %q; it should be %d, %q", when, n, got, count, text)
			}
		}
		say(ada, "one")
		say(bob, "two")
		is("after his own word", "", 0)
		say(ada, "three")
		long := strings.Repeat("é", 400)
		last := say(ada, long)
		is("after two more", strings.Repeat("é", 299)+"…", 2)
		ada.Want(204, "DELETE", p+"/comments/"+last, nil)
		is("after one was deleted", "three", 1)
		clock.Advance(13 * 24 * time.Hour)
		is("after 13 days", "three", 1)
		clock.Advance(2 * 24 * time.Hour)
		is("after 15 days", "", 0)
	})
}

// TestOverdueOnTheSite: a day is over when it is over where the project is.
func TestOverdueOnTheSite(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock() // 08:00 in Greenwich, 00:00 in Los Angeles, 22:00 the day before in Honolulu
		s := apitest.Start(t, engine, apitest.At(clock))
		ada := s.Account("ada")
		p := "/projects/" + ada.Project("Tower")
		due := apitest.Epoch.Add(-time.Minute).Format(time.RFC3339)
		ada.Want(201, "POST", p+"/issues", `{"title":"a","due_at":"`+due+`","assigned_to":["`+ada.UID+`"]}`)
		for zone, late := range map[string]bool{
			`null`: true, `"Europe/Madrid"`: false, `"America/Los_Angeles"`: true, `"Pacific/Honolulu"`: false,
		} {
			ada.Want(200, "PATCH", p, `{"time_zone":`+zone+`}`)
			if all, _ := workOf(t, ada, "/me/work"); len(all) != 1 || all[0].Overdue != late {
				t.Errorf("in %s: %+v", zone, all)
			}
		}
	})
}
