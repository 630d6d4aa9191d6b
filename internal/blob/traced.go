package blob

import (
	"context"
	"io"

	"groundwork/internal/fault"
	"groundwork/internal/trace"
)

// Traced gives a store whose calls are spans of what they are made for; the store itself where nothing is traced.
func Traced(s Store, t *trace.Tracer) Store {
	if t == nil {
		return s
	}
	return traced{s, t}
}

type traced struct {
	Store
	tracer *trace.Tracer
}

// over ends a span. That there is no such object, or is one already, is an answer and no failure.
func over(span *trace.Span, err error) {
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		err = nil
	}
	span.End(err)
}

func (s traced) Put(ctx context.Context, name string, r io.Reader) (size int64, err error) {
	ctx, span := s.tracer.Outside(ctx, "file put")
	defer func() {
		span.Number("groundwork.bytes", size)
		over(span, err)
	}()
	return s.Store.Put(ctx, name, r)
}

func (s traced) Open(ctx context.Context, name string) (o Object, err error) {
	ctx, span := s.tracer.Outside(ctx, "file open")
	defer func() { over(span, err) }()
	return s.Store.Open(ctx, name)
}

func (s traced) Range(ctx context.Context, name string, offset, length int64) (b []byte, err error) {
	ctx, span := s.tracer.Outside(ctx, "file range")
	defer func() {
		span.Number("groundwork.bytes", int64(len(b)))
		over(span, err)
	}()
	return s.Store.Range(ctx, name, offset, length)
}

func (s traced) Delete(ctx context.Context, name string) (err error) {
	ctx, span := s.tracer.Outside(ctx, "file delete")
	defer func() { over(span, err) }()
	return s.Store.Delete(ctx, name)
}

func (s traced) Link(ctx context.Context, name string, l Link) (at string, err error) {
	ctx, span := s.tracer.Outside(ctx, "file link")
	defer func() { over(span, err) }()
	return s.Store.Link(ctx, name, l)
}
