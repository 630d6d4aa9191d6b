package apitest_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"groundwork/internal/api"
	"groundwork/internal/apitest"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/family"
	"groundwork/internal/job"
	"groundwork/internal/project"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// memo is a record that a follower is woken by.
type memo struct {
	document.Record
	Text string          `json:"text" write:"required"`
	To   document.People `json:"to" write:"as=to"`
}

// TestFollower declares a follower and writes: what wakes it is followed once, from the first change on, and what does
// not wakes nobody; nothing is left waiting.
func TestFollower(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		kind := &resource.Kind[memo]{Number: 12, Plural: "annotations", Name: "Annotation"}
		all, err := resource.NewCatalog(append(project.Family().Kinds, kind)...)
		if err != nil {
			t.Fatal(err)
		}
		all.Follow(resource.Follower{Name: "probe", Wakes: func(c *resource.Change) bool {
			return c.Kind == "annotations" && c.Newly("to")
		}})
		var runs []int64
		var followed []string
		job.Handle(s.App.Jobs, "probe", job.Options{}, func(ctx context.Context, at resource.Following, r *job.Run) error {
			p, err := s.App.Store.Project(ctx, at.Project)
			if err != nil {
				return err
			}
			runs = append(runs, at.After)
			return s.App.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
				err := tx.Feed(at.After, 1000, func(e *store.Entry) bool {
					if e.Record.Kind() == 12 {
						followed = append(followed, e.UID)
					}
					return true
				})
				if err != nil {
					return err
				}
				return r.Complete(tx)
			})
		})
		everyone := auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Any}
		edge, err := api.New(api.Config{Store: s.App.Store, Auth: s.App.Auth, Jobs: s.App.Jobs, Base: apitest.Base},
			append(project.Family().Routes(&family.Site{Kinds: all}), resource.Create(kind, everyone)))
		if err != nil {
			t.Fatal(err)
		}
		ada, bob := s.Account("ada"), s.Account("bob")
		uid := ada.Project("Tower")
		ada.Invite(uid, bob, "Admin")
		send := func(to string) string {
			t.Helper()
			r := httptest.NewRequest("POST", "/projects/"+uid+"/annotations",
				strings.NewReader(`{"text":"a","to":[`+to+`]}`))
			r.SetBasicAuth(ada.Key, "")
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			if edge.ServeHTTP(w, r); w.Code != 201 {
				t.Fatal(w.Body)
			}
			return apitest.Response{Body: w.Body.Bytes()}.Text("uid")
		}
		send("")
		send(`"` + ada.UID + `"`)
		s.Work()
		if len(runs) != 0 {
			t.Fatalf("what concerns nobody else wakes: %v", runs)
		}
		before := feedOf(t, ada.Do("GET", "/projects/"+uid+"/changes", nil), nil).NextAfter
		want := []string{send(`"` + bob.UID + `"`), send(`"` + bob.UID + `"`), send("")}
		s.Work()
		if !slices.Equal(followed, want) || !slices.Equal(runs, []int64{before}) {
			t.Errorf("after %d came %v, in runs after %v; want %v", before, followed, runs, want)
		}
		want = append(want, send(`"`+bob.UID+`"`))
		s.Work()
		if !slices.Equal(followed, want) {
			t.Errorf("then came %v, want %v", followed, want)
		}
	})
}
