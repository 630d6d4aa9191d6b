package apitest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
)

// hears waits for an event of a stream that tells of presence.
func hears(t *testing.T, l *listener, record string, people ...string) {
	t.Helper()
	for {
		e, ok := l.next(t)
		if !ok {
			t.Fatalf("the stream ended before %s has %q", record, people)
		}
		var got struct {
			UID    string `json:"uid"`
			People []struct {
				Name  string `json:"name"`
				State string `json:"state"`
			} `json:"people"`
		}
		if e.event != "presence" {
			continue
		}
		if err := json.Unmarshal([]byte(e.data), &got); err != nil {
			t.Fatal(err)
		}
		var now []string
		for _, p := range got.People {
			now = append(now, p.Name+" "+p.State)
		}
		if got.UID == record && fmt.Sprint(now) == fmt.Sprint(people) {
			return
		}
		if got.UID != record {
			t.Errorf("it is told who is at %s: %q", got.UID, now)
		}
	}
}

// TestPresence: who is at a record is told to those who follow the project, in every process, and to nobody who does
// not see the record or asks for nothing.
func TestPresence(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := apitest.Start(t, engine, apitest.At(clock))
		other := s.Beside()
		ada, bob := s.Account("ada", "Ada Lovelace"), s.Account("bob", "Bob Sawyer")
		project := ada.Project("Tower")
		p := "/projects/" + project
		ada.Invite(project, bob, "Collaborator")
		bob.Want(200, "GET", p, nil)
		issue := ada.Want(201, "POST", p+"/issues", `{"title":"a"}`).Text("uid")
		_, sheets := ada.Sheets(project, "A101")
		mark := ada.Want(201, "POST", p+"/annotations", `{"sheet_uid":"`+sheets[0]+`"}`).Text("uid")
		say := func(who *apitest.Person, kind, uid, state string) apitest.Response {
			t.Helper()
			return who.Want(200, "PUT", p+"/presence", map[string]any{"kind": kind, "record_uid": uid, "state": state})
		}
		plain := listen(t, bob, p+"/events", nil)
		say(ada, "issues", issue, "viewing")
		// Whoever comes later is told who is there already.
		here, there := listen(t, bob, p+"/events?presence=true", nil), listen(t, bob.At(other), p+"/events?presence=true", nil)
		own := listen(t, ada.At(other), p+"/events?presence=true&kinds=annotations", nil)
		for _, l := range []*listener{here, there} {
			hears(t, l, issue, "Ada Lovelace viewing")
		}
		say(ada, "annotations", mark, "editing") // which Bob does not see
		hears(t, own, mark, "Ada Lovelace editing")
		if got := say(bob.At(other), "issues", issue, "editing"); !strings.Contains(string(got.Body), "Ada Lovelace") {
			t.Errorf("the other process does not know who is there: %s", got.Body)
		}
		for _, l := range []*listener{here, there} {
			hears(t, l, issue, "Ada Lovelace viewing", "Bob Sawyer editing")
		}
		say(ada, "issues", issue, "left")
		for _, l := range []*listener{here, there} {
			hears(t, l, issue, "Bob Sawyer editing")
		}
		clock.Advance(46 * time.Second)
		for _, l := range []*listener{here, there} {
			hears(t, l, issue)
		}
		say(ada, "annotations", mark, "viewing")
		hears(t, own, mark, "Ada Lovelace viewing")
		// A record that is published is seen.
		ada.Want(200, "PATCH", p+"/annotations/"+mark, `{"visibility":"master"}`)
		say(ada, "annotations", mark, "editing")
		for _, l := range []*listener{here, there} {
			hears(t, l, mark, "Ada Lovelace editing")
		}
		ada.Want(204, "DELETE", p+"/users/"+bob.UID, nil)
		for _, l := range []*listener{here, there, plain} {
			for e, ok := l.next(t); ok; e, ok = l.next(t) {
				if e.event == "presence" {
					t.Errorf("who asked for nothing, or was removed, is told %s", e.data)
				}
			}
		}
	})
}

// TestPresenceIsBounded: one person is at eight records of a project, and a project has so many places.
func TestPresenceIsBounded(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := apitest.Start(t, engine, apitest.At(clock))
		ada, bob := s.Account("ada", "Ada Lovelace"), s.Account("bob", "Bob Sawyer")
		project := ada.Project("Tower")
		p := "/projects/" + project
		ada.Invite(project, bob, "Collaborator")
		var issues []string
		for i := range 9 {
			issues = append(issues, ada.Want(201, "POST", p+"/issues", fmt.Sprintf(`{"title":"%d"}`, i)).Text("uid"))
		}
		say := func(who *apitest.Person, uid string) apitest.Response {
			clock.Advance(time.Second)
			return who.Want(200, "PUT", p+"/presence", map[string]any{"kind": "issues", "record_uid": uid, "state": "viewing"})
		}
		for _, uid := range issues {
			say(ada, uid)
		}
		for i, uid := range issues {
			got := string(say(bob, uid).Body)
			if i == 8 {
				got = strings.ReplaceAll(got, "Bob", "") // his own ninth
			}
			if there := strings.Contains(got, "Ada Lovelace"); there != (i > 0) {
				t.Errorf("at the %d. of nine records: %s", i+1, got)
			}
		}
	})
}

// TestPresenceInQuickSuccession: however often somebody says that they come and go, a stream tells of it a few times a
// second, and how it ended.
func TestPresenceInQuickSuccession(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada, bob := s.Account("ada", "Ada Lovelace"), s.Account("bob")
		project := ada.Project("Tower")
		p := "/projects/" + project
		ada.Invite(project, bob, "Collaborator")
		bob.Want(200, "GET", p, nil)
		issue := ada.Want(201, "POST", p+"/issues", `{"title":"a"}`).Text("uid")
		l := listen(t, bob, p+"/events?presence=true", nil)
		say := func(state string) {
			t.Helper()
			ada.Want(200, "PUT", p+"/presence", map[string]any{"kind": "issues", "record_uid": issue, "state": state})
		}
		began := time.Now()
		say("viewing")
		hears(t, l, issue, "Ada Lovelace viewing")
		for range 60 {
			say("editing")
			say("viewing")
		}
		say("left")
		told := 0
		for {
			e, ok := l.next(t)
			if !ok {
				t.Fatal("the stream ended")
			}
			if told++; e.event == "presence" && strings.Contains(e.data, `"people":[]`) {
				break
			}
		}
		if most := int(time.Since(began)/(500*time.Millisecond)) + 2; told > most {
			t.Errorf("a stream told %d times of one person, in %s", told, time.Since(began))
		}
	})
}
