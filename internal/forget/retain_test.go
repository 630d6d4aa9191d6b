package forget_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/forget"
)

const day = 24 * time.Hour

// Of records that were deleted long ago nothing is kept but that they were there; of those that were not, or are held,
// everything.
func TestDeletedRecordsAreKeptNoLonger(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := furnish(t, engine, apitest.At(clock))
		f, in := s.App.Forgetting(), "/projects/"+s.tower
		photo := s.ada.Upload(s.tower, "attachments", map[string]any{
			"content_type": "text/plain", "name": "deleted.txt",
		}, "the deleted file").Text("uid")
		mark := s.ada.Want(201, "POST", in+"/views", map[string]any{"name": "deleted view", "of": "issues", "query": "status=open"}).Text("uid")
		s.ada.Want(204, "DELETE", in+"/attachments/"+photo, nil)
		s.ada.Want(204, "DELETE", in+"/views/"+mark, nil)
		files := len(objects(t, s.Server))
		clock.Advance(300 * day)
		late := s.ada.Want(201, "POST", in+"/issues", map[string]any{"title": "deleted yesterday"}).Text("uid")
		s.ada.Want(204, "DELETE", in+"/issues/"+late, nil)
		clock.Advance(100 * day)
		cursor := s.ada.Want(200, "GET", in+"/changes?limit=1000", nil).Text("next_after")
		rule := forget.Rule{Deleted: 365 * day}

		must(t, f.Hold(t.Context(), s.tower, "a law suit", "a test"))
		done, err := f.Retain(t.Context(), rule, "a test")
		must(t, err)
		if done != (forget.Retained{}) {
			t.Errorf("of a project that is held %+v was dropped", done)
		}
		must(t, f.Release(t.Context(), s.tower, "a test"))
		done, err = f.Retain(t.Context(), rule, "a test")
		must(t, err)
		if done.Records != 4 || done.Files != 1 || done.Changes == 0 {
			t.Errorf("%+v was dropped", done)
		}
		must(t, s.App.Files.Sweep(t.Context(), s.App.Store)) // of uploads that ended long ago
		if left := holding(t, s.Server, "gone, zephytrap", "about what is gone", "deleted.txt", "deleted view"); len(left) > 0 {
			t.Errorf("something is left in %v", left)
		}
		if now := len(objects(t, s.Server)); now != files-1 {
			t.Errorf("there were %d files, now %d", files, now)
		}
		bare := s.ada.Want(200, "GET", in+"/issues/"+s.gone, nil)
		if bare.Text("title") != "null" || bare.Text("deleted") != "true" || bare.Text("number") != "2" ||
			bare.Text("created_by.uid") != s.ada.UID {
			t.Errorf("what is kept: %s", bare.Body)
		}
		if r := s.ada.Want(400, "POST", in+"/issues/"+s.gone+"/restore", nil); !strings.Contains(r.Text("message"), "Nothing is left") {
			t.Errorf("restoring says %s", r.Body)
		}
		s.ada.Want(200, "POST", in+"/issues/"+late+"/restore", nil)
		told := string(s.ada.Want(200, "GET", in+"/changes?include=records&limit=1000&after="+cursor, nil).Body)
		for _, uid := range []string{s.gone, photo, mark} {
			if !strings.Contains(told, uid) {
				t.Errorf("who follows is not told of %s: %s", uid, told)
			}
		}
		again, err := f.Retain(t.Context(), rule, "a test")
		must(t, err)
		if again != (forget.Retained{}) {
			t.Errorf("the second time %+v was dropped", again)
		}
		sound(t, s.Server)
		s.roundTrip(t, engine, clock)
	})
}

// roundTrip holds that an archive with bare records is the same after an import, and that they stay bare there.
func (s *site) roundTrip(t *testing.T, engine string, clock *apitest.Clock) {
	t.Helper()
	folder := t.TempDir()
	here, there := filepath.Join(folder, "here.zip"), filepath.Join(folder, "there.zip")
	_, _, err := s.App.Export(t.Context(), s.tower, here, func(int) {})
	must(t, err)
	other := apitest.Start(t, engine, apitest.At(clock))
	_, err = other.App.Import(t.Context(), here, false, func(int) {})
	must(t, err)
	_, _, err = other.App.Export(t.Context(), s.tower, there, func(int) {})
	must(t, err)
	a, err := os.ReadFile(here)
	must(t, err)
	b, err := os.ReadFile(there)
	must(t, err)
	if !bytes.Equal(a, b) {
		t.Error("the archives differ")
	}
	must(t, other.App.Auth.Prove(t.Context(), s.ada.UID))
	ada := other.Person("ada", s.ada.Email)
	ada.Want(400, "POST", "/projects/"+s.tower+"/issues/"+s.gone+"/restore", nil)
}

// Histories say what changed for as long as the rule says, and who changed something for ever.
func TestHistoryIsKeptNoLonger(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := furnish(t, engine, apitest.At(clock))
		f, one := s.App.Forgetting(), "/projects/"+s.tower+"/issues/"+s.issue
		must(t, f.Hold(t.Context(), s.cellar, "a law suit", "a test"))
		_, err := f.EraseLater(t.Context(), s.tower, day, "a test")
		must(t, err)
		must(t, f.Keep(t.Context(), s.tower, "a test"))
		clock.Advance(800 * day)
		s.ada.Want(200, "PATCH", one, map[string]any{"title": "A new crack"})
		lines := s.ada.Want(200, "GET", one+"/history", nil).Text("total_count")
		before := s.ada.Want(200, "GET", "/projects/"+s.tower+"/changes?limit=1000", nil)
		done, err := f.Retain(t.Context(), forget.Rule{Audit: 730 * day}, "a test")
		must(t, err)
		if done.Changes == 0 || done.Lines != 2 || done.Records != 0 {
			t.Errorf("%+v was dropped, of %s lines", done, lines)
		}
		history := s.ada.Want(200, "GET", one+"/history", nil)
		if history.Text("total_count") != "1" || history.Text("data.0.new_value") != "A new crack" {
			t.Errorf("the history is %s", history.Body)
		}
		after := s.ada.Want(200, "GET", "/projects/"+s.tower+"/changes?limit=1000", nil)
		if a, b := strings.Count(string(before.Body), `"actor"`), strings.Count(string(after.Body), `"actor"`); a != b {
			t.Errorf("the log had %d lines, now %d", a, b)
		}
		audit, err := f.Audit(t.Context(), 10)
		must(t, err)
		if said := fmt.Sprint(audit); strings.Contains(said, forget.DidKeep) || !strings.Contains(said, "a law suit") ||
			!strings.Contains(said, forget.DidRetain) {
			t.Errorf("the audit is %s", said)
		}
		sound(t, s.Server)
	})
}

// However many rows name somebody, or were deleted, few are written at a time: others write in between.
func TestManyRowsAreForgotten(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		const rows = 120
		var mu sync.Mutex
		written, most, all := 0, 0, 0
		clock := apitest.NewClock()
		s := furnish(t, engine, apitest.At(clock), apitest.Traced(func(sql string) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case strings.HasPrefix(sql, "SELECT why FROM holds"): // each transaction begins by that
				written = 0
			case strings.HasPrefix(sql, "UPDATE records SET clock"), strings.HasPrefix(sql, "UPDATE changes SET diff"):
				written++
				most, all = max(most, written), all+1
			}
		}))
		for n := range rows {
			uid := s.ada.Want(201, "POST", "/projects/"+s.tower+"/issues", map[string]any{"title": trapText}).Text("uid")
			if n%2 == 0 {
				s.ada.Want(204, "DELETE", "/projects/"+s.tower+"/issues/"+uid, nil)
			}
		}
		mu.Lock()
		written, most = 0, 0
		begun := all
		mu.Unlock()
		erase(t, s)
		clock.Advance(400 * day)
		done, err := s.App.Forgetting().Retain(t.Context(), forget.Rule{Deleted: 365 * day}, "a test")
		must(t, err)
		if done.Records < rows/2 || all-begun < 2*rows {
			t.Errorf("%+v was dropped with %d writes", done, all-begun)
		}
		if most > 50 {
			t.Errorf("%d rows were written in one transaction", most)
		}
		sound(t, s.Server)
	})
}
