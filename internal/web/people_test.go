package web_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"groundwork/internal/apitest"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
	"groundwork/internal/web"
)

// visitor is somebody in a browser, with what every page that they see is held to.
type visitor struct {
	*tab
	width  int64
	server *apitest.Server
	shown  map[string]bool
}

// pictured are the pages that docs/people.md shows: on a desk in light, on a phone in dark.
var pictured = map[string]bool{
	"sign-in": true, "consent": true, "keys": true, "operator-sure": true,
}

// page, with GROUNDWORK_PICTURES=FOLDER, leaves pictures of every page to look at. It holds what every page must be: as
// wide as the window, free of barriers, in light and in dark, and readable with the keyboard alone.
func (v *visitor) page(name string) {
	v.t.Helper()
	if v.shown[name] {
		return
	}
	v.shown[name] = true
	if got := eval[int64](v.tab, `document.documentElement.scrollWidth`); got > v.width {
		v.t.Errorf("%s is %d px wide", name, got)
	}
	for _, scheme := range []string{"dark", "light"} {
		v.prefer(scheme)
		for _, barrier := range v.barriers("html") {
			v.t.Errorf("%s, %s: %s", name, scheme, barrier)
		}
		if *web.Update && pictured[name] && (scheme == "dark") == (v.width < 1000) {
			v.picture(fmt.Sprintf("../../docs/img/%s-%d.png", name, v.width))
		}
		if folder := os.Getenv("GROUNDWORK_PICTURES"); folder != "" {
			v.picture(fmt.Sprintf("%s/%s-%d-%s.png", folder, name, v.width, scheme))
		}
	}
	v.keyboard(name)
	if small := eval[[]string](v.tab,
		`[...document.querySelectorAll('button, summary, .field')].filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24).map(e => e.outerHTML)`); len(small) > 0 {
		v.t.Errorf("%s has what a finger misses: %q", name, small)
	}
}

// keyboard goes through the page with the tab key: everything that can be used is reached once, in the order in which
// it is read, and shows where one is.
func (v *visitor) keyboard(name string) {
	v.t.Helper()
	stops := eval[int](v.tab, `(() => {
		document.activeElement.blur();
		window.stops = [...document.querySelectorAll('a[href], button, summary, input, textarea, select, [tabindex]')].filter(e => e.type !== 'hidden' && e.tabIndex >= 0 && !e.disabled && e.checkVisibility());
		const start = document.createElement('span');
		start.tabIndex = -1;
		document.body.prepend(start);
		start.focus();
		start.remove();
		return window.stops.length;
	})()`)
	for i := range stops {
		v.do(chromedp.KeyEvent(kb.Tab))
		at := eval[string](v.tab, fmt.Sprintf(`(() => {
			const on = document.activeElement, want = window.stops[%d];
			if (on !== want) return 'the focus is on ' + on.outerHTML.slice(0, 120) + ', not on ' + want.outerHTML.slice(0, 120);
			const style = getComputedStyle(on);
			if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) return 'it does not show that the focus is on ' + on.outerHTML.slice(0, 120);
			return '';
		})()`, i))
		if at != "" {
			v.t.Errorf("%s, stop %d of %d: %s", name, i+1, stops, at)
			return
		}
	}
}

func (v *visitor) says(text string) {
	v.t.Helper()
	if got := eval[string](v.tab, `document.body.innerText`); !strings.Contains(got, text) {
		v.t.Fatalf("%s does not say %q:\n%s", eval[string](v.tab, `location.href`), text, got)
	}
}

// press clicks what is called so and waits for the page that follows.
func (v *visitor) press(label string) {
	v.t.Helper()
	eval[bool](v.tab, `window.before = true`)
	found := eval[bool](v.tab, fmt.Sprintf(`(() => {
		const b = [...document.querySelectorAll('button, a')].find(e => e.innerText.trim() === %q && e.checkVisibility());
		if (!b) return false;
		setTimeout(() => b.click());
		return true;
	})()`, label))
	if !found {
		v.t.Fatalf("there is no button %q on %s", label, eval[string](v.tab, `document.body.innerText`))
	}
	v.arrived()
}

// arrived waits for another document.
func (v *visitor) arrived() {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, patience)
	defer cancel()
	for {
		// While one page gives way to the next, there is none to ask.
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`!window.before && document.readyState === 'complete'`))
		if err == nil && there {
			return
		}
		if ctx.Err() != nil {
			v.t.Fatalf("no page follows: %v", err)
		}
	}
}

func (v *visitor) fill(values ...string) {
	v.t.Helper()
	for i := 0; i < len(values); i += 2 {
		eval[bool](v.tab, fmt.Sprintf(`(document.querySelector(%q).value = '', true)`, values[i]))
		v.enter(values[i], values[i+1])
	}
}

const anvils = apitest.Password

// TestPeople goes through the pages of people in a real browser, as wide as a phone's and a desk's.
func TestPeople(t *testing.T) {
	b := openBrowser(t)
	for _, size := range []struct{ width, height int64 }{{360, 780}, {1280, 900}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
			ada := server.Account("ada", "Ada Lovelace")
			operator(t, server)
			v := &visitor{
				tab: b.tab(t, size.width, size.height, "light"), width: size.width, server: server,
				shown: map[string]bool{},
			}

			v.open(server.URL + "/account/keys")
			// a browser gives the focus when it draws, which may be after the page is there
			v.wait(`document.activeElement.id === 'email'`)
			v.page("sign-in")
			v.fill("#email", "grace@example.com", "#password", "something else entirely")
			v.press("Sign in")
			v.says("The e-mail address or the password is wrong.")
			v.page("sign-in-refused")
			v.fill("#email", "grace@example.com", "#password", anvils)
			v.press("Sign in")

			// The wish is remembered: the keys are shown.
			v.says("You have none yet.")
			v.page("keys-none")
			v.fill("#name", "Nightly export", "#present", anvils)
			v.press("Create a key")
			v.says("Copy it now")
			key := eval[string](v.tab, `document.querySelector('.card-secret code').textContent`)
			eval[bool](v.tab, `(navigator.clipboard.writeText = text => (window.copied = text, Promise.resolve()), true)`)
			v.click("[data-copy]")
			v.wait(`window.copied !== undefined && document.querySelector('[data-copy]').textContent === 'Copied'`)
			if copied := eval[string](v.tab, `window.copied`); copied != key {
				t.Errorf("copied %q, not %q", copied, key)
			}
			v.page("keys")
			if !credential.ValidSecret(credential.KindKey, key) {
				t.Errorf("the key is %q", key)
			}
			v.open(server.URL + "/account/keys")
			if strings.Contains(eval[string](v.tab, `document.documentElement.outerHTML`), key) {
				t.Error("a key is shown twice")
			}
			v.click(".sure summary")
			v.press("Deactivate Nightly export")
			v.says("The key is deactivated.")

			v.press("Profile")
			v.fill("#company", "Navy & Sons <Ltd>")
			v.press("Save")
			v.says("Your profile is saved.")
			v.page("profile")

			v.press("Security")
			v.says("this browser")
			v.page("security")
			v.fill("#old", "something else entirely", "#password", "nineteen yellow hammers")
			v.press("Change the password")
			v.says("This is not your present password.")
			v.page("security-refused")

			v.press("My apps")
			v.fill("#name", "Punch List Sync", "#redirect_uris", "http://example.com/cb", "#present", anvils)
			v.press("Register")
			v.says("for this machine only")
			v.page("applications-refused")
			v.fill("#name", "Punch List Sync", "#redirect_uris", "https://sync.example.com/callback", "#present",
				anvils)
			v.press("Register")
			v.says("Punch List Sync is registered")
			v.page("applications")
			v.press("Punch List Sync")
			v.page("application")
			v.click(".sure summary")
			v.fill("#present", anvils)
			v.press("Make a new secret")
			v.says("The one before is worthless.")

			tower, cellar := ada.Project("Tower"), ada.Project("Cellar")
			if v.width < 768 { // there the rooms of the installation are behind one word
				v.press("The installation")
			}
			v.press("Accounts")
			v.says(ada.Email)
			v.page("operator")
			v.click(".making summary")
			v.page("operator-making")
			v.fill("#email", ada.Email, "#name", "Ivy Green", "#present", anvils)
			v.press("Make the account")
			v.says("exists already")
			v.page("operator-making-refused")
			v.fill("#email", "ivy@example.com", "#name", "Ivy Green", "#present", anvils)
			v.press("Make the account")
			v.says("A link for ivy@example.com")
			v.page("operator-made")
			v.open(server.URL + "/operator")
			v.click(".thing:first-child .sure summary")
			v.says("choose a password for " + ada.Email)
			v.page("operator-link")
			v.click(".thing:first-child .sure:last-of-type summary")
			v.page("operator-sure")
			v.press("Disable " + ada.Email)
			v.says("The account is disabled.")
			if r, err := server.Try("GET", "/me", nil,
				map[string][]string{"Authorization": {basicOf(ada.Key)}}); err != nil || r.Status != 403 {
				t.Errorf("a disabled account: %d %v", r.Status, err)
			}
			v.press("All keys")
			v.page("operator-keys")
			v.press("All apps")
			v.page("operator-applications")
			v.press("State")
			v.says("Background work")
			v.page("operator-state")
			v.press("Versions")
			v.says("Version 1")
			v.page("operator-versions")
			v.click(".sure summary")
			v.press("Deprecate version 1")
			v.says("The version is deprecated.")
			v.page("operator-versions-deprecated")
			v.press("Take version 1 back into service")
			v.forgetting(tower, cellar)
			v.press("Sign out")
			v.says("work that was not sent yet")
			v.page("sign-out")
			v.press("Sign out")
			v.says("You are signed out.")
			v.page("signed-out")

			v.press("Forgotten password?")
			v.says("This service sends no mail")
			v.page("forgot-password")

			link, err := server.App.ResetLink(context.Background(), "grace@example.com")
			if err != nil {
				t.Fatal(err)
			}
			v.open(link)
			v.says("You will be signed out everywhere else.")
			v.page("reset-password")
			v.fill("#password", "grace@example.com")
			v.press("Set the password")
			v.says("A password is not the e-mail address")
			v.page("reset-password-refused")
			v.open(server.URL + "/oauth/authorize?response_type=code&client_id=nobody")
			v.says("is not registered with this service")
			v.page("refusal-client")

			elsewhere, console := v.seen(server.URL)
			if len(elsewhere) > 0 {
				t.Errorf("pages asked elsewhere: %q", elsewhere)
			}
			for _, line := range console {
				if !refusalInConsole.MatchString(line) {
					t.Errorf("the console says: %q", line)
				}
			}
		})
	}
}

// refusalInConsole is what a browser says of a page whose status is an error, and of a sign-out that cleared its data.
var refusalInConsole = regexp.MustCompile(`the server responded with a status of 4\d\d|^info: Clear-Site-Data`)

func basicOf(key string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":"))
}

// TestInvitationAndConsent follows somebody who is invited, sets a password, and allows an application to act for them.
func TestInvitationAndConsent(t *testing.T) {
	b := openBrowser(t)
	for _, size := range []struct{ width, height int64 }{{360, 780}, {1280, 900}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			server := apitest.Start(t, apitest.SQLite, apitest.Reachable())
			arrived := make(chan string, 10)
			elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/back" {
					arrived <- r.URL.RequestURI()
				}
				fmt.Fprint(w, "<!doctype html><title>Back</title><p>Back at the application.")
			}))
			defer elsewhere.Close()
			ada := server.Account("ada", "Ada Lovelace")
			project := ada.Project("Harbour Bridge")
			app, secret, err := server.App.Auth.CreateApplication(t.Context(), ada.UID, grant.NewApplication{
				Name: "Punch List Sync", Redirects: []string{elsewhere.URL + "/back"}, Logo: testLogo,
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			v := &visitor{
				tab: b.tab(t, size.width, size.height, "light"), width: size.width, server: server,
				shown: map[string]bool{},
			}

			link := ada.Want(201, "POST", "/projects/"+project+"/users/invites",
				map[string]any{"email": "ivy@example.com"}).Text("invitation_url")
			v.open(link)
			v.says("has invited you to the project")
			v.page("invitation")
			v.fill("#name", "Ivy Stone", "#password", "ivy@example.com")
			v.press("Accept the invitation")
			v.says("A password is not the e-mail address")
			v.page("invitation-refused")
			v.fill("#name", "Ivy Stone", "#password", anvils)
			v.press("Accept the invitation")
			v.wait(`location.pathname === "/app/" && document.getElementById("app")?.children.length > 0`)
			v.open(link)
			v.says("This link has been used already")
			v.page("refusal")

			ask := server.URL + "/oauth/authorize?response_type=code&client_id=" + app.UID + "&state=s"
			v.open(ask)
			v.says("Allow Punch List Sync?")
			v.says("See and change the data of all projects")
			v.page("consent")
			v.press("Deny")
			if got := <-arrived; !strings.Contains(got, "error=access_denied") || !strings.Contains(got, "state=s") {
				t.Errorf("denying led to %s", got)
			}
			v.open(ask)
			v.press("Allow")
			to, err := url.Parse(<-arrived)
			if err != nil {
				t.Fatal(err)
			}
			form := url.Values{
				"grant_type": {"authorization_code"}, "code": {to.Query().Get("code")},
				"client_id": {app.UID}, "client_secret": {secret},
			}
			r, err := server.Try("POST", "/oauth/token", form.Encode(), http.Header{
				"Content-Type": {"application/x-www-form-urlencoded"},
			})
			if err != nil || r.Status != 200 {
				t.Fatalf("%d %s %v", r.Status, r.Body, err)
			}
			access := http.Header{"Authorization": {"Bearer " + r.Text("access_token")}}
			if me, err := server.Try("GET", "/me", nil, access); err != nil || me.Text("email") != "ivy@example.com" ||
				me.Text("last_name") != "Stone" {
				t.Errorf("%s %v", me.Body, err)
			}
			v.open(server.URL + "/operator")
			v.says("This page is for the operators")
			v.page("refusal-operator")
			rfi := ada.Want(201, "POST", "/projects/"+project+"/rfis", map[string]any{
				"title": "Which handrail?", "question": "On the north side.\nMind the gap.",
				"assigned_to_uids": []string{ada.UID}, "due_at": "2026-12-01T09:00:00Z",
			}).Text("uid")
			ada.Want(201, "POST", "/projects/"+project+"/rfis/"+rfi+"/comments",
				map[string]any{"text": "Who has the key?"})
			v.open(server.URL + "/r/" + project + "/rfis/" + rfi)
			v.says("1 December 2026, 09:00 UTC")
			v.page("record")
			v.open(server.URL + "/account/authorizations")
			v.says("Punch List Sync")
			v.page("authorizations")
			v.click(".sure summary")
			v.press("Shut Punch List Sync out")
			v.says("The application is shut out.")
			if me, err := server.Try("GET", "/me", nil, access); err != nil || me.Status != 401 {
				t.Errorf("%d %v", me.Status, err)
			}
		})
	}
}

// testLogo is a small picture: an orange square.
const testLogo = "data:image/gif;base64,R0lGODdhAgACAIAAAOh3IgAAACwAAAAAAgACAAACAoRRADs="

// forgetting shows an operator a project that is held and one that is to be erased, and takes that back.
func (v *visitor) forgetting(tower, cellar string) {
	v.t.Helper()
	f := v.server.App.Forgetting()
	if _, err := f.EraseLater(v.t.Context(), cellar, 30*24*time.Hour, "the operator, at the command line"); err != nil {
		v.t.Fatal(err)
	}
	v.press("Forgetting")
	v.fill("#project", tower, "#why", "Case 4711, Smith v. Tower Ltd.")
	v.press("Hold the project")
	v.says("The project is held.")
	v.page("operator-forgetting")
	v.click(".sure summary")
	v.page("operator-forgetting-release")
	v.fill("#project", tower, "#why", "twice")
	v.press("Hold the project")
	v.says("is held: Case 4711")
	v.press("Keep it")
	v.says("The project is kept")
}
