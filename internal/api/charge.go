package api

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/credential"
)

// take counts the call against the limits of its credential: fault.Limited when there is no room. A batch was counted
// already when its parts come, so that those that count where it did are free; one with a credential that is counted
// elsewhere is charged to that.
func (e *Edge) take(c *Call) error {
	if c.nested && c.Credential.Counter == c.batch.Credential.Counter {
		return nil
	}
	return c.count(c.Credential, c.end.write, c.end.Poll)
}

func (c *Call) count(who *credential.Credential, write, poll bool) error {
	full := c.edge.limits.take(who, c.edge.config.Now, write, poll)
	if full == nil {
		return nil
	}
	c.over = full
	return full.fault(c.began, whoHas(who)+" reached a rate limit for "+counted[full.Type])
}

// Charge counts the call, of a route that is open to everybody, as a write of the credential that it turns out to be
// for: fault.Limited when there is no room.
func (c *Call) Charge(who *credential.Credential) error { return c.count(who, true, false) }

// RateLimit is the rate limit object of the window that refused the call; null where none did.
func (c *Call) RateLimit() jsontext.Value {
	if c.over == nil {
		return jsontext.Value("null")
	}
	return c.over.append(nil)
}

// whoHas begins the sentence about a full window with what is counted in it.
func whoHas(who *credential.Credential) string {
	switch {
	case who.Account != nil && who.Account.Payer() != who.Account.UID && who.Counter != who.ID:
		return "This account, which is counted together with who invited it until its address is proven, has"
	case who.Session != "":
		return "This account, in browsers, has"
	case who.Counter == who.ID && who.ID == who.Application:
		return "This application (" + who.Application + ") has"
	case who.Counter == who.ID && who.Application != "":
		return "This application (" + who.Application + "), acting for this account, has"
	case who.Counter == who.ID:
		return "This API key (" + who.ID + ") has"
	case who.Application != "" || strings.HasPrefix(who.Counter, "keys/"):
		return "This account's API keys, which are counted together, have"
	default:
		return "This API key (" + who.ID + "), counted together with the key that it was made with (" + who.Counter +
			"), has"
	}
}

var counted = map[string]string{credential.LimitAll: "all requests", credential.LimitWrite: "writing requests"}
