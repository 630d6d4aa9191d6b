package api

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
)

// credential says who calls: fault.Unauthenticated without credentials and for a token, fault.Forbidden for a key that
// is not good, fault.Limited when the address has sent too many of those. A token that lacks the route's scope is
// fault.Forbidden.
func (e *Edge) credential(c *Call) (*credential.Credential, error) {
	var who *credential.Credential
	var err error
	if token := givenToken(c.r.Header); token != "" {
		if who, err = e.config.Bearer(c.Context(), token); err == nil {
			return who, c.within(who)
		}
		c.token = true
	} else if key, none := givenKey(c.r.Header); none != nil {
		if err = none; errors.Is(none, errNoCredentials) {
			return e.ownCall(c)
		}
	} else if who, err = e.config.Authenticate(c.Context(), key); err == nil {
		return who, nil
	}
	if !fault.Is(err, fault.Unauthenticated) && !fault.Is(err, fault.Forbidden) {
		return nil, err
	}
	// A good key passes however many bad ones came from its address: an office behind one address must not suffer from
	// one old script.
	if over := e.failures.add(c.address(), e.config.Now); over != nil {
		c.over = over
		return nil, over.fault(c.began, "Too many refused credentials have come from this address")
	}
	return nil, err
}

var errNoCredentials = fault.New(fault.Unauthenticated,
	"This request has no credentials. Send your API key as the user name of HTTP Basic authentication, with an empty password.")

// givenToken reads the access token of the Authorization header; "" where there is none.
func givenToken(h http.Header) string {
	given := h["Authorization"]
	if len(given) != 1 {
		return ""
	}
	scheme, rest, _ := strings.Cut(given[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.Trim(rest, " ")
}

// within holds a token to the scope of the route.
func (c *Call) within(who *credential.Credential) error {
	if c.end.personal {
		return fault.New(fault.Forbidden,
			"An application cannot do this for you: it needs an API key, or somebody who is signed in.")
	}
	if !who.Scopes.Has(c.end.scope) {
		c.SetHeader("WWW-Authenticate",
			`Bearer realm="Groundwork", error="insufficient_scope", scope="`+c.end.scope.String()+`"`)
		return fault.New(fault.Forbidden,
			"The access token does not have the scope %s, which this needs. Ask for it when the person allows the application.", c.end.scope)
	}
	return nil
}

// givenKey reads the API key of the Authorization header: whatever stands before the first colon, if there is one.
func givenKey(h http.Header) (string, error) {
	given := h["Authorization"]
	if len(given) == 0 {
		return "", errNoCredentials
	}
	if len(given) > 1 {
		return "", fault.New(fault.Unauthenticated, "This request has %d Authorization headers. Send one.", len(given))
	}
	scheme, rest, _ := strings.Cut(given[0], " ")
	rest = strings.Trim(rest, " ")
	switch {
	case strings.EqualFold(scheme, "Basic"):
		var room [128]byte
		text, err := base64.RawStdEncoding.AppendDecode(room[:0], []byte(strings.TrimRight(rest, "=")))
		if err != nil {
			return "", fault.New(fault.Forbidden,
				"The API key cannot be read: what follows Basic in the Authorization header is not Base64.")
		}
		key, _, _ := bytes.Cut(text, []byte{':'})
		if len(key) == 0 {
			return "", errNoCredentials
		}
		return string(key), nil
	case strings.EqualFold(scheme, "Bearer") && rest != "":
		return "", fault.New(fault.Unauthenticated, "The access token is not valid or has expired.")
	case scheme == "" || strings.EqualFold(scheme, "Bearer"):
		return "", errNoCredentials
	default:
		// The scheme is not repeated: it is a key that somebody sent without one.
		return "", fault.New(fault.Unauthenticated,
			"The authentication scheme is not known here. Use Basic with an API key, or Bearer with an access token.")
	}
}

var errOther = fault.New(fault.Unauthenticated,
	"Somebody else is signed in in this browser by now. Sign in again with the account that this was meant for.")

// ownCall lets a page of this service call the API for who is signed in. No page of another site can: browsers say
// where a call comes from.
func (e *Edge) ownCall(c *Call) (*credential.Credential, error) {
	if c.nested {
		if who := c.batch.Credential; who.Session != "" {
			return who, nil
		}
		return nil, errNoCredentials
	}
	// A challenge would have the browser ask for a key, in a dialog of its own.
	c.browser = c.r.Header.Get("Sec-Fetch-Site") == "same-origin"
	who, err := c.SignedIn()
	if err != nil {
		return nil, err
	}
	if who == nil || e.origins.Check(c.r) != nil {
		return nil, errNoCredentials
	}
	if from := c.r.Header.Get("Sec-Fetch-Site"); from != "" && from != "same-origin" && from != "none" {
		return nil, errNoCredentials
	}
	// What the application keeps and sends is of one account, and another may have signed in in another tab.
	if meant := c.r.Header.Get("X-Account"); meant != "" && !strings.EqualFold(meant, who.Account.UID) {
		return nil, errOther
	}
	h := c.w.Header()
	h.Del("Access-Control-Allow-Origin")
	h.Del("Access-Control-Expose-Headers")
	return who, nil
}
