// Package api owns the HTTP edge: the route table and its router, the order in which a request is refused, credentials, versions, rate limits,
// strict bodies, errors, compression, batches, the OpenAPI document, health and metrics, and the server that carries them.
// It refuses to know records: what a route does is the route's own function, and who may do it is package auth's answer.
package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/store"
)

// Config is what an Edge needs from outside.
type Config struct {
	Store *store.Store
	Auth  *auth.Auth
	// Jobs is where requests leave work for later.
	Jobs *job.Queue
	// Authenticate says whose key a secret is: Auth.Key when nil.
	Authenticate func(ctx context.Context, secret string) (*auth.Credential, error)
	// Bearer says whose access token a secret is: Auth.Token when nil.
	Bearer func(ctx context.Context, secret string) (*auth.Credential, error)
	// Majors are the MAJOR versions that are served, ascending; 1 when empty.
	Majors []int
	// Enter admits an account to a project: Auth.Enter when nil.
	Enter func(ctx context.Context, who *auth.Account, projectUID string) (auth.Scope, error)
	// Ready tells whether requests can be served: Store.Ping when nil.
	Ready func(ctx context.Context) error
	// Unmailed says that there is no mail server: then whoever invites somebody is shown the link that would have been sent.
	Unmailed bool
	// Base is the public address, such as https://build.example.com, without a slash at its end: the only source of absolute URLs.
	Base string
	// Version is the release, for the OpenAPI document.
	Version string
	Log     *slog.Logger
	// Now is the wall clock; time.Now when nil.
	Now func() time.Time
	// Proxies are the peers whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// InFlight is how many requests are served at once; DefaultInFlight when 0.
	InFlight int
	// LinkPeriod is how long the links to files stay the same; they are good for one to two of it. DefaultLinkPeriod when 0.
	LinkPeriod time.Duration
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
	failures failures
	metrics  *metrics
	origins  *http.CrossOriginProtection
	inFlight atomic.Int64
	waiting  waiting
	streams  atomic.Int64
	draining atomic.Bool
	stopping context.Context // ends when the service begins to stop
	stop     context.CancelFunc
}

// New makes the edge of routes and of the few that are its own (Edge.Routes lists all). The error says which route is wrong, and why:
// a bad pattern, a duplicate, a Member route without a right, a schema that is missing or has two meanings.
func New(c Config, routes []Route) (*Edge, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	e := &Edge{
		config: c, root: new(node), secure: strings.HasPrefix(c.Base, "https://"),
		// No route can have these first segments and be part of a batch, whether it exists yet or not.
		alone: map[string]bool{"oauth": true, "docs": true},
		ids:   newIDs(),
		epoch: xxhash.Sum64String(c.Version + " " + c.Base),
	}
	e.stopping, e.stop = context.WithCancel(context.Background())
	e.limits = newLimiter()
	e.failures.most = c.Failures
	e.metrics = newMetrics(&e.inFlight)
	e.origins = http.NewCrossOriginProtection()
	if err := e.origins.AddTrustedOrigin(c.Base); err != nil {
		return nil, fmt.Errorf("api: the base URL: %w", err)
	}
	e.lost = &endpoint{Route: Route{Pattern: "(unknown)"}}
	e.lost.series = e.metrics.of(e.lost.Route)
	e.routes = append(e.own(), routes...)
	for _, route := range e.routes {
		end, err := compile(route)
		if err != nil {
			return nil, err
		}
		if err := e.root.add(end); err != nil {
			return nil, err
		}
		end.series = e.metrics.of(route)
		if route.Alone {
			e.alone[strings.Split(route.Pattern, "/")[1]] = true
		}
	}
	var err error
	e.document, err = document(e.routes, c.Base, c.Version)
	return e, err
}

func (c *Config) complete() error {
	base, err := url.Parse(c.Base)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || strings.HasSuffix(c.Base, "/") || strings.ContainsAny(c.Base, "?#") {
		return fmt.Errorf("api: the base URL %q is not of the form https://host, without a slash at its end", c.Base)
	}
	if c.Auth == nil && (c.Authenticate == nil || c.Enter == nil) || c.Store == nil && c.Ready == nil {
		return errors.New("api: the configuration needs Auth and Store, or the functions that stand for them")
	}
	if c.Authenticate == nil {
		c.Authenticate = c.Auth.Key
	}
	if c.Bearer == nil {
		c.Bearer = noTokens
		if c.Auth != nil {
			c.Bearer = c.Auth.Token
		}
	}
	if len(c.Majors) == 0 {
		c.Majors = []int{1}
	}
	if c.Enter == nil {
		c.Enter = c.Auth.Enter
	}
	if c.Ready == nil {
		c.Ready = c.Store.Ping
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.InFlight == 0 {
		c.InFlight = DefaultInFlight
	}
	if c.LinkPeriod == 0 {
		c.LinkPeriod = DefaultLinkPeriod
	}
	if c.LinkPeriod < time.Second {
		return fmt.Errorf("api: links that are good for %s would have ended before they arrive", c.LinkPeriod)
	}
	if c.Failures == 0 {
		c.Failures = DefaultFailures
	}
	return nil
}

func noTokens(context.Context, string) (*auth.Credential, error) {
	return nil, fault.New(fault.Unauthenticated, "The access token is not valid or has expired.")
}

// Routes lists every route that is served, the edge's own first.
func (e *Edge) Routes() []Route { return e.routes }

// OpenAPI is the document served at /openapi.json. Nobody may change it.
func (e *Edge) OpenAPI() []byte { return e.document }

// Drain makes /readyz answer 503, so that no new work is sent here, and ends each connection with its next answer; requests are still served,
// and those that wait for something new wait no longer.
func (e *Edge) Drain() {
	e.draining.Store(true)
	e.stop()
}

// own are the routes that belong to no noun.
func (e *Edge) own() []Route {
	return append([]Route{e.batchRoute(), e.limitsRoute(), e.documentRoute()}, e.operations()...)
}

var _ http.Handler = (*Edge)(nil)
