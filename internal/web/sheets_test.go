package web_test

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/draft"
	"groundwork/internal/sheet"
)

// pier puts many sheets into a project, P-001 and so on, every tenth with a title; further ones supersede the first of them.
func pier(ada *apitest.Person, count, again int) (project string, uids, newer []string) {
	project = ada.Project("Long Pier")
	pages := make([]sheet.Page, count)
	for i := range pages {
		pages[i] = sheet.Page{FileName: "pier.pdf", Name: fmt.Sprintf("P-%03d", i+1), Width: 2592, Height: 1728}
		if i%10 == 9 {
			title := "Bollards"
			pages[i].Description = &title
		}
	}
	_, uids = ada.Publish(project, pages)
	_, newer = ada.Publish(project, pages[:again])
	return project, uids, newer
}

var (
	tileLink = regexp.MustCompile(`<a class="tile" href="([^"]+)"`)
	way      = regexp.MustCompile(`rel="(prev|next)" href="([^"]+)"`)
	standing = regexp.MustCompile(`<span class="quiet">(\d+ of \d+)</span>`)
)

// TestSheetsListed reads the pages of projects and their sheets as a browser gets them: who sees them, all parts of a long list, and the ways through it.
func TestSheetsListed(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		ada, bob, eve := server.Account("ada"), server.Account("bob"), server.Account("eve")
		const count, again = 130, 3
		project, uids, newer := pier(ada, count, again)
		ada.Invite(project, bob, "Collaborator")
		eve.Project("Elsewhere")
		list := "/r/" + project + "/sheets"

		stranger := &reader{t: t, server: server}
		for _, path := range []string{"/r", list} {
			if got := stranger.get(path); got.Status != 303 || got.Header.Get("Location") != "/sign-in?next="+url.QueryEscape(path) {
				t.Errorf("a stranger gets %d %s for %s", got.Status, got.Header.Get("Location"), path)
			}
		}
		outsider := signedIn(t, server, eve.Email)
		for _, path := range []string{list, list + "/" + uids[50], list + "?q=bollard"} {
			if got := outsider.get(path); got.Status != 403 || strings.Contains(string(got.Body), "Pier") {
				t.Errorf("%s is %d for somebody who is not on the project: %s", path, got.Status, got.Body)
			}
		}
		if got := string(outsider.get("/r").Body); !strings.Contains(got, "Elsewhere") || strings.Contains(got, "Pier") {
			t.Errorf("somebody else's projects: %s", got)
		}

		r := signedIn(t, server, bob.Email)
		read := func(path string) string {
			t.Helper()
			got := r.get(path)
			if got.Status != 200 || got.Header.Get("Cache-Control") != "no-store" {
				t.Fatalf("%s: %d %s", path, got.Status, got.Body)
			}
			return html.UnescapeString(string(got.Body))
		}
		if page := read("/r"); !strings.Contains(page, `href="`+list+`"`) {
			t.Errorf("the project is not among one's projects: %s", page)
		}

		// Every current sheet is shown once, the latest first, and leads to its page.
		var shown []string
		for n, path := 1, list; path != ""; n++ {
			page := read(path)
			for _, m := range tileLink.FindAllStringSubmatch(page, -1) {
				shown = append(shown, m[1])
			}
			path = ""
			for _, m := range way.FindAllStringSubmatch(page, -1) {
				if m[1] == "next" {
					path = m[2]
				}
			}
			if want := fmt.Sprintf("%s?page=%d", list, n+1); path != want && n < 3 || path != "" && n == 3 {
				t.Fatalf("after page %d comes %q", n, path)
			}
		}
		current := append(newer, uids[again:]...)
		for i, uid := range current {
			if want := fmt.Sprintf("%s/%s?n=%d", list, uid, i+1); i >= len(shown) || shown[i] != want {
				t.Fatalf("%d sheets are shown; number %d leads to %q, not to %s", len(shown), i+1, shown[min(i, len(shown)-1)], want)
			}
		}
		if got := r.get(list + "?page=7"); got.Status != 303 || got.Header.Get("Location") != list+"?page=3" {
			t.Errorf("behind the last page: %d %v", got.Status, got.Header)
		}
		for _, bad := range []string{"?page=0", "?page=-1", "?page=x", "?page=99999999999999999999", "/" + uids[50] + "?n=0"} {
			if got := r.get(list + bad); got.Status != 400 || !strings.Contains(string(got.Body), "must be a number") {
				t.Errorf("%s: %d %s", bad, got.Status, got.Body)
			}
		}

		// A sheet knows what is beside it, whatever its address says of where it is.
		for _, i := range []int{0, 1, 23, 24, 25, 47, 48, 49, 50, 51, 74, 95, 96, 97, 98, 99, 100, 128, 129} {
			for _, n := range []string{"", "?n=1", fmt.Sprintf("?n=%d", i+1), fmt.Sprintf("?n=%d", i+20), "?n=130", "?n=99999"} {
				page := read(list + "/" + current[i] + n)
				at, ways := standing.FindStringSubmatch(page), way.FindAllStringSubmatch(page, -1)
				var want []string
				if i > 0 {
					want = append(want, fmt.Sprintf("prev %s/%s?n=%d", list, current[i-1], i))
				}
				if i+1 < count {
					want = append(want, fmt.Sprintf("next %s/%s?n=%d", list, current[i+1], i+2))
				}
				var got []string
				for _, w := range ways {
					got = append(got, w[1]+" "+w[2])
				}
				if at == nil || at[1] != fmt.Sprintf("%d of %d", i+1, count) || strings.Join(got, ", ") != strings.Join(want, ", ") {
					t.Errorf("sheet %d with %q is at %q, beside %q", i+1, n, at, got)
				}
			}
		}
		// What is superseded is beside what was published with it.
		if page := read(list + "/" + uids[1]); !strings.Contains(page, "2 of 130") || !strings.Contains(page, "superseded") || !strings.Contains(page, uids[0]) || !strings.Contains(page, uids[2]) {
			t.Errorf("a superseded sheet: %s", page)
		}

		// A search leaves those in which it is written, and goes with who looks through them.
		found := read(list + "?q=bolla")
		links := tileLink.FindAllStringSubmatch(found, -1)
		if len(links) != count/10 || !strings.Contains(found, "13 sheets with “bolla”") || links[1][1] != list+"/"+uids[19]+"?n=2&q=bolla" {
			t.Errorf("found: %q", links)
		}
		if page := read(list + "?q=bolla&set=" + project); !strings.Contains(page, "“bolla” is on none of these sheets") {
			t.Errorf("nothing found: %s", page)
		}
		if page := read(list + "?q=--"); len(tileLink.FindAllString(page, -1)) != 48 {
			t.Error("a text without words leaves something out")
		}
		const script = `<script>alert("1")</script>`
		for _, path := range []string{list, list + "/" + uids[50]} {
			if got := r.get(path + "?q=" + url.QueryEscape(script) + "&set=" + url.QueryEscape(`"><script>`)); got.Status != 200 || strings.Contains(string(got.Body), "<script>") {
				t.Errorf("%s: what was searched became a part of the page: %d %s", path, got.Status, got.Body)
			}
		}

		// What is coming is for Admins to know; a project without drawings says so.
		ada.UploadSet(project, "Storm repair", false, apitest.SetFile{Name: "storm.pdf", Content: []byte("%PDF-1.4")})
		if page := read(list); strings.Contains(page, "Storm repair") {
			t.Error("a set that is not published is shown to a Collaborator")
		}
		r = signedIn(t, server, ada.Email)
		if page := read(list); !strings.Contains(page, "“Storm repair” is not published yet") {
			t.Error("a set that is not published is not shown to an Admin")
		}
		if page := read("/r/" + ada.Project("Empty Lot") + "/sheets"); !strings.Contains(page, "There are no drawings here yet") {
			t.Errorf("a project without drawings: %s", page)
		}
		for i := range perPage {
			ada.Project(fmt.Sprint("Lot ", i))
		}
		if page := read("/r?page=2"); len(tileLink.FindAllString(page, -1)) != 2 || !strings.Contains(page, `rel="prev" href="/r"`) {
			t.Errorf("further projects: %s", page)
		}
		if page := string(signedIn(t, server, server.Account("fay").Email).get("/r").Body); !strings.Contains(page, "You are on no project yet") {
			t.Errorf("somebody without projects: %s", page)
		}
	})
}

const perPage = 48

// TestSheets goes from the projects to a drawing in a real browser, as wide as a phone's and a desk's.
func TestSheets(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
	work(t, server)
	ada := server.Account("ada", "Ada Lovelace")
	pier(ada, 130, 0)
	project := ada.Project("Harbour School")
	ada.Want(200, "PATCH", "/projects/"+project, map[string]any{"custom_id": "HS-12", "city": "Kiel", "status": "Construction"})
	var b bytes.Buffer
	if _, err := draft.Write(&b, draft.Options{Seed: 3, Sheets: 12, Plain: true}); err != nil {
		t.Fatal(err)
	}
	ada.UploadSet(project, "Issued for permit", true, apitest.SetFile{Name: "permit.pdf", Content: b.Bytes()})
	for end := time.Now().Add(3 * time.Minute); ; <-time.After(100 * time.Millisecond) {
		list := ada.Want(200, "GET", "/projects/"+project+"/sheets?limit=1", nil)
		if n, err := list.Value("total_count"); err == nil && fmt.Sprint(n) == "12" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the set was never published: %s", list.Body)
		}
	}

	browser := openBrowser(t)
	for _, size := range []struct{ width, height int64 }{{360, 780}, {1280, 900}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			v := &visitor{tab: browser.tab(t, size.width, size.height, "light"), width: size.width, server: server, shown: map[string]bool{}}
			v.open(server.URL + "/account")
			if eval[bool](v.tab, `location.pathname === '/sign-in'`) {
				v.fill("#email", ada.Email, "#password", anvils)
				v.press("Sign in")
			}
			v.press("Projects")
			v.says("HS-12 · Kiel · Construction")
			v.page("projects")
			v.follow(`a[href="/r/` + project + `/sheets"]`)
			v.says("12 sheets")
			v.pictures(12)
			v.page("sheets")

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
			v.says("130 sheets")
			v.press("Next")
			v.says("P-049")
			v.page("sheets-paged")
			v.follow(".sheets li:last-child a")
			v.says("96 of 130")
			v.follow("a[rel=next]")
			v.says("97 of 130")
			v.says("P-097")
			v.follow("#list")
			if at := eval[string](v.tab, `location.search`); at != "?page=3" {
				t.Errorf("back to the list is %s", at)
			}
			elsewhere, console := v.seen(server.URL)
			if len(elsewhere) > 0 || len(console) > 0 {
				t.Errorf("asked elsewhere: %q; the console says: %q", elsewhere, console)
			}
		})
	}
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
	if sizes := eval[[]int](v.tab, `[...document.querySelectorAll('.tile img')].map(i => i.naturalWidth)`); len(sizes) < least {
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
