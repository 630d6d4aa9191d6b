package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
)

// sheaf is what a browser or an application sends.
type sheaf map[string]string

func (f sheaf) encode() string {
	values := url.Values{}
	for name, value := range f {
		values.Set(name, value)
	}
	return values.Encode()
}

func escape(s string) string { return url.QueryEscape(s) }

// application is what the command line prints.
type application struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// tokens is what the token endpoint answers.
type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Error   string `json:"error"`
}

// heist is a service with a person who is signed in, and whoever wants something of hers.
type heist struct {
	*site
	app, other, public application
	back               string
	browser, plain     *http.Client
	tried, got         int
}

const (
	password = "a crane over the harbour at dawn" // of ada
	verifier = "forty-three-or-more-characters-that-nobody-guesses"
)

// challenge is that of PKCE.
func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func newHeist(t *trial) (*heist, error) {
	s, err := newSite(t, released)
	if err != nil {
		return nil, err
	}
	h := &heist{site: s, back: "https://sync.example.com/callback"}
	return h, h.prepare()
}

// prepare registers applications, starts the service and signs ada in.
func (h *heist) prepare() error {
	if err := h.register(); err != nil {
		return err
	}
	if _, err := h.start(); err != nil {
		return err
	}
	return h.signIn()
}

func (h *heist) register() error {
	for _, a := range []struct {
		to   *application
		args []string
	}{{&h.app, nil}, {&h.other, nil}, {&h.public, []string{"--public"}}} {
		text, err := h.command("", append([]string{"app", "create", "--name", "App", "--redirect-uri", h.back}, a.args...)...)
		if err != nil {
			return err
		}
		var made struct {
			ID     string  `json:"client_id"`
			Secret *string `json:"client_secret"`
		}
		if err := json.Unmarshal([]byte(text), &made); err != nil {
			return err
		}
		if a.to.ID = made.ID; made.Secret != nil {
			a.to.Secret = *made.Secret
		}
	}
	return nil
}

func (h *heist) signIn() error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	h.browser, h.plain = &http.Client{Jar: jar, CheckRedirect: stay, Timeout: requestWithin}, &http.Client{CheckRedirect: stay, Timeout: requestWithin}
	r, err := h.post(h.browser, "/sign-in", sheaf{"email": ada, "password": password})
	if err == nil && r.status != http.StatusSeeOther {
		err = fmt.Errorf("signing in: %s", r)
	}
	return err
}

// refused counts an attack, and notes one that was not refused.
func (h *heist) refused(what string, ok bool, seen any) {
	h.tried++
	if !ok {
		h.got++
	}
	h.t.require(ok, "%s: %v", what, seen)
}

func (h *heist) call(method, path, body string, headers ...string) (*answer, error) {
	return h.do(h.plain, method, path, body, headers...)
}

func (h *heist) do(c *http.Client, method, path, body string, headers ...string) (*answer, error) {
	req, err := http.NewRequestWithContext(h.t, method, h.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return &answer{res.StatusCode, res.Header, text}, err
}

func (h *heist) post(c *http.Client, path string, f sheaf, headers ...string) (*answer, error) {
	return h.do(c, http.MethodPost, path, f.encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

// authorize opens the authorization endpoint as ada; or presses Allow there.
func (h *heist) authorize(ask sheaf, decide bool) (*answer, error) {
	if !decide {
		return h.do(h.browser, http.MethodGet, "/oauth/authorize?"+ask.encode(), "")
	}
	pressed := sheaf{"decision": "allow"}
	for name, value := range ask {
		pressed[name] = value
	}
	return h.post(h.browser, "/oauth/authorize", pressed, "Sec-Fetch-Site", "same-origin")
}

// code gives a code for what ada allows the application; more stands in the query of the request for it.
func (h *heist) code(more string) (string, error) {
	ask := sheaf{"response_type": "code", "client_id": h.app.ID}
	values, err := url.ParseQuery(more)
	if err != nil {
		return "", err
	}
	for name := range values {
		ask[name] = values.Get(name)
	}
	r, err := h.authorize(ask, true)
	if err != nil {
		return "", err
	}
	to, err := url.Parse(r.header.Get("Location"))
	if err != nil || to.Query().Get("code") == "" {
		return "", fmt.Errorf("no code: %s %w", r, err)
	}
	return to.Query().Get("code"), nil
}

// tokens goes the honest way.
func (h *heist) tokens(more string) (tokens, error) {
	code, err := h.code(more)
	if err != nil {
		return tokens{}, err
	}
	redeem := sheaf{"grant_type": "authorization_code", "code": code}
	if strings.Contains(more, "redirect_uri") {
		redeem["redirect_uri"] = h.back
	}
	if strings.Contains(more, "code_challenge") {
		redeem["code_verifier"] = verifier
	}
	got, err := h.token(h.app, redeem)
	if err == nil && got.Access == "" {
		err = fmt.Errorf("no tokens: %s", got.Error)
	}
	return got, err
}

// token asks the token endpoint as an application; with an empty one, as nobody.
func (h *heist) token(by application, f sheaf) (got tokens, err error) {
	sent := sheaf{}
	for name, value := range f {
		sent[name] = value
	}
	if by.ID != "" {
		sent["client_id"] = by.ID
	}
	if by.Secret != "" {
		sent["client_secret"] = by.Secret
	}
	r, err := h.post(h.plain, "/oauth/token", sent)
	if err != nil {
		return got, err
	}
	return got, json.Unmarshal(r.body, &got)
}

// me tells what a token gets.
func (h *heist) me(access string) (int, error) {
	r, err := h.call(http.MethodGet, "/me", "", "Authorization", "Bearer "+access)
	if err != nil {
		return 0, err
	}
	return r.status, nil
}
