package app

import (
	"net/http"
	"strings"
	"testing"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/store"
)

// edgeOf serves an installation without a network.
func edgeOf(t *testing.T, a *App) *api.Edge {
	t.Helper()
	edge, err := api.New(api.Config{Store: a.Store, Auth: a.Auth, Jobs: a.Jobs, Base: "http://127.0.0.1:1", Version: "test"}, a.Routes())
	if err != nil {
		t.Fatal(err)
	}
	return edge
}

// TestDemoContinuesWhereItWasCutShort lets each start fail one request later than the one before.
func TestDemoContinuesWhereItWasCutShort(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		c.Limits = []auth.Limit{{Type: auth.LimitAll, Interval: 1, Limit: 1_000_000}}
		a := open(t, c)
		edge := edgeOf(t, a)
		failed := 0
		for whole := false; !whole; {
			left := failed
			failing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if left--; left < 0 {
					refuse(w, errCut)
					return
				}
				edge.ServeHTTP(w, r)
			})
			_, err := a.demo(t.Context(), failing)
			if whole = err == nil; whole {
				break
			}
			if failed++; !strings.Contains(err.Error(), "cut short") || failed > 100 {
				t.Fatal(err)
			}
		}
		if failed < len(demoIssues) {
			t.Fatalf("only %d starts were cut short", failed)
		}
		d, err := a.demo(t.Context(), edge)
		if err != nil {
			t.Fatal(err)
		}
		var projects, issues, users struct {
			Data       []map[string]any `json:"data"`
			TotalCount int              `json:"total_count"`
		}
		if err := d.call(t.Context(), "GET", "/projects", nil, &projects); err != nil {
			t.Fatal(err)
		}
		p := "/projects/" + projects.Data[0]["uid"].(string)
		if err := d.call(t.Context(), "GET", p+"/issues", nil, &issues); err != nil {
			t.Fatal(err)
		}
		if err := d.call(t.Context(), "GET", p+"/users", nil, &users); err != nil {
			t.Fatal(err)
		}
		if projects.TotalCount != 1 || issues.TotalCount != len(demoIssues) || users.TotalCount != 2 {
			t.Errorf("%d projects, %d issues, %d members", projects.TotalCount, issues.TotalCount, users.TotalCount)
		}
		if keys, err := a.Auth.Keys(t.Context()); err != nil || len(keys) != 1 {
			t.Errorf("keys: %v, %v", keys, err)
		}
	})
}

func TestVerifyFindsASpoiledRecord(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		a := open(t, c)
		if _, err := a.demo(t.Context(), edgeOf(t, a)); err != nil {
			t.Fatal(err)
		}
		problems := func() (found []string) {
			for _, check := range a.Verify(t.Context()) {
				if err := check.Run(t.Context()); err != nil {
					found = append(found, err.Error())
				}
			}
			return found
		}
		if found := problems(); len(found) != 0 {
			t.Fatalf("a sound installation: %q", found)
		}
		err := a.Store.Projects(t.Context(), func(p *store.Project) error {
			return a.Store.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
				return tx.Exec(`UPDATE records SET doc = REPLACE(doc, 'Handrail', 'Handrai1","number":"1')`)
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		if found := problems(); len(found) == 0 {
			t.Error("a spoiled document is not found")
		}
	})
}
