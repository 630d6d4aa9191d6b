package apitest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/apitest"
	"groundwork/internal/auth"
	"groundwork/internal/project"
	"groundwork/internal/resource"
)

// changes is what the change log answers.
type changes struct {
	Data []struct {
		Sequence             int64
		Kind, UID, Operation string
		Fields               []string
	}
	NextAfter int64  `json:"next_after"`
	NextPage  string `json:"next_page_url"`
}

func feedOf(t testing.TB, r apitest.Response, err error) (c changes) {
	t.Helper()
	if err == nil && r.Status != 200 {
		err = fmt.Errorf("%d: %s", r.Status, r.Body)
	}
	if err == nil {
		err = json.Unmarshal(r.Body, &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// waits are the headers of a caller who waits.
func waits(seconds int) http.Header { return http.Header{"Prefer": {"wait=" + strconv.Itoa(seconds)}} }

// TestChangesMissNothing follows the change log, waiting for what comes, while several people write through two processes: every change comes
// once, in order, and the reader ends with exactly what was done.
func TestChangesMissNothing(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		other := s.Beside()
		ada := s.Account("ada")
		p := "/projects/" + ada.Project("Tower")
		after := feedOf(t, ada.Do("GET", p+"/changes", nil), nil).NextAfter
		const writers, writes = 4, 25
		var writing sync.WaitGroup
		for w := range writers {
			writing.Go(func() {
				who := ada.At([]*apitest.Server{s, other}[w%2])
				for range writes {
					r, err := who.Try("POST", p+"/issues", `{"title":"a"}`)
					if err != nil || r.Status != 201 {
						t.Error(r.Status, err)
						return
					}
					uid := r.Text("uid")
					for _, step := range [][2]string{{"PATCH", `{"room":"1"}`}, {"POST", `{"text":"b"}`}} {
						path := p + "/issues/" + uid
						if step[0] == "POST" {
							path += "/comments"
						}
						if r, err := who.Try(step[0], path, step[1]); err != nil || r.Status > 201 {
							t.Error(r.Status, err)
							return
						}
					}
				}
			})
		}
		var last int64
		seen := map[string]int{}
		for total := 0; total < writers*writes*3 && !t.Failed(); {
			r, err := ada.TryWith("GET", fmt.Sprintf("%s/changes?limit=7&after=%d", p, after), nil, waits(20))
			page := feedOf(t, r, err)
			if len(page.Data) == 0 {
				t.Fatalf("nothing came in 20 s, after %d of %d changes", total, writers*writes*3)
			}
			for _, c := range page.Data {
				if c.Sequence <= last {
					t.Fatalf("change %d comes after %d", c.Sequence, last)
				}
				last = c.Sequence
				seen[c.Kind+" "+c.Operation]++
				total++
			}
			after = page.NextAfter
		}
		writing.Wait()
		page := feedOf(t, ada.Do("GET", fmt.Sprintf("%s/changes?after=%d", p, after), nil), nil)
		if len(page.Data) != 0 || seen["issues create"] != 100 || seen["issues update"] != 100 || seen["comments create"] != 100 || len(seen) != 3 {
			t.Errorf("it saw %v, and then %v", seen, page.Data)
		}
	})
}

// TestChangesWait shows what ends a wait: the end of the time, a write of this or of another process, the stop of the service; and that somebody
// who was removed meanwhile gets nothing.
func TestChangesWait(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		other := s.Beside()
		ada, bob := s.Account("ada"), s.Account("bob")
		uid := ada.Project("Tower")
		ada.Invite(uid, bob, "Collaborator")
		p := "/projects/" + uid
		end := func() int64 { return feedOf(t, ada.Do("GET", p+"/changes", nil), nil).NextAfter }
		follow := func(who *apitest.Person, seconds int) chan apitest.Response {
			path, done := fmt.Sprintf("%s/changes?after=%d", p, end()), make(chan apitest.Response, 1)
			go func() {
				r, err := who.TryWith("GET", path, nil, waits(seconds))
				if err != nil {
					t.Error(err)
				}
				done <- r
			}()
			return done
		}
		if r := <-follow(ada, 1); len(feedOf(t, r, nil).Data) != 0 || r.Header.Get("Preference-Applied") != "wait=1" {
			t.Errorf("after a second without changes: %s %v", r.Body, r.Header)
		}
		for _, writer := range []*apitest.Server{s, other} {
			waiter := follow(ada, 30)
			ada.At(writer).Want(201, "POST", p+"/issues", `{"title":"a"}`)
			if page := feedOf(t, <-waiter, nil); len(page.Data) != 1 || page.Data[0].Operation != "create" {
				t.Errorf("a write is shown as %v", page.Data)
			}
		}
		removed := follow(bob, 30)
		ada.Want(204, "DELETE", p+"/users/"+bob.UID, nil)
		if r := <-removed; r.Status != 403 {
			t.Errorf("somebody who was removed while waiting gets %d: %s", r.Status, r.Body)
		}
		waiters := []chan apitest.Response{follow(ada, 30), follow(ada, 30)}
		began := time.Now()
		s.Edge.Drain()
		for _, w := range waiters {
			if page := feedOf(t, <-w, nil); len(page.Data) != 0 || time.Since(began) > 10*time.Second {
				t.Errorf("when the service stops, waiting ends with %v after %s", page.Data, time.Since(began))
			}
		}
	})
}

// TestChangesOfWhatIsHidden mounts a kind whose records not everybody sees: for others they are in no list and no feed, and unknown by uid.
func TestChangesOfWhatIsHidden(t *testing.T) {
	type secret struct {
		resource.Record
		Text  string          `json:"text" write:"required"`
		For   string          `json:"for" write:"one=all|me" filter:"for"`
		Owner resource.People `json:"owner" filter:"owner"`
	}
	kind := &resource.Kind[secret]{
		Plural: "annotations",
		Fresh:  func() secret { return secret{For: "me"} },
		Check: func(tx *resource.Tx, _, now *secret) error {
			now.Owner = resource.People{now.CreatedBy}
			return nil
		},
		Sees: func(s auth.Scope) [][]string {
			return [][]string{{"for=all", "owner=" + strconv.FormatUint(uint64(s.Person()), 10)}}
		},
	}
	everyone := auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		all := &resource.Catalog{}
		all.Add(append(project.Kinds(), kind)...)
		routes := append(project.Routes(all.Seed), resource.Changes(all), resource.Create(kind, everyone), resource.List(kind, everyone),
			resource.Get(kind, everyone), resource.Update(kind, everyone), resource.Delete(kind, everyone))
		edge, err := api.New(api.Config{Store: s.App.Store, Auth: s.App.Auth, Jobs: s.App.Jobs, Base: apitest.Base}, routes)
		if err != nil {
			t.Fatal(err)
		}
		ada, bob := s.Account("ada"), s.Account("bob")
		uid := ada.Project("Tower")
		ada.Invite(uid, bob, "Admin")
		p := "/projects/" + uid
		do := func(who *apitest.Person, method, path, body string, headers ...string) apitest.Response {
			r := httptest.NewRequest(method, p+path, strings.NewReader(body))
			r.SetBasicAuth(who.Key, "")
			r.Header.Set("Content-Type", "application/json")
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
			w := httptest.NewRecorder()
			edge.ServeHTTP(w, r)
			return apitest.Response{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
		}
		hers := do(ada, "POST", "/annotations", `{"text":"mine"}`).Text("uid")
		shared := do(ada, "POST", "/annotations", `{"text":"ours","for":"all"}`).Text("uid")
		do(ada, "PATCH", "/annotations/"+hers, `{"text":"still mine"}`)
		uids := func(who *apitest.Person) (listed, changed []string) {
			var list struct {
				Data []struct{ UID string }
				N    int `json:"total_count"`
			}
			if err := json.Unmarshal(do(who, "GET", "/annotations", "").Body, &list); err != nil || list.N != len(list.Data) {
				t.Fatal(list, err)
			}
			for _, one := range list.Data {
				listed = append(listed, one.UID)
			}
			for _, c := range feedOf(t, do(who, "GET", "/changes", ""), nil).Data {
				if c.Kind == "annotations" {
					changed = append(changed, c.UID)
				}
			}
			return listed, changed
		}
		if listed, changed := uids(ada); !slices.Equal(listed, []string{hers, shared}) || !slices.Equal(changed, []string{hers, shared, hers}) {
			t.Errorf("its owner sees %v and the changes %v", listed, changed)
		}
		if listed, changed := uids(bob); !slices.Equal(listed, []string{shared}) || !slices.Equal(changed, []string{shared}) {
			t.Errorf("an Admin sees %v and the changes %v of what is not theirs", listed, changed)
		}
		tag := do(ada, "GET", "/annotations/"+hers, "").Header.Get("ETag")
		for _, try := range []struct{ method, body string }{{"GET", ""}, {"PATCH", `{"text":"x"}`}, {"DELETE", ""}} {
			if r := do(bob, try.method, "/annotations/"+hers, try.body, "If-None-Match", tag); r.Status != 404 {
				t.Errorf("%s of somebody else's: %d", try.method, r.Status)
			}
			if r := do(bob, try.method, "/annotations/"+shared, try.body); r.Status >= 400 {
				t.Errorf("%s of a shared one: %d", try.method, r.Status)
			}
		}
		list := do(ada, "GET", "/annotations", "").Header.Get("ETag")
		if r := do(bob, "GET", "/annotations", "", "If-None-Match", list); r.Status != 200 {
			t.Errorf("somebody else's tag of the list is answered with %d", r.Status)
		}
	})
}
