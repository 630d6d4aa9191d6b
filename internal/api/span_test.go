package api

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"groundwork/internal/trace"
)

// spansOf gives what a collector receives of a request that names its span.
func spansOf(t *testing.T, sampler string, proxies []netip.Prefix, base, host, peer, parent string,
	headers ...string,
) (spans []*tracepb.Span) {
	t.Helper()
	var mu sync.Mutex
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		text, err := io.ReadAll(r.Body)
		var data tracepb.TracesData
		if err != nil || proto.Unmarshal(text, &data) != nil {
			t.Errorf("%s: %v", r.URL, err)
		}
		for _, of := range data.ResourceSpans {
			for _, scope := range of.ScopeSpans {
				spans = append(spans, scope.Spans...)
			}
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", sampler)
	config := testConfig()
	config.Base, config.Proxies = base, proxies
	var err error
	if config.Tracer, err = trace.Open(t.Context(), "1.2.3", slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/nothing-here", nil)
	r.Host, r.RemoteAddr = host, peer
	r.Header.Set("Traceparent", parent)
	r.Header.Set("Tracestate", "evil=SECRETSTATE")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	newEdge(t, config, testRoutes()).ServeHTTP(httptest.NewRecorder(), r)
	if err := config.Tracer.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	return spans
}

// TestStrangersDecideNothingOfTraces: only a trusted proxy, or a program of this machine, says of which trace a request
// is and whether it has a span.
func TestStrangersDecideNothingOfTraces(t *testing.T) {
	const trace = "0af7651916cd43dd8448eb211c80319c"
	const wanted, unwanted = "00-" + trace + "-b7ad6b7169203331-01", "00-" + trace + "-b7ad6b7169203331-00"
	const local, public = "http://127.0.0.1:8080", "https://build.example.com"
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, test := range []struct {
		who        string
		proxies    []netip.Prefix
		base, host string
		peer       string
		headers    []string
		believed   bool
	}{
		{"a stranger", nil, public, "build.example.com", "192.0.2.9:99", nil, false},
		{"a stranger beside the proxy", proxies, public, "build.example.com", "192.0.2.9:99", nil, false},
		{"who only claims to come by the proxy", nil, public, "build.example.com", "192.0.2.9:99", []string{"X-Forwarded-For", "10.1.2.3"}, false},
		{"the proxy", proxies, public, "build.example.com", "10.1.2.3:99", []string{"X-Forwarded-For", "192.0.2.9"}, true},
		{"this machine", nil, local, "127.0.0.1:8080", "127.0.0.1:99", nil, true},
		{"this machine, where a proxy is named", proxies, public, "build.example.com", "127.0.0.1:99", nil, false},
		{"a proxy of this machine that nobody named", nil, local, "127.0.0.1:8080", "127.0.0.1:99", []string{"X-Forwarded-For", "192.0.2.9"}, false},
	} {
		// With a sampler that takes none, who is believed has a span; with one that takes all, who is not cannot hide.
		all := spansOf(t, "0", test.proxies, test.base, test.host, test.peer, wanted, test.headers...)
		if (len(all) == 1) != test.believed {
			t.Errorf("%s asks for a span, and there are %d", test.who, len(all))
		}
		hidden := spansOf(t, "1", test.proxies, test.base, test.host, test.peer, unwanted, test.headers...)
		if (len(hidden) == 0) != test.believed {
			t.Errorf("%s asks for no span, and there are %d", test.who, len(hidden))
		}
		all = append(all, hidden...)
		for _, span := range all {
			if strings.Contains(span.String(), "SECRETSTATE") || span.TraceState != "" {
				t.Errorf("what %s says of the trace is handed on: %v", test.who, span)
			}
			if (fmt.Sprintf("%x", span.TraceId) == trace) != test.believed {
				t.Errorf("the span of %s is of the trace %x", test.who, span.TraceId)
			}
		}
	}
}
