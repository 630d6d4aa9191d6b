package apitest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/s3test"
	"groundwork/internal/sheet/register"
)

// given is what a project has given out to bob: addresses that need no credentials.
func given(t *testing.T, s *apitest.Server, bob *apitest.Person, project string) (links []string,
	lists map[string]apitest.Response,
) {
	t.Helper()
	lists = map[string]apitest.Response{}
	for _, path := range []string{"photos", "attachments", "sheets"} {
		lists[path] = bob.Want(200, "GET", "/projects/"+project+"/"+path, nil)
	}
	url := lists["sheets"].Text("data.0.tiles_url")
	links = []string{
		lists["photos"].Text("data.0.url"), lists["attachments"].Text("data.0.url"), url, tileAt(url, 0, 0, 0),
	}
	for _, link := range links {
		if r := s.Fetch(link, nil); r.Status != 200 {
			t.Fatalf("%s: %d %s", link, r.Status, r.Body)
		}
	}
	return links, lists
}

// TestLinksEndWithMembership: once somebody leaves a project, is removed, or is shut out by the operator, no link of
// the project that they hold opens anything, on any process. Whoever is still there gets new ones, also who asks only
// for what changed; other projects are left alone.
func TestLinksEndWithMembership(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		options := []apitest.Option{apitest.At(clock)}
		if engine == apitest.Postgres { // where another process has the same files
			options = append(options, apitest.Files(s3test.Shared(t).URL("links-end")))
		}
		s := apitest.Start(t, engine, options...)
		ada, bob, cyd := s.Account("ada"), s.Account("bob"), s.Account("cyd")
		project, elsewhere := ada.Project("Tower"), ada.Project("Elsewhere")
		ada.Invite(elsewhere, bob, "Admin")
		ada.Invite(project, cyd, "Collaborator")
		for _, p := range []string{project, elsewhere} {
			ada.Upload(p, "photos", map[string]any{"content_type": "image/png"}, "a photo")
			ada.Upload(p, "attachments", map[string]any{"content_type": "text/plain", "name": "a.txt"}, "a text")
			ada.Publish(p, []register.Page{s.Plan("A101", 0)})
		}
		s.Work()
		others, _ := given(t, s, ada, elsewhere)
		processes := map[string]*apitest.Server{"this process": s}
		if engine == apitest.Postgres {
			processes["another process"] = s.Beside()
		}
		for _, way := range []struct {
			name string
			end  func()
		}{
			{"removed", func() { ada.Want(204, "DELETE", "/projects/"+project+"/users/"+bob.UID, nil) }},
			{"gone", func() { bob.Want(204, "DELETE", "/projects/"+project+"/users/"+bob.UID, nil) }},
			{"disabled", func() {
				if err := s.App.Auth.DisableAccount(t.Context(), bob.UID, true); err != nil {
					t.Fatal(err)
				}
			}},
		} {
			ada.Invite(project, bob, "Collaborator")
			links, _ := given(t, s, bob, project)
			_, lists := given(t, s, cyd, project)
			for _, p := range processes {
				for _, link := range links { // so that it is remembered there
					p.Fetch(link, nil)
				}
			}
			way.end()
			clock.Advance(time.Second)
			for name, p := range processes {
				for _, link := range links {
					if r := p.Fetch(link, nil); r.Status != 403 ||
						!strings.Contains(r.Text("message"), "ended when somebody left the project") {
						t.Errorf("%s, %s: %s is %d %.80s", way.name, name, link, r.Status, r.Body)
					}
				}
			}
			for path, had := range lists {
				now, err := cyd.TryWith("GET", "/projects/"+project+"/"+path, nil, http.Header{
					"If-None-Match": {had.Header.Get("ETag")},
				})
				if err != nil || now.Status != 200 {
					t.Errorf("%s: who has the list of %s gets %d %v", way.name, path, now.Status, err)
				}
			}
			fresh, _ := given(t, s, cyd, project)
			for name, p := range processes {
				for _, link := range fresh {
					if r := p.Fetch(link, nil); r.Status != 200 {
						t.Errorf("%s, %s: a new link is %d %s", way.name, name, r.Status, r.Body)
					}
				}
			}
			left := 200
			if way.name == "disabled" {
				left = 403 // bob is on that team too
			}
			for _, link := range others {
				if r := s.Fetch(link, nil); r.Status != left {
					t.Errorf("%s: a link of another project is %d, want %d", way.name, r.Status, left)
				}
			}
		}
	})
}

// TestAnEpochIsSigned: the number in a link says nothing that its mark does not hold.
func TestAnEpochIsSigned(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, apitest.SQLite)
	ada, bob := s.Account("ada"), s.Account("bob")
	project := ada.Project("Tower")
	uid := ada.Upload(project, "photos", map[string]any{"content_type": "image/png"}, "a photo").Text("uid")
	link := func() string { return ada.Want(200, "GET", "/projects/"+project+"/photos/"+uid, nil).Text("url") }
	old := link()
	ada.Invite(project, bob, "Admin")
	ada.Want(204, "DELETE", "/projects/"+project+"/users/"+bob.UID, nil)
	now := link()
	if !strings.Contains(now, "&signature=1.") || s.Fetch(now, nil).Status != 200 {
		t.Fatal(now)
	}
	for _, edited := range []string{
		strings.Replace(old, "signature=", "signature=1.", 1), strings.Replace(old, "signature=", "signature=0.", 1),
		strings.Replace(now, "=1.", "=2.", 1), strings.Replace(now, "=1.", "=", 1),
		strings.Replace(now, "=1.", "=01.", 1), strings.Replace(now, "=1.", "=%2B1.", 1),
		strings.Replace(now, "=1.", "=-1.", 1), strings.Replace(now, "=1.", "=99999999999999999999.", 1),
		strings.Replace(now, "=1.", "=.", 1), strings.Replace(now, "=1.", "=1..", 1),
	} {
		if r := s.Fetch(edited, nil); r.Status != 403 {
			t.Errorf("%s: %d", edited, r.Status)
		}
	}
}
