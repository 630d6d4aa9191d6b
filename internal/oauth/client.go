package oauth

import (
	"encoding/base64"
	"net/url"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/grant"
)

// client finds out which application calls, from the body, the Authorization header, or both where they agree. proven
// tells whether it showed its secret; app is nil where it did not say which one it is. A wrong secret, or an unknown
// application, is invalid_client.
func client(c *api.Call, form url.Values) (app *grant.Application, proven bool, err error) {
	id, secret := form.Get("client_id"), form.Get("client_secret")
	if user, password, sent := basic(c.Header("Authorization")); sent {
		if id != "" && id != user || secret != "" && secret != password {
			return nil, false, unproven(c)
		}
		id, secret = user, password
	}
	if id == "" && secret == "" {
		return nil, false, nil
	}
	app, err = c.Auth.Application(c.Context(), id)
	if fault.Is(err, fault.NotFound) {
		return nil, false, unproven(c)
	}
	if err != nil {
		return nil, false, err
	}
	if secret != "" && !app.Proves(secret) {
		return nil, false, unproven(c)
	}
	return app, secret != "", nil
}

// known is client for where an application must be known, and one with a secret must show it.
func known(c *api.Call, form url.Values) (*grant.Application, error) {
	app, proven, err := client(c, form)
	if err == nil && (app == nil || !app.Public && !proven) {
		err = unproven(c)
	}
	return app, err
}

// unproven refuses an application, and counts it against the address that it comes from.
func unproven(c *api.Call) error {
	return c.Failed(&problem{
		"invalid_client", "The application is not known here, or its client_secret is missing or wrong.", 401,
	})
}

// basic reads client credentials; each part may be percent-encoded, as RFC 6749 has it.
func basic(header string) (user, password string, sent bool) {
	scheme, rest, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(rest), "="))
	if err != nil {
		return "", "", true
	}
	user, password, _ = strings.Cut(string(text), ":")
	for _, part := range []*string{&user, &password} {
		if decoded, err := url.QueryUnescape(*part); err == nil {
			*part = decoded
		}
	}
	return user, password, true
}
