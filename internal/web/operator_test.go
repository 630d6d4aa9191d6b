package web_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/await"
	"groundwork/internal/store"
)

// TestOperatorProves presses the button that takes the operator's word for an address: what waited for it is open, and
// the button is gone. Nobody else can.
func TestOperatorProves(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		operator(t, server)
		ada, bob := server.Account("ada", "Ada Lovelace"), server.Account("bob", "Bob Stone")
		for _, by := range []*apitest.Person{ada, bob} {
			by.Want(201, "POST", "/projects/"+by.Project("Site of "+by.Name)+"/users/invites",
				map[string]any{"email": "ivy@example.com"})
		}
		proven := func() (uid string, yes bool) {
			t.Helper()
			who, err := server.App.Auth.AccountByEmail(t.Context(), "ivy@example.com")
			if err != nil {
				t.Fatal(err)
			}
			return who.UID, who.Proven
		}
		uid, _ := proven()
		form := url.Values{"uid": {uid}, "action": {"prove"}}
		if got := signedIn(t, server, ada.Email).post("/operator", form); got.Status != 403 {
			t.Errorf("somebody who is no operator: %d", got.Status)
		}
		if got := (&reader{t: t, server: server}).post("/operator", form); got.Status != 303 ||
			got.Header.Get("Location") != "/sign-in" {
			t.Errorf("nobody: %d %s", got.Status, got.Header.Get("Location"))
		}
		if _, yes := proven(); yes {
			t.Error("the address is proven before an operator said so")
		}
		grace := signedIn(t, server, "grace@example.com")
		button := "ivy@example.com is proven</button>"
		if page := grace.get("/operator?q=ivy"); !strings.Contains(string(page.Body), button) ||
			!strings.Contains(string(page.Body), "not proven") {
			t.Errorf("there is no button: %s", page.Body)
		}
		if got := grace.post("/operator", form, "Sec-Fetch-Site", "cross-site", "Origin",
			"https://evil.example"); got.Status != 403 {
			t.Errorf("a page of another site: %d", got.Status)
		}
		got := grace.post("/operator", form)
		if got.Status != 303 || got.Header.Get("Location") != "/operator?done=prove" {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		if page := grace.get("/operator?done=prove"); !strings.Contains(string(page.Body), "The address is proven.") ||
			strings.Contains(string(page.Body), button) {
			t.Errorf("%s", page.Body)
		}
		if _, yes := proven(); !yes {
			t.Error("the address is not proven")
		}
		if got := grace.post("/operator", url.Values{"uid": {"nobody"}, "action": {"prove"}}); got.Status != 404 {
			t.Errorf("an unknown account: %d", got.Status)
		}
	})
}

var furtherOn = regexp.MustCompile(`href="(/operator[^"]*after=[^"]*)"`)

// TestOperatorsTurnPages: the lists of an operator go on to their ends, with nothing twice and nothing left out.
func TestOperatorsTurnPages(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		operator(t, server)
		ada := server.Account("ada", "Ada Lovelace")
		const many = 230
		err := server.App.Store.Write(t.Context(), func(tx *store.Tx) error {
			for i := range many {
				name := fmt.Sprintf("row-%05d", i)
				for sql, args := range map[string][]any{
					`INSERT INTO keys (uid, hash, account, name, created_at)
VALUES ($1, $1, $2, $1, $3)`: {name, ada.UID, tx.Now()},
					`INSERT INTO applications (uid, name, redirects, public, implicit, created_at)
VALUES ($1, $1, '', 1, 0, $2)`: {name, tx.Now()},
				} {
					if err := tx.Exec(sql, args...); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		grace := signedIn(t, server, "grace@example.com")
		for _, path := range []string{"/operator/keys", "/operator/applications"} {
			seen, pages := map[string]int{}, 0
			for next := path; next != ""; pages++ {
				page := grace.get(next)
				if page.Status != 200 || pages > 20 {
					t.Fatalf("%s: %d", next, page.Status)
				}
				here := map[string]bool{}
				for _, name := range regexp.MustCompile(`row-\d{5}`).FindAllString(string(page.Body), -1) {
					here[name] = true
				}
				next = ""
				if more := furtherOn.FindStringSubmatch(string(page.Body)); more != nil {
					next = html.UnescapeString(more[1])
				}
				for name := range here {
					seen[name]++
				}
			}
			twice := 0
			for _, n := range seen {
				if n > 1 {
					twice++
				}
			}
			if len(seen) != many || twice > 0 || pages < 3 {
				t.Errorf("%s: %d of %d on %d pages, %d of them twice", path, len(seen), many, pages, twice)
			}
		}
	})
}

var handedOut = regexp.MustCompile(`<code class="secret" tabindex="0">[^<]*(/reset-password/[^<]+)</code>`)

// TestOperatorHandsOutLinks makes an account and links for it on the page of an operator; whoever has such a link
// chooses the password, once.
func TestOperatorHandsOutLinks(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		operator(t, server)
		ada := server.Account("ada", "Ada Lovelace")
		grace := signedIn(t, server, "grace@example.com")
		create := func(email, name, password string) url.Values {
			return url.Values{"action": {"create"}, "email": {email}, "name": {name}, "present": {password}}
		}
		reset := func(email, password string) url.Values {
			return url.Values{"action": {"reset"}, "email": {email}, "present": {password}}
		}
		for _, c := range []struct {
			name   string
			by     *reader
			form   url.Values
			status int
			says   string
		}{
			{"no operator", signedIn(t, server, ada.Email), create("ivy@example.com", "Ivy Green", anvils), 403, "operators"},
			{"no password", grace, create("ivy@example.com", "Ivy Green", ""), 400, "Your password is needed"},
			{"wrong password", grace, create("ivy@example.com", "Ivy Green", "wrong"), 400, "This is not your password"},
			{"no address", grace, create("", "Ivy Green", anvils), 400, "New account"},
			{"no name", grace, create("ivy@example.com", "", anvils), 400, "New account"},
			{"taken", grace, create(ada.Email, "Ada Lovelace", anvils), 400, "exists already"},
			{"reset with a wrong password", grace, reset(ada.Email, "wrong"), 400, "This is not your password"},
			{"reset of nobody", grace, reset("nobody@example.com", anvils), 404, ""},
		} {
			got := c.by.post("/operator", c.form)
			if got.Status != c.status || !strings.Contains(string(got.Body), c.says) ||
				handedOut.Match(got.Body) {
				t.Errorf("%s: %d %s", c.name, got.Status, got.Body)
			}
		}
		choose := func(form url.Values, password string) {
			t.Helper()
			got := grace.post("/operator", form)
			link := handedOut.FindSubmatch(got.Body)
			if got.Status != 200 || link == nil {
				t.Fatalf("%v: %d %s", form, got.Status, got.Body)
			}
			for i, want := range []int{303, 404} {
				person := &reader{t: t, server: server}
				if got := person.post(string(link[1]), url.Values{"password": {password}}); got.Status != want {
					t.Errorf("use %d of %s: %d %s", i+1, link[1], got.Status, got.Body)
				}
			}
		}
		choose(create("ivy@example.com", "Ivy Green", anvils), "seven green glass bottles")
		choose(reset("ivy@example.com", anvils), "eight brown glass bottles")
		ivy := &reader{t: t, server: server}
		if got := ivy.signIn("ivy@example.com", "eight brown glass bottles"); got.Status != 303 {
			t.Errorf("sign in: %d", got.Status)
		}
		if page := grace.get("/operator?q=ivy"); strings.Contains(string(page.Body), "not proven") {
			t.Errorf("an account that the operator made is not proven: %s", page.Body)
		}
	})
}

// TestOperatorBackups: an operator sees when backups were made and has one made; nobody else does. Where no place is
// told there is nothing to begin.
func TestOperatorBackups(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		const at = "/operator/backups"
		bare := apitest.Start(t, engine)
		operator(t, bare)
		grace := signedIn(t, bare, "grace@example.com")
		if page := grace.get(at); page.Status != 200 || !strings.Contains(string(page.Body), "No server makes backups.") ||
			strings.Contains(string(page.Body), "Make a backup now") {
			t.Errorf("without a place: %d %s", page.Status, page.Body)
		}
		if got := grace.post(at, url.Values{}); got.Status != 400 || !strings.Contains(string(got.Body), "--backup-to PLACE") {
			t.Errorf("to begin without a place: %d %s", got.Status, got.Body)
		}

		server := apitest.Start(t, engine, apitest.BackedUp(t.TempDir()))
		operator(t, server)
		ada := server.Account("ada", "Ada Lovelace")
		if got := signedIn(t, server, ada.Email).post(at, url.Values{}); got.Status != 403 {
			t.Errorf("somebody who is no operator: %d", got.Status)
		}
		grace = signedIn(t, server, "grace@example.com")
		if page := string(grace.get(at).Body); !strings.Contains(page, "makes a backup every 2 days") ||
			!strings.Contains(page, "none yet") {
			t.Errorf("before the first: %s", page)
		}
		if got := grace.post(at, url.Values{}, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); got.Status != 403 {
			t.Errorf("a page of another site: %d", got.Status)
		}
		for range 2 { // the second time there is one already
			if got := grace.post(at, url.Values{}); got.Status != 303 || got.Header.Get("Location") != at+"?done=backup&watch=1" {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
		}
		work(t, server)
		await.True(t, patience, "no backup was made", func() bool {
			page := string(grace.get(at).Body)
			return strings.Contains(page, "Restored and compared") && strings.Contains(page, "all is well")
		})
		if page := string(grace.get(at + "?done=backup").Body); !strings.Contains(page, "A backup is being made.") {
			t.Errorf("afterwards: %s", page)
		}
	})
}

// TestOperatorForgetting: an operator sees what is to be erased and held, and takes back what can be; nobody else does.
func TestOperatorForgetting(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		const at = "/operator/forgetting"
		server := apitest.Start(t, engine)
		operator(t, server)
		ada := server.Account("ada", "Ada Lovelace")
		project := ada.Project("Tower")
		if got := signedIn(t, server, ada.Email).post(at, url.Values{"action": {"hold"}, "project": {project}, "why": {"x"}}); got.Status != 403 {
			t.Errorf("somebody who is no operator: %d", got.Status)
		}
		grace := signedIn(t, server, "grace@example.com")
		does := func(status int, says string, form ...string) {
			t.Helper()
			values := url.Values{}
			for i := 0; i < len(form); i += 2 {
				values.Set(form[i], form[i+1])
			}
			got := grace.post(at, values)
			if got.Status != status || !strings.Contains(got.Header.Get("Location")+string(got.Body), says) {
				t.Errorf("%v: %d %s", form, got.Status, got.Body)
			}
		}
		shows := func(texts ...string) {
			t.Helper()
			page := string(grace.get(at).Body)
			for _, text := range texts {
				if !strings.Contains(page, text) {
					t.Errorf("the page does not say %q: %s", text, page)
				}
			}
		}
		shows("No project is to be erased.", "for ever", "Nothing was erased, held or kept no longer.")
		does(400, "does not exist", "action", "hold", "project", "<b>", "why", "x")
		does(400, "A hold has a reason", "action", "hold", "project", project, "why", " ")
		does(400, "nothing of that name", "action", "erase", "project", project)
		does(400, "is not to be erased", "action", "keep", "project", project)
		does(303, at+"?done=hold", "action", "hold", "project", project, "why", "Case <4711>")
		shows(project, "Case &lt;4711&gt;", "Release the hold")
		does(303, at+"?done=release", "action", "release", "project", project)
		if _, err := server.App.Forgetting().EraseLater(t.Context(), project, time.Hour, "a test"); err != nil {
			t.Fatal(err)
		}
		shows("Keep it", "erasure of project asked for", "hold released")
		does(303, at+"?done=keep", "action", "keep", "project", project)
		ada.Want(200, "GET", "/projects/"+project, nil)
	})
}
