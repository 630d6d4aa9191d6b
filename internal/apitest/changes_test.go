package apitest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"groundwork/internal/apitest"
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

// TestChangesEndWithTheMembership reads the log again and again while the reader is removed: between their admission
// and the reading nothing slips through, not even their own removal.
func TestChangesEndWithTheMembership(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		uid := ada.Project("Tower")
		p := "/projects/" + uid
		for range 20 {
			ada.Invite(uid, bob, "Collaborator")
			path := fmt.Sprintf("%s/changes?after=%d", p, feedOf(t, ada.Do("GET", p+"/changes", nil), nil).NextAfter)
			var reading sync.WaitGroup
			for range 8 {
				reading.Go(func() {
					for {
						r, err := bob.TryWith("GET", path, nil, http.Header{})
						if err != nil || r.Status != 200 {
							break
						}
						if page := feedOf(t, r, nil); len(page.Data) != 0 {
							t.Errorf("somebody who was removed gets %s", r.Body)
							break
						}
					}
				})
			}
			ada.Want(204, "DELETE", p+"/users/"+bob.UID, nil)
			reading.Wait()
		}
	})
}

// waits are the headers of a caller who waits.
func waits(seconds int) http.Header { return http.Header{"Prefer": {"wait=" + strconv.Itoa(seconds)}} }

// TestChangesMissNothing follows the change log, waiting for what comes, while several people write through two
// processes: every change comes once, in order, and the reader ends with exactly what was done.
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
		if len(page.Data) != 0 || seen["issues create"] != 100 || seen["issues update"] != 100 ||
			seen["comments create"] != 100 || len(seen) != 3 {
			t.Errorf("it saw %v, and then %v", seen, page.Data)
		}
	})
}

// TestChangesWait shows what ends a wait: the end of the time, a write of this or of another process, the stop of the
// service; and that somebody who was removed meanwhile gets nothing.
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
			if page := feedOf(t, <-w, nil); len(page.Data) != 0 || time.Since(began) > 25*time.Second {
				t.Errorf("when the service stops, waiting ends with %v after %s", page.Data, time.Since(began))
			}
		}
	})
}
