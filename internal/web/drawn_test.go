package web_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/draft"
)

// site is a service with two versions of a plan and of a sheet that it refers to.
type site struct {
	*apitest.Server
	t        *testing.T
	ada, bob *apitest.Person
	project  string
	old, now string // the plan
	other    string // what it refers to, now
	link     draft.Callout
	page     draft.Page
	pdf      []byte // the plan, now
}

// build uploads both versions as anybody would, and waits until they can be looked at.
func build(t *testing.T) *site {
	t.Helper()
	s := &site{Server: apitest.Start(t, apitest.SQLite, apitest.Reachable()), t: t}
	s.ada, s.bob = s.Account("ada", "Ada Lovelace"), s.Account("bob")
	s.project = s.ada.Project("Harbour School")
	s.ada.Invite(s.project, s.bob, "Power Collaborator")
	work(t, s.Server)
	for revision, version := range []string{"Issued for permit", "Issued for construction"} {
		var b bytes.Buffer
		set, err := draft.Write(&b, draft.Options{Seed: 3, Sheets: 6, Plain: true, Revision: revision})
		if err != nil {
			t.Fatal(err)
		}
		plan := slices.IndexFunc(revised(t), func(p draft.Page) bool { return p.Changed && len(p.Callouts) > 0 })
		s.page = set.Pages[plan]
		s.link = s.page.Callouts[0]
		target := slices.IndexFunc(set.Pages, func(p draft.Page) bool { return p.Number == s.link.Target })
		var files []apitest.SetFile
		for _, at := range []int{plan, target} {
			files = append(files, apitest.SetFile{
				Name: fmt.Sprintf("%s.pdf", set.Pages[at].Number), Content: s.split(b.Bytes(), at+1),
			})
		}
		s.pdf = files[0].Content
		uploaded := s.ada.UploadSet(s.project, version, true, files...)
		s.old, s.now, s.other = s.now, s.sheet(uploaded, s.page.Number), s.sheet(uploaded, s.link.Target)
	}
	return s
}

// work has what waits in the background done while the test runs.
func work(t *testing.T, s *apitest.Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.App.Jobs.Start(ctx)
	t.Cleanup(func() {
		cancel()
		within, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.App.Jobs.Stop(within); err != nil {
			t.Error(err)
		}
	})
}

// revised are the pages of the set after its revision, which say what it changed.
func revised(t *testing.T) []draft.Page {
	t.Helper()
	set, err := draft.Write(new(bytes.Buffer), draft.Options{Seed: 3, Sheets: 6, Plain: true, Revision: 1})
	if err != nil {
		t.Fatal(err)
	}
	return set.Pages
}

func (s *site) split(pdf []byte, page int) []byte {
	s.t.Helper()
	f, err := s.App.Drawing.Bring(bytes.NewReader(pdf))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	path, err := f.Split(s.t.Context(), page)
	if err != nil {
		s.t.Fatal(err)
	}
	one, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return one
}

// sheet waits until a sheet of a set is cut into tiles.
func (s *site) sheet(set, number string) (uid string) {
	s.t.Helper()
	await.Until(s.t, 3*time.Minute, func() string {
		list := s.ada.Want(200, "GET", "/projects/"+s.project+"/sheets?version_set="+set, nil)
		for i := range 2 {
			at := fmt.Sprintf("data.%d.", i)
			if tiles, _ := list.Value(at + "tiles_url"); tiles != nil && list.Text(at+"name") == number {
				uid = list.Text(at + "uid")
				return ""
			}
		}
		return fmt.Sprintf("there is no sheet %s in tiles: %s", number, list.Body)
	})
	return uid
}

// published waits until the sheets of a set are there.
func published(t *testing.T, ada *apitest.Person, project, set string, count int) {
	t.Helper()
	await.Until(t, 3*time.Minute, func() string {
		list := ada.Want(200, "GET", "/projects/"+project+"/sheets?limit=1&version_set="+set, nil)
		if n, err := list.Value("total_count"); err == nil && fmt.Sprint(n) == fmt.Sprint(count) {
			return ""
		}
		return fmt.Sprintf("the set was never published: %s", list.Body)
	})
}
