// Package api owns the HTTP edge: the route table and its router, the order in which a request is refused, credentials,
// versions, rate limits, strict bodies, errors, compression, batches, the OpenAPI document, health and metrics. It
// refuses to know connections, which are package transport's, and records: what a route does is the route's own
// function, and who may do it is package auth's answer.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/identity"
	"groundwork/internal/job"
	"groundwork/internal/redact"
	"groundwork/internal/store"
	"groundwork/internal/trace"
)

// Config is what an Edge needs from outside.
type Config struct {
	Store *store.Store
	Auth  *auth.Auth
	// Jobs is where requests leave work for later.
	Jobs *job.Queue
	// Authenticate says whose key a secret is: Auth.Key when nil.
	Authenticate func(ctx context.Context, secret string) (*credential.Credential, error)
	// Bearer says whose access token a secret is: Auth.Token when nil.
	Bearer func(ctx context.Context, secret string) (*credential.Credential, error)
	// Majors are the MAJOR versions that are served, ascending; 1 when empty.
	Majors []int
	// Enter admits an account to a project: Auth.Enter when nil.
	Enter func(ctx context.Context, who *identity.Account, projectUID string) (auth.Scope, error)
	// Come notes that a member who was only invited so far has come to the project: Auth.Come when nil, and nothing
	// without an Auth.
	Come func(ctx context.Context, who auth.Scope) error
	// Noted tells whether the log has the trouble already that an error of a request is of; nil is never.
	Noted func(error) bool
	// Ready tells whether requests can be served: Store.Ping when nil.
	Ready func(ctx context.Context) error
	// Lost shows people who ask for what does not exist a page; programs, and everybody when it is nil, are answered in
	// JSON.
	Lost *Page
	// Unmailed says that there is no mail server: then whoever invites somebody is shown the link that would have been
	// sent.
	Unmailed bool
	// Base is the public address, such as https://build.example.com, without a slash at its end: the only source of
	// absolute URLs.
	Base string
	// Version is the release, for the OpenAPI document.
	Version string
	Log     *slog.Logger
	// Tracer makes the spans of requests; nil makes none.
	Tracer *trace.Tracer
	// Now is the wall clock; time.Now when nil.
	Now func() time.Time
	// Proxies are the peers whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// InFlight is how many requests are served at once; DefaultInFlight when 0.
	InFlight int
	// Streams is how many event streams may be open at once; DefaultStreams when 0.
	Streams int
	// LinkPeriod is how long the links to files stay the same; they are good for one to two of it. DefaultLinkPeriod
	// when 0.
	LinkPeriod time.Duration
	// MetricsToken lets its bearer see the metrics; without one they are for callers on the same machine.
	MetricsToken redact.Secret
	// Failures is how many refused credentials an address may send in a minute; DefaultFailures when 0.
	Failures int
}

// The bounds of a Config that gives none.
const (
	DefaultInFlight = 1024
	DefaultFailures = 60

	DefaultLinkPeriod = time.Hour
)

// Edge serves all routes. It is safe for any number of requests at once.
type Edge struct {
	config   Config
	routes   []Route
	root     *node
	lost     *endpoint // what requests for unknown paths and methods are counted as
	alone    map[string]bool
	document []byte
	secure   bool
	epoch    uint64
	ids      ids
	limits   *limiter
	failures wrongCredentials
	metrics  *metrics
	origins  *http.CrossOriginProtection
	inFlight atomic.Int64
	waiting  places
	opening  places // streams whose sender is not known yet
	up, down places // streams that come, and that go
	flows    places // answers that are sent as they are made
	streams  places // of events
	answers  answers
	turns    *turns
	draining atomic.Bool
	stopping context.Context // ends when the service begins to stop
	stop     context.CancelFunc
}

// Routes lists every route that is served, the edge's own first.
func (e *Edge) Routes() []Route { return e.routes }

// OpenAPI is the document served at /openapi.json. Nobody may change it.
func (e *Edge) OpenAPI() []byte { return e.document }

// Drain makes /readyz answer 503, so that no new work is sent here, and ends each connection with its next answer;
// requests are still served, and those that wait for something new wait no longer.
func (e *Edge) Drain() {
	e.draining.Store(true)
	e.stop()
}

var _ http.Handler = (*Edge)(nil)
