package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// TestIndexIsMadeAgain: where records are indexed by other fields than this release's, or not at all, a search says so
// until they are indexed again in the background, and then finds them.
func TestIndexIsMadeAgain(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		a, err := Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Auth.CreateAccount(t.Context(),
			identity.NewAccount{Email: "ada@example.com", Name: "Ada", Password: "seventeen purple anvils"}); err != nil {
			t.Fatal(err)
		}
		key, err := a.Auth.CreateKey(t.Context(), "ada@example.com", "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		do := func(method, path, body string) (int, string) {
			t.Helper()
			edge, err := a.Edge("https://build.example.com")
			if err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			r.SetBasicAuth(key, "")
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			edge.ServeHTTP(w, r)
			return w.Code, w.Body.String()
		}
		_, made := do("POST", "/projects", `{"name":"Tower"}`)
		p := "/projects/" + strings.Split(made, `"`)[3]
		for range 3 {
			if code, answer := do("POST", p+"/issues", `{"title":"Crack in the wall"}`); code != http.StatusCreated {
				t.Fatal(code, answer)
			}
		}
		found := func(want string) {
			t.Helper()
			if code, answer := do("GET", p+"/issues?limit=0&q=crack", ""); !strings.Contains(answer, want) {
				t.Errorf("a search is answered with %d %s, want %s", code, answer, want)
			}
		}
		found(`"total_count":3`)
		tower, err := a.Store.Project(t.Context(), strings.TrimPrefix(p, "/projects/"))
		if err != nil {
			t.Fatal(err)
		}
		err = a.Store.Edit(t.Context(), tower, 1, func(tx *store.Tx) error {
			const issues = 5
			for ordinal := range uint32(3) {
				if err := tx.Word(store.MakeID(tower.ID, issues, ordinal+1), "lost"); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		found(`"total_count":0`)
		err = a.Store.Write(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("UPDATE instance SET value = $1 WHERE name LIKE $2", "title", "words/%")
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		a = open(t, c)
		found("being indexed")
		if err := a.askIndex(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := a.Jobs.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.Jobs.Wait()
		found(`"total_count":3`)
	})
}
