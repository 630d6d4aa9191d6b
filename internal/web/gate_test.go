package web_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
	"groundwork/internal/identity"
	"groundwork/internal/web"
)

// reader is somebody with a browser that does only what it is told: its cookie is whatever the last page set.
type reader struct {
	t      *testing.T
	server *apitest.Server
	cookie string
}

func (r *reader) get(path string, headers ...string) apitest.Response {
	r.t.Helper()
	return r.send("GET", path, nil, headers...)
}

func (r *reader) post(path string, form url.Values, headers ...string) apitest.Response {
	r.t.Helper()
	return r.send("POST", path, form.Encode(), append(headers, "Content-Type", "application/x-www-form-urlencoded")...)
}

func (r *reader) send(method, path string, body any, headers ...string) apitest.Response {
	r.t.Helper()
	h := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	if r.cookie != "" {
		h.Set("Cookie", r.cookie)
	}
	got, err := r.server.Try(method, path, body, h)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, set := range got.Header["Set-Cookie"] {
		if cookie, _, _ := strings.Cut(set, ";"); !strings.HasPrefix(cookie, "groundwork-account=") {
			r.cookie = cookie
		}
	}
	return got
}

func (r *reader) signIn(email, password string, headers ...string) apitest.Response {
	r.t.Helper()
	return r.post("/sign-in", url.Values{"email": {email}, "password": {password}}, headers...)
}

// signedIn gives a reader who is signed in.
func signedIn(t *testing.T, server *apitest.Server, email string) *reader {
	t.Helper()
	r := &reader{t: t, server: server}
	if got := r.signIn(email, anvils); got.Status != 303 {
		t.Fatalf("signing in: %d %s", got.Status, got.Body)
	}
	return r
}

// operator makes the account of grace, who runs the installation.
func operator(t *testing.T, server *apitest.Server) {
	t.Helper()
	_, err := server.App.Auth.CreateAccount(context.Background(), identity.NewAccount{
		Email: "grace@example.com", Name: "Grace Hopper", Password: anvils, Operator: true,
	})
	if err != nil {
		t.Fatal(err)
	}
}

var parameter = regexp.MustCompile(`\{\w+\}`)

// TestEveryFormStaysHome sends every form of every page as a page of another site would, and as browsers say it:
// nothing is done. Pages cannot be framed or kept, and tell no other site where somebody was.
func TestEveryFormStaysHome(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite)
	operator(t, server)
	r := signedIn(t, server, "grace@example.com")
	// These show a secret once, and have a script that copies it, or send the form of the demo's link, or are the
	// application; no other page has any.
	scripted := map[string]bool{
		"/account/keys": true, "/account/applications": true,
		"/account/applications/{application}": true, "/operator": true, "/demo/{guest}": true,
		"/app/{rest...}": true, "/app/worker.js": true, "/assets/app/{build}/{part}": true,
	}
	forms := 0
	for _, route := range server.Edge.Routes() {
		if route.Page != web.Site && (route.Page == nil || route.Tag != "pages") {
			continue
		}
		path := parameter.ReplaceAllString(route.Pattern, "x")
		if route.Method == "POST" {
			forms++
			for _, from := range [][]string{
				{"Sec-Fetch-Site", "cross-site"},
				{"Sec-Fetch-Site", "same-site"},
				{"Origin", "https://evil.example"},
				{"Origin", "null"},
				{"Origin", "https://groundwork.test.evil.example"},
			} {
				if got := r.post(path, url.Values{"action": {"others"}}, from...); got.Status != 403 ||
					!strings.Contains(string(got.Body), "another site") {
					t.Errorf("POST %s from %q: %d %s", path, from, got.Status, got.Body)
				}
			}
		}
		for _, got := range []apitest.Response{
			r.send(route.Method, path, nil),
			(&reader{t: t, server: server}).send(route.Method, path, nil),
		} {
			h := got.Header
			if !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
				!strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") ||
				(strings.Contains(h.Get("Content-Security-Policy"), "script-src") != scripted[route.Pattern]) ||
				h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" ||
				h.Get("Cross-Origin-Opener-Policy") != "same-origin" ||
				h.Get("Access-Control-Allow-Origin") != "" || !strings.Contains(h.Get("Cache-Control"), "no-") ||
				got.Status >= 500 {
				t.Errorf("%s %s: %d %v", route.Method, path, got.Status, h)
			}
		}
	}
	if forms < 16 {
		t.Errorf("there are only %d forms", forms)
	}
	// None of them was done: grace is still signed in.
	if got := signedIn(t, server, "grace@example.com").get("/account/security"); got.Status != 200 {
		t.Errorf("%d", got.Status)
	}
}

// TestSession holds what a session is in the browser: new at each sign-in, whatever the browser brought, and over
// afterwards.
func TestSession(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite)
	operator(t, server)
	ada := server.Account("ada", "Ada Lovelace")
	planted, _ := credential.NewSecret(credential.KindSession)
	r := &reader{t: t, server: server, cookie: "__Host-groundwork=" + planted}
	got := r.signIn("grace@example.com", anvils)
	set := got.Header.Get("Set-Cookie")
	if got.Status != 303 || strings.Contains(set, planted) || got.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v", got.Status, got.Header)
	}
	for _, want := range []string{
		"__Host-groundwork=gwb_", "; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax",
		"; Max-Age=2592000",
	} {
		if !strings.Contains(set, want) || strings.Contains(set, "Domain") {
			t.Errorf("the cookie %s lacks %s", set, want)
		}
	}
	if got := (&reader{
		t: t, server: server,
		cookie: "__Host-groundwork=" + planted,
	}).get("/account"); got.Status != 303 {
		t.Errorf("the planted session: %d", got.Status)
	}
	// Somebody else signs in there: the first session is over.
	first := *r
	if got := r.signIn(ada.Email, anvils); got.Status != 303 {
		t.Fatalf("%d", got.Status)
	}
	if got := first.get("/account"); got.Status != 303 {
		t.Errorf("the session before: %d", got.Status)
	}
	// So it is when a link is followed there, and after signing out, for whoever kept the cookie.
	second := *r
	link, err := server.App.ResetLink(t.Context(), "grace@example.com")
	if err != nil {
		t.Fatal(err)
	}
	path := strings.TrimPrefix(link, apitest.Base)
	if got := r.post(path, url.Values{"password": {"nineteen yellow hammers"}}); got.Status != 303 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if got := second.get("/account"); got.Status != 303 {
		t.Errorf("the session before the link: %d", got.Status)
	}
	if got := r.post(path, url.Values{"password": {"twenty yellow hammers"}}); got.Status != 404 {
		t.Errorf("the link again: %d", got.Status)
	}
	third := *r
	if got := r.post("/sign-out", nil); got.Status != 303 ||
		!strings.Contains(got.Header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("%d %v", got.Status, got.Header)
	}
	if got := third.get("/account"); got.Status != 303 {
		t.Errorf("the session after signing out: %d", got.Status)
	}
}

// TestNext holds that signing in and out never leads anywhere else.
func TestNext(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite)
	operator(t, server)
	for next, want := range map[string]string{
		"": "/app/", "/": "/app/", "/operator/keys?a=b#c": "/operator/keys?a=b#c",
		"/oauth/authorize?client_id=x&redirect_uri=https%3A%2F%2Fx": "/oauth/authorize?client_id=x&redirect_uri=https%3A%2F%2Fx",
		"//evil.example": "/app/", "///evil.example": "/app/", `/\evil.example`: "/app/", `\/evil.example`: "/app/",
		"https://evil.example": "/app/", "https:evil.example": "/app/",
		"javascript:alert(1)": "/app/", "evil.example": "/app/", " //evil.example": "/app/", "/\t/evil.example": "/app/",
		"/\n/evil.example": "/app/", "\t//evil.example": "/app/",
		"/account\r\nSet-Cookie: a=b": "/app/", "/" + strings.Repeat("a", 5000): "/app/",
		"/%0d%0aSet-Cookie:a=b": "/%0d%0aSet-Cookie:a=b", `/a\..\..\\evil.example`: "/app/",
	} {
		r := &reader{t: t, server: server}
		if got := r.post("/sign-in", url.Values{
			"email": {"grace@example.com"}, "password": {anvils},
			"next": {next},
		}); got.Status != 303 || got.Header.Get("Location") != want {
			t.Errorf("%q leads to %q", next, got.Header.Get("Location"))
		}
		if got := r.get("/sign-in?next=" + url.QueryEscape(next)); got.Status != 303 ||
			got.Header.Get("Location") != want {
			t.Errorf("signed in already, %q leads to %q", next, got.Header.Get("Location"))
		}
		if got := r.post("/sign-out", url.Values{"next": {next}}); got.Status != 303 ||
			!strings.HasPrefix(got.Header.Get("Location"), "/sign-in?done=out") ||
			next != "" && !strings.HasSuffix(got.Header.Get("Location"), "&next="+url.QueryEscape(want)) {
			t.Errorf("signing out with %q leads to %q", next, got.Header.Get("Location"))
		}
	}
}

// TestNobodyIsToldWhoHasAnAccount compares what is answered about people who are there, are not, were invited, or are
// disabled: every byte and header is the same.
func TestNobodyIsToldWhoHasAnAccount(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite, apitest.Mailed())
	ada, eve := server.Account("ada", "Ada Lovelace"), server.Account("eve", "Eve Stone")
	ada.Want(201, "POST", "/projects/"+ada.Project("Harbour Bridge")+"/users/invites",
		map[string]any{"email": "ivy@example.com"})
	if err := server.App.Auth.DisableAccount(t.Context(), eve.UID, true); err != nil {
		t.Fatal(err)
	}
	people := []string{"nix@example.com", "ada@example.com", "ivy@example.com", "eve@example.com", "ADA@example.com"}
	ask := func(path, email, password string) string {
		t.Helper()
		got := (&reader{t: t, server: server}).post(path, url.Values{"email": {email}, "password": {password}})
		got.Header.Del("Date")
		got.Header.Del("X-Request-Id")
		var all strings.Builder
		if err := got.Header.Write(&all); err != nil {
			t.Fatal(err)
		}
		return http.StatusText(got.Status) + "\n" + all.String() + strings.ReplaceAll(string(got.Body), email, "EMAIL")
	}
	for path, password := range map[string]string{"/sign-in": "nothing of the kind", "/forgot-password": ""} {
		want := ask(path, people[0], password)
		for _, email := range people[1:] {
			if got := ask(path, email, password); got != want {
				t.Errorf("%s tells about %s:\n%s\nnot\n%s", path, email, got, want)
			}
		}
		if strings.Contains(want, "Set-Cookie") {
			t.Errorf("%s sets a cookie: %s", path, want)
		}
	}
	// Who knows the password is told that the account is disabled.
	if got := ask("/sign-in", eve.Email, anvils); !strings.Contains(got, "has been disabled") ||
		strings.Contains(got, "Set-Cookie") {
		t.Errorf("%s", got)
	}
}

// TestGuessing shows what a person sees who guesses too often: the same page, 429, and when to come back.
func TestGuessing(t *testing.T) {
	var pauses []time.Duration
	server := apitest.Start(t, apitest.SQLite, apitest.Pauses(func(d time.Duration) { pauses = append(pauses, d) }))
	operator(t, server)
	r := &reader{t: t, server: server}
	for i := range 11 {
		got := r.signIn("grace@example.com", "nothing of the kind")
		if want := map[bool]int{true: 403, false: 429}[i < 10]; got.Status != want {
			t.Errorf("attempt %d: %d", i+1, got.Status)
		}
		if i == 10 && (got.Header.Get("Retry-After") == "" || !strings.Contains(string(got.Body), "tried too often") ||
			!strings.Contains(string(got.Body), `name="password"`)) {
			t.Errorf("%v %s", got.Header, got.Body)
		}
	}
	if len(pauses) != 7 || pauses[0] >= pauses[4] {
		t.Errorf("the pauses were %v", pauses)
	}
	if got := r.signIn("grace@example.com", anvils); got.Status != 429 {
		t.Errorf("the right password: %d", got.Status)
	}
}

// TestDisabledEverywhere has an operator disable somebody with everything that lets them in: all of it stops, and
// nothing of it after another second.
func TestDisabledEverywhere(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		operator(t, server)
		ctx, ada := t.Context(), server.Account("ada", "Ada Lovelace")
		project := ada.Project("Harbour Bridge")
		app, secret, err := server.App.Auth.CreateApplication(ctx, "", grant.NewApplication{
			Name: "Sync", Redirects: []string{"https://sync.example.com/callback"},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		ask := grant.Ask{Application: app.UID, Account: ada.UID, Scopes: credential.AllScopes}
		code, err := server.App.Auth.Allow(ctx, ask)
		if err != nil {
			t.Fatal(err)
		}
		used, err := server.App.Auth.Allow(ctx, ask)
		if err != nil {
			t.Fatal(err)
		}
		tokens, err := server.App.Auth.Redeem(ctx, used, app.UID, "", "")
		if err != nil {
			t.Fatal(err)
		}
		link, err := server.App.ResetLink(ctx, ada.Email)
		if err != nil {
			t.Fatal(err)
		}
		browser, nobody := signedIn(t, server, ada.Email), &reader{t: t, server: server}
		exchange := func(path string, more url.Values) apitest.Response {
			more.Set("client_id", app.UID)
			more.Set("client_secret", secret)
			return nobody.post(path, more)
		}
		ways := map[string]func() apitest.Response{
			"key": func() apitest.Response { return ada.Do("GET", "/projects/"+project, nil) },
			"key in a batch": func() apitest.Response {
				return ada.Do("POST", "/batch", []map[string]any{{"method": "GET", "path": "/me"}})
			},
			"token": func() apitest.Response {
				return nobody.get("/me", "Authorization", "Bearer "+tokens.Access)
			},
			"page":        func() apitest.Response { return browser.get("/account") },
			"page's call": func() apitest.Response { return browser.get("/me", "Sec-Fetch-Site", "same-origin") },
			"link":        func() apitest.Response { return nobody.get(strings.TrimPrefix(link, apitest.Base)) },
		}
		for name, way := range ways {
			if got := way(); got.Status != 200 {
				t.Errorf("%s before: %d %s", name, got.Status, got.Body)
			}
		}
		grace := signedIn(t, server, "grace@example.com")
		if got := grace.post("/operator", url.Values{"uid": {ada.UID}, "action": {"disable"}}); got.Status != 303 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		want := map[string]int{
			"key": 403, "key in a batch": 403, "token": 401, "page": 303, "page's call": 401, "link": 404,
		}
		for name, way := range ways {
			if got := way(); got.Status != want[name] {
				t.Errorf("%s after: %d %s", name, got.Status, got.Body)
			}
		}
		for name, got := range map[string]apitest.Response{
			"code": exchange("/oauth/token", url.Values{"grant_type": {"authorization_code"}, "code": {code}}),
			"refresh": exchange("/oauth/token", url.Values{
				"grant_type": {"refresh_token"}, "refresh_token": {tokens.Refresh},
			}),
		} {
			if got.Status != 400 || got.Text("error") != "invalid_grant" {
				t.Errorf("%s after: %d %s", name, got.Status, got.Body)
			}
		}
		if got := exchange("/oauth/introspect",
			url.Values{"token": {tokens.Access}}); string(got.Body) != `{"active":false}` {
			t.Errorf("introspection after: %s", got.Body)
		}
		if got := nobody.signIn(ada.Email, anvils); got.Status != 403 || nobody.cookie != "" {
			t.Errorf("signing in after: %d", got.Status)
		}
		if got := grace.post("/operator", url.Values{"uid": {ada.UID}, "action": {"enable"}}); got.Status != 303 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		for name, way := range ways {
			if got := way(); got.Status != 200 {
				t.Errorf("%s, let in again: %d %s", name, got.Status, got.Body)
			}
		}
		// Nobody shuts themselves out, and nobody else does it.
		if got := grace.post("/operator", url.Values{"uid": {grace.uid(t)}, "action": {"disable"}}); got.Status != 403 {
			t.Errorf("oneself: %d", got.Status)
		}
		if got := browser.post("/operator",
			url.Values{"uid": {grace.uid(t)}, "action": {"disable"}}); got.Status != 403 {
			t.Errorf("not an operator: %d", got.Status)
		}
	})
}

// uid is who is signed in.
func (r *reader) uid(t *testing.T) string {
	t.Helper()
	got := r.get("/me", "Sec-Fetch-Site", "same-origin")
	if got.Status != 200 {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	return got.Text("uid")
}

// TestLostPeople shows people who ask for what does not exist a page, and programs JSON.
func TestLostPeople(t *testing.T) {
	r := &reader{t: t, server: apitest.Start(t, apitest.SQLite)}
	page := r.get("/nowhere", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	if page.Status != 404 || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") ||
		!strings.Contains(string(page.Body), "To your projects") {
		t.Errorf("a browser: %d %s", page.Status, page.Body)
	}
	for _, accept := range []string{"", "*/*", "application/json"} {
		if got := r.get("/nowhere", "Accept", accept); got.Status != 404 ||
			got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("a program with %q: %d %s", accept, got.Status, got.Body)
		}
	}
}

// TestForgottenWithoutMail tells people what to do where no letter can reach them, and sends none.
func TestForgottenWithoutMail(t *testing.T) {
	for mailed, want := range map[bool]string{false: "This service sends no mail", true: "a link is on its way"} {
		var options []apitest.Option
		if mailed {
			options = append(options, apitest.Mailed())
		}
		r := &reader{t: t, server: apitest.Start(t, apitest.SQLite, options...)}
		if got := r.post("/forgot-password", url.Values{"email": {"ada@example.com"}}); got.Status != 200 ||
			!strings.Contains(string(got.Body), want) {
			t.Errorf("mailed %v: %d %s", mailed, got.Status, got.Body)
		}
	}
}

// TestInvitationNames has the page of an invitation say who invites, and to which project.
func TestInvitationNames(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		server := apitest.Start(t, engine)
		ada := server.Account("ada", "Ada Lovelace")
		link := ada.Want(201, "POST", "/projects/"+ada.Project("Harbour <School>")+"/users/invites",
			map[string]any{"email": "ivy@example.com"}).Text("invitation_url")
		got := (&reader{t: t, server: server}).get(strings.TrimPrefix(link, apitest.Base), "Accept", "text/html")
		for _, want := range []string{"<strong>Ada Lovelace</strong>", "<strong>Harbour &lt;School&gt;</strong>"} {
			if !strings.Contains(string(got.Body), want) {
				t.Errorf("the page lacks %s: %s", want, got.Body)
			}
		}
	})
}

// TestLimitsInWords writes rate limits as people say them.
func TestLimitsInWords(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite)
	operator(t, server)
	server.Account("ada") // who has a key
	grace := signedIn(t, server, "grace@example.com")
	if got := string(grace.get("/operator/keys").Body); strings.Contains(got, "as usual") ||
		!strings.Contains(got, "requests a second") {
		t.Errorf("%s", got)
	}
}
