package api

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
)

// credential says who calls: fault.Unauthenticated without credentials and for a token, fault.Forbidden for a key that is not good,
// fault.Limited when the address has sent too many of those.
func (e *Edge) credential(c *Call) (*auth.Credential, error) {
	key, err := givenKey(c.r.Header)
	if err == nil {
		var who *auth.Credential
		if who, err = e.config.Authenticate(c.Context(), key); err == nil {
			return who, nil
		}
	}
	if errors.Is(err, errNoCredentials) || !fault.Is(err, fault.Unauthenticated) && !fault.Is(err, fault.Forbidden) {
		return nil, err
	}
	// A good key passes however many bad ones came from its address: an office behind one address must not suffer from one old script.
	if over := e.failures.add(c.address(), e.config.Now); over != nil {
		c.over = over
		return nil, over.fault(c.began, "Too many refused credentials have come from this address")
	}
	return nil, err
}

var errNoCredentials = fault.New(fault.Unauthenticated,
	"This request has no credentials. Send your API key as the user name of HTTP Basic authentication, with an empty password.")

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
			return "", fault.New(fault.Forbidden, "The API key cannot be read: what follows Basic in the Authorization header is not Base64.")
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
		return "", fault.New(fault.Unauthenticated, "The authentication scheme %s is not known here. Use Basic with an API key.", clip(scheme))
	}
}
