package api

import (
	"net/http"
	"slices"
	"strconv"

	"groundwork/internal/trace"
)

// begin has everything that is done for the call know its id, and its span where spans are made. A part of a batch is
// inside of its batch's.
func (c *Call) begin() {
	c.named = trace.Named{Context: c.r.Context(), ID: c.RequestID}
	switch {
	case watched[c.r.URL.Path]:
	case c.nested:
		c.named.Context, c.span = c.edge.config.Tracer.Inside(c.named.Context, "part")
	default:
		c.named.Context, c.span = c.edge.config.Tracer.Serve(c.named.Context, c.parent())
	}
}

// parent is the span that the caller names, where the caller is believed: a trusted proxy, or a program of this machine
// where the service is offered on this machine alone. Of anybody else it would decide what the operator's collector
// gets, and what stays out of it.
func (c *Call) parent() string {
	if !c.edge.trusts(peer(c.r)) && !c.edge.isLocal(c.r) {
		return ""
	}
	return c.r.Header.Get("Traceparent")
}

// watched are the paths that machines ask for every few seconds; nobody looks for them among spans.
var watched = map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}

// endSpan ends the span. Of the request it says what the metrics do, and its id: the path may hold a capability, and
// the query what somebody looks for.
func (c *Call) endSpan() {
	if c.span == nil {
		return
	}
	method := c.r.Method
	if !slices.Contains(methods, method) && method != http.MethodHead && method != http.MethodOptions {
		method = "_OTHER"
	}
	c.span.Name(method + " " + c.end.Pattern)
	c.span.Text("http.request.method", method)
	c.span.Text("http.route", c.end.Pattern)
	c.span.Number("http.response.status_code", int64(c.status))
	c.span.Text("groundwork.request", c.RequestID)
	if c.status >= http.StatusInternalServerError {
		c.span.Fail(strconv.Itoa(c.status))
	}
	c.span.End(nil)
}
