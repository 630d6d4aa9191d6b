package apitest_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	. "groundwork/internal/apitest"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
)

// TestOpenShareables asks for more files than may be on their way, of any kind and in any project, and for one more
// when they are made.
func TestOpenShareables(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		tower, bridge := "/projects/"+ada.Project("Tower"), "/projects/"+ada.Project("Bridge")
		csv := map[string]any{"format": "csv"}
		for i := range 20 {
			ada.Want(http.StatusCreated, "POST", []string{tower, bridge}[i%2]+"/issues/reports", csv)
		}
		refused := func(who *Person, path, whose string) {
			t.Helper()
			r := who.Want(http.StatusTooManyRequests, "POST", path+"/issues/reports", csv)
			if !strings.HasPrefix(r.Text("message"), whose) || r.Header.Get("Retry-After") == "" {
				t.Errorf("%s %v", r.Body, r.Header)
			}
		}
		refused(ada, tower, "You have 20 files being made.")
		day := ada.Want(http.StatusCreated, "POST", tower+"/field_reports",
			map[string]any{"report_date": "2026-03-01"}).Text("uid")
		ada.Want(http.StatusTooManyRequests, "POST", tower+"/field_reports/export", map[string]any{
			"field_report_uids": []string{day},
		})
		// Others may, up to what the project may.
		for _, name := range []string{"bob", "cyd", "dan"} {
			one := s.Account(name)
			ada.Invite(tower[len("/projects/"):], one, "Collaborator")
			for range 16 {
				one.Want(http.StatusCreated, "POST", tower+"/issues/reports", csv)
			}
		}
		eve := s.Account("eve")
		ada.Invite(tower[len("/projects/"):], eve, "Collaborator")
		for range 2 {
			eve.Want(http.StatusCreated, "POST", tower+"/issues/reports", csv)
		}
		refused(eve, tower, "The project has 60 files being made.")
		// As it is when they are made, which takes a while for so many.
		for _, path := range []string{tower, bridge} {
			p, err := s.App.Store.Project(t.Context(), path[len("/projects/"):])
			if err == nil {
				err = s.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
					err := tx.In(store.JobsOffice, func() error {
						return tx.Exec("UPDATE jobs SET state = 2, finished_at = $1 WHERE kind = 'issues/reports' AND state = 0", tx.Now())
					})
					return errors.Join(err,
						tx.Exec("UPDATE shareables SET status = 2, message = '', ended_at = $2 WHERE project = $1",
							p.ID, tx.Now()))
				})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		ada.Want(http.StatusCreated, "POST", tower+"/issues/reports", csv)
		eve.Want(http.StatusCreated, "POST", tower+"/issues/reports", csv)
	})
}

// TestQuotaOfWhatIsMade has a project whose room is taken by what was uploaded and by what was made of it: no file is
// made any more, nor taken.
func TestQuotaOfWhatIsMade(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		const quota = 60_000
		s := Start(t, engine, Quota(quota, quota))
		ada := s.Account("ada")
		project := ada.Project("Tower")
		path := "/projects/" + project + "/sheets/packets"
		_, sheets := ada.Publish(project, []register.Page{
			sheetOf(s, "A101", 1000, 600, page(1000, 600, 0, "% "+strings.Repeat("x", 9_000))),
		})
		s.Work() // the tiles
		body := map[string]any{"sheet_uids": sheets}
		var last Response
		made := 0
		for made < 20 {
			if last = delivered(s, ada, path, body); last.Text("status") != "complete" {
				break
			}
			made++
		}
		if last.Text("status") != "errored" || !strings.Contains(last.Text("message"), "no room left") || made == 0 {
			t.Fatalf("after %d: %s", made, last.Body)
		}
		p, err := s.App.Store.Project(t.Context(), project)
		if err != nil {
			t.Fatal(err)
		}
		if room, err := s.App.Files.Room(t.Context(), s.App.Store, p); err != nil || room < 0 || room >= 20_000 {
			t.Errorf("there is room for %d bytes, %v", room, err)
		}
		if n := objects(t, s); n > 3+made { // the sheet, its tiles and what was made
			t.Errorf("%d objects", n)
		}
		// A photo that fits is taken, and its pictures are made though they do not: they count.
		if err := s.App.Store.Edit(t.Context(), p, 0, func(tx *store.Tx) error {
			return tx.Exec("DELETE FROM files WHERE project = $1 AND record = 0", p.ID)
		}); err != nil {
			t.Fatal(err)
		}
		before, _ := s.App.Files.Room(t.Context(), s.App.Store, p)
		photo := ada.Upload(project, "photos", map[string]any{"content_type": "image/png"}, string(pngOf(t, 40, 30)))
		size := int64(len(pngOf(t, 40, 30)))
		s.Work()
		if after, _ := s.App.Files.Room(t.Context(), s.App.Store, p); before-after <= size {
			t.Errorf("a photo of %d bytes took %d", size, before-after)
		}
		if r := ada.Want(http.StatusOK, "GET", "/projects/"+project+"/photos/"+photo.Text("uid"),
			nil); r.Text("thumbnail_url") == "" {
			t.Errorf("it has no pictures: %s", r.Body)
		}
	})
}

// TestShareablesThatKill has a packet stop the service, alone the second time: it says so. One that was beside it is
// made.
func TestShareablesThatKill(t *testing.T) {
	Engines(t, func(t *testing.T, engine string) {
		s := Start(t, engine)
		ada := s.Account("ada")
		project := ada.Project("Tower")
		path := "/projects/" + project + "/sheets/packets"
		_, sheets := ada.Drawings(project, "A101")
		s.Work() // the tiles
		uid := ada.Want(http.StatusCreated, "POST", path, map[string]any{"sheet_uids": sheets}).Text("uid")
		other := ada.Want(http.StatusCreated, "POST", path, map[string]any{"sheet_uids": sheets}).Text("uid")
		// As the rows are after a process that ran both is gone, and for the first one another.
		dead := func(uid string, before int64) {
			err := s.App.Store.In(store.JobsOffice).Write(t.Context(), func(tx *store.Tx) error {
				return tx.Exec("UPDATE jobs SET state = 1, attempt = $2, deaths = $3, run_at = $4 WHERE kind = 'sheets/packets' AND args LIKE $1", "%"+uid+"%", before+1, before, tx.Now()-1)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		dead(uid, 1)
		dead(other, 0)
		s.Work()
		if r := ada.Want(http.StatusOK, "GET", path+"/"+uid, nil); r.Text("status") != "errored" ||
			!strings.HasPrefix(r.Text("message"), "The service stopped twice while it made this file") {
			t.Errorf("what stopped it twice: %s", r.Body)
		}
		fetched(t, ada, ada.Want(http.StatusOK, "GET", path+"/"+other, nil))
	})
}
