package oauth

import (
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/grant"
)

// request is what an application asks for at the authorization endpoint.
type request struct {
	app       *grant.Application
	given     string // the redirect URI as it was given, or ""
	to        string // where answers go
	state     string
	implicit  bool
	scopes    credential.Scopes
	challenge string
}

var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// read understands a request. A *fault.Error is for a page: nobody knows where to send it. A *problem goes back to the
// application.
func read(c *api.Call, params url.Values) (*request, error) {
	id, uri := params["client_id"], params["redirect_uri"]
	if len(id) != 1 || len(uri) > 1 {
		return nil, fault.New(fault.Invalid,
			"The application that sent you here did not say properly which one it is (client_id). Nothing was allowed.")
	}
	app, err := c.Auth.Application(c.Context(), id[0])
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.Invalid,
			"The application that sent you here is not registered with this service (client_id). Nothing was allowed.")
	}
	if err != nil {
		return nil, err
	}
	r := &request{
		app: app, given: params.Get("redirect_uri"), state: params.Get("state"),
		implicit: params.Get("response_type") == "token",
	}
	var ok bool
	if r.to, ok = app.Redirect(r.given); !ok {
		return nil, fault.New(fault.Invalid,
			"%s sent you here with an address to return to (redirect_uri) that is not registered for it. Nothing was allowed.", app.Name)
	}
	return r, r.check(params)
}

func (r *request) check(params url.Values) error {
	if err := repeated(params); err != nil {
		return err
	}
	kind, challenge, method := params.Get("response_type"), params.Get("code_challenge"), params.Get("code_challenge_method")
	var ok bool
	switch r.scopes, ok = credential.ParseScopes(params.Get("scope")); {
	case kind == "":
		return bad("invalid_request", "The parameter response_type is missing; it is code or token.")
	case kind != "code" && kind != "token":
		return bad("unsupported_response_type", "The response_type must be code or token.")
	case r.implicit && !r.app.Implicit:
		return bad("unauthorized_client", "This application is not registered for the implicit grant.")
	case !ok:
		return bad("invalid_scope", "The scopes are write:projects and read:profile.")
	case challenge == "" && method != "":
		return bad("invalid_request", "The code_challenge_method comes without a code_challenge.")
	case challenge != "" && method != "S256":
		return bad("invalid_request", "The code_challenge_method must be S256.")
	case challenge != "" && !challengeForm.MatchString(challenge):
		return bad("invalid_request", "The code_challenge is not one of S256.")
	case challenge == "" && r.app.Public && !r.implicit:
		return bad("invalid_request",
			"A public application needs PKCE: send code_challenge and code_challenge_method=S256.")
	}
	r.challenge = challenge
	return nil
}

// ask shows the question to whoever is signed in.
func (v Views) ask(c *api.Call) error {
	params := c.Query().RawValues()
	r, err := read(c, params)
	if err != nil {
		return refuse(c, r, err)
	}
	who, err := c.SignedIn()
	if err != nil {
		return err
	}
	if who == nil {
		return c.SignIn()
	}
	return v.Consent(c, who.Account, r.app, r.scopes, params, r.to)
}

const mostForm = 32 << 10

// decide does what the person said.
func (v Views) decide(c *api.Call) error {
	form, err := c.Form(mostForm)
	if err != nil {
		return err
	}
	decision := form.Get("decision")
	form.Del("decision")
	r, err := read(c, form.Values)
	if err != nil {
		return refuse(c, r, err)
	}
	who, err := c.SignedIn()
	if err != nil {
		return err
	}
	if who == nil {
		return c.Redirect(api.SignInPath + "?next=" + url.QueryEscape("/oauth/authorize?"+form.Encode()))
	}
	if decision != "allow" {
		return refuse(c, r, bad("access_denied", "The person did not allow it."))
	}
	allowed := grant.Ask{
		Application: r.app.UID, Account: who.Account.UID, Scopes: r.scopes, Redirect: r.given,
		Challenge: r.challenge, By: who.Origin,
	}
	if r.implicit {
		t, err := c.Auth.AllowNow(c.Context(), allowed)
		if err != nil {
			return err
		}
		return r.answer(c, url.Values{
			"access_token": {t.Access}, "token_type": {"Bearer"}, "expires_in": {strconv.Itoa(int(t.Life.Seconds()))},
			"scope": {t.Scopes.String()},
		})
	}
	code, err := c.Auth.Allow(c.Context(), allowed)
	if err != nil {
		return err
	}
	return r.answer(c, url.Values{"code": {code}})
}

// refuse tells the application what is wrong, if it is known where; otherwise the person.
func refuse(c *api.Call, r *request, err error) error {
	var p *problem
	if !errors.As(err, &p) {
		return err
	}
	return r.answer(c, url.Values{"error": {p.code}, "error_description": {p.why}})
}

// answer sends the person back to the application: with a query, or in the implicit flow with a fragment.
func (r *request) answer(c *api.Call, values url.Values) error {
	if r.state != "" {
		values.Set("state", r.state)
	}
	values.Set("iss", c.Base)
	separator := "?"
	switch {
	case r.implicit:
		separator = "#"
	case strings.Contains(r.to, "?"):
		separator = "&"
	}
	c.SetHeader("Cache-Control", "no-store")
	return c.Found(r.to + separator + values.Encode())
}
