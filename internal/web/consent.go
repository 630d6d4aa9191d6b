package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
	"groundwork/internal/identity"
)

// Consent asks whoever is signed in whether an application may act for them. The form sends ask back, with what they
// decided; to is where they go then.
func Consent(c *api.Call, who *identity.Account, app *grant.Application, scopes credential.Scopes, ask url.Values,
	to string,
) error {
	var hidden []named
	for _, name := range slices.Sorted(maps.Keys(ask)) {
		for _, value := range ask[name] {
			hidden = append(hidden, named{name, value})
		}
	}
	target, origin := destination(to)
	// Browsers apply the policy to where an answer to the form leads, too.
	c.SetHeader("Content-Security-Policy",
		strings.Replace(sitePolicy, "form-action 'self'", "form-action 'self' "+origin, 1))
	return answer(c, http.StatusOK, "consent.html", view{
		"Title": "Allow " + app.Name, "App": app, "Who": who, "May": may(scopes), "Hidden": hidden, "To": target,
		"Back": "/oauth/authorize?" + ask.Encode(),
	})
}

// destination is how an address is shown, and how a policy names it.
func destination(to string) (shown, source string) {
	u, err := url.Parse(to)
	if err != nil || u.Host == "" {
		scheme, _, _ := strings.Cut(to, ":")
		return scheme + ":", scheme + ":"
	}
	return u.Scheme + "://" + u.Host, u.Scheme + "://" + u.Host
}
