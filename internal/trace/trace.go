// Package trace owns what follows a request through the service: its id, which every line of the log carries that is
// written for it, also by the background work that it left behind, and spans for OpenTelemetry where somebody collects
// them (ADR 0067). It refuses to know what is traced: who begins a span names it, and puts nothing into it that a
// person typed.
package trace

import (
	"context"
	"log/slog"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Named is a context that knows the id of the request it belongs to. It is made to be a part of something larger, so
// that it needs no memory of its own.
type Named struct {
	context.Context
	ID string
}

type (
	requestKey struct{}
	causeKey   struct{}
)

// Value is that of the context, and itself for who asks for the request.
func (n *Named) Value(key any) any {
	if _, asked := key.(requestKey); asked {
		return n
	}
	return n.Context.Value(key)
}

// Request is the id of the request that something is done for; "" for what the service does by itself.
func Request(ctx context.Context) string {
	if n, _ := ctx.Value(requestKey{}).(*Named); n != nil {
		return n.ID
	}
	return ""
}

// mostOrigin is how long an origin can be: an id of 64 characters, a part of a batch, and a span.
const mostOrigin = 160

// Origin writes down for which request something is done, and inside of which span, to be read by Of when the request
// is over. It is "" for what the service does by itself.
func Origin(ctx context.Context) string {
	id, span := Request(ctx), oteltrace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return id
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return id + " " + carrier["traceparent"]
}

// Of gives a context of what is done later for the request of an origin. What is no origin changes nothing.
func Of(ctx context.Context, origin string) context.Context {
	if origin == "" || len(origin) > mostOrigin {
		return ctx
	}
	id, parent, _ := strings.Cut(origin, " ")
	if parent != "" {
		remote := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": parent})
		if span := oteltrace.SpanContextFromContext(remote); span.IsValid() {
			ctx = context.WithValue(ctx, causeKey{}, span)
		}
	}
	if id == "" {
		return ctx
	}
	return &Named{Context: ctx, ID: id}
}

// Logged gives a handler of a log whose lines say for which request they are written, by request, and by trace where
// spans are made.
func Logged(h slog.Handler) slog.Handler { return handler{h} }

type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if id := Request(ctx); id != "" && !says(r, "request") {
		r.AddAttrs(slog.String("request", id))
	}
	if span := oteltrace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(slog.String("trace", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }

// says tells whether a line says something under a name already.
func says(r slog.Record, name string) (found bool) {
	r.Attrs(func(a slog.Attr) bool {
		found = a.Key == name
		return !found
	})
	return found
}
