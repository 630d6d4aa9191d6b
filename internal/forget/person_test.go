package forget_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/forget"
	"groundwork/internal/store"
)

// Nothing is left of a person in any table, and all that they did is.
func TestPersonIsErased(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := furnish(t, engine)
		plant(t, s)
		f := s.App.Forgetting()
		// The trap is where a free text can be.
		planted := holding(t, s.Server, traces...)
		tables, err := s.App.Store.Tables(t.Context())
		must(t, err)
		for _, table := range tables {
			for i, c := range table.Columns {
				name := table.Name + "." + c.Name
				if c.Text && i >= table.Key && !slices.Contains(notFree, c.Name) && !slices.Contains(planted, name) {
					t.Errorf("%s could hold a name, and this test does not put one there", name)
				}
			}
		}
		for _, name := range plantedBy {
			if !slices.Contains(planted, name) {
				t.Errorf("%s does not hold the trap", name)
			}
		}
		cursor := s.ada.Want(200, "GET", "/projects/"+s.tower+"/changes?limit=1000", nil).Text("next_after")

		// Not while a project is held that has anything of them, by their work or by name alone.
		must(t, f.Hold(t.Context(), s.tower, "a law suit", "a test"))
		who, err := f.Find(t.Context(), trapAddress, nil)
		must(t, err)
		_, err = who.Erase(t.Context(), "a test", time.Now(), false)
		wants(t, err, s.tower+" (since ")
		wants(t, err, "a law suit")
		if now := holding(t, s.Server, traces...); !slices.Equal(now, planted) {
			t.Errorf("an erasure that was refused changed something: %v instead of %v", now, planted)
		}
		s.zeph.Want(200, "GET", "/me", nil)
		must(t, f.Release(t.Context(), s.tower, "a test"))

		proof := erase(t, s)
		if left := holding(t, s.Server, traces...); len(left) > 0 {
			t.Errorf("the trap is left in %v", left)
		}
		for _, table := range []string{"records", "changes", "accounts", "jobs", "files", "capabilities", "applications"} {
			if proof.Replaced[table] == 0 {
				t.Errorf("the proof says nothing of %s: %v", table, proof.Replaced)
			}
		}
		if proof.Ended["keys"] == 0 || proof.Mails != 1 || proof.Rows < 50 || proof.Tables < 25 ||
			!slices.Equal(proof.Stays, []string{s.cellar}) || !slices.Equal(proof.Left, []string{s.tower}) {
			t.Errorf("the proof is %+v", proof)
		}
		s.contributions(t, cursor)
		if r := s.zeph.Do("GET", "/me", nil); r.Status != 403 {
			t.Errorf("their key: %d %s", r.Status, r.Body)
		}
		sound(t, s.Server)
		again(t, s)
	})
}

// contributions holds that what the trap did is there, under their uid, and that those who follow are told.
func (s *site) contributions(t *testing.T, cursor string) {
	t.Helper()
	in := "/projects/" + s.tower
	one := s.ada.Want(200, "GET", in+"/issues/"+s.issue, nil)
	if one.Text("assigned_to.0.uid") != s.zeph.UID || one.Text("assigned_to.0.email") != "erased-"+s.zeph.UID+"@erased.invalid" ||
		!strings.Contains(one.Text("description"), "See Erased person, Erased person <erased-") || one.Text("room") != "Erased person's" {
		t.Errorf("the issue is %s", one.Body)
	}
	said := s.ada.Want(200, "GET", in+"/issues/"+s.issue+"/comments", nil)
	if said.Text("data.0.created_by.uid") != s.zeph.UID || said.Text("data.0.text") != "Mine.\nErased person" {
		t.Errorf("comments: %s", said.Body)
	}
	if r := s.ada.Want(200, "GET", in+"/issues/"+s.issue+"/history", nil); !strings.Contains(string(r.Body), "Crack, says Erased person") {
		t.Errorf("history: %s", r.Body)
	}
	for _, q := range []string{"trapwell", "zephyrine"} {
		if r := s.ada.Want(200, "GET", in+"/issues?q="+q, nil); r.Text("total_count") != "0" {
			t.Errorf("a search for %s found %s", q, r.Body)
		}
	}
	if r := s.ada.Want(200, "GET", in+"/issues?q=erased", nil); r.Text("total_count") == "0" {
		t.Error("records are not found by what stands in the name's place")
	}
	told := string(s.ada.Want(200, "GET", in+"/changes?include=records&limit=1000&after="+cursor, nil).Body)
	for _, want := range []string{`"uid":"` + s.issue + `"`, `"kind":"users"`, `"kind":"comments"`, `"kind":"attachments"`} {
		if !strings.Contains(told, want) {
			t.Errorf("who follows is not told of %s: %s", want, told)
		}
	}
	team := string(s.ada.Want(200, "GET", in+"/users", nil).Body)
	if !strings.Contains(team, `"last_name":"person"`) {
		t.Errorf("the team: %s", team)
	}
}

// again tries what cannot be done with somebody who was erased, and that they may come back as somebody new.
func again(t *testing.T, s *site) {
	t.Helper()
	f := s.App.Forgetting()
	_, err := f.Find(t.Context(), s.zeph.UID, nil)
	wants(t, err, "was erased already")
	_, err = f.Find(t.Context(), trapAddress, nil)
	wants(t, err, "There is no account")
	wants(t, s.App.Auth.DisableAccount(t.Context(), s.zeph.UID, false), "was erased")
	gone := "erased-" + s.zeph.UID + "@erased.invalid"
	_, _, err = s.App.Auth.ResetPassword(t.Context(), gone, apitest.Password)
	wants(t, err, "was erased")
	if r := s.ada.Do("POST", "/projects/"+s.tower+"/users/invites", map[string]any{"email": gone}); r.Status < 400 {
		t.Errorf("an erased person was invited: %d %s", r.Status, r.Body)
	}
	back := s.Account("zephyrine.trapwell")
	if back.UID == s.zeph.UID {
		t.Error("who comes back is who was erased")
	}
	// The nickname of somebody who was erased, found later.
	s.ada.Want(201, "POST", "/projects/"+s.tower+"/issues", map[string]any{"title": "Old Zeph of the ladder"})
	who, err := f.Find(t.Context(), s.zeph.UID, []string{"Old Zeph"})
	must(t, err)
	proof, err := who.Erase(t.Context(), "a test", time.UnixMicro(s.App.Store.Now()), false)
	must(t, err)
	if proof.Replaced["records"] != 1 || len(holding(t, s.Server, "old zeph")) > 0 {
		t.Errorf("the proof is %+v", proof)
	}
	all, err := f.Erasures(t.Context())
	must(t, err)
	i := slices.IndexFunc(all, func(e forget.Erased) bool { return e.UID == s.zeph.UID })
	if i < 0 || all[i].Further != 2 {
		t.Errorf("what was erased: %+v", all)
	}
	audit, err := f.Audit(t.Context(), 100)
	must(t, err)
	did := fmt.Sprint(audit)
	for _, want := range []string{forget.DidErasePerson, forget.DidHold, forget.DidRelease, "a law suit", "a test"} {
		if !strings.Contains(did, want) {
			t.Errorf("the audit does not say %q: %s", want, did)
		}
	}
}

var errPower = errors.New("the power failed")

// An erasure that was cut short at any statement is ended by the next run, which needs no name: nothing else knows it.
func TestErasuresThatAreCutShort(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := furnish(t, engine)
		f := s.App.Forgetting()
		who, err := f.Find(t.Context(), trapAddress, []string{trapNick})
		must(t, err)
		f.Leave = func(context.Context, *store.Project, string) (bool, error) { return false, errPower }
		_, err = who.Erase(t.Context(), "a test", time.Now(), false)
		wants(t, err, "the power failed")
		must(t, s.App.Forgetting().Resume(t.Context(), "a test"))
		if left := holding(t, s.Server, traces...); len(left) > 0 {
			t.Errorf("the trap is left in %v", left)
		}
		sound(t, s.Server)
	})
}
