package apitest_test

import (
	"bytes"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"groundwork/internal/api"
	"groundwork/internal/apitest"
	"groundwork/internal/app"
	"groundwork/internal/family"
	"groundwork/internal/project"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// olderProject makes a project as a release did that had no RFIs.
func olderProject(t *testing.T, s *apitest.Server, by *apitest.Person) string {
	t.Helper()
	only, err := resource.NewCatalog(project.Family().Kinds...)
	if err != nil {
		t.Fatal(err)
	}
	edge, err := api.New(api.Config{Store: s.App.Store, Auth: s.App.Auth, Base: apitest.Base, Version: "older"},
		project.Family().Routes(&family.Site{Kinds: only}))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/projects", strings.NewReader(`{"name":"Older"}`))
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth(by.Key, "")
	w := httptest.NewRecorder()
	if edge.ServeHTTP(w, r); w.Code != 201 {
		t.Fatal(w.Code, w.Body)
	}
	return apitest.Response{Body: w.Body.Bytes()}.Text("uid")
}

// TestOlderProjectGetsStatuses: a project that was not born with statuses has the six of them whenever somebody looks
// or needs one.
func TestOlderProjectGetsStatuses(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada, bob := s.Account("ada"), s.Account("bob")
		for _, first := range []string{"a look", "an RFI", "many at once"} {
			path := "/projects/" + olderProject(t, s, ada)
			ada.Invite(path[len("/projects/"):], bob, "Collaborator")
			switch first {
			case "a look":
				bob.Want(200, "GET", path+"/rfis/statuses", nil)
			case "an RFI":
				if got := bob.Want(201, "POST", path+"/rfis",
					map[string]any{"title": "First"}).Text("status.label"); got != "draft" {
					t.Errorf("an RFI of an older project is %q", got)
				}
			default:
				var wg sync.WaitGroup
				for i := range 16 {
					wg.Go(func() {
						if i%2 == 0 {
							bob.Want(200, "GET", path+"/rfis/statuses", nil)
						} else {
							bob.Want(201, "POST", path+"/rfis", map[string]any{"title": "One of many"})
						}
					})
				}
				wg.Wait()
			}
			if all := ada.Want(200, "GET", path+"/rfis/statuses", nil); all.Text("total_count") != "6" ||
				all.Text("data.5.label") != "closed" {
				t.Errorf("after %s: %s", first, all.Body)
			}
		}
		verify(t, s)
	})
}

// TestIssuesOfVersionOne: an issue as the first version of its documents had it is shown with all fields, and can be
// changed.
func TestIssuesOfVersionOne(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		s := apitest.Start(t, engine)
		ada := s.Account("ada")
		uid := ada.Project("Older")
		path := "/projects/" + uid + "/issues"
		first := ada.Want(201, "POST", path, map[string]any{"title": "First", "due_at": "2026-02-01T00:00:00Z"})
		p, err := s.App.Store.Project(t.Context(), uid)
		if err != nil {
			t.Fatal(err)
		}
		const issues store.Kind = 5
		err = s.App.Store.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
			row, _, err := tx.Get(issues, first.Text("uid"))
			if err != nil {
				return err
			}
			cut, _, found := bytes.Cut(row.Doc, []byte(`,"attachments":`))
			if !found {
				t.Errorf("the document is %s", row.Doc)
			}
			row.Version, row.Terms = 1, "status=open"
			row.Doc = append(cut, '}')
			return tx.Show(&row)
		})
		if err != nil {
			t.Fatal(err)
		}
		is := func(what string, got apitest.Response, at string) {
			t.Helper()
			for _, name := range []string{"photos", "comments", "attachments", "snapshots"} {
				if got.Text(at+name+".total_count") != "0" {
					t.Errorf("%s: %s are not shown: %s", what, name, got.Body)
				}
			}
		}
		one := ada.Want(200, "GET", path+"/"+first.Text("uid"), nil)
		is("one", one, "")
		if string(one.Body) != string(first.Body) {
			t.Errorf("it is shown as\n%s\nand was\n%s", one.Body, first.Body)
		}
		is("in a list", ada.Want(200, "GET", path, nil), "data.0.")
		verify(t, s)

		// It can be sorted and bounded once the work that a new release leaves is done; nothing else changes.
		due := path + "?limit=0&due_before=2026-03-01T00:00:00Z"
		if got := ada.Want(200, "GET", due, nil).Text("total_count"); got != "0" {
			t.Errorf("before the documents are rewritten %s issues are due", got)
		}
		for range 2 {
			if err := app.Catalog().Upgrade(t.Context(), s.App.Store); err != nil {
				t.Fatal(err)
			}
		}
		if got := ada.Want(200, "GET", due, nil).Text("total_count"); got != "1" {
			t.Errorf("when the documents are rewritten %s issues are due", got)
		}
		if again := ada.Want(200, "GET", path+"/"+first.Text("uid"), nil); string(again.Body) != string(first.Body) {
			t.Errorf("rewritten it is shown as\n%s\nand was\n%s", again.Body, first.Body)
		}
		verify(t, s)
		is("changed", ada.Want(200, "PATCH", path+"/"+first.Text("uid"), map[string]any{"room": "1"}), "")
		verify(t, s)
	})
}

// verify reads everything that is stored.
func verify(t *testing.T, s *apitest.Server) {
	t.Helper()
	wrong, err := app.Catalog().Verify(t.Context(), s.App.Store)
	if err != nil || len(wrong) > 0 {
		t.Errorf("%v %q", err, wrong)
	}
}
