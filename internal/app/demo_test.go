package app

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/drawing"
	"groundwork/internal/store"
)

// TestMain lets the tests be their own drawing workers.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == drawing.WorkerCommand {
		os.Exit(drawing.Work())
	}
	os.Exit(m.Run())
}

const demoBase = "http://127.0.0.1:1"

// edgeOf serves an installation without a network.
func edgeOf(t *testing.T, a *App) *api.Edge {
	t.Helper()
	edge, err := api.New(api.Config{Store: a.Store, Auth: a.Auth, Jobs: a.Jobs, Base: demoBase, Version: "test"},
		a.Routes())
	if err != nil {
		t.Fatal(err)
	}
	return edge
}

// lists are how many records the demo has, by their lists.
func (d *show) lists(t *testing.T, edge http.Handler) map[string]int {
	t.Helper()
	counts := map[string]int{}
	var page struct {
		Data []struct {
			UID string `json:"uid"`
		} `json:"data"`
		TotalCount int `json:"total_count"`
	}
	read := func(path string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), "GET", path, http.NoBody)
		r.SetBasicAuth(d.key, "")
		edge.ServeHTTP(w, r)
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %s, %v", path, w.Code, w.Body, err)
		}
		return page.TotalCount
	}
	counts["projects"] = read("/projects")
	p := "/projects/" + page.Data[0].UID + "/"
	for _, list := range []string{
		"users", "issue_lists", "issues", "rfis", "comments", "photos", "attachments",
		"field_reports", "sheets", "version_sets", "annotations", "snapshots",
	} {
		counts[list] = read(p + list)
	}
	return counts
}

// TestDemoContinuesWhereItWasCutShort lets each start fail some requests later than the one before. The last one, a day
// on, finds nothing to do.
func TestDemoContinuesWhereItWasCutShort(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		a := open(t, c)
		edge := edgeOf(t, a)
		a.Jobs.Start(t.Context())
		t.Cleanup(func() {
			if err := a.Jobs.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		})
		starts := 0
		for {
			left := starts * 149
			failing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if left--; left < 0 {
					refuse(w, errCut)
					return
				}
				edge.ServeHTTP(w, r)
			})
			starts++
			d, err := a.demo(t.Context(), failing, demoBase)
			if err == nil {
				d.site.Sheets = 6
				err = d.fill(t.Context(), io.Discard)
			}
			if err == nil {
				break
			}
			if !strings.Contains(err.Error(), "cut short") || starts > 100 {
				t.Fatal(err)
			}
		}
		if starts < 5 {
			t.Fatalf("only %d starts were cut short", starts)
		}
		d, err := a.demo(t.Context(), edge, demoBase)
		if err != nil || d.site != nil {
			t.Fatal("a demo that is whole is begun again", err)
		}
		want := map[string]int{
			"projects": 1, "users": 5, "issue_lists": 6, "issues": 120, "rfis": 24, "photos": 24,
			"attachments": 10, "sheets": 12, "version_sets": 2,
		}
		got := d.lists(t, edge)
		// How much is said and marked depends on what was found, and how many days of four weeks are working days on
		// the day.
		least := map[string]int{"comments": 150, "field_reports": 18, "annotations": 20, "snapshots": 2}
		for list, n := range least {
			if want[list] = got[list]; got[list] < n {
				t.Errorf("only %d %s", got[list], list)
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("the demo has %v", got)
		}
		keys, err := a.Auth.Keys(t.Context(), "", 100)
		for _, k := range keys {
			if err == nil && k.RevokedAt == nil && k.Name != "Demo" {
				t.Errorf("a key for filling still works: %v", k)
			}
		}
		if found := problems(t, a); len(found) != 0 {
			t.Errorf("doctor: %q", found)
		}
	})
}

func problems(t *testing.T, a *App) (found []string) {
	t.Helper()
	for _, check := range a.Verify(t.Context()) {
		if err := check.Run(t.Context()); err != nil {
			found = append(found, err.Error())
		}
	}
	return found
}

func TestVerifyFindsASpoiledRecord(t *testing.T) {
	engines(t, func(t *testing.T, c Config) {
		a := open(t, c)
		if _, err := a.demo(t.Context(), edgeOf(t, a), demoBase); err != nil {
			t.Fatal(err)
		}
		if found := problems(t, a); len(found) != 0 {
			t.Fatalf("a sound installation: %q", found)
		}
		for statement, want := range map[string]string{
			`UPDATE records SET tally = '0 7 0 0'
WHERE doc LIKE '%"room":"%'`: "it shows 7 comments and has 0",
			`UPDATE records SET doc = REPLACE(doc, '"room":"', '"number":"1","room":"')`: "its document cannot be read",
		} {
			err := a.Store.Projects(t.Context(), func(p *store.Project) error {
				return a.Store.Edit(t.Context(), p, 1, func(tx *store.Tx) error { return tx.Exec(statement) })
			})
			if err != nil {
				t.Fatal(err)
			}
			if found := strings.Join(problems(t, a), " "); !strings.Contains(found, want) {
				t.Errorf("%s: found %.300s", statement, found)
			}
		}
	})
}
