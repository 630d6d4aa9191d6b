package apitest_test

import (
	"bytes"
	"net/http"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	. "groundwork/internal/apitest"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
)

// pen is a mark of many points, from the left to the right.
func pen(on string, points int) map[string]any {
	var at []any
	for i := range points {
		at = append(at, map[string]any{"x": float64(i) / float64(points), "y": 0.123456789 + float64(i%7)/10})
	}
	return map[string]any{"sheet_uid": on, "kind": "pen", "geometry": map[string]any{"points": at}}
}

// taken is how many bytes this process allocated while something was done; what drawing workers take does not count.
func taken(do func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestPacketsShareWhatIsDrawn names a sheet with 25 pens of 1,000 points a hundred times: what is drawn on it is
// gathered once, lies in the packet once, and never in the memory of the server as a whole.
func TestPacketsShareWhatIsDrawn(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("Tower")
		path := "/projects/" + project
		_, sheets := ada.Publish(project, []register.Page{
			sheetOf(s, "A101", 1000, 600, page(1000, 600, 0, "0 0 m 9 9 l S")),
		})
		s.Work() // the tiles
		for range 25 {
			ada.Want(http.StatusCreated, "POST", path+"/annotations", pen(sheets[0], 1000))
		}
		many := make([]string, 100)
		for i := range many {
			many[i] = sheets[0]
		}
		uid := ada.Want(http.StatusCreated, "POST", path+"/sheets/packets",
			map[string]any{"sheet_uids": many}).Text("uid")
		const most = 40 << 20
		if n := taken(s.Work); n > most {
			t.Errorf("the server took %d MB to gather 25,000 points, want at most %d", n>>20, most>>20)
		}
		content := fetched(t, ada, ada.Want(http.StatusOK, "GET", path+"/sheets/packets/"+uid, nil))
		if n := bytes.Count(content, []byte("/Subtype /Form")); n != 1 {
			t.Errorf("what is drawn on the sheet is in the packet %d times", n)
		}
		if n := bytes.Count(content, []byte("/Type/Page/")); n != len(many) {
			t.Errorf("there are %d pages", n)
		}
		if len(content) > 1<<20 {
			t.Errorf("the packet has %d bytes", len(content))
		}
	})
}

// TestPacketsOfTooMuch draws more on a sheet than a packet takes, and then asks for it without.
func TestPacketsOfTooMuch(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("Tower")
		path := "/projects/" + project
		_, sheets := ada.Publish(project, []register.Page{sheetOf(s, "A101", 1000, 600, page(1000, 600, 0, ""))})
		s.Work()
		uid := ada.Want(http.StatusCreated, "POST", path+"/annotations", pen(sheets[0], 1000)).Text("uid")
		copies(t, s, project, uid, 1000)
		ask := func(more map[string]any) Response {
			body := map[string]any{"sheet_uids": sheets}
			for k, v := range more {
				body[k] = v
			}
			return delivered(s, ada, path+"/sheets/packets", body)
		}
		if r := ask(nil); r.Text("status") != "errored" || !strings.Contains(r.Text("message"), "include_annotations") {
			t.Errorf("with annotations: %s", r.Body)
		}
		if r := ask(map[string]any{"include_annotations": false}); r.Text("status") != "complete" {
			t.Errorf("without: %s", r.Body)
		}
	})
}

// copies makes many records like one, as if as many requests had.
func copies(t *testing.T, s *Server, project, uid string, n int) {
	t.Helper()
	p, err := s.App.Store.Project(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	id := int64(0)
	err = s.App.Store.QueryIn(t.Context(), p, "SELECT id FROM records WHERE uid = $1", []any{uid},
		func(c *store.Cols) error { id = c.Int(0); return nil })
	if err == nil {
		err = s.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
			return tx.Exec("INSERT INTO records (id, uid, clock, deleted, terms, doc, version, tally) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2) "+
				"SELECT r.id + n.i, r.uid || CAST(n.i AS TEXT), r.clock, r.deleted, r.terms, r.doc, r.version, r.tally FROM records r, n WHERE r.id = $1", id, n)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// peak is by how many bytes what this process holds was larger at most while something was done.
func peak(do func()) (most int64) {
	held := func() int64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	before, done, seen := held(), make(chan struct{}), make(chan int64)
	go func() {
		most := before
		for tick := time.NewTicker(time.Millisecond); ; {
			select {
			case <-tick.C:
				most = max(most, held())
			case <-done:
				tick.Stop()
				seen <- most
				return
			}
		}
	}()
	do()
	close(done)
	return <-seen - before
}

// TestReportsOfTooMuch asks for a report of 2,000 issues with long texts: they are read one by one, and not all before
// it is seen that they are too many.
func TestReportsOfTooMuch(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("Tower")
		path := "/projects/" + project + "/issues"
		uid := ada.Want(http.StatusCreated, "POST", path, map[string]any{
			"title": "Wall", "description": strings.Repeat("Concrete ", 7000),
		}).Text("uid")
		s.Work()
		copies(t, s, project, uid, 2000)
		report := ada.Want(http.StatusCreated, "POST", path+"/reports", map[string]any{"format": "csv"}).Text("uid")
		const most = 60 << 20
		if n := peak(s.Work); n > most {
			t.Errorf("the server held %d MB for it, want at most %d", n>>20, most>>20)
		}
		if r := ada.Want(http.StatusOK, "GET", path+"/reports/"+report, nil); r.Text("status") != "errored" ||
			!strings.Contains(r.Text("message"), "Ask for less at once") {
			t.Errorf("it is %s", r.Body)
		}
	})
}
