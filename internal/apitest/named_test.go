package apitest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	. "groundwork/internal/apitest"
)

// TestNamedBesideTheWriter asks for a report of many issues: they are looked for fifty at a time, before the write, and
// not one by one inside of it. What is missing or deleted is refused as before, and a repetition of what was asked for
// is answered as it was, also when an issue is deleted by then.
func TestNamedBesideTheWriter(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		var asked atomic.Int64
		s := Start(t, engine, Traced(func(sql string) {
			if strings.Contains(sql, "FROM records WHERE") {
				asked.Add(1)
			}
		}))
		ada := s.Account("ada")
		path := "/projects/" + ada.Project("Tower")
		var uids []string
		for range 4 {
			parts := []map[string]any{}
			for i := range 50 {
				parts = append(parts, map[string]any{
					"method": "POST", "path": path + "/issues", "body": fmt.Sprintf(`{"title":"Issue %d"}`, i),
				})
			}
			made := ada.Want(http.StatusOK, "POST", "/batch", parts)
			for i := range parts {
				_, rest, _ := strings.Cut(made.Text(fmt.Sprintf("data.%d.body", i)), `"uid":"`)
				uid, _, _ := strings.Cut(rest, `"`)
				uids = append(uids, uid)
			}
		}
		if slices.Sort(uids); len(slices.Compact(uids)) != 200 {
			t.Fatalf("%d issues", len(uids))
		}
		ask := map[string]any{"issue_uids": append(uids, uids...), "format": "csv"}
		key := http.Header{"Idempotency-Key": {"the-same"}}
		asked.Store(0)
		first, err := ada.TryWith("POST", path+"/issues/reports", ask, key)
		if n := asked.Load(); err != nil || first.Status != http.StatusCreated || n > 20 {
			t.Errorf("200 issues are looked for with %d statements: %d %s, %v", n, first.Status, first.Body, err)
		}
		ada.Want(http.StatusNoContent, "DELETE", path+"/issues/"+uids[7], nil)
		again, err := ada.TryWith("POST", path+"/issues/reports", ask, key)
		if err != nil || again.Status != http.StatusCreated || again.Text("uid") != first.Text("uid") {
			t.Errorf("the repetition is answered %d %s, %v", again.Status, again.Body, err)
		}
		if r := ada.Want(http.StatusBadRequest, "POST", path+"/issues/reports", ask); !strings.Contains(string(r.Body),
			"issue_uids[7]") {
			t.Errorf("a deleted issue: %s", r.Body)
		}
		ask["issue_uids"] = []string{uids[0], "nowhere", uids[1]}
		ada.Want(http.StatusNotFound, "POST", path+"/issues/reports", ask)
		ask["issue_uids"] = []string{uids[0], path}
		ada.Want(http.StatusNotFound, "POST", path+"/issues/reports", ask)
	})
}
