package archive_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/store"
)

// momentOf is when an archive was made.
func momentOf(t testing.TB, all map[string]string) string {
	t.Helper()
	var p struct{ Clock string }
	if err := json.Unmarshal([]byte(all["project.json"]), &p); err != nil {
		t.Fatal(err)
	}
	return p.Clock
}

// logUpTo has the log of an archive jump, as after a restore, and go on to a number.
func logUpTo(t testing.TB, all map[string]string, last int64) map[string]string {
	t.Helper()
	var p struct {
		UID      string
		Sequence int64
	}
	var own struct {
		At string `json:"updated_at"`
	}
	if err := errors.Join(json.Unmarshal([]byte(all["project.json"]), &p),
		json.Unmarshal([]byte(first(all["records/projects.jsonl"])), &own)); err != nil {
		t.Fatal(err)
	}
	out, added := maps.Clone(all), 0
	for n := last / store.Jump * store.Jump; n <= last; n++ {
		out["changes.jsonl"] += fmt.Sprintf(`{"sequence":%d,"record":"projects/%s","at":%q,"did":"shown","by":null,`+
			`"fields":null,"terms_before":null}`+"\n", n, p.UID, own.At)
		added++
	}
	counted := `"path": "changes.jsonl",` + "\n" + `      "lines": `
	before := strings.Count(all["changes.jsonl"], "\n")
	out["manifest.json"] = strings.Replace(out["manifest.json"], fmt.Sprint(counted, before),
		fmt.Sprint(counted, before+added), 1)
	for _, name := range []string{"manifest.json", "project.json"} {
		out[name] = strings.Replace(out[name], fmt.Sprintf(`"sequence": %d`, p.Sequence),
			fmt.Sprintf(`"sequence": %d`, last), 1)
	}
	return out
}

// The project of a log that jumps goes on, and nobody else's is touched.
func TestJumpedLog(t *testing.T) {
	e := makeSmall(t, apitest.SQLite)
	all := entries(t, export(t, e.Server, e.project))
	path := pack(t, logUpTo(t, all, store.MostSeq/2), true)
	s := apitest.Start(t, apitest.SQLite)
	carl, ada := s.Account("carl"), s.Account("ada")
	carl.Project("before")
	bring(t, s, path)
	if r := ada.Do("POST", "/projects/"+e.project+"/issues", map[string]any{"title": "on"}); r.Status != 201 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	carl.Project("after")
	sound(t, s)
}

// What an archive says of a comment's record does not matter to the work of those who are on its team.
func TestWorkBesideAnArchive(t *testing.T) {
	e := makeSmall(t, apitest.SQLite)
	e.post(t, e.bob, "POST", "/comments", map[string]any{"text": "of all"})
	all := entries(t, export(t, e.Server, e.project))
	all["records/comments.jsonl"] = strings.ReplaceAll(all["records/comments.jsonl"], `"record_type":"project"`,
		`"record_type":"issue"`)
	s := apitest.Start(t, apitest.SQLite)
	ada := s.Account("ada")
	bring(t, s, pack(t, all, true))
	if r := ada.Do("GET", "/me/work", nil); r.Status != 200 || r.Text("data.0.title") == "" {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
