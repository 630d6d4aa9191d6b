package web_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/draft"
)

// TestSheets goes from the projects to a drawing in a real browser, as wide as a phone's and a desk's.
func TestSheets(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	work(t, server)
	ada := server.Account("ada", "Ada Lovelace")
	for i := range 60 {
		ada.Project(fmt.Sprint("Lot ", i+1))
	}
	project := ada.Project("Harbour School")
	ada.Want(200, "PATCH", "/projects/"+project, map[string]any{
		"custom_id": "HS-12", "city": "Kiel", "status": "Construction",
	})
	var b bytes.Buffer
	if _, err := draft.Write(&b, draft.Options{Seed: 3, Sheets: 12, Plain: true}); err != nil {
		t.Fatal(err)
	}
	set := ada.UploadSet(project, "Issued for permit", true, apitest.SetFile{Name: "permit.pdf", Content: b.Bytes()})
	published(t, ada, project, set, 12)

	browser := openBrowser(t)
	for _, size := range []struct{ width, height int64 }{{360, 780}, {1280, 900}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			v := &visitor{
				tab: browser.tab(t, size.width, size.height, "light"), width: size.width, server: server,
				shown: map[string]bool{},
			}
			v.open(server.URL + "/account")
			if eval[bool](v.tab, `location.pathname === '/sign-in'`) {
				v.fill("#email", ada.Email, "#password", anvils)
				v.press("Sign in")
			}
			v.press("Projects")
			v.says("Lot 48")
			v.press("Next")
			v.says("HS-12 · Kiel · Construction")
			v.page("projects")
			v.follow(`a[href="/r/` + project + `/sheets"]`)
			v.says("12 sheets")
			v.pictures(12)
			v.page("sheets")

			// As people sort a set, in groups; a link shows one of them, also of what is searched.
			groups := eval[[]string](v.tab, `[...document.querySelectorAll('h2.group')].map(h => h.firstChild.data.trim())`)
			if fmt.Sprint(groups) != "[General Civil Structural Architectural Mechanical Electrical]" {
				t.Errorf("the groups are %q", groups)
			}
			v.follow(`.choices a[href$="discipline=Architectural"]`)
			v.says("6 sheets")
			v.page("sheets-discipline")
			v.follow(".tile")
			v.says("1 of 6")
			v.follow("#list")
			v.fill("#q", "corridor")
			v.press("Search")
			v.says("with “corridor”")
			if got := eval[string](v.tab, `document.querySelector('.choices [aria-current]').firstChild.data.trim()`); got !=
				"Architectural" {
				t.Errorf("what is searched is narrowed to %q", got)
			}
			v.press("Show all")
			v.says("12 sheets")

			v.fill("#q", "corridor")
			v.press("Search")
			v.says("with “corridor”")
			v.pictures(1)
			v.page("sheets-found")
			v.follow(".tile")
			v.says("Found: “corridor”")
			v.follow("#list")
			v.says("with “corridor”")
			v.press("Show all")
			v.says("12 sheets")
			v.fill("#q", "xylophone")
			v.press("Search")
			v.says("“xylophone” is on none of these sheets.")
			v.page("sheets-none")

			v.press("Projects")
			v.follow(`.works li:first-child a`)
			v.says("There are no drawings here yet.")
			v.page("sheets-empty")
			elsewhere, console := v.seen(server.URL)
			if len(elsewhere) > 0 || len(console) > 0 {
				t.Errorf("asked elsewhere: %q; the console says: %q", elsewhere, console)
			}
		})
	}
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

// follow clicks a link and waits for the page that it leads to.
func (v *visitor) follow(selector string) {
	v.t.Helper()
	eval[bool](v.tab, `window.before = true`)
	eval[bool](v.tab, fmt.Sprintf(`(setTimeout(() => document.querySelector(%q).click()), true)`, selector))
	v.arrived()
}

// pictures holds that at least so many sheets have a picture that is one.
func (v *visitor) pictures(least int) {
	v.t.Helper()
	eval[bool](v.tab, `(document.querySelectorAll('.tile img').forEach(i => { i.loading = 'eager'; }), true)`)
	v.wait(`[...document.querySelectorAll('.tile img')].every(i => i.complete)`)
	if sizes := eval[[]int](v.tab,
		`[...document.querySelectorAll('.tile img')].map(i => i.naturalWidth)`); len(sizes) < least {
		v.t.Errorf("%d pictures", len(sizes))
	} else {
		for _, width := range sizes {
			if width < 200 {
				v.t.Errorf("pictures are %d dots wide", sizes)
				break
			}
		}
	}
}
