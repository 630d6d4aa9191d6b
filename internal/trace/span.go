package trace

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Tracer makes spans. The nil Tracer makes none: what is not traced costs one comparison.
type Tracer struct {
	tracer   oteltrace.Tracer
	provider *sdk.TracerProvider
}

// Span is something that is being done. The nil Span takes everything and says nothing.
type Span struct{ span oteltrace.Span }

// Serve begins the span of a request, inside of that which a traceparent names; of a trace of its own where it is "" or
// none. What else callers say of their traces (tracestate) is text of theirs, and goes nowhere. The span is given its
// name with its end, when its route is known.
func (t *Tracer) Serve(ctx context.Context, parent string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	if parent != "" {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
	}
	return t.start(ctx, "request", oteltrace.WithSpanKind(oteltrace.SpanKindServer))
}

// Work begins the span of background work, a trace of its own that is linked to the request that left it.
func (t *Tracer) Work(ctx context.Context, name string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	options := []oteltrace.SpanStartOption{oteltrace.WithNewRoot(), oteltrace.WithSpanKind(oteltrace.SpanKindConsumer)}
	if cause, known := ctx.Value(causeKey{}).(oteltrace.SpanContext); known {
		options = append(options, oteltrace.WithLinks(oteltrace.Link{SpanContext: cause}))
	}
	return t.start(ctx, name, options...)
}

// Inside begins a span of what is done for the span of the context; where there is none, neither is this.
func (t *Tracer) Inside(ctx context.Context, name string) (context.Context, *Span) {
	if t == nil || !oteltrace.SpanContextFromContext(ctx).IsSampled() {
		return ctx, nil
	}
	return t.start(ctx, name)
}

// Outside begins a span as Inside does, of what another service is asked for.
func (t *Tracer) Outside(ctx context.Context, name string) (context.Context, *Span) {
	if t == nil || !oteltrace.SpanContextFromContext(ctx).IsSampled() {
		return ctx, nil
	}
	return t.start(ctx, name, oteltrace.WithSpanKind(oteltrace.SpanKindClient))
}

func (t *Tracer) start(ctx context.Context, name string,
	options ...oteltrace.SpanStartOption,
) (context.Context, *Span) {
	ctx, span := t.tracer.Start(ctx, name, options...)
	if !span.IsRecording() {
		return ctx, nil // the context says that it is not sampled
	}
	return ctx, &Span{span}
}

// Close sends what is still to be sent.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Name gives the span another name.
func (s *Span) Name(name string) {
	if s != nil {
		s.span.SetName(name)
	}
}

// Text says something of the span that is one of few words: a route, a kind, an engine.
func (s *Span) Text(key, value string) {
	if s != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// Number says how much something was.
func (s *Span) Number(key string, value int64) {
	if s != nil {
		s.span.SetAttributes(attribute.Int64(key, value))
	}
}

// Fail says that it failed, by a word for what went wrong. What an error says stays in the log: it may name people.
func (s *Span) Fail(kind string) {
	if s != nil {
		s.span.SetStatus(codes.Error, "")
		s.span.SetAttributes(attribute.String("error.type", kind))
	}
}

// End ends the span; an error says that it failed.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	if err != nil {
		s.Fail(fmt.Sprintf("%T", err))
	}
	s.span.End()
}
