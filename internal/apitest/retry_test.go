package apitest_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/identity"
)

// TestNoStaleAnswer changes, one by one, whatever an answer shows without being part of the record, and asks with the
// old tag.
func TestNoStaleAnswer(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada := s.Account("ada")
		p := ada.Project("Tower")
		invited := ada.Want(201, "POST", "/projects/"+p+"/users/invites",
			map[string]any{"email": "cyd@example.com"}).Text("uid")
		issue := ada.Want(201, "POST", "/projects/"+p+"/issues", map[string]any{
			"title": "x", "assigned_to": []string{invited},
		}).Text("uid")
		paths := []string{
			"/projects/" + p + "/users", "/projects/" + p + "/users/" + invited,
			"/projects/" + p + "/issues", "/projects/" + p + "/issues/" + issue,
		}
		tags := map[string]string{}
		ask := func(path string) apitest.Response {
			r, err := ada.TryWith("GET", path, nil, http.Header{"If-None-Match": {tags[path]}})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		learn := func() {
			for _, path := range paths {
				tags[path] = ask(path).Header.Get("ETag")
				if got := ask(path).Status; got != http.StatusNotModified {
					t.Errorf("%s, unchanged: %d", path, got)
				}
			}
		}
		changed := func(what string) {
			t.Helper()
			for _, path := range paths {
				if got := ask(path).Status; got != http.StatusOK {
					t.Errorf("%s after %s: %d", path, what, got)
				}
			}
			learn()
		}
		learn()
		if _, err := s.App.Auth.CreateAccount(t.Context(), identity.NewAccount{
			Email: "Cyd@example.com", Name: "Cyd Doe",
			Password: "seventeen purple anvils",
		}); err != nil {
			t.Fatal(err)
		}
		s.Person("cyd", "cyd@example.com").Want(200, "GET", "/projects/"+p, nil)
		changed("a sign-up, and that the person has come")
		if got := ada.Want(200, "GET", paths[1], nil).Text("last_name"); got != "Doe" {
			t.Errorf("the name on the team is %q", got)
		}
		ada.Want(201, "POST", "/projects/"+p+"/issue_lists", map[string]any{"name": "a list"})
		changed("another record's making")
		s.Move("https://moved.example")
		changed("a new address")
		s.Restart()
		for _, path := range paths {
			if got := ask(path).Status; got != http.StatusNotModified {
				t.Errorf("%s after a restart: %d", path, got)
			}
		}
	})
}

// TestOnceUnderContention sends every request several times at once, to a project and to make projects.
func TestOnceUnderContention(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada := s.Account("ada")
		callers := []*apitest.Person{ada, ada.At(s.Beside())}
		p := ada.Project("Tower")
		const requests, times = 20, 4
		for _, path := range []string{"/projects/" + p + "/issues", "/projects"} {
			field := map[bool]string{true: "name", false: "title"}[path == "/projects"]
			before := ada.Want(200, "GET", path, nil).Text("total_count")
			var wg sync.WaitGroup
			var mu sync.Mutex
			uids := map[string]map[string]bool{}
			for i := range requests {
				for n := range times {
					wg.Go(func() {
						key := fmt.Sprint("key-", i)
						r, err := callers[n%2].TryWith("POST", path, map[string]any{field: key},
							http.Header{"Idempotency-Key": {key}})
						if err != nil || r.Status != http.StatusCreated {
							t.Errorf("%s %s: %d %s %v", path, key, r.Status, r.Body, err)
							return
						}
						mu.Lock()
						defer mu.Unlock()
						if uids[key] == nil {
							uids[key] = map[string]bool{}
						}
						uids[key][r.Text("uid")] = true
					})
				}
			}
			wg.Wait()
			for key, made := range uids {
				if len(made) != 1 {
					t.Errorf("%s: %s made %d records", path, key, len(made))
				}
			}
			var was, is int
			_, _ = fmt.Sscan(before, &was)
			_, _ = fmt.Sscan(ada.Want(200, "GET", path, nil).Text("total_count"), &is)
			if is != was+requests {
				t.Errorf("%s: %d records, want %d", path, is, was+requests)
			}
		}
	})
}
