package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
)

// New makes the edge of routes and of the few that are its own (Edge.Routes lists all). The error says which route is
// wrong, and why: a bad pattern, a duplicate, a Member route without a right, a schema that is missing or has two
// meanings.
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
	e.limits, e.turns = newLimiter(), newTurns(time.Now)
	e.waiting.most, e.opening.most, e.up.most, e.down.most = mostWaiting, mostOpening, mostUp, mostDown
	e.flows.most, e.streams.most = mostFlows, c.Streams
	e.failures.most = c.Failures
	e.metrics = newMetrics(e)
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
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" ||
		strings.HasSuffix(c.Base, "/") || strings.ContainsAny(c.Base, "?#") {
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
	if c.Come == nil {
		c.Come = func(context.Context, auth.Scope) error { return nil }
		if c.Auth != nil {
			c.Come = c.Auth.Come
		}
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
	if c.Streams == 0 {
		c.Streams = DefaultStreams
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

func noTokens(context.Context, string) (*credential.Credential, error) {
	return nil, fault.New(fault.Unauthenticated, "The access token is not valid or has expired.")
}

// own are the routes that belong to no noun.
func (e *Edge) own() []Route {
	return append([]Route{e.batchRoute(), e.limitsRoute(), e.documentRoute()}, e.operations()...)
}
