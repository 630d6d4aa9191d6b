package forget_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/forget"
	"groundwork/internal/store"
)

// objects are the names of all files.
func objects(t *testing.T, s *apitest.Server) (all []string) {
	t.Helper()
	must(t, s.App.Blob.Each(t.Context(), func(i blob.Info) error { all = append(all, i.Name); return nil }))
	slices.Sort(all)
	return all
}

// numbered gives the tables that have rows of a project, by its number in a column of its own or in their ids.
func numbered(t *testing.T, s *apitest.Server, project int64) (all []string) {
	t.Helper()
	snap, err := s.App.Store.Snapshot(t.Context())
	must(t, err)
	for _, table := range snap.Tables() {
		n := 0
		must(t, snap.Each(t.Context(), table, func(c *store.Cols) error {
			for i, column := range table.Columns {
				packed := slices.Contains([]string{"id", "owner", "target", "record"}, column.Name)
				switch {
				case column.Text || c.Null(i):
				case (column.Name == "project" || column.Name == "made_in") && c.Int(i) == project,
					packed && c.Int(i)>>39 == project, table.Name == "projects" && column.Name == "id" && c.Int(i) == project:
					n++
				}
			}
			return nil
		}))
		if n > 0 {
			all = append(all, table.Name)
		}
	}
	must(t, snap.Close())
	return all
}

// A project is closed at once, can be kept until its time has come, and then nothing of it is left.
func TestProjectIsErased(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		clock := apitest.NewClock()
		s := furnish(t, engine, apitest.At(clock))
		plant(t, s)
		f, in := s.App.Forgetting(), "/projects/"+s.tower
		p, err := s.App.Store.Project(t.Context(), s.tower)
		must(t, err)
		beside := s.Beside()
		if other := s.ada.At(beside); other.Want(200, "GET", in+"/issues", nil).Text("total_count") != "2" {
			t.Error("the other process does not know the project")
		}
		link := s.ada.Want(200, "GET", in+"/attachments", nil).Text("data.0.url")
		wants(t, f.Keep(t.Context(), s.tower, "a test"), "is not to be erased")
		at, err := f.EraseLater(t.Context(), s.tower, 30*24*time.Hour, "a test")
		must(t, err)
		if at.Sub(clock.Now()) != 30*24*time.Hour {
			t.Errorf("it is to be erased at %v", at)
		}
		closed := s.ada.Want(403, "GET", in+"/issues", nil)
		if !strings.Contains(closed.Text("message"), "will be erased on 4 February 2026") {
			t.Errorf("a closed project says %s", closed.Body)
		}
		if r := s.Fetch(link, nil); r.Status != 403 {
			t.Errorf("a link into a closed project: %d", r.Status)
		}
		_, err = f.EraseLater(t.Context(), s.tower, 0, "a test")
		wants(t, err, "is to be erased already")
		clock.Advance(29 * 24 * time.Hour)
		must(t, f.EraseDue(t.Context()))
		must(t, f.Keep(t.Context(), s.tower, "a test"))
		s.ada.Want(200, "GET", in+"/issues", nil)

		_, err = f.EraseLater(t.Context(), s.tower, 24*time.Hour, "a test")
		must(t, err)
		clock.Advance(25 * time.Hour)
		wants(t, f.Hold(t.Context(), s.tower, "  ", "a test"), "A hold has a reason")
		must(t, f.Hold(t.Context(), s.tower, "a law suit", "a test"))
		wants(t, f.Hold(t.Context(), s.tower, "another", "a test"), "is held: a law suit")
		before := numbered(t, s.Server, p.ID)
		must(t, f.EraseDue(t.Context()))
		if now := numbered(t, s.Server, p.ID); !slices.Equal(now, before) || len(now) < 12 {
			t.Errorf("a project that is held has rows in %v, before in %v", now, before)
		}
		must(t, f.Release(t.Context(), s.tower, "a test"))
		wants(t, f.Release(t.Context(), s.tower, "a test"), "is not held")

		files := objects(t, s.Server)
		must(t, f.EraseDue(t.Context()))
		s.nothingLeft(t, p.ID, files)
		for _, who := range []*apitest.Person{s.ada, s.ada.At(beside)} { // another process knows it within a second
			await.True(t, time.Minute, "an erased project is still there", func() bool {
				return who.Do("GET", in+"/issues", nil).Status == 404
			})
		}
		if r := s.ada.Want(200, "GET", "/projects", nil); r.Text("total_count") != "0" {
			t.Errorf("Ada's projects: %s", r.Body)
		}
		s.zeph.Want(200, "GET", "/projects/"+s.cellar+"/attachments", nil)
		next := s.ada.Project("Next")
		fresh, err := s.App.Store.Project(t.Context(), next)
		must(t, err)
		if fresh.ID <= 1<<20 { // what plant says was the last number
			t.Errorf("the next project has the number %d", fresh.ID)
		}
	})
}

// nothingLeft holds that a project is in no table but the two that say it was erased, and that only its files are gone.
func (s *site) nothingLeft(t *testing.T, number int64, files []string) {
	t.Helper()
	if left := numbered(t, s.Server, number); len(left) > 0 {
		t.Errorf("rows of it are left in %v", left)
	}
	if left := holding(t, s.Server, s.tower); !slices.Equal(left, []string{"audit.subject", "erasures.uid"}) {
		t.Errorf("its uid stands in %v", left)
	}
	if left := holding(t, s.Server, s.issue); len(left) > 0 {
		t.Errorf("the uid of its issue stands in %v", left)
	}
	now := objects(t, s.Server)
	if len(now) != 1 || !slices.Contains(files, now[0]) || len(files) < 5 {
		t.Errorf("there were files %v, now %v", files, now)
	}
	all, err := s.App.Forgetting().Erasures(t.Context())
	must(t, err)
	i := slices.IndexFunc(all, func(e forget.Erased) bool { return e.UID == s.tower })
	if i < 0 || all[i].What != forget.Project || all[i].By != "a test" {
		t.Errorf("what was erased: %+v", all)
	}
	audit, err := s.App.Forgetting().Audit(t.Context(), 100)
	must(t, err)
	for _, want := range []string{
		forget.DidAskErase, forget.DidKeep, forget.DidHold, forget.DidRelease, forget.DidEraseProject,
	} {
		if !strings.Contains(fmt.Sprint(audit), want) {
			t.Errorf("the audit does not say %q", want)
		}
	}
}

// Erasing a project of many rows takes few rows at a time, and goes on where it was cut short.
func TestErasingIsBounded(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		const rows = 1200
		s := furnish(t, engine)
		f := s.App.Forgetting()
		p, err := s.App.Store.Project(t.Context(), s.cellar)
		must(t, err)
		must(t, s.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
			for i := range rows {
				err := tx.PutLink(store.MakeID(p.ID, 5, uint32(i+1)), 0, 1, store.MakeID(p.ID, 7, 1))
				if err != nil {
					return err
				}
			}
			return nil
		}))
		// Not before it was asked for: then nothing of the store erases anything.
		wants(t, s.App.Store.Erase(t.Context(), p, func(string, int) {}), "not being erased")
		if engine == apitest.Postgres { // nor does whoever sends any statement
			err := s.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
				return tx.Exec("SELECT groundwork_erase('records', $1, 10)", p.ID)
			})
			wants(t, fault.Cause(err), "is not being erased")
		}
		_, err = f.EraseLater(t.Context(), s.cellar, 0, "a test")
		must(t, err)
		must(t, s.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
			return tx.Exec("UPDATE erasing SET begun = 1")
		}))
		wants(t, f.Keep(t.Context(), s.cellar, "a test"), "too late to keep it")
		wants(t, f.Hold(t.Context(), s.cellar, "late", "a test"), "too late to hold it")
		steps := map[string][]int{}
		must(t, s.App.Store.Erase(t.Context(), p, func(table string, n int) { steps[table] = append(steps[table], n) }))
		if got := steps["links"]; !slices.Equal(got, []int{500, 500, 200}) {
			t.Errorf("links went in steps of %v", got)
		}
		must(t, f.EraseDue(t.Context()))
		if left := numbered(t, s.Server, p.ID); len(left) > 0 {
			t.Errorf("rows of it are left in %v", left)
		}
	})
}
