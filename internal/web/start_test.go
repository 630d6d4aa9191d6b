package web_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
)

var once = regexp.MustCompile(`name="once" value="([^"]+)"`)

// TestFirstStart leads the first visitor of an empty installation from its address to a project.
func TestFirstStart(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		code, err := server.App.Auth.OfferStart(t.Context(), engine == apitest.SQLite)
		if err != nil {
			t.Fatal(err)
		}
		r := &reader{t: t, server: server}
		for at, want := range map[string]string{
			"/": "/app/", "/app/": "/sign-in?next=%2Fapp%2F", "/sign-in?next=%2Fapp%2F": "/start",
		} {
			if got := r.get(at, "Accept", "text/html"); got.Status != 303 || got.Header.Get("Location") != want {
				t.Errorf("%s leads with %d to %s", at, got.Status, got.Header.Get("Location"))
			}
		}
		if got := r.get("/start"); got.Status != 200 || strings.Contains(string(got.Body), code) {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		form := url.Values{
			"code": {"K7QX-4MPD-9TRB-2HWN"}, "name": {"Grace Hopper"}, "email": {"grace@example.com"},
			"password": {anvils},
		}
		got := r.post("/start", form)
		for _, want := range []string{"This is not the code.", `value="Grace Hopper"`, `value="grace@example.com"`} {
			if got.Status != 400 || !strings.Contains(string(got.Body), want) {
				t.Errorf("a wrong code: %d, no %s in %s", got.Status, want, got.Body)
			}
		}
		if strings.Contains(string(got.Body), anvils) {
			t.Error("the page shows the password")
		}
		form.Set("code", strings.ToLower(code))
		if got := r.post("/start", form, "Origin", "https://evil.example"); got.Status != 403 {
			t.Errorf("a page of another site: %d", got.Status)
		}
		if got = r.post("/start", form); got.Status != 303 || got.Header.Get("Location") != "/start/project" {
			t.Fatalf("%d %s %s", got.Status, got.Header.Get("Location"), got.Body)
		}

		// Whoever comes later, in another browser, is led to the sign-in page, with whatever code.
		late := &reader{t: t, server: server.Beside()}
		if got := late.get("/start"); got.Status != 303 || got.Header.Get("Location") != "/sign-in" {
			t.Errorf("the page is shown again: %d", got.Status)
		}
		if got := late.post("/start", form); got.Status != 303 || got.Header.Get("Location") != "/sign-in?done=begun" ||
			late.cookie != "" {
			t.Errorf("the code works again: %d %s", got.Status, got.Body)
		}
		if got := late.get("/sign-in?done=begun"); got.Status != 200 ||
			!strings.Contains(string(got.Body), "first account already") {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		firstProject(t, r)
		if got := signedIn(t, server, "grace@example.com").get("/operator"); got.Status != 200 {
			t.Errorf("the first account is no operator's: %d", got.Status)
		}
	})
}

// firstProject makes a project on the page for that: nothing that was typed is lost, and a form that is sent twice
// makes one.
func firstProject(t *testing.T, r *reader) {
	t.Helper()
	page := string(r.get("/start/project").Body)
	key := once.FindStringSubmatch(page)
	if key == nil || !strings.Contains(page, "Make the demo project") {
		t.Fatalf("the page is %s", page)
	}
	long := strings.Repeat("x", 300)
	if got := r.post("/start/project", url.Values{"name": {long}}); got.Status != 400 ||
		!strings.Contains(string(got.Body), long) || !strings.Contains(string(got.Body), `aria-invalid="true"`) {
		t.Errorf("a name that is too long: %d %s", got.Status, got.Body)
	}
	if got := r.post("/start/project", url.Values{"name": {" "}}); got.Status != 400 {
		t.Errorf("no name: %d", got.Status)
	}
	to := map[string]bool{}
	for range 2 {
		got := r.post("/start/project", url.Values{"name": {"Harbour Hall <1>"}, "once": key[1:]})
		if got.Status != 303 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		to[got.Header.Get("Location")] = true
	}
	if got := string(r.get("/drawings").Body); len(to) != 1 || strings.Count(got, "Harbour Hall &lt;1&gt;") != 1 {
		t.Errorf("a form that was sent twice leads to %v, and there is %s", to, got)
	}
}

// TestFirstDemo has an operator ask for the demo in a browser: they are on its team.
func TestFirstDemo(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		operator(t, server)
		r := signedIn(t, server, "grace@example.com")
		for range 2 { // once more is no second one
			if got := r.post("/start/project", url.Values{"action": {"demo"}}); got.Status != 303 ||
				got.Header.Get("Location") != "/start/project?done=demo" {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
		}
		if got := string(r.get("/start/project?done=demo").Body); !strings.Contains(got, "The demo project is being made") ||
			strings.Contains(got, "Make the demo project") {
			t.Errorf("the page says %s", got)
		}
		work(t, server)
		await.Until(t, time.Minute, func() string {
			got := string(r.get("/drawings").Body)
			if strings.Count(got, "Mill Creek Elementary School") == 1 {
				return ""
			}
			return got
		})
	})
}

// TestStartInABrowser looks at the pages of the first start, as wide as a phone's and a desk's.
func TestStartInABrowser(t *testing.T) {
	b := openBrowser(t)
	for _, size := range []struct{ width, height int64 }{{360, 780}, {1280, 900}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
			code, err := server.App.Auth.OfferStart(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			v := &visitor{
				tab: b.apart(t).tab(t, size.width, size.height, "light"), width: size.width, server: server,
				shown: map[string]bool{},
			}
			v.open(server.URL + "/")
			v.wait(`document.activeElement.id === 'code'`)
			v.page("start")
			v.fill("#code", "K7QX-4MPD-9TRB-2HWN", "#name", "Grace Hopper", "#email", "grace@example.com", "#password", anvils)
			v.press("Make the account")
			v.says("This is not the code.")
			v.page("start-refused")
			v.fill("#code", code, "#password", anvils)
			v.press("Make the account")
			v.says("Name of the project")
			v.page("start-project")
			v.open(server.URL + "/start/project?done=demo")
			v.says("The demo project is being made.")
			v.page("start-project-demo")
			v.fill("#name", "Harbour Hall")
			v.press("Make the project")
			v.wait(`location.pathname.startsWith('/app/') && location.pathname.length > 10`)
		})
	}
}

// TestGuestInABrowser opens the link that the start of a demo prints: one click leads into its project. Without the
// script there is a button.
func TestGuestInABrowser(t *testing.T) {
	b := openBrowser(t)
	for _, scripted := range []bool{true, false} {
		t.Run(fmt.Sprint("scripts ", scripted), func(t *testing.T) {
			server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
			ada := server.Account("ada", "Ada Lovelace")
			project := ada.Project("Harbour School")
			account, err := server.App.Auth.Account(t.Context(), ada.UID)
			if err != nil {
				t.Fatal(err)
			}
			v := &visitor{tab: b.apart(t).tab(t, 360, 780, "light"), width: 360, server: server, shown: map[string]bool{}}
			if !scripted {
				blocked := network.SetBlockedURLsParams{URLPatterns: []*network.BlockPattern{
					{URLPattern: server.URL + "/assets/enter*", Block: true},
				}}
				if _, err := chromedp.Call(v.ctx, network.SetBlockedURLs, blocked); err != nil {
					t.Fatal(err)
				}
			}
			v.open(server.App.NewGuestLink(server.URL, account))
			if !scripted {
				v.says("You enter as Ada Lovelace")
				v.page("guest")
				v.press("Enter the demo")
			}
			// The page leaves by itself, and with it whatever is asked of it at that moment.
			await.Until(t, time.Minute, func() string {
				at, err := chromedp.Run(v.ctx, chromedp.Evaluate[string](`location.pathname`))
				if err == nil && at == "/app/"+project {
					return ""
				}
				return fmt.Sprint(at, err)
			})
			if got := eval[int](v.tab, `fetch('/me').then(answer => answer.status)`); got != 200 {
				t.Errorf("in the application /me answers %d", got)
			}
		})
	}
}
