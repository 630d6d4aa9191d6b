package api

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestHealthAndReadiness(t *testing.T) {
	config := testConfig()
	var down error
	config.Ready = func(context.Context) error { return down }
	e := newEdge(t, config, nil)
	check := func(path string, status int, body string) {
		t.Helper()
		// Whatever a monitor sends is fine.
		w := call(e, "GET", path, "", "Accept", "text/plain", "Authorization", "Bearer x")
		if w.Code != status || !strings.Contains(w.Body.String(), body) ||
			w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s %v", path, w.Code, w.Body, w.Header())
		}
		if (status == 503) != (w.Header().Get("Retry-After") == "1") {
			t.Errorf("%s: Retry-After %q", path, w.Header().Get("Retry-After"))
		}
	}
	check("/healthz", 200, `{"status":"ok"}`)
	check("/readyz", 200, `{"status":"ready"}`)
	down = errors.New("no route to the database")
	check("/readyz", 503, "cannot answer right now")
	check("/healthz", 200, `{"status":"ok"}`)
	down = nil
	check("/readyz", 200, `{"status":"ready"}`)
	e.Drain()
	check("/readyz", 503, "cannot answer right now")
	check("/healthz", 200, `{"status":"ok"}`)
	if got := call(e, "GET", "/openapi.json", ""); got.Code != 200 || got.Header().Get("Connection") != "close" {
		t.Errorf("while draining: %d %v", got.Code, got.Header())
	}
}

func TestMetrics(t *testing.T) {
	config := testConfig()
	config.Base = "http://localhost:8080"
	e := newEdge(t, config, testRoutes())
	extra := prometheus.NewCounter(prometheus.CounterOpts{Name: "groundwork_extra_total", Help: "x"})
	e.Metrics().MustRegister(extra)
	call(e, "GET", "/projects", "", "Authorization", basic(keyAdmin))
	call(e, "HEAD", "/projects", "", "Authorization", basic(keyAdmin))
	call(e, "GET", "/projects", "")
	call(e, "GET", "/projects/p1/issues/i1?secret=1", "", "Authorization", basic(keyAdmin))
	call(e, "GET", "/what/ever", "")
	show := func(peer string, headers ...string) (int, string) {
		r := newRequest("GET", "/metrics", headers...)
		r.RemoteAddr, r.Host = peer, "127.0.0.1:8080"
		if len(headers) > 0 && headers[0] == "Host" {
			r.Host = headers[1]
		}
		w := record(e, r)
		return w.Code, w.Body.String()
	}
	status, text := show("127.0.0.1:9999")
	if status != 200 {
		t.Fatal(status, text)
	}
	for _, line := range []string{
		`groundwork_http_requests_total{method="GET",route="/projects",status="200"} 2`,
		`groundwork_http_requests_total{method="GET",route="/projects",status="401"} 1`,
		`groundwork_http_requests_total{method="GET",route="/projects/{project}/issues/{uid}",status="200"} 1`,
		`groundwork_http_requests_total{method="",route="(unknown)",status="404"} 1`,
		`groundwork_http_request_seconds_count{method="GET",route="/projects"} 3`,
		`groundwork_http_in_flight 1`, `groundwork_extra_total 0`, `go_goroutines `,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("lacks %s", line)
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("metrics show a query")
	}
	if status, _ := show("[::1]:9999"); status != 200 {
		t.Errorf("IPv6 loopback: %d", status)
	}
	for name, tt := range map[string]struct {
		peer    string
		headers []string
	}{
		"a stranger": {"192.0.2.7:1", nil}, "a proxy on this machine": {"127.0.0.1:1", []string{
			"X-Forwarded-For", "127.0.0.1",
		}}, "another": {"127.0.0.1:1", []string{"Via", "1.1 x"}}, "no address": {"@", nil},
		"another name":          {"127.0.0.1:1", []string{"Host", "build.example.com"}},
		"any header of a proxy": {"127.0.0.1:1", []string{"X-Forwarded-Proto", "https"}},
	} {
		if status, body := show(tt.peer, tt.headers...); status != 403 || !strings.HasPrefix(body, `{"message":`) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

// TestMetricsBehindASilentProxy: a proxy on the same machine that says nothing of whom it speaks for has the address,
// and often the Host, of a caller on this machine. Where the service is offered elsewhere, only the token counts.
func TestMetricsBehindASilentProxy(t *testing.T) {
	get := func(e *Edge, headers ...string) int {
		r := newRequest("GET", "/metrics", headers...)
		r.RemoteAddr, r.Host = "127.0.0.1:9999", "127.0.0.1:8080"
		return record(e, r).Code
	}
	offered := testConfig()
	if got := get(newEdge(t, offered, testRoutes())); got != 403 {
		t.Errorf("behind a silent proxy: %d", got)
	}
	named := testConfig()
	named.Base, named.Proxies = "http://localhost:8080", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	if got := get(newEdge(t, named, testRoutes())); got != 403 {
		t.Errorf("with a trusted proxy: %d", got)
	}
	offered.MetricsToken, offered.Failures = "sixteen bytes and more", 2
	e := newEdge(t, offered, testRoutes())
	if got := get(e, "Authorization", "Bearer sixteen bytes and more"); got != 200 {
		t.Errorf("with the token: %d", got)
	}
	for i, want := range []int{403, 403, 429} {
		if got := get(e, "Authorization", "Bearer sixteen bytes and mora"); got != want {
			t.Errorf("with another token, time %d: %d", i, got)
		}
	}
	named.Proxies, named.MetricsToken = nil, offered.MetricsToken
	if got := get(newEdge(t, named, testRoutes())); got != 403 {
		t.Errorf("without the token on this machine: %d", got)
	}
}
