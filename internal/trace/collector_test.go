package trace

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector receives what is sent to it, as a real one does.
type collector struct {
	*httptest.Server
	mu    sync.Mutex
	spans []*tracepb.Span
	about []*tracepb.ResourceSpans
	busy  int // how often it answers 503 first
}

func collect(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.busy > 0 {
			c.busy--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(r.Body)
		}
		text, err := io.ReadAll(body)
		var data tracepb.TracesData
		if err != nil || proto.Unmarshal(text, &data) != nil || r.URL.Path != "/v1/traces" ||
			r.Header.Get("Content-Type") != "application/x-protobuf" || r.Header.Get("X-Token") != "abc" {
			t.Errorf("%s %v: %v", r.URL, r.Header, err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		for _, of := range data.ResourceSpans {
			c.about = append(c.about, of)
			for _, scope := range of.ScopeSpans {
				c.spans = append(c.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// find gives the span of a name.
func (c *collector) find(t *testing.T, name string) *tracepb.Span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	at := slices.IndexFunc(c.spans, func(s *tracepb.Span) bool { return s.Name == name })
	if at < 0 {
		t.Fatalf("no span %s among %v", name, c.spans)
	}
	return c.spans[at]
}

// TestSpansArrive makes a request, what is done inside of it, and work that it leaves for later.
func TestSpansArrive(t *testing.T) {
	for _, compression := range []string{"none", "gzip"} {
		c := collect(t)
		c.busy = 1
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-token=abc")
		t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
		t.Setenv("OTEL_SERVICE_NAME", "site")
		tracer, err := Open(t.Context(), "1.2.3", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		ctx, span := tracer.Serve(&Named{Context: t.Context(), ID: "abc-1"}, parent)
		_, inner := tracer.Inside(ctx, "write")
		inner.End(errors.New("somebody@example.com is unhappy"))
		origin := Origin(ctx)
		span.Name("GET /projects")
		span.Text("http.route", "/projects")
		span.End(nil)
		_, work := tracer.Work(Of(t.Context(), origin), "job mail")
		work.End(nil)
		_, alone := tracer.Inside(t.Context(), "alone")
		if alone != nil {
			t.Error("there is a span inside of none")
		}
		if err := tracer.Close(context.Background()); err != nil {
			t.Fatal(err)
		}

		request, write, mail := c.find(t, "GET /projects"), c.find(t, "write"), c.find(t, "job mail")
		if len(c.spans) != 3 {
			t.Errorf("%d spans", len(c.spans))
		}
		if request.Kind != tracepb.Span_SPAN_KIND_SERVER ||
			string(request.ParentSpanId) != "\xb7\xad\x6b\x71\x69\x20\x33\x31" ||
			string(write.ParentSpanId) != string(request.SpanId) || string(write.TraceId) != string(request.TraceId) {
			t.Errorf("they do not hang together: %v %v", request, write)
		}
		if len(mail.Links) != 1 || string(mail.Links[0].SpanId) != string(request.SpanId) ||
			string(mail.TraceId) == string(request.TraceId) || len(mail.ParentSpanId) != 0 {
			t.Errorf("the work is not linked: %v", mail)
		}
		if write.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || strings.Contains(write.String(), "somebody") {
			t.Errorf("what failed: %v", write)
		}
		if said := c.about[0].Resource.String(); !strings.Contains(said, `"site"`) || !strings.Contains(said, "1.2.3") ||
			strings.Contains(said, "process.") || strings.Contains(said, "host.") {
			t.Errorf("about the service: %s", said)
		}
	}
}

// TestUnsampled: who did not ask for a span gets none, nor what is inside.
func TestUnsampled(t *testing.T) {
	c := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-token=abc")
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	tracer, err := Open(t.Context(), "1.2.3", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, span := tracer.Serve(t.Context(), "")
	_, inner := tracer.Inside(ctx, "write")
	if span != nil || inner != nil {
		t.Error("there is a span")
	}
	if err := tracer.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(c.spans) != 0 {
		t.Errorf("%v", c.spans)
	}
}
