package api

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
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

var testRoles = map[string]auth.Role{
	keyAdmin: auth.Admin, keyPower: auth.PowerCollaborator, keyMember: auth.Collaborator, keyStranger: auth.Nobody,
}

// clock is a wall clock that moves only when told to.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time         { return time.Unix(0, c.at.Load()) }
func (c *clock) move(d time.Duration)   { c.at.Add(int64(d)) }
func newClock(unixSeconds int64) *clock { c := new(clock); c.at.Store(unixSeconds * 1e9); return c }
func basic(key string) string           { return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":")) }

func testConfig(limits ...credential.Limit) Config {
	if len(limits) == 0 {
		limits = []credential.Limit{{Type: credential.LimitAll, Interval: 1, Limit: 1_000_000}}
	}
	return Config{
		Authenticate: func(_ context.Context, secret string) (*credential.Credential, error) {
			switch secret {
			case keyOld:
				return nil, fault.New(fault.Forbidden, "This API key was deactivated.")
			case keyBroken:
				return nil, errors.New("disk on fire")
			}
			if _, ok := testRoles[secret]; !ok {
				return nil, fault.New(fault.Forbidden, "The API key is not known here.")
			}
			return &credential.Credential{
				ID: "id-" + secret, Counter: "id-" + secret,
				Account: &identity.Account{UID: "account-" + secret}, Limits: limits,
			}, nil
		},
		Enter: func(_ context.Context, who *identity.Account, project string) (auth.Scope, error) {
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
	r := Route{
		Method: method, Pattern: pattern, Access: Member, Right: everyone, Do: echo, Summary: "Try it.",
		Tag: "tests", Out: Schema{"type": "object"}, Status: 200,
	}
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
		route("GET", "/twice",
			does(func(c *Call) error { _ = c.Send(200, []byte(`{}`)); return c.Send(200, []byte(`{}`)) })),
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
	config := testConfig(credential.Limit{Type: credential.LimitAll, Interval: 60, Limit: 0})
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
		{
			"method before credentials", full, "PUT", "/projects/p1/issues/i1", nil, 405,
			"DELETE, GET, HEAD, OPTIONS, PATCH",
		},
		{"no credentials before version", full, "GET", "/projects/p2", []string{"Accept", v2}, 401, "no credentials"},
		{
			"wrong key before version", full, "GET", "/projects/p2",
			[]string{"Authorization", basic("x"), "Accept", v2},
			403, "not known",
		},
		{
			"deactivated key", full, "GET", "/projects/p2",
			[]string{"Authorization", basic(keyOld), "Accept", v2},
			403,
			"deactivated",
		},
		{
			"version before limit", full, "GET", "/projects/p2",
			[]string{"Authorization", basic(keyAdmin), "Accept", v2},
			406, "Supported MAJOR versions: 1",
		},
		{
			"limit before project", full, "GET", "/projects/p2",
			[]string{"Authorization", basic(keyAdmin)},
			429,
			"rate limit",
		},
		{
			"unknown project", free, "GET", "/projects/p2",
			[]string{"Authorization", basic(keyStranger)},
			404,
			"Project p2 does not exist.",
		},
		{"membership before role", free, "PATCH", "/projects/p1/issues/i1", []string{
			"Authorization", basic(keyStranger),
		}, 403, "member"},
		{
			"role", free, "PATCH", "/projects/p1/issues/i1",
			[]string{"Authorization", basic(keyMember)},
			403,
			"Collaborator",
		},
		{
			"role of another name", free, "PATCH", "/projects/p1/issues/i1",
			[]string{"Authorization", basic(keyPower)},
			403, "Power Collaborator",
		},
		{
			"broken credential check", free, "GET", "/projects/p1",
			[]string{"Authorization", basic(keyBroken)},
			500,
			"Something went wrong",
		},
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
		{
			keyMember, "GET", "/projects?a=1&a=2&b", 200,
			`{"level":0,"path":"/projects","query":{"a":["1","2"],"b":[""]}}`,
		},
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
	if head, get := call(e, "HEAD", "/open", ""), call(e, "GET", "/open",
		""); head.Header().Get("Content-Length") != get.Header().Get("Content-Length") {
		t.Errorf("HEAD has the length %q, GET %q", head.Header().Get("Content-Length"),
			get.Header().Get("Content-Length"))
	}
}
