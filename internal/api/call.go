package api

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/job"
	"groundwork/internal/processor"
	"groundwork/internal/store"
	"groundwork/internal/trace"
)

// Call is one request on its way through a route's function, which alone may use it.
type Call struct {
	// Scope is the caller's admission to the project, on Member routes.
	Scope auth.Scope
	// Level is what the route's right gives the caller's role, on Member routes: auth.Own or auth.Any.
	Level auth.Level
	// Credential is who calls, except on Public routes.
	Credential *credential.Credential
	Store      *store.Store
	Auth       *auth.Auth
	// Jobs takes work for later, inside the transaction of the request.
	Jobs *job.Queue
	// Unmailed says that there is no mail server.
	Unmailed bool
	// Base is the public address without a slash at its end: the only source of absolute URLs.
	Base string
	// Version is the release.
	Version   string
	RequestID string
	// Major is the MAJOR version that the caller asked for, on routes that need a credential.
	Major int

	edge   *Edge
	end    *endpoint
	page   *Page // how this answers browsers; nil for programs
	w      http.ResponseWriter
	r      *http.Request
	began  time.Time
	linked time.Time // of which time links are, where that is not when it began
	values [mostParams]string
	query  Query
	parsed bool
	nested bool       // part of a batch
	aside  bool       // has given its place among the requests in flight back
	inflow *inflow    // the body, of a call that reads it as it arrives
	batch  *Call      // what a nested call is part of
	from   netip.Addr // who sent a nested call; otherwise see address
	status int        // what was sent; 0 before
	held   held       // its place among the streams, where it has one
	named  trace.Named
	span   *trace.Span

	problem error   // what is to be logged
	over    *window // the limit that refused the call
	token   bool    // a token was sent, and is not good
	browser bool    // a browser calls that has, or had, a session
	answer  int     // bytes that the call takes of the budget for large answers
	turn    *turn   // it runs, and counts what it moves
	moved   int     // bytes that came, and went
	parts   int     // bytes of the parts of this batch, until now

	// What the header's values point at, so that they need no memory of their own.
	idValue, lengthValue [1]string
}

// Context ends when the caller goes away. It knows the request's id, and says whether the call has a place among heavy
// work: its turn, or that of the batch that it is a part of.
func (c *Call) Context() context.Context {
	ctx := context.Context(&c.named)
	if c.named.Context == nil {
		ctx = c.r.Context() // a part of a batch that was no request
	}
	if c.turn.heavy() || c.batch != nil && c.batch.turn.heavy() {
		return processor.Held(ctx)
	}
	return ctx
}

// Param is the decoded path segment of the wildcard {name}, or the segments of {name...} with slashes between. A name
// that the pattern lacks is a bug and panics.
func (c *Call) Param(name string) string {
	i := slices.Index(c.end.names, name)
	if i < 0 {
		panic("api: " + c.end.Pattern + " has no wildcard {" + name + "}")
	}
	return c.values[i]
}

// Query is the request's query, read once.
func (c *Call) Query() Query {
	if !c.parsed {
		c.query, c.parsed = parseQuery(c.r.URL.RawQuery), true
	}
	return c.query
}

// Path is the request's path as sent, escapes and all.
func (c *Call) Path() string { return c.r.URL.EscapedPath() }

// Header is the first value of a request header, or "".
func (c *Call) Header(name string) string { return c.r.Header.Get(name) }

// SetHeader sets a header of the answer; it has no effect once the answer is sent.
func (c *Call) SetHeader(name, value string) { c.w.Header().Set(name, value) }
