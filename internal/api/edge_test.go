package api

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
)

// The keys that the tests' Authenticate knows, by what they are.
const (
	keyAdmin    = "gwk_admin"
	keyPower    = "gwk_power"
	keyMember   = "gwk_member"
	keyStranger = "gwk_stranger"
	keyOld      = "gwk_old"
	keyBroken   = "gwk_broken"
)

var testRoles = map[string]auth.Role{keyAdmin: auth.Admin, keyPower: auth.PowerCollaborator, keyMember: auth.Collaborator, keyStranger: auth.Nobody}

// clock is a wall clock that moves only when told to.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time         { return time.Unix(0, c.at.Load()) }
func (c *clock) move(d time.Duration)   { c.at.Add(int64(d)) }
func newClock(unixSeconds int64) *clock { c := new(clock); c.at.Store(unixSeconds * 1e9); return c }
func basic(key string) string           { return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":")) }

func testConfig(limits ...auth.Limit) Config {
	if len(limits) == 0 {
		limits = []auth.Limit{{Type: auth.LimitAll, Interval: 1, Limit: 1_000_000}}
	}
	return Config{
		Authenticate: func(_ context.Context, secret string) (*auth.Credential, error) {
			switch secret {
			case keyOld:
				return nil, fault.New(fault.Forbidden, "This API key was deactivated.")
			case keyBroken:
				return nil, errors.New("disk on fire")
			}
			if _, ok := testRoles[secret]; !ok {
				return nil, fault.New(fault.Forbidden, "The API key is not known here.")
			}
			return &auth.Credential{ID: "id-" + secret, Account: &auth.Account{UID: "account-" + secret}, Limits: limits}, nil
		},
		Enter: func(_ context.Context, who *auth.Account, project string) (auth.Scope, error) {
			role := testRoles[strings.TrimPrefix(who.UID, "account-")]
			if project != "p1" {
				return auth.Scope{}, fault.Missing("Project", project)
			}
			if role == auth.Nobody {
				return auth.Scope{}, fault.New(fault.Forbidden, "You are not a member of this project.")
			}
			return scopeOf(role), nil
		},
		Ready: func(context.Context) error { return nil },
		Base:  "https://build.example.com", Version: "1.2.3", Now: newClock(1_000_000).now,
	}
}

// scopeOf makes a scope of a role without a database: only package auth can make a real one.
func scopeOf(role auth.Role) auth.Scope {
	var s auth.Scope
	*(*auth.Role)(reflect.ValueOf(&s).Elem().FieldByName("role").Addr().UnsafePointer()) = role
	return s
}

var everyone = auth.Right{Admin: auth.Any, Power: auth.Any, Collaborator: auth.Own}

// echo answers with what a route sees of its call.
func echo(c *Call) error {
	values := map[string]any{"level": int(c.Level), "path": c.Path(), "query": c.Query().RawValues()}
	for _, name := range c.end.names {
		values[name] = c.Param(name)
	}
	return c.SendJSON(c.end.Status, values)
}

func echoBody(c *Call) error {
	o, err := c.Fields()
	if err != nil {
		return err
	}
	out := map[string]any{}
	for _, f := range o {
		out[f.Name] = f.Value
	}
	return c.SendJSON(c.end.Status, out)
}

func route(method, pattern string, change ...func(*Route)) Route {
	r := Route{Method: method, Pattern: pattern, Access: Member, Right: everyone, Do: echo, Summary: "Try it.", Tag: "tests", Out: Schema{"type": "object"}, Status: 200}
	if method == "POST" || method == "PATCH" || method == "PUT" {
		r.Do, r.In = echoBody, Schema{"type": "object"}
	}
	if method == "DELETE" {
		r.Do, r.Out, r.Status = func(c *Call) error { return c.Send(204, nil) }, nil, 204
	}
	if !strings.HasPrefix(pattern, "/projects/{project}") {
		r.Access, r.Right = Caller, auth.Right{}
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

func does(do func(*Call) error) func(*Route) { return func(r *Route) { r.Do = do } }

func testRoutes() []Route {
	return []Route{
		route("GET", "/projects"),
		route("POST", "/projects", func(r *Route) { r.Status = 201 }),
		route("GET", "/projects/{project}"),
		route("GET", "/projects/{project}/issues/{uid}"),
		route("PATCH", "/projects/{project}/issues/{uid}", func(r *Route) { r.Right = auth.Right{Admin: auth.Any} }),
		route("DELETE", "/projects/{project}/issues/{uid}"),
		route("GET", "/projects/{project}/issues/{uid}/comments"),
		route("GET", "/projects/{project}/issues/reports/{report}"),
		route("GET", "/open", func(r *Route) { r.Access = Public }),
		route("GET", "/panics", does(func(*Call) error { panic("the roof is leaking") })),
		route("GET", "/late", does(func(c *Call) error { _ = c.Send(200, []byte(`{}`)); panic("too late") })),
		route("GET", "/nothing", does(func(*Call) error { return nil })),
		route("GET", "/twice", does(func(c *Call) error { _ = c.Send(200, []byte(`{}`)); return c.Send(200, []byte(`{}`)) })),
		route("GET", "/fails", does(func(*Call) error { return errors.New("secret cause") })),
		route("GET", "/tagged", does(func(c *Call) error {
			c.SetHeader("ETag", `"1"`)
			return errors.New("no longer so")
		})),
		route("GET", "/busy", does(func(*Call) error { return fault.New(fault.Unavailable, "Not now.") })),
		route("GET", "/gone", does(func(c *Call) error { return context.Canceled })),
		route("GET", "/big", does(func(c *Call) error {
			c.SetHeader("ETag", `"7.a"`)
			return c.Send(200, []byte(`"`+strings.Repeat("slab ", 1000)+`"`))
		})),
	}
}

func newEdge(t testing.TB, c Config, routes []Route) *Edge {
	t.Helper()
	e, err := New(c, routes)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// call makes one request; headers are name, value, name, value.
func call(h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// message reads an error's sentence, and fails the test when the answer is not an error in JSON.
func message(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	var body struct {
		Message string `json:"message"`
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q of %s", got, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Message == "" {
		t.Errorf("not an error body: %v: %s", err, w.Body)
	}
	return body.Message
}

func TestOrderOfRefusals(t *testing.T) {
	config := testConfig(auth.Limit{Type: auth.LimitAll, Interval: 60, Limit: 0})
	full := newEdge(t, config, testRoutes())
	free := newEdge(t, testConfig(), testRoutes())
	const v2 = "application/vnd.plangrid+json; version=2"
	for _, tt := range []struct {
		name           string
		edge           *Edge
		method, target string
		headers        []string
		status         int
		says           string
	}{
		{"unknown path before method", full, "BREW", "/nowhere", nil, 404, "/nowhere"},
		{"method before credentials", full, "PUT", "/projects/p1/issues/i1", nil, 405, "DELETE, GET, HEAD, OPTIONS, PATCH"},
		{"no credentials before version", full, "GET", "/projects/p2", []string{"Accept", v2}, 401, "no credentials"},
		{"wrong key before version", full, "GET", "/projects/p2", []string{"Authorization", basic("x"), "Accept", v2}, 403, "not known"},
		{"deactivated key", full, "GET", "/projects/p2", []string{"Authorization", basic(keyOld), "Accept", v2}, 403, "deactivated"},
		{"version before limit", full, "GET", "/projects/p2", []string{"Authorization", basic(keyAdmin), "Accept", v2}, 406, "Supported MAJOR versions: 1"},
		{"limit before project", full, "GET", "/projects/p2", []string{"Authorization", basic(keyAdmin)}, 429, "rate limit"},
		{"unknown project", free, "GET", "/projects/p2", []string{"Authorization", basic(keyStranger)}, 404, "Project p2 does not exist."},
		{"membership before role", free, "PATCH", "/projects/p1/issues/i1", []string{"Authorization", basic(keyStranger)}, 403, "member"},
		{"role", free, "PATCH", "/projects/p1/issues/i1", []string{"Authorization", basic(keyMember)}, 403, "Collaborator"},
		{"role of another name", free, "PATCH", "/projects/p1/issues/i1", []string{"Authorization", basic(keyPower)}, 403, "Power Collaborator"},
		{"broken credential check", free, "GET", "/projects/p1", []string{"Authorization", basic(keyBroken)}, 500, "Something went wrong"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := call(tt.edge, tt.method, tt.target, "", tt.headers...)
			if says := message(t, w); w.Code != tt.status || !strings.Contains(says, tt.says) {
				t.Errorf("%d %s; want %d with %q", w.Code, says, tt.status, tt.says)
			}
		})
	}
}

func TestAdmitted(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	for _, tt := range []struct {
		key, method, target string
		status              int
		body                string
	}{
		{keyAdmin, "GET", "/projects/p1", 200, `{"level":2,"path":"/projects/p1","project":"p1","query":{}}`},
		{keyMember, "GET", "/projects/p1", 200, `{"level":1,"path":"/projects/p1","project":"p1","query":{}}`},
		{keyMember, "DELETE", "/projects/p1/issues/i", 204, ""},
		{keyMember, "GET", "/projects?a=1&a=2&b", 200, `{"level":0,"path":"/projects","query":{"a":["1","2"],"b":[""]}}`},
		{"", "GET", "/open", 200, `{"level":0,"path":"/open","query":{}}`},
		{"", "HEAD", "/open", 200, ""},
	} {
		var headers []string
		if tt.key != "" {
			headers = []string{"Authorization", basic(tt.key)}
		}
		w := call(e, tt.method, tt.target, "", headers...)
		if w.Code != tt.status || w.Body.String() != tt.body {
			t.Errorf("%s %s: %d %s", tt.method, tt.target, w.Code, w.Body)
		}
	}
	if head, get := call(e, "HEAD", "/open", ""), call(e, "GET", "/open", ""); head.Header().Get("Content-Length") != get.Header().Get("Content-Length") {
		t.Errorf("HEAD has the length %q, GET %q", head.Header().Get("Content-Length"), get.Header().Get("Content-Length"))
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	for _, target := range []string{"/open", "/nowhere", "/projects", "/panics", "/healthz"} {
		h := call(e, "GET", target, "").Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Strict-Transport-Security": "max-age=31536000", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
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
	if got := call(newEdge(t, config, nil), "GET", "/healthz", "").Header().Get("Strict-Transport-Security"); got != "" {
		t.Errorf("HSTS over plain HTTP: %q", got)
	}
}

func TestRequestID(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	long := strings.Repeat("x", 64)
	for given, kept := range map[string]bool{"abc-DEF_09": true, long: true, long + "x": false, "a b": false, "": false, "a\"b": false, "ä": false} {
		if got := call(e, "GET", "/open", "", "X-Request-Id", given).Header().Get("X-Request-Id"); (got == given) != kept || !plainID(got) {
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
		{"/panics", 500, "the roof is leaking"}, {"/fails", 500, "secret cause"}, {"/nothing", 500, "answered nothing"}, {"/gone", 503, "context canceled"}, {"/tagged", 500, "no longer so"}, {"/busy", 503, "level=WARN"},
	} {
		lines.Reset()
		w := call(e, "GET", tt.target, "", "Authorization", basic(keyAdmin))
		if says := message(t, w); w.Code != tt.status || strings.Contains(says, tt.cause) {
			t.Errorf("%s: %d %s", tt.target, w.Code, says)
		}
		if !strings.Contains(lines.String(), tt.cause) || !strings.Contains(lines.String(), w.Header().Get("X-Request-Id")) {
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
	if w := call(e, "GET", "/twice", "", "Authorization", basic(keyAdmin)); w.Code != 200 || w.Body.String() != "{}" || !strings.Contains(lines.String(), "sent already") {
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
	w := call(e, "OPTIONS", "/projects/p1/issues/i1", "", "Origin", "https://tools.example", "Access-Control-Request-Method", "PATCH")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "DELETE, GET, HEAD, OPTIONS, PATCH", "Allow": "DELETE, GET, HEAD, OPTIONS, PATCH",
		"Access-Control-Max-Age": "86400", "Access-Control-Allow-Credentials": "",
		"Access-Control-Allow-Headers": "Authorization, Content-Type, Accept, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Request-Id",
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
		if h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Expose-Headers") != "ETag, X-Request-Id, Retry-After, X-Clock, Preference-Applied" {
			t.Errorf("%s: %v", target, h)
		}
	}
	if h := call(e, "GET", "/projects", "").Header(); h.Get("Access-Control-Allow-Origin") != "" || h.Get("Vary") != "Origin" {
		t.Errorf("without an origin: %v", h)
	}
	if got := call(e, "GET", "/metrics", "", "Origin", "https://tools.example").Header().Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("any page may read metrics: %q", got)
	}
}

func TestAccessLogKeepsSecrets(t *testing.T) {
	var lines strings.Builder
	config := testConfig()
	config.Log = slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	e := newEdge(t, config, testRoutes())
	w := call(e, "POST", "/projects?signature=canary1", `{"name":"canary2"}`, "Authorization", basic(keyMember), "Cookie", "canary3")
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
	want := []string{"level=DEBUG", "method=POST", "route=/projects ", "status=201", "took=", "request=" + w.Header().Get("X-Request-Id"), "account=account-" + keyMember, "key=id-" + keyMember}
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
