package apitest_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/auth"
	"groundwork/internal/sheet/register"
)

var (
	tileLink = regexp.MustCompile(`<a class="tile" href="([^"]+)"`)
	onward   = regexp.MustCompile(`rel="(prev|next)" href="([^"]+)"`)
	standing = regexp.MustCompile(`<span class="quiet">(\d+ of \d+)</span>`)
)

// signedIn gets pages as a person who is signed in.
func signedIn(t *testing.T, server *apitest.Server, p *apitest.Person) func(path string) apitest.Response {
	t.Helper()
	secret, _, err := server.App.Auth.SignIn(t.Context(), p.Email, apitest.Password, auth.Visit{Address: "192.0.2.1"})
	if err != nil {
		t.Fatal(err)
	}
	return func(path string) apitest.Response {
		t.Helper()
		got, err := server.Try("GET", path, nil, http.Header{"Cookie": {"__Host-groundwork=" + secret}})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
}

// TestSheetsListed reads the pages of projects and their sheets as a browser gets them: who sees them, all parts of a
// long list, and the ways through it.
func TestSheetPages(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		ada, bob, eve := server.Account("ada"), server.Account("bob"), server.Account("eve")
		const count, again = 130, 3
		project := ada.Project("Long Pier")
		pages := make([]register.Page, count)
		for i := range pages {
			pages[i] = register.Page{FileName: "pier.pdf", Name: fmt.Sprintf("P-%03d", i+1), Width: 2592, Height: 1728}
			if i%10 == 9 {
				title := "Bollards"
				pages[i].Description = &title
			}
		}
		_, uids := ada.Publish(project, pages)
		_, newer := ada.Publish(project, pages[:again])
		ada.Invite(project, bob, "Collaborator")
		eve.Project("Elsewhere")
		list := "/r/" + project + "/sheets"

		for _, path := range []string{"/r", list} {
			if got, err := server.Try("GET", path, nil, nil); err != nil || got.Status != 303 ||
				got.Header.Get("Location") != "/sign-in?next="+url.QueryEscape(path) {
				t.Errorf("a stranger gets %d %s for %s", got.Status, got.Header.Get("Location"), path)
			}
		}
		outsider := signedIn(t, server, eve)
		for _, path := range []string{list, list + "/" + uids[50], list + "?q=bollard"} {
			if got := outsider(path); got.Status != 403 || strings.Contains(string(got.Body), "Pier") {
				t.Errorf("%s is %d for somebody who is not on the project: %s", path, got.Status, got.Body)
			}
		}
		if got := string(outsider("/r").Body); !strings.Contains(got, "Elsewhere") || strings.Contains(got, "Pier") {
			t.Errorf("somebody else's projects: %s", got)
		}

		r := signedIn(t, server, bob)
		read := func(path string) string {
			t.Helper()
			got := r(path)
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
			for _, m := range onward.FindAllStringSubmatch(page, -1) {
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
				t.Fatalf("%d sheets are shown; number %d leads to %q, not to %s", len(shown), i+1,
					shown[min(i, len(shown)-1)], want)
			}
		}
		if got := r(list + "?page=7"); got.Status != 303 || got.Header.Get("Location") != list+"?page=3" {
			t.Errorf("behind the last page: %d %v", got.Status, got.Header)
		}
		for _, bad := range []string{
			"?page=0", "?page=-1", "?page=x", "?page=99999999999999999999",
			"/" + uids[50] + "?n=0",
		} {
			if got := r(list + bad); got.Status != 400 || !strings.Contains(string(got.Body), "must be a number") {
				t.Errorf("%s: %d %s", bad, got.Status, got.Body)
			}
		}

		// A sheet knows what is beside it, whatever its address says of where it is.
		for _, i := range []int{0, 1, 23, 24, 25, 47, 48, 49, 50, 51, 74, 95, 96, 97, 98, 99, 100, 128, 129} {
			for _, n := range []string{
				"", "?n=1", fmt.Sprintf("?n=%d", i+1), fmt.Sprintf("?n=%d", i+20), "?n=130",
				"?n=99999",
			} {
				page := read(list + "/" + current[i] + n)
				at, ways := standing.FindStringSubmatch(page), onward.FindAllStringSubmatch(page, -1)
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
				if at == nil || at[1] != fmt.Sprintf("%d of %d", i+1, count) ||
					strings.Join(got, ", ") != strings.Join(want, ", ") {
					t.Errorf("sheet %d with %q is at %q, beside %q", i+1, n, at, got)
				}
			}
		}
		// What is superseded is beside what was published with it.
		if page := read(list + "/" + uids[1]); !strings.Contains(page, "2 of 130") || !strings.Contains(page,
			"superseded") || !strings.Contains(page, uids[0]) || !strings.Contains(page, uids[2]) {
			t.Errorf("a superseded sheet: %s", page)
		}

		// A search leaves those in which it is written, and goes with who looks through them.
		found := read(list + "?q=bolla")
		links := tileLink.FindAllStringSubmatch(found, -1)
		if len(links) != count/10 || !strings.Contains(found, "13 sheets with “bolla”") ||
			links[1][1] != list+"/"+uids[19]+"?n=2&q=bolla" {
			t.Errorf("found: %q", links)
		}
		if page := read(list + "?q=bolla&set=" + project); !strings.Contains(page,
			"“bolla” is on none of these sheets") {
			t.Errorf("nothing found: %s", page)
		}
		if page := read(list + "?q=--"); len(tileLink.FindAllString(page, -1)) != 48 {
			t.Error("a text without words leaves something out")
		}
		const script = `<script>alert("1")</script>`
		for _, path := range []string{list, list + "/" + uids[50]} {
			if got := r(path + "?q=" + url.QueryEscape(script) + "&set=" +
				url.QueryEscape(`"><script>`)); got.Status != 200 || strings.Contains(string(got.Body), "<script>") {
				t.Errorf("%s: what was searched became a part of the page: %d %s", path, got.Status, got.Body)
			}
		}

		// What is coming is for Admins to know; a project without drawings says so.
		ada.UploadSet(project, "Storm repair", false, apitest.SetFile{Name: "storm.pdf", Content: []byte("%PDF-1.4")})
		if page := read(list); strings.Contains(page, "Storm repair") {
			t.Error("a set that is not published is shown to a Collaborator")
		}
		r = signedIn(t, server, ada)
		if page := read(list); !strings.Contains(page, "“Storm repair” is not published yet") {
			t.Error("a set that is not published is not shown to an Admin")
		}
		if page := read("/r/" + ada.Project("Empty Lot") + "/sheets"); !strings.Contains(page,
			"There are no drawings here yet") {
			t.Errorf("a project without drawings: %s", page)
		}
		for i := range 48 {
			ada.Project(fmt.Sprint("Lot ", i))
		}
		if page := read("/r?page=2"); len(tileLink.FindAllString(page, -1)) != 2 ||
			!strings.Contains(page, `rel="prev" href="/r"`) {
			t.Errorf("further projects: %s", page)
		}
		if page := string(signedIn(t, server, server.Account("fay"))("/r").Body); !strings.Contains(page,
			"You are on no project yet") {
			t.Errorf("somebody without projects: %s", page)
		}
	})
}
