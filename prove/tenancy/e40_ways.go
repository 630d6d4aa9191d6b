package tenancy

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
	"groundwork/prove/oauth"
)

// keep remembers a secret by a name.
func (s *spill) keep(name, secret string) string {
	s.secrets[name] = secret
	return secret
}

// use lets every kind of secret do what it is for.
func (s *spill) use() error {
	s.keep("a password", lab.Password)
	s.keep("an API key", s.Key)
	s.keep("a client secret", s.App.Secret)
	home, err := url.Parse(s.BaseURL)
	if err != nil {
		return err
	}
	for _, c := range s.Browser.Jar.Cookies(home) {
		if strings.HasSuffix(c.Name, "-account") {
			continue // whose session it is, which is no secret
		}
		s.keep("a session", c.Value)
	}
	code, err := s.Code("&code_challenge_method=S256&code_challenge=" + oauth.Challenge(oauth.Verifier))
	if err != nil {
		return err
	}
	got, err := s.Token(s.App, lab.FormValues{
		"grant_type": "authorization_code", "code": s.keep("a code", code),
		"code_verifier": s.keep("a verifier", oauth.Verifier),
	})
	if err != nil {
		return err
	}
	if status, err := s.MeStatus(s.keep("an access token", got.Access)); err != nil || status != 200 {
		return fmt.Errorf("an access token: %d %w", status, err)
	}
	again, err := s.Token(s.App, lab.FormValues{
		"grant_type": "refresh_token", "refresh_token": s.keep("a refresh token", got.Refresh),
	})
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
	c := s.NewClient()
	if err := c.MustDo(s.Trial, http.MethodGet, "/me", nil, &made); err != nil {
		return err
	}
	s.uid = made.UID
	if err := c.MustDo(s.Trial, http.MethodPost, "/me/keys", lab.Object{"name": "second", "password": lab.Password},
		&made); err != nil {
		return err
	}
	s.keep("a second key", made.Key)
	if err := c.MustDo(s.Trial, http.MethodPost, "/me/applications",
		lab.Object{
			"name": "second", "redirect_uris": []string{s.RedirectURI}, "password": lab.Password,
		}, &made); err != nil {
		return err
	}
	s.keep("a second client secret", made.Secret)
	return nil
}

// people has somebody invited, and somebody forget a password: their links arrive by mail.
func (s *spill) people(box *lab.Mailbox) error {
	c := s.NewClient()
	var project struct {
		UID string `json:"uid"`
	}
	if err := c.MustDo(s.Trial, http.MethodPost, "/projects", lab.Object{"name": "Harbour"}, &project); err != nil {
		return err
	}
	if err := c.MustDo(s.Trial, http.MethodPost, "/projects/"+project.UID+"/users/invites",
		lab.Object{"email": "ivy@example.com"}, nil); err != nil {
		return err
	}
	for _, step := range []struct {
		name, path string
		begin      func() error
	}{
		{"the link of an invitation", "/invitation/", func() error { return nil }},
		{"the link of a forgotten password", "/reset-password/", func() error {
			_, err := s.Post(s.Anonymous, "/forgot-password", lab.FormValues{"email": "ivy@example.com"})
			return err
		}},
	} {
		if err := step.begin(); err != nil {
			return err
		}
		secret, err := box.AwaitLink(s.Trial, step.path)
		if err != nil {
			return err
		}
		fresh := s.keep("the password of "+step.name, "quiet otters dig "+step.name)
		r, err := s.Post(s.Anonymous, step.path+s.keep(step.name, secret), lab.FormValues{
			"name": "Ivy Stone", "password": fresh,
		})
		if err != nil || r.Status != http.StatusSeeOther {
			return fmt.Errorf("%s: %s %w", step.name, r, err)
		}
		cookie, _, _ := strings.Cut(r.Header.Get("Set-Cookie"), ";")
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
		{"GET", "/projects/" + s.Key, "", "", basic(s.Key + ":")[:20]},
		{"GET", "/invitation/" + canary("link"), "", "", ""},
		{"POST", "/reset-password/" + canary("other link"), "password=" + canary("new password"), asForm, ""},
		{"POST", "/sign-in", "email=nobody@example.com&password=" + canary("wrong password"), asForm, ""},
		{"POST", "/oauth/token", "grant_type=authorization_code&code=" + canary("wrong code") + "&client_id=" +
			s.App.ID + "&client_secret=" + canary("wrong secret"), asForm, ""},
		{
			"POST", "/oauth/token", "client_secret=" + canary("no grant type"), asForm,
			basic(s.App.ID + ":" + s.App.Secret),
		},
		{"POST", "/oauth/token", "grant_type=refresh_token&refresh_token=" + canary("wrong refresh token"), asForm, ""},
		{"POST", "/oauth/token", "", asForm, ""},
		{
			"POST", "/projects", `{"name": 1, "password": "` + canary("body") + `"}`, "application/json",
			basic(s.Key + ":"),
		},
		{"GET", "/oauth/authorize?client_id=" + canary("client id") + "&state=" + canary("state"), "", "", ""},
	} {
		got, err := s.Call(r.method, r.path, r.body, "Authorization", r.authorization, "Content-Type", r.kind)
		if err != nil {
			return err
		}
		if got.Status < 400 {
			return fmt.Errorf("%s was not refused: %s", r.method, got)
		}
		header, err := json.Marshal(got.Header)
		if err != nil {
			return err
		}
		s.places[placeRefusals] = append(append(s.places[placeRefusals], got.Body...), header...)
	}
	return nil
}
