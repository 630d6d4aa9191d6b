package trace

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
)

// TestLinesSayTheRequest writes lines with and without a request, by loggers that were made in all ways.
func TestLinesSayTheRequest(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(Logged(slog.NewTextHandler(&out, nil)))
	ctx := Of(t.Context(), "abc-1")
	for want, write := range map[string]func(){
		"msg=a request=abc-1":           func() { log.InfoContext(ctx, "a") },
		"msg=b kind=mail request=abc-1": func() { log.With("kind", "mail").WarnContext(ctx, "b") },
		"msg=c request=own":             func() { log.InfoContext(ctx, "c", "request", "own") },
		"msg=d g.x=1 g.request=abc-1":   func() { log.WithGroup("g").InfoContext(ctx, "d", "x", 1) },
		"msg=e\n":                       func() { log.InfoContext(t.Context(), "e") },
		"msg=f request=abc-1\n":         func() { log.InfoContext(context.WithoutCancel(ctx), "f") },
	} {
		out.Reset()
		if write(); !strings.Contains(out.String(), want) || strings.Count(out.String(), "request=") > 1 {
			t.Errorf("want %q in %q", want, out.String())
		}
	}
}

// TestOrigins writes down where things come from, and reads it again.
func TestOrigins(t *testing.T) {
	if got := Origin(t.Context()); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	for origin, want := range map[string]string{
		"": "", "abc-1": "abc-1", " ": "", strings.Repeat("x", mostOrigin+1): "",
		"abc-1 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01": "abc-1",
		"abc-1 nonsense": "abc-1",
	} {
		if got := Request(Of(t.Context(), origin)); got != want {
			t.Errorf("%q: got %q", origin, got)
		}
	}
	if got := Origin(Of(t.Context(), "abc-1")); got != "abc-1" {
		t.Errorf("again: %q", got)
	}
}

// TestNothingIsTraced calls everything on a Tracer that is none.
func TestNothingIsTraced(t *testing.T) {
	var none *Tracer
	ctx := t.Context()
	for _, begin := range []func() (context.Context, *Span){
		func() (context.Context, *Span) { return none.Serve(ctx, "") },
		func() (context.Context, *Span) { return none.Work(ctx, "x") },
		func() (context.Context, *Span) { return none.Inside(ctx, "x") },
		func() (context.Context, *Span) { return none.Outside(ctx, "x") },
	} {
		same, span := begin()
		if same != ctx || span != nil {
			t.Error("there is a span")
		}
		span.Name("x")
		span.Text("a", "b")
		span.Number("a", 1)
		span.Fail("x")
		span.End(context.Canceled)
	}
	if err := none.Close(ctx); err != nil {
		t.Error(err)
	}
}

// TestVariables reads the variables of OpenTelemetry: what is wrong is named, and no value is repeated.
func TestVariables(t *testing.T) {
	const endpoint = "http://127.0.0.1:4318"
	for _, test := range []struct{ variables, url, wrong string }{
		{"", "", ""},
		{"OTEL_SERVICE_NAME=x", "", ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint, endpoint + "/v1/traces", ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + "/x/", endpoint + "/x/v1/traces", ""},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=" + endpoint + "/x", endpoint + "/x", ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_SDK_DISABLED=true", "", ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_TRACES_EXPORTER=none", "", ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_TRACES_EXPORTER=zipkin", "", "OTEL_TRACES_EXPORTER"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=canary:4318", "", "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "", "OTEL_EXPORTER_OTLP_PROTOCOL"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/json", "", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_EXPORTER_OTLP_HEADERS=canary", "", "OTEL_EXPORTER_OTLP_HEADERS"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_EXPORTER_OTLP_HEADERS=a b=canary", "", "OTEL_EXPORTER_OTLP_HEADERS"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_EXPORTER_OTLP_HEADERS=a=canary%0d%0ab:c", "", "OTEL_EXPORTER_OTLP_HEADERS"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_BSP_MAX_QUEUE_SIZE=-1", endpoint + "/v1/traces", "OTEL_BSP_MAX_QUEUE_SIZE"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_BSP_MAX_QUEUE_SIZE=99999999999", endpoint + "/v1/traces", "OTEL_BSP_MAX_QUEUE_SIZE"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_BSP_MAX_EXPORT_BATCH_SIZE=-5", endpoint + "/v1/traces", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_BSP_SCHEDULE_DELAY=soon", endpoint + "/v1/traces", "OTEL_BSP_SCHEDULE_DELAY"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_BSP_EXPORT_TIMEOUT=0", endpoint + "/v1/traces", "OTEL_BSP_EXPORT_TIMEOUT"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_BSP_MAX_QUEUE_SIZE=4096;OTEL_BSP_SCHEDULE_DELAY=100", endpoint + "/v1/traces", ""},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_EXPORTER_OTLP_COMPRESSION=zip", "", "OTEL_EXPORTER_OTLP_COMPRESSION"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_EXPORTER_OTLP_TIMEOUT=10s", "", "OTEL_EXPORTER_OTLP_TIMEOUT"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_EXPORTER_OTLP_CERTIFICATE=/nowhere", "", "OTEL_EXPORTER_OTLP_CERTIFICATE"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_TRACES_SAMPLER=sometimes", endpoint + "/v1/traces", "OTEL_TRACES_SAMPLER"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_TRACES_SAMPLER=traceidratio;OTEL_TRACES_SAMPLER_ARG=7", endpoint + "/v1/traces", "OTEL_TRACES_SAMPLER_ARG"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint + ";OTEL_TRACES_SAMPLER=parentbased_traceidratio;OTEL_TRACES_SAMPLER_ARG=0.1", endpoint + "/v1/traces", ""},
	} {
		given := map[string]string{}
		for one := range strings.SplitSeq(test.variables, ";") {
			name, value, _ := strings.Cut(one, "=")
			given[name] = value
		}
		getenv := func(name string) string { return given[name] }
		u, err := uploaderOf(getenv)
		if err == nil && u != nil {
			err = checkLibrary(getenv)
		}
		if u != nil && u.url != test.url || u == nil && test.url != "" {
			t.Errorf("%s: got %v", test.variables, u)
		}
		if (err == nil) != (test.wrong == "") || err != nil && (!strings.HasPrefix(err.Error(), test.wrong+" ") ||
			!strings.HasSuffix(err.Error(), ".") || strings.Contains(err.Error(), "canary")) {
			t.Errorf("%s: want %q, got %v", test.variables, test.wrong, err)
		}
	}
	if got, err := headersOf("authorization=Bearer%20x, a = b", "X"); err != nil || got.Get("Authorization") != "Bearer x" ||
		got.Get("A") != "b" {
		t.Errorf("headers: %v %v", got, err)
	}
}
