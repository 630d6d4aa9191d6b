package api

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

func TestHeadersOfEveryAnswer(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	for _, target := range []string{"/open", "/nowhere", "/projects", "/panics", "/healthz"} {
		h := call(e, "GET", target, "").Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Strict-Transport-Security": "max-age=31536000",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", target, name, h.Get(name))
			}
		}
		if !plainID(h.Get("X-Request-Id")) || h.Get("Cache-Control") == "" {
			t.Errorf("%s: %v", target, h)
		}
	}
	config := testConfig()
	config.Base = "http://127.0.0.1:8080"
	if got := call(newEdge(t, config, nil), "GET", "/healthz",
		"").Header().Get("Strict-Transport-Security"); got != "" {
		t.Errorf("HSTS over plain HTTP: %q", got)
	}
}

func TestRequestID(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	long := strings.Repeat("x", 64)
	for given, kept := range map[string]bool{
		"abc-DEF_09": true, long: true, long + "x": false, "a b": false, "": false,
		"a\"b": false, "ä": false,
	} {
		if got := call(e, "GET", "/open", "", "X-Request-Id",
			given).Header().Get("X-Request-Id"); (got == given) != kept || !plainID(got) {
			t.Errorf("%q became %q", given, got)
		}
	}
	if one, two := e.ids.next(), e.ids.next(); one == two {
		t.Errorf("two requests are called %s", one)
	}
}

func TestFailures(t *testing.T) {
	var lines strings.Builder
	config := testConfig()
	config.Log = slog.New(slog.NewTextHandler(&lines, nil))
	e := newEdge(t, config, testRoutes())
	for _, tt := range []struct {
		target string
		status int
		cause  string
	}{
		{"/panics", 500, "the roof is leaking"},
		{"/fails", 500, "secret cause"},
		{"/nothing", 500, "answered nothing"},
		{"/gone", 503, "context canceled"},
		{"/tagged", 500, "no longer so"},
		{"/busy", 503, "level=WARN"},
	} {
		lines.Reset()
		w := call(e, "GET", tt.target, "", "Authorization", basic(keyAdmin))
		if says := message(t, w); w.Code != tt.status || strings.Contains(says, tt.cause) {
			t.Errorf("%s: %d %s", tt.target, w.Code, says)
		}
		if !strings.Contains(lines.String(), tt.cause) ||
			!strings.Contains(lines.String(), w.Header().Get("X-Request-Id")) {
			t.Errorf("%s: the log says %q", tt.target, lines.String())
		}
		if w.Header().Get("ETag") != "" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: an error that can be kept: %v", tt.target, w.Header())
		}
		if (w.Header().Get("Retry-After") != "") != (tt.status == 503) {
			t.Errorf("%s: Retry-After %q", tt.target, w.Header().Get("Retry-After"))
		}
	}

	lines.Reset()
	if w := call(e, "GET", "/twice", "", "Authorization", basic(keyAdmin)); w.Code != 200 || w.Body.String() != "{}" ||
		!strings.Contains(lines.String(), "sent already") {
		t.Errorf("sent twice: %d %s, log %s", w.Code, w.Body, lines.String())
	}

	defer func() {
		if p := recover(); p != http.ErrAbortHandler {
			t.Errorf("an answer that failed after its begin was not cut off: %v", p)
		}
	}()
	call(e, "GET", "/late", "", "Authorization", basic(keyAdmin))
}

func TestCrossOrigin(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	w := call(e, "OPTIONS", "/projects/p1/issues/i1", "", "Origin", "https://tools.example",
		"Access-Control-Request-Method", "PATCH")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "DELETE, GET, HEAD, OPTIONS, PATCH",
		"Allow":                  "DELETE, GET, HEAD, OPTIONS, PATCH",
		"Access-Control-Max-Age": "86400", "Access-Control-Allow-Credentials": "",
		"Access-Control-Allow-Headers": "Authorization, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, Prefer, X-Request-Id",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if w.Code != 204 || w.Body.Len() != 0 {
		t.Errorf("preflight: %d %s", w.Code, w.Body)
	}
	if w := call(e, "OPTIONS", "/nowhere", ""); w.Code != 404 {
		t.Errorf("preflight of an unknown path: %d", w.Code)
	}
	for _, target := range []string{"/projects", "/nowhere", "/open"} {
		h := call(e, "GET", target, "", "Origin", "https://tools.example").Header()
		if h.Get("Access-Control-Allow-Origin") != "*" ||
			h.Get("Access-Control-Expose-Headers") != "ETag, X-Request-Id, Retry-After, X-Clock, Preference-Applied" {
			t.Errorf("%s: %v", target, h)
		}
	}
	if h := call(e, "GET", "/projects", "").Header(); h.Get("Access-Control-Allow-Origin") != "" ||
		h.Get("Vary") != "Origin" {
		t.Errorf("without an origin: %v", h)
	}
	if got := call(e, "GET", "/metrics", "", "Origin",
		"https://tools.example").Header().Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("any page may read metrics: %q", got)
	}
}

func TestAccessLogKeepsSecrets(t *testing.T) {
	var lines strings.Builder
	config := testConfig()
	config.Log = slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e := newEdge(t, config, testRoutes())
	w := call(e, "POST", "/projects?signature=canary1", `{"name":"canary2"}`, "Authorization", basic(keyMember),
		"Cookie", "canary3")
	if w.Code != 201 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	call(e, "GET", "/nowhere/canary4", "", "Authorization", "Bearer canary5")
	call(e, "GET", "/projects", "", "Authorization", basic("canary6"))
	text := lines.String()
	for _, secret := range []string{"canary", basic(keyMember)} {
		if strings.Contains(text, secret) {
			t.Errorf("the log has %s: %s", secret, text)
		}
	}
	want := []string{
		"level=DEBUG", "method=POST", "route=/projects ", "status=201", "took=",
		"request=" + w.Header().Get("X-Request-Id"), "account=account-" + keyMember, "key=id-" + keyMember,
	}
	first, _, _ := strings.Cut(text, "\n")
	for _, part := range want {
		if !strings.Contains(first, part) {
			t.Errorf("the line lacks %s: %s", part, first)
		}
	}
	if got := strings.Count(text, "\n"); got != 3 {
		t.Errorf("3 requests left %d lines: %s", got, text)
	}
}

func TestInFlightCap(t *testing.T) {
	config := testConfig()
	config.InFlight = 1
	var e *Edge
	var inner, health *httptest.ResponseRecorder
	e = newEdge(t, config, []Route{route("GET", "/open", func(r *Route) {
		r.Access = Public
		r.Do = func(c *Call) error {
			if inner == nil {
				inner = call(e, "GET", "/open", "")
				health = call(e, "GET", "/healthz", "")
			}
			return c.Send(200, []byte(`{}`))
		}
	})})
	if w := call(e, "GET", "/open", ""); w.Code != 200 {
		t.Errorf("the first request: %d", w.Code)
	}
	if message(t, inner); inner.Code != 503 || inner.Header().Get("Retry-After") != "1" {
		t.Errorf("a request beyond the cap: %d %v", inner.Code, inner.Header())
	}
	if health.Code != 200 {
		t.Errorf("health at the cap: %d", health.Code)
	}
	if w := call(e, "GET", "/open", ""); w.Code != 200 {
		t.Errorf("after the others: %d", w.Code)
	}
}

func newRequest(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] != "" {
			r.Header.Add(headers[i], headers[i+1])
		}
	}
	return r
}

func record(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func itoa(n int) string { return strconv.Itoa(n) }
