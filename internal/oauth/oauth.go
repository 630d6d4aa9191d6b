// Package oauth owns the OAuth 2.0 protocol: the authorization endpoint with its question to people, the token
// endpoint, revocation, introspection, and the document that describes them (RFC 6749, 7009, 7636, 7662, 8252, 8414,
// 9207). It refuses to keep anything: what codes and tokens are worth is package auth's answer, and what a page looks
// like is handed to Routes.
package oauth

import (
	"net/url"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
	"groundwork/internal/identity"
)

// Views are the pages of the authorization endpoint.
type Views struct {
	// Page is what they have in common.
	Page *api.Page
	// Consent asks a person whether an application may act for them. The answer is ask with a decision, allow or deny;
	// to is where they are sent then.
	Consent func(c *api.Call, who *identity.Account, app *grant.Application, scopes credential.Scopes, ask url.Values,
		to string) error
}

// Routes is everything that OAuth 2.0 needs.
func Routes(v Views) []api.Route {
	page := func(method, summary string, do func(*api.Call) error) api.Route {
		return api.Route{
			Method: method, Pattern: "/oauth/authorize", Access: api.Public, Alone: true, Page: v.Page, Do: do,
			Summary: summary, Tag: "oauth", Status: 200,
		}
	}
	return []api.Route{
		page("GET", "Ask a person whether an application may act for them.", v.ask),
		page("POST", "Decide whether an application may act for oneself.", v.decide),
		tokenRoute(), revokeRoute(), introspectRoute(), metadataRoute(), logoRoute(),
	}
}

// problem is an error as the RFCs name it.
type problem struct {
	code, why string
	status    int // of the token endpoint
}

func (p *problem) Error() string { return p.code + ": " + p.why }

func bad(code, why string) *problem { return &problem{code, why, 400} }

// repeated finds a parameter that is there more than once, which none may be.
func repeated(params url.Values) error {
	for name, values := range params {
		if len(values) > 1 {
			if len(name) > 100 {
				name = strings.ToValidUTF8(name[:100], "")
			}
			return bad("invalid_request", "The parameter "+name+" is there more than once.")
		}
	}
	return nil
}
