package oauth_test

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/grant"
)

// rig is a service, a person in a browser, and an application.
type rig struct {
	t       *testing.T
	server  *apitest.Server
	bob     *apitest.Person
	browser *http.Client
	app     *grant.Application
	secret  string
}

const back = "https://sync.example.com/callback"

func newRig(t *testing.T, engine string, n grant.NewApplication, options ...apitest.Option) *rig {
	t.Helper()
	r := &rig{t: t, server: apitest.Start(t, engine, append(options, apitest.Reachable())...)}
	r.bob = r.server.Account("bob", "Bob Stone")
	if n.Name == "" {
		n.Name = "Sync"
	}
	if len(n.Redirects) == 0 {
		n.Redirects = []string{back}
	}
	var err error
	if r.app, r.secret, err = r.server.App.Auth.CreateApplication(t.Context(), r.bob.UID, n, nil); err != nil {
		t.Fatal(err)
	}
	r.browser = r.newBrowser()
	if res, _ := r.post(r.browser, "/sign-in",
		url.Values{"email": {r.bob.Email}, "password": {"seventeen purple anvils"}}); res.StatusCode != 303 {
		t.Fatalf("signing in: %s", res.Status)
	}
	return r
}

func (r *rig) newBrowser() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func (r *rig) do(c *http.Client, req *http.Request) (*http.Response, string) {
	r.t.Helper()
	res, err := c.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res, string(text)
}

func (r *rig) request(method, path, body string, headers ...string) *http.Request {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.server.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}

func (r *rig) post(c *http.Client, path string, form url.Values, headers ...string) (*http.Response, string) {
	r.t.Helper()
	return r.do(c, r.request("POST", path, form.Encode(),
		append(headers, "Content-Type", "application/x-www-form-urlencoded")...))
}

var hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// consent opens the authorization endpoint as somebody who is signed in, presses a button, and gives where that leads.
func (r *rig) consent(query, decision string) *url.URL {
	r.t.Helper()
	res, page := r.do(r.browser, r.request("GET", "/oauth/authorize?"+query, ""))
	if res.StatusCode == http.StatusOK {
		form := url.Values{"decision": {decision}}
		_, part, _ := strings.Cut(page, `action="/oauth/authorize"`)
		part, _, _ = strings.Cut(part, "</form>")
		for _, m := range hidden.FindAllStringSubmatch(part, -1) {
			form.Add(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
		}
		res, page = r.post(r.browser, "/oauth/authorize", form, "Sec-Fetch-Site", "same-origin")
	}
	if res.StatusCode != http.StatusFound {
		r.t.Fatalf("%s: %s\n%s", query, res.Status, page)
	}
	to, err := res.Location()
	if err != nil {
		r.t.Fatal(err)
	}
	return to
}

// code is the code that a consent gives.
func (r *rig) code(query string) string {
	r.t.Helper()
	code := r.consent(query, "allow").Query().Get("code")
	if code == "" {
		r.t.Fatalf("no code for %s", query)
	}
	return code
}

// answer is what the token endpoint answers.
type answer struct {
	status           int
	header           http.Header
	Access           string `json:"access_token"`
	Refresh          string `json:"refresh_token"`
	Type             string `json:"token_type"`
	Expires          int    `json:"expires_in"`
	Scope            string `json:"scope"`
	Error            string `json:"error"`
	ErrorDescription string `json:"error_description"`
	Active           bool   `json:"active"`
}

func (r *rig) token(form string, headers ...string) answer {
	r.t.Helper()
	return r.send("/oauth/token", form, headers...)
}

func (r *rig) send(path, form string, headers ...string) answer {
	r.t.Helper()
	res, text := r.do(http.DefaultClient, r.request("POST", path, form,
		append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...))
	a := answer{status: res.StatusCode, header: res.Header}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		r.t.Fatalf("%s: %s", res.Status, text)
	}
	return a
}

// me asks who a token acts for.
func (r *rig) me(access string) (status int, body string) {
	r.t.Helper()
	res, text := r.do(http.DefaultClient, r.request("GET", "/me", "", "Authorization", "Bearer "+access))
	return res.StatusCode, text
}

// credentials are those of the application in a body.
func (r *rig) credentials() string { return "client_id=" + r.app.UID + "&client_secret=" + r.secret }
