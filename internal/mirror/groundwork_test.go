package mirror_test

import (
	"testing"

	"groundwork/internal/apitest"
)

// A mirror of a Groundwork ends identical in what the key sees, and stays so when it is repeated.
func TestMirrorOfAGroundwork(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		from := startSource(t, engine)
		from.fill(t)
		from.draw(t)
		other := map[string]string{apitest.SQLite: apitest.Postgres, apitest.Postgres: apitest.SQLite}[engine]
		into := apitest.Start(t, other)
		folder := t.TempDir()
		c := ask(t, from.proxy.URL, from.ada.Key)
		r := must(t, into, c, from.project, folder)
		if r.Import.Renewed || r.Import.Files < 9 {
			t.Errorf("brought %+v", r.Import)
		}
		sound(t, into)
		ada := member(t, into, "ada")
		same(t, shown(t, from.ada, from.project), shown(t, ada, from.project))
		work(t, into)
		same(t, shown(t, from.ada, from.project), shown(t, ada, from.project))

		// Nothing has changed: nothing is brought, and little is asked.
		from.harms(nil)
		if r := must(t, into, c, from.project, folder); !r.Import.Renewed || r.Import.New+r.Import.Changed > 0 {
			t.Errorf("a repetition brought %+v", r.Import)
		}
		if n := from.asked("/files/"); n > 0 {
			t.Errorf("a repetition fetched %d files", n)
		}
		from.change(t)
		r = must(t, into, c, from.project, folder)
		if r.Import.New < 4 || r.Import.Changed < 3 {
			t.Errorf("brought %+v", r.Import)
		}
		sound(t, into)
		same(t, shown(t, from.ada, from.project), shown(t, ada, from.project))

		// What was gathered is lost: everything is read again, and nothing is changed.
		if r := must(t, into, c, from.project, t.TempDir()); r.Import.New+r.Import.Changed > 0 {
			t.Errorf("with another folder it brought %+v", r.Import)
		}
	})
}

// change changes records of several kinds, and makes new ones.
func (s *source) change(t testing.TB) {
	t.Helper()
	s.do(t, s.bob, "PATCH", "/issues/"+s.issues[3], map[string]any{"title": "neu", "status": "in_review"})
	s.do(t, s.ada, "POST", "/issues/"+s.issues[4]+"/comments", map[string]any{"text": "noch etwas"})
	s.do(t, s.ada, "DELETE", "/issues/"+s.issues[5], nil)
	s.do(t, s.ada, "DELETE", "/issues/"+s.issues[0]+"/photos/"+s.photos[0], nil)
	s.do(t, s.ada, "POST", "/issues/"+s.issues[0]+"/photos", map[string]any{"photo_uid": s.photos[2]})
	photo := s.ada.Upload(s.project, "photos", map[string]any{"content_type": "image/png", "title": "neu"}, picture(t, 5)).Text("uid")
	fresh := s.do(t, s.bob, "POST", "/issues", map[string]any{"title": "ganz neu"}).Text("uid")
	s.do(t, s.bob, "POST", "/issues/"+fresh+"/photos", map[string]any{"photo_uid": photo})
	rfi := s.do(t, s.ada, "GET", "/rfis", nil).Text("data.0.uid")
	s.do(t, s.ada, "PATCH", "/rfis/"+rfi, map[string]any{"title": "eins"})
	s.do(t, s.bob, "PATCH", "/rfis/"+rfi, map[string]any{"title": "zwei", "locked": true})
	joe := s.Account("joe")
	s.ada.Invite(s.project, joe, "Collaborator")
	s.do(t, s.ada, "PATCH", "", map[string]any{"city": "Wien"})
	work(t, s.Server)
}
