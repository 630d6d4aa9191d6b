package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
)

// keep remembers a secret by a name.
func (s *spill) keep(name, secret string) string {
	s.secrets[name] = secret
	return secret
}

// use lets every kind of secret do what it is for.
func (s *spill) use() error {
	s.keep("a password", password)
	s.keep("an API key", s.key)
	s.keep("a client secret", s.app.Secret)
	home, err := url.Parse(s.base)
	if err != nil {
		return err
	}
	for _, c := range s.browser.Jar.Cookies(home) {
		s.keep("a session", c.Value)
	}
	code, err := s.code("&code_challenge_method=S256&code_challenge=" + challenge(verifier))
	if err != nil {
		return err
	}
	got, err := s.token(s.app, sheaf{"grant_type": "authorization_code", "code": s.keep("a code", code), "code_verifier": s.keep("a verifier", verifier)})
	if err != nil {
		return err
	}
	if status, err := s.me(s.keep("an access token", got.Access)); err != nil || status != 200 {
		return fmt.Errorf("an access token: %d %w", status, err)
	}
	again, err := s.token(s.app, sheaf{"grant_type": "refresh_token", "refresh_token": s.keep("a refresh token", got.Refresh)})
	if err != nil {
		return err
	}
	s.keep("a second access token", again.Access)
	s.keep("a second refresh token", again.Refresh)
	var made struct {
		UID    string `json:"uid"`
		Key    string `json:"key"`
		Secret string `json:"client_secret"`
	}
	c := s.client()
	if err := c.must(s.t, http.MethodGet, "/me", nil, &made); err != nil {
		return err
	}
	s.uid = made.UID
	if err := c.must(s.t, http.MethodPost, "/me/keys", object{"name": "second"}, &made); err != nil {
		return err
	}
	s.keep("a second key", made.Key)
	if err := c.must(s.t, http.MethodPost, "/me/applications", object{"name": "second", "redirect_uris": []string{s.back}}, &made); err != nil {
		return err
	}
	s.keep("a second client secret", made.Secret)
	return nil
}

// people has somebody invited, and somebody forget a password: their links arrive by mail.
func (s *spill) people(box *mailbox) error {
	c := s.client()
	var project struct {
		UID string `json:"uid"`
	}
	if err := c.must(s.t, http.MethodPost, "/projects", object{"name": "Harbour"}, &project); err != nil {
		return err
	}
	if err := c.must(s.t, http.MethodPost, "/projects/"+project.UID+"/users/invites", object{"email": "ivy@example.com"}, nil); err != nil {
		return err
	}
	for _, step := range []struct {
		name, path string
		begin      func() error
	}{
		{"the link of an invitation", "/invitation/", func() error { return nil }},
		{"the link of a forgotten password", "/reset-password/", func() error {
			_, err := s.post(s.plain, "/forgot-password", sheaf{"email": "ivy@example.com"})
			return err
		}},
	} {
		if err := step.begin(); err != nil {
			return err
		}
		secret, err := box.link(s.t, step.path)
		if err != nil {
			return err
		}
		fresh := s.keep("the password of "+step.name, "quiet otters dig "+step.name)
		r, err := s.post(s.plain, step.path+s.keep(step.name, secret), sheaf{"name": "Ivy Stone", "password": fresh})
		if err != nil || r.status != http.StatusSeeOther {
			return fmt.Errorf("%s: %s %w", step.name, r, err)
		}
		cookie, _, _ := strings.Cut(r.header.Get("Set-Cookie"), ";")
		_, session, _ := strings.Cut(cookie, "=")
		s.keep("the session of "+step.name, session)
	}
	return nil
}

// misuse sends secrets, and things that look like secrets, to where they do not belong.
func (s *spill) misuse() error {
	canary := func(name string) string {
		return s.keep("a canary: "+name, "canary-"+strings.ReplaceAll(name, " ", "-")+"-9f3b27c1")
	}
	basic := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
	asForm := "application/x-www-form-urlencoded"
	for _, r := range []struct{ method, path, body, kind, authorization string }{
		{"GET", "/me", "", "", basic(canary("wrong key") + ":" + canary("basic password"))},
		{"GET", "/me", "", "", "Bearer " + canary("wrong token")},
		{"GET", "/me", "", "", canary("scheme") + " x"},
		{"GET", "/me?access_token=" + canary("query"), "", "", ""},
		{"GET", "/projects/" + s.key, "", "", basic(s.key + ":")[:20]},
		{"GET", "/invitation/" + canary("link"), "", "", ""},
		{"POST", "/reset-password/" + canary("other link"), "password=" + canary("new password"), asForm, ""},
		{"POST", "/sign-in", "email=nobody@example.com&password=" + canary("wrong password"), asForm, ""},
		{"POST", "/oauth/token", "grant_type=authorization_code&code=" + canary("wrong code") + "&client_id=" + s.app.ID + "&client_secret=" + canary("wrong secret"), asForm, ""},
		{"POST", "/oauth/token", "client_secret=" + canary("no grant type"), asForm, basic(s.app.ID + ":" + s.app.Secret)},
		{"POST", "/oauth/token", "grant_type=refresh_token&refresh_token=" + canary("wrong refresh token"), asForm, ""},
		{"POST", "/oauth/token", "", asForm, ""},
		{"POST", "/projects", `{"name": 1, "password": "` + canary("body") + `"}`, "application/json", basic(s.key + ":")},
		{"GET", "/oauth/authorize?client_id=" + canary("client id") + "&state=" + canary("state"), "", "", ""},
	} {
		got, err := s.call(r.method, r.path, r.body, "Authorization", r.authorization, "Content-Type", r.kind)
		if err != nil {
			return err
		}
		if got.status < 400 {
			return fmt.Errorf("%s was not refused: %s", r.method, got)
		}
		header, err := json.Marshal(got.header)
		if err != nil {
			return err
		}
		s.places[placeRefusals] = append(append(s.places[placeRefusals], got.body...), header...)
	}
	return nil
}
