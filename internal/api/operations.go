package api

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"groundwork/internal/fault"
)

// operations are the routes by which an installation is watched. They count against no limit, and a share of the
// in-flight cap is theirs alone.
func (e *Edge) operations() []Route {
	status := func(s string) Schema { return object(Schema{"status": Schema{"type": "string", "const": s}}) }
	return []Route{
		{
			Method: "GET", Pattern: "/healthz", Access: Public, Alone: true, vital: true, Do: e.health,
			Summary: "Tell whether the process lives.", Tag: "operations", Extension: true, Out: status("ok"),
			Status: 200,
		},
		{
			Method: "GET", Pattern: "/readyz", Access: Public, Alone: true, vital: true, Do: e.ready,
			Summary: "Tell whether requests can be served: 503 while the database or the file store does not answer, the disk is full, or the process is stopping.", Tag: "operations",
			Extension: true, Out: status("ready"), Status: 200,
		},
		{
			Method: "GET", Pattern: "/metrics", Access: Public, Alone: true, vital: true, Do: e.showMetrics,
			Summary: "Show metrics in the Prometheus text format, to whoever has the token for it, or is on the same machine.", Tag: "operations",
			Extension: true, Gives: "text/plain", Status: 200, Errors: []int{403, 429},
		},
	}
}

func (e *Edge) health(c *Call) error {
	c.w.Header()["Cache-Control"] = noStore
	return c.Send(http.StatusOK, []byte(`{"status":"ok"}`))
}

// readyWithin is how long the database may take to answer.
const readyWithin = 2 * time.Second

func (e *Edge) ready(c *Call) error {
	if e.draining.Load() {
		return fault.Busy(errors.New("draining"))
	}
	ctx, cancel := context.WithTimeout(c.Context(), readyWithin)
	defer cancel()
	if err := e.config.Ready(ctx); fault.Is(err, fault.Unavailable) {
		return err
	} else if err != nil {
		return fault.Busy(err)
	}
	c.w.Header()["Cache-Control"] = noStore
	return c.Send(http.StatusOK, []byte(`{"status":"ready"}`))
}

// mayWatch admits who may see metrics: whoever shows the token for it, or, where there is none, a caller on the same
// machine of a service that is offered on this machine alone.
func (e *Edge) mayWatch(c *Call) error {
	if want := e.config.MetricsToken; want != "" {
		if given := givenToken(c.r.Header); given != "" &&
			subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1 {
			return nil
		}
		return c.Failed(fault.New(fault.Forbidden,
			"Metrics need the token that the operator of this service set for them: Authorization: Bearer TOKEN."))
	}
	if !e.isLocal(c.r) {
		return fault.New(fault.Forbidden,
			"Metrics are shown only to callers on the same machine, where the service is offered on that machine alone. "+
				"For everybody else the operator sets a token, GROUNDWORK_METRICS_TOKEN, which is sent as Authorization: Bearer TOKEN.")
	}
	return nil
}

func (e *Edge) showMetrics(c *Call) error {
	if err := e.mayWatch(c); err != nil {
		return err
	}
	c.status = http.StatusOK
	promhttp.HandlerFor(e.metrics.registry, promhttp.HandlerOpts{}).ServeHTTP(c.w, c.r)
	return nil
}

// Metrics takes further metrics, to be shown with the edge's own.
func (e *Edge) Metrics() prometheus.Registerer { return e.metrics.registry }
