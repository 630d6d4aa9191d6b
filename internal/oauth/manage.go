package oauth

import (
	"net/http"
	"net/url"

	"groundwork/internal/api"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
)

func revokeRoute() api.Route {
	return endpoint("/oauth/revoke", "Revoke a token; of a refresh token everything that came of the same consent.",
		true, revoke,
		fields("token", "token_type_hint", "client_id", "client_secret").needing("token"), object(nil))
}

// revoke answers the same whether there was such a token or not: it is worth nothing afterwards.
func revoke(c *api.Call, form url.Values) error {
	app, err := known(c, form)
	if err != nil {
		return err
	}
	if form.Get("token") == "" {
		return bad("invalid_request", "The parameter token is missing.")
	}
	if err := c.Auth.RevokeToken(c.Context(), app.UID, form.Get("token")); err != nil {
		return err
	}
	return c.Send(http.StatusOK, []byte("{}"))
}

func introspectRoute() api.Route {
	return endpoint("/oauth/introspect", "Tell an application with a secret what a token of its own is worth.", true,
		introspect,
		fields("token", "token_type_hint", "client_id", "client_secret").needing("token"), api.Schema{
			"type": "object", "required": []string{"active"}, "properties": api.Schema{
				"active": api.Schema{"type": "boolean"}, "scope": text(""), "client_id": text(""),
				"username": text("The e-mail address of the account."),
				"sub":      text("The uid of the account."), "token_type": text(""), "iss": text(""),
				"exp": api.Schema{"type": "integer"}, "iat": api.Schema{"type": "integer"},
			},
		})
}

func introspect(c *api.Call, form url.Values) error {
	app, err := known(c, form)
	if err != nil {
		return err
	}
	if app.Public {
		return unproven(c) // anybody could ask in its name
	}
	if err := c.Charge(c.Auth.OwnWindow(app.UID)); err != nil {
		return err
	}
	if form.Get("token") == "" {
		return bad("invalid_request", "The parameter token is missing.")
	}
	h, err := c.Auth.Holding(c.Context(), form.Get("token"))
	if err != nil {
		return err
	}
	if h == nil || h.Application != app.UID {
		return c.SendJSON(http.StatusOK, map[string]any{"active": false})
	}
	kind := "Bearer"
	if h.Refresh {
		kind = "refresh_token"
	}
	return c.SendJSON(http.StatusOK, map[string]any{
		"active": true, "scope": h.Scopes.String(), "client_id": h.Application, "username": h.Email, "sub": h.Account,
		"token_type": kind, "iss": c.Base,
		"exp": h.ExpiresAt / 1_000_000, "iat": h.CreatedAt / 1_000_000,
	})
}

func metadataRoute() api.Route {
	list, address := api.Schema{"type": "array", "items": text("")}, api.Schema{"type": "string", "format": "uri"}
	return api.Route{
		Method: "GET", Pattern: "/.well-known/oauth-authorization-server", Access: api.Public, Alone: true,
		Do:      metadata,
		Summary: "Describe the authorization server (RFC 8414).", Tag: "oauth", Extension: true, Status: 200,
		Out: object(api.Schema{
			"issuer": address, "authorization_endpoint": address, "token_endpoint": address,
			"revocation_endpoint": address, "introspection_endpoint": address, "service_documentation": address,
			"scopes_supported": list, "response_types_supported": list, "response_modes_supported": list,
			"grant_types_supported": list, "code_challenge_methods_supported": list,
			"token_endpoint_auth_methods_supported": list, "revocation_endpoint_auth_methods_supported": list,
			"introspection_endpoint_auth_methods_supported":  list,
			"authorization_response_iss_parameter_supported": api.Schema{"type": "boolean"},
		}),
	}
}

func metadata(c *api.Call) error {
	at := func(path string) string { return c.Base + "/oauth/" + path }
	ways := []string{"client_secret_basic", "client_secret_post", "none"}
	c.SetHeader("Cache-Control", "public, max-age=300")
	return c.SendJSON(http.StatusOK, map[string]any{
		"issuer": c.Base, "authorization_endpoint": at("authorize"), "token_endpoint": at("token"),
		"revocation_endpoint": at("revoke"), "introspection_endpoint": at("introspect"),
		"scopes_supported": credential.AllScopes.Names(), "response_types_supported": []string{"code", "token"},
		"response_modes_supported":              []string{"query", "fragment"},
		"grant_types_supported":                 []string{"authorization_code", "implicit", "refresh_token"},
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": ways, "revocation_endpoint_auth_methods_supported": ways,
		"introspection_endpoint_auth_methods_supported":  ways[:2],
		"authorization_response_iss_parameter_supported": true, "service_documentation": c.Base + "/docs",
	})
}

// pictures are shown by the pages; opened alone, one can do nothing.
var pictures = &api.Page{
	Policy:  "default-src 'none'; sandbox; frame-ancestors 'none'",
	Refusal: func(int, string, string) []byte { return []byte("There is no such picture.\n") },
}

func logoRoute() api.Route {
	return api.Route{
		Method: "GET", Pattern: "/oauth/logos/{application}", Access: api.Public, Alone: true, Page: pictures, Do: logo,
		Summary: "Show the logo of an application.", Tag: "oauth", Extension: true, Status: 200,
	}
}

func logo(c *api.Call) error {
	app, err := c.Auth.Application(c.Context(), c.Param("application"))
	if err != nil {
		return err
	}
	kind, picture := app.Picture()
	if picture == nil {
		return fault.New(fault.NotFound, "The application has no logo.")
	}
	c.SetHeader("Content-Type", kind)
	c.SetHeader("Cache-Control", "private, max-age=300")
	return c.Send(http.StatusOK, picture)
}
