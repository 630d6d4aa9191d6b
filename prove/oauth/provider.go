// Package oauth goes the ways of OAuth 2.0 at a running service, as a person in a browser and as an application do.
// What is tried there is for the experiments to say.
package oauth

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

	"groundwork/prove/lab"
)

// Application is what the command line prints.
type Application struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// Tokens is what the token endpoint answers.
type Tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Error   string `json:"error"`
}

// Provider is a service with applications, a person who is signed in, and whoever wants something of hers. It counts
// what was tried, and what was not refused.
type Provider struct {
	*lab.Site
	App, Other, Public Application
	RedirectURI        string
	Browser, Anonymous *http.Client
	Tried, Broken      int
}

// Verifier is that of PKCE.
const Verifier = "forty-three-or-more-characters-that-nobody-guesses"

// Challenge is that of PKCE.
func Challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// NewProvider makes and prepares one on a site of its own.
func NewProvider(t *lab.Trial) (*Provider, error) {
	s, err := lab.NewSite(t, lab.Released)
	if err != nil {
		return nil, err
	}
	p := &Provider{Site: s, RedirectURI: "https://sync.example.com/callback"}
	return p, p.Prepare()
}

// Prepare registers applications, starts the service and signs ada in.
func (p *Provider) Prepare() error {
	if err := p.Register(); err != nil {
		return err
	}
	if _, err := p.Start(); err != nil {
		return err
	}
	return p.SignIn()
}

// Register makes three applications with the command line: two that have a secret, and a public one.
func (p *Provider) Register() error {
	for _, a := range []struct {
		to   *Application
		args []string
	}{{&p.App, nil}, {&p.Other, nil}, {&p.Public, []string{"--public"}}} {
		text, err := p.Command("",
			append([]string{"app", "create", "--name", "App", "--redirect-uri", p.RedirectURI}, a.args...)...)
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

// SignIn gives the browser a session of ada; the anonymous one stays without.
func (p *Provider) SignIn() error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	p.Browser, p.Anonymous = &http.Client{Jar: jar, CheckRedirect: stay, Timeout: lab.RequestTimeout}, &http.Client{
		CheckRedirect: stay, Timeout: lab.RequestTimeout,
	}
	r, err := p.Post(p.Browser, "/sign-in", lab.FormValues{"email": lab.AdaEmail, "password": lab.Password})
	if err == nil && r.Status != http.StatusSeeOther {
		err = fmt.Errorf("signing in: %s", r)
	}
	return err
}

// Refused counts an attack, and notes one that was not refused.
func (p *Provider) Refused(what string, ok bool, seen any) {
	p.Tried++
	if !ok {
		p.Broken++
	}
	p.Trial.Require(ok, "%s: %v", what, seen)
}

// Call sends a request without a session; headers are names and values in turn.
func (p *Provider) Call(method, path, body string, headers ...string) (*lab.Answer, error) {
	return p.do(p.Anonymous, method, path, body, headers...)
}

func (p *Provider) do(c *http.Client, method, path, body string, headers ...string) (*lab.Answer, error) {
	req, err := http.NewRequestWithContext(p.Trial, method, p.BaseURL+path, strings.NewReader(body))
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
	return &lab.Answer{Status: res.StatusCode, Header: res.Header, Body: text}, err
}

// Post sends a form, as the browser or as the anonymous client.
func (p *Provider) Post(c *http.Client, path string, f lab.FormValues, headers ...string) (*lab.Answer, error) {
	return p.do(c, http.MethodPost, path, f.Encode(),
		append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

// Authorize opens the authorization endpoint as ada; or presses Allow there.
func (p *Provider) Authorize(ask lab.FormValues, decide bool) (*lab.Answer, error) {
	if !decide {
		return p.do(p.Browser, http.MethodGet, "/oauth/authorize?"+ask.Encode(), "")
	}
	pressed := lab.FormValues{"decision": "allow"}
	for name, value := range ask {
		pressed[name] = value
	}
	return p.Post(p.Browser, "/oauth/authorize", pressed, "Sec-Fetch-Site", "same-origin")
}

// Code gives a code for what ada allows the application; more stands in the query of the request for it.
func (p *Provider) Code(more string) (string, error) {
	ask := lab.FormValues{"response_type": "code", "client_id": p.App.ID}
	values, err := url.ParseQuery(more)
	if err != nil {
		return "", err
	}
	for name := range values {
		ask[name] = values.Get(name)
	}
	r, err := p.Authorize(ask, true)
	if err != nil {
		return "", err
	}
	to, err := url.Parse(r.Header.Get("Location"))
	if err != nil || to.Query().Get("code") == "" {
		return "", fmt.Errorf("no code: %s %w", r, err)
	}
	return to.Query().Get("code"), nil
}

// Tokens goes the honest way.
func (p *Provider) Tokens(more string) (Tokens, error) {
	code, err := p.Code(more)
	if err != nil {
		return Tokens{}, err
	}
	redeem := lab.FormValues{"grant_type": "authorization_code", "code": code}
	if strings.Contains(more, "redirect_uri") {
		redeem["redirect_uri"] = p.RedirectURI
	}
	if strings.Contains(more, "code_challenge") {
		redeem["code_verifier"] = Verifier
	}
	got, err := p.Token(p.App, redeem)
	if err == nil && got.Access == "" {
		err = fmt.Errorf("no tokens: %s", got.Error)
	}
	return got, err
}

// Token asks the token endpoint as an application; with an empty one, as nobody.
func (p *Provider) Token(by Application, f lab.FormValues) (got Tokens, err error) {
	sent := lab.FormValues{}
	for name, value := range f {
		sent[name] = value
	}
	if by.ID != "" {
		sent["client_id"] = by.ID
	}
	if by.Secret != "" {
		sent["client_secret"] = by.Secret
	}
	r, err := p.Post(p.Anonymous, "/oauth/token", sent)
	if err != nil {
		return got, err
	}
	return got, json.Unmarshal(r.Body, &got)
}

// MeStatus tells what a token gets.
func (p *Provider) MeStatus(access string) (int, error) {
	r, err := p.Call(http.MethodGet, "/me", "", "Authorization", "Bearer "+access)
	if err != nil {
		return 0, err
	}
	return r.Status, nil
}
