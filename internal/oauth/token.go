package oauth

import (
	"errors"
	"maps"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/api"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/grant"
)

// token is the answer of the token endpoint.
type token struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Type    string `json:"token_type"`
	Expires int    `json:"expires_in"`
	Scope   string `json:"scope"`
}

// limited is the answer to a program that asks too often: an error of the RFCs, and one of this service.
type limited struct {
	Error       string         `json:"error"`
	Description string         `json:"error_description"`
	Message     string         `json:"message"`
	RateLimit   jsontext.Value `json:"rate_limit"`
}

func tokenRoute() api.Route {
	return endpoint("/oauth/token", "Exchange a code, or a refresh token, for tokens.", false, exchange,
		fields("grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope", "client_id",
			"client_secret").needing("grant_type"),
		object(api.Schema{
			"access_token": text(""), "refresh_token": text(""), "token_type": api.Schema{"const": "Bearer"},
			"expires_in": api.Schema{"type": "integer", "description": "In seconds."},
			"scope":      text("What was allowed, separated by spaces."),
		}))
}

// endpoint makes a route that programs send forms to. Its errors are those of the RFCs.
func endpoint(pattern, summary string, extension bool, do func(*api.Call, url.Values) error, in formSchema,
	out api.Schema,
) api.Route {
	return api.Route{
		Method: "POST", Pattern: pattern, Access: api.Public, Alone: true, Takes: "application/x-www-form-urlencoded",
		In: api.Schema(in), Out: out, Status: 200,
		Summary: summary, Tag: "oauth", Extension: extension, Errors: []int{401, 429}, Refusal: refusal(),
		Do: func(c *api.Call) error {
			c.SetHeader("Cache-Control", "no-store")
			form, err := c.Form(mostForm)
			if err == nil {
				err = repeated(form.Values)
			} else if fault.Is(err, fault.Invalid) {
				err = bad("invalid_request", fault.Of(err).Fields[fault.General])
			}
			if err == nil {
				err = do(c, form.Values)
			}
			var p *problem
			switch {
			case fault.Is(err, fault.Limited):
				// Programs read error; RFC 6749 has this word for a server that cannot answer now.
				c.RetryAfter(fault.Of(err).RetryAfter)
				why := fault.Of(err).Message
				return c.SendJSON(429, limited{"temporarily_unavailable", why, why, c.RateLimit()})
			case !errors.As(err, &p):
				return err
			}
			if p.status == 401 {
				c.SetHeader("WWW-Authenticate", `Basic realm="Groundwork"`)
			}
			return c.SendJSON(p.status, map[string]string{
				"error": p.code, "error_description": p.why, "message": p.why,
			})
		},
	}
}

// refusal is an error of the token endpoint (RFC 6749, 5.2), with the message that all errors of this service have.
func refusal() api.Schema {
	return object(api.Schema{
		"error":             text("What went wrong, for programs."),
		"error_description": text("The same for people."), "message": text("The same as error_description."),
	})
}

// object is an object with all of these members.
func object(members api.Schema) api.Schema {
	return api.Schema{"type": "object", "required": slices.Sorted(maps.Keys(members)), "properties": members}
}

func exchange(c *api.Call, form url.Values) error {
	var t *grant.Tokens
	var err error
	switch form.Get("grant_type") {
	case "authorization_code":
		t, err = redeem(c, form)
	case "refresh_token":
		t, err = refresh(c, form)
	case "":
		err = bad("invalid_request", "The parameter grant_type is missing.")
	default:
		err = bad("unsupported_grant_type", "The grant_type must be authorization_code or refresh_token.")
	}
	var worthless grant.BadGrant
	switch {
	case errors.As(err, &worthless):
		err = c.Failed(bad("invalid_grant", worthless.Why))
	case errors.Is(err, grant.ErrScope):
		err = bad("invalid_scope", err.Error())
	}
	if err != nil {
		return err
	}
	return c.SendJSON(200, token{t.Access, t.Refresh, "Bearer", int(t.Life.Seconds()), t.Scopes.String()})
}

func redeem(c *api.Call, form url.Values) (*grant.Tokens, error) {
	app, err := known(c, form)
	if err != nil {
		return nil, err
	}
	if form.Get("code") == "" {
		return nil, bad("invalid_request", "The parameter code is missing.")
	}
	return c.Auth.Redeem(c.Context(), form.Get("code"), app.UID, form.Get("redirect_uri"), form.Get("code_verifier"))
}

// refresh takes a refresh token without the application's credentials, as known programs send it, unless the
// installation is strict.
func refresh(c *api.Call, form url.Values) (*grant.Tokens, error) {
	app, proven, err := client(c, form)
	if err != nil {
		return nil, err
	}
	if c.Auth.StrictRefresh() && (app == nil || !app.Public && !proven) {
		return nil, unproven(c)
	}
	if form.Get("refresh_token") == "" {
		return nil, bad("invalid_request", "The parameter refresh_token is missing.")
	}
	var narrow credential.Scopes
	if asked := form.Get("scope"); asked != "" {
		var ok bool
		if narrow, ok = credential.ParseScopes(asked); !ok {
			return nil, bad("invalid_scope", "The scopes are write:projects and read:profile.")
		}
	}
	id := ""
	if app != nil {
		id = app.UID
	}
	return c.Auth.Refresh(c.Context(), form.Get("refresh_token"), id, narrow, c.Charge)
}

// formSchema describes a form.
type formSchema api.Schema

func fields(names ...string) formSchema {
	properties := api.Schema{}
	for _, name := range names {
		properties[name] = text("")
	}
	return formSchema{"type": "object", "properties": properties}
}

func (f formSchema) needing(names ...string) formSchema {
	f["required"] = names
	return f
}

func text(description string) api.Schema {
	s := api.Schema{"type": "string"}
	if description != "" {
		s["description"] = description
	}
	return s
}
