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
	// listedSheet is a sheet in the list for browsers without scripts: its number, and the address of its PDF.
	listedSheet = regexp.MustCompile(`<strong>([^<]+)</strong>[^\n]*\n<a href="([^"]+)">PDF`)
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

// TestDrawingsWithoutScripts reads the pages of projects and their sheets as a browser without scripts gets them: who
// sees them, all parts of a long list in order, and a PDF for each that has one.
func TestDrawingsWithoutScripts(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		ada, bob, eve := server.Account("ada"), server.Account("bob"), server.Account("eve")
		const count, again = 130, 3
		project := ada.Project("Long Pier")
		pages := make([]register.Page, count)
		for i := range pages {
			pages[i] = register.Page{
				FileName: "pier.pdf", Name: fmt.Sprintf("P-%03d", count-i), Width: 2592, Height: 1728,
				File: server.Object(fmt.Appendf(nil, "%%PDF-1.4 %d", i)),
			}
		}
		ada.Publish(project, pages)
		ada.Publish(project, pages[:again])
		ada.Invite(project, bob, "Collaborator")
		eve.Project("Elsewhere")
		list := "/drawings/" + project

		for _, path := range []string{"/drawings", list} {
			if got, err := server.Try("GET", path, nil, nil); err != nil || got.Status != 303 ||
				got.Header.Get("Location") != "/sign-in?next="+url.QueryEscape(path) {
				t.Errorf("a stranger gets %d %s for %s", got.Status, got.Header.Get("Location"), path)
			}
		}
		outsider := signedIn(t, server, eve)
		if got := outsider(list); got.Status != 403 || strings.Contains(string(got.Body), "Pier") {
			t.Errorf("it is %d for somebody who is not on the project: %s", got.Status, got.Body)
		}
		if got := string(outsider("/drawings").Body); !strings.Contains(got, "Elsewhere") || strings.Contains(got, "Pier") {
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
		if page := read("/drawings"); !strings.Contains(page, `href="`+list+`"`) {
			t.Errorf("the project is not among one's projects: %s", page)
		}
		// Every current sheet is shown once, as people sort a set.
		var shown []string
		for n, path := 1, list; path != ""; n++ {
			page := read(path)
			for _, m := range listedSheet.FindAllStringSubmatch(page, -1) {
				shown = append(shown, m[1])
				if !strings.HasPrefix(m[2], "/projects/"+project+"/files/") || !strings.Contains(m[2], "signature=") {
					t.Fatalf("the PDF of %s is at %s", m[1], m[2])
				}
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
		for i := range count {
			if want := fmt.Sprintf("P-%03d", i+1); i >= len(shown) || shown[i] != want {
				t.Fatalf("%d sheets are shown; number %d is %q, not %s", len(shown), i+1, shown[min(i, len(shown)-1)], want)
			}
		}
		if got := r(list + "?page=7"); got.Status != 303 || got.Header.Get("Location") != list+"?page=3" {
			t.Errorf("behind the last page: %d %v", got.Status, got.Header)
		}
		for _, bad := range []string{"?page=0", "?page=-1", "?page=x", "?page=99999999999999999999"} {
			if got := r(list + bad); got.Status != 400 || !strings.Contains(string(got.Body), "must be a number") {
				t.Errorf("%s: %d %s", bad, got.Status, got.Body)
			}
		}
		r = signedIn(t, server, ada)
		if page := read("/drawings/" + ada.Project("Empty Lot")); !strings.Contains(page, "There are no drawings here yet") {
			t.Errorf("a project without drawings: %s", page)
		}
		for i := range 48 {
			ada.Project(fmt.Sprint("Lot ", i))
		}
		if page := read("/drawings?page=2"); len(tileLink.FindAllString(page, -1)) != 2 ||
			!strings.Contains(page, `rel="prev" href="/drawings"`) {
			t.Errorf("further projects: %s", page)
		}
		if page := string(signedIn(t, server, server.Account("fay"))("/drawings").Body); !strings.Contains(page,
			"You are on no project yet") {
			t.Errorf("somebody without projects: %s", page)
		}
	})
}

// TestFormerAddresses: addresses of pages that are screens of the application now lead there, through sign-in.
func TestFormerAddresses(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite)
	r := signedIn(t, server, server.Account("ada"))
	for from, to := range map[string]string{
		"/r":                                    "/app/",
		"/r/P":                                  "",
		"/r/P/sheets":                           "/app/P/sheets",
		"/r/P/sheets?q=fire&set=S&page=3":       "/app/P/sheets?q=fire&set=S",
		"/r/P/sheets?discipline=Civil":          "/app/P/sheets?discipline=Civil",
		"/r/P/sheets/A":                         "/app/P/sheets/A",
		"/r/P/sheets/A?compare=B&q=a%26b&n=3":   "/app/P/sheets/A?compare=B&find=a%26b",
		"/r/P/issues/I":                         "/app/P/issues/I",
		"/r/P/issues/a%2Fb":                     "/app/P/issues/a%2Fb",
		"/r/..%2Fx/issues/%22%3E":               "/app/..%2Fx/issues/%22%3E",
		"/r/%5C%5Cevil.example/sheets/%2F%2Fx?": "/app/%5C%5Cevil.example/sheets/%2F%2Fx",
	} {
		got := r(from)
		if to == "" {
			if got.Status != 404 {
				t.Errorf("%s: %d", from, got.Status)
			}
			continue
		}
		if got.Status != 303 || got.Header.Get("Location") != to {
			t.Errorf("%s leads to %d %q, not to %s", from, got.Status, got.Header.Get("Location"), to)
		}
		stranger, err := server.Try("GET", from, nil, nil)
		if want := "/sign-in?next=" + url.QueryEscape(strings.TrimSuffix(from, "?")); err != nil || stranger.Status != 303 ||
			!strings.HasPrefix(stranger.Header.Get("Location"), "/sign-in?next=") {
			t.Errorf("a stranger is led to %d %q, not to %s", stranger.Status, stranger.Header.Get("Location"), want)
		}
	}
}
