package api

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"groundwork/internal/auth"
)

func TestMatch(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	for _, tt := range []struct {
		path, pattern string
		values        []string
	}{
		{"/projects", "/projects", nil},
		{"/projects/p1", "/projects/{project}", []string{"p1"}},
		{"/projects/p1/issues/i1", "/projects/{project}/issues/{uid}", []string{"p1", "i1"}},
		{"/projects/p1/issues/reports/r1", "/projects/{project}/issues/reports/{report}", []string{"p1", "r1"}},
		{"/projects/p1/issues/i1/comments", "/projects/{project}/issues/{uid}/comments", []string{"p1", "i1"}},
		// The literal was chosen; there is no way back.
		{
			"/projects/p1/issues/reports/comments", "/projects/{project}/issues/reports/{report}",
			[]string{"p1", "comments"},
		},
		{"/projects/p1/issues/reports", "", nil},
		{"/projects/p1/issues", "", nil},
		{"/projects/a%2Fb/issues/c%20d", "/projects/{project}/issues/{uid}", []string{"a/b", "c d"}},
		{"/projects/a%2F..%2Fb", "/projects/{project}", []string{"a/../b"}},
		{"/%70rojects", "/projects", nil},
		{"/projects/%00", "/projects/{project}", []string{"\uFFFD"}},
		{"/projects/%ff%2F", "/projects/{project}", []string{"\uFFFD/"}},
		{"/projects/x+y", "/projects/{project}", []string{"x+y"}},
		{"/projects%2Fp1", "", nil},
		{"/Projects", "", nil},
		{"/projects/", "", nil},
		{"//projects", "", nil},
		{"/projects//issues/i1", "", nil},
		{"/projects/p1/issues/i1/", "", nil},
		{"/projects/.", "", nil},
		{"/projects/..", "", nil},
		{"/projects/%2e%2e", "", nil},
		{"/projects/p1/../p1", "", nil},
		{"/", "", nil},
		{"", "", nil},
		{"*", "", nil},
	} {
		u := &url.URL{Path: tt.path}
		if strings.HasPrefix(tt.path, "/") {
			parsed, err := url.ParseRequestURI(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			u = parsed
		}
		var values [mostParams]string
		pattern := ""
		var found []string
		if place := e.root.match(u, &values); place != nil {
			pattern = place.end("GET").Pattern
			for i := range place.end("GET").names {
				found = append(found, values[i])
			}
		}
		if pattern != tt.pattern || pattern != "" && !reflect.DeepEqual(found, tt.values) {
			t.Errorf("%s: %s %q", tt.path, pattern, found)
		}
	}
}

// TestMatchRest: a wildcard for the rest of the path takes what nothing else takes, and nothing that could lead out of
// it.
func TestMatchRest(t *testing.T) {
	pages := []Route{
		page("GET", "/app", nothing), page("GET", "/app/{rest...}", nothing), page("GET", "/app/sign-in", nothing),
		page("GET", "/app/assets/{file}", nothing), page("GET", "/app/of/{project}/{rest...}", nothing),
		page("POST", "/app/forms/{form}", nothing), page("GET", "/{first}/settings", nothing),
	}
	e := newEdge(t, testConfig(), pages)
	for path, want := range map[string][]string{
		"/app":                        {"/app"},
		"/app/projects":               {"/app/{rest...}", "projects"},
		"/app/projects/P1/issues/i1":  {"/app/{rest...}", "projects/P1/issues/i1"},
		"/app/sign-in":                {"/app/sign-in"},
		"/app/sign-in/twice":          {"/app/{rest...}", "sign-in/twice"},
		"/app/assets/main.js":         {"/app/assets/{file}", "main.js"},
		"/app/assets":                 {"/app/{rest...}", "assets"},
		"/app/assets/fonts/sans.woff": {"/app/{rest...}", "assets/fonts/sans.woff"},
		"/app/of/p1/sheets/s1":        {"/app/of/{project}/{rest...}", "p1", "sheets/s1"},
		"/app/of/p1":                  {"/app/{rest...}", "of/p1"},
		"/app/settings":               {"/app/{rest...}", "settings"}, // the literal was chosen
		"/other/settings":             {"/{first}/settings", "other"},
		"/app/a%20b/%c3%a9":           {"/app/{rest...}", "a b/é"},
		"/app/a%2Cb/%00":              {"/app/{rest...}", "a,b/\uFFFD"},
		"/app/forms/f1":               {"405"},
		"/app/":                       {"/app/{rest...}", ""},
		"/app/of/p1/":                 {"/app/of/{project}/{rest...}", "p1", ""},
		"/app/assets/":                nil,
		"/app/x/":                     nil,
		"/app//x":                     nil,
		"/app/x//y":                   nil,
		"/app/./x":                    nil,
		"/app/x/../y":                 nil,
		"/app/x/%2e%2e/y":             nil,
		"/app/x/..%2Fy":               nil,
		"/app/x%2Fy/z":                nil,
		"/apple":                      nil,
	} {
		u, err := url.ParseRequestURI(path)
		if err != nil {
			t.Fatal(err)
		}
		var values [mostParams]string
		var got []string
		if place := e.root.match(u, &values); place != nil {
			if end := place.end("GET"); end != nil {
				got = append([]string{end.Pattern}, values[:len(end.names)]...)
			} else {
				got = []string{"405"}
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, not %q", path, got, want)
		}
	}
	e = newEdge(t, testConfig(), []Route{page("GET", "/app/{rest...}", func(c *Call) error {
		return c.Send(200, []byte(c.Param("rest")))
	})})
	if w := call(e, "GET", "/app/projects/P1", ""); w.Code != 200 || w.Body.String() != "projects/P1" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := call(e, "HEAD", "/app/projects/P1", ""); w.Code != 200 {
		t.Errorf("HEAD: %d", w.Code)
	}
	if w := call(e, "POST", "/app/projects/P1", ""); w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
}

func nothing(c *Call) error { return c.Send(204, nil) }

func TestBadRoutes(t *testing.T) {
	for says, routes := range map[string][]Route{
		"the method must be":            {route("HEAD", "/x")},
		"no empty segment":              {route("GET", "/x/")},
		"must begin with a slash":       {route("GET", "x")},
		"neither a plain literal":       {route("GET", "/x/{Uid}")},
		"is there twice":                {route("GET", "/x/{uid}"), route("GET", "/x/{uid}")},
		"the wildcard {uid} is there":   {route("GET", "/x/{uid}/{uid}")},
		"other names for its wildcards": {route("GET", "/x/{uid}"), route("POST", "/x/{id}")},
		"more than 6 wildcards":         {route("GET", "/{a}/{b}/{c}/{d}/{e}/{f}/{g}")},
		"nothing can follow it":         {page("GET", "/x/{rest...}/y", nothing)},
		"only a page takes the rest":    {route("GET", "/x/{rest...}")},
		"{rest...} is there twice":      {page("GET", "/{rest}/{rest...}", nothing)},
		"what access it needs":          {route("GET", "/x", func(r *Route) { r.Access = 0 })},
		"needs a Right": {route("GET", "/projects/{project}/x",
			func(r *Route) { r.Right = auth.Right{} })},
		"needs the wildcard {project}": {route("GET", "/x", func(r *Route) {
			r.Access, r.Right = Member, everyone
		})},
		"only a Member route has a Right": {route("GET", "/x", func(r *Route) { r.Right = everyone })},
		"it has no function":              {route("GET", "/x", func(r *Route) { r.Do = nil })},
		"the status of its success":       {route("GET", "/x", func(r *Route) { r.Status = 0 })},
		"only 204 and 303 have none":      {route("GET", "/x", func(r *Route) { r.Out = nil })},
		"a summary and a tag":             {route("GET", "/x", func(r *Route) { r.Tag = "" })},
		"another meaning": {
			route("GET", "/x", component("Thing", "string")),
			route("GET", "/y", component("Thing", "integer")),
		},
		"the schema Thing is not given": {route("GET", "/x", func(r *Route) {
			r.Out = Schema{"items": []any{Schema{"$ref": "#/components/schemas/Thing"}}}
		})},
		"a name and a schema":         {route("GET", "/x", func(r *Route) { r.Query = []Param{{Name: "q"}} })},
		"GET /healthz is there twice": {route("GET", "/healthz")},
	} {
		if _, err := New(testConfig(), routes); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

func component(name, kind string) func(*Route) {
	return func(r *Route) { r.Components = map[string]Schema{name: {"type": kind}} }
}

func TestBadConfig(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"slash":     func(c *Config) { c.Base = "https://x/" },
		"no scheme": func(c *Config) { c.Base = "build.example.com" },
		"query":     func(c *Config) { c.Base = "https://x?y" },
		"no auth":   func(c *Config) { c.Enter = nil },
		"no store":  func(c *Config) { c.Ready = nil },
	} {
		c := testConfig()
		change(&c)
		if _, err := New(c, nil); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestQuery(t *testing.T) {
	q := parseQuery("b=1&a=x%20y+z&b=2&&bad=%zz%4&=v&k%3D=%C3%A9&ff=%ff%00&s=a;b")
	for name, want := range map[string]string{
		"b": "1", "a": "x y z", "bad": "%zz%4", "": "v", "k=": "é",
		"ff": "\uFFFD\uFFFD", "s": "a;b", "none": "",
	} {
		if got := q.Get(name); got != want {
			t.Errorf("%q is %q", name, got)
		}
	}
	if !q.Has("b") || q.Has("none") || q.Has("B") {
		t.Error("Has is wrong")
	}
	if got := q.Names(); !reflect.DeepEqual(got, []string{"", "a", "b", "bad", "ff", "k=", "s"}) {
		t.Errorf("names %q", got)
	}
	if got := q.RawValues(); !reflect.DeepEqual(got["b"], []string{"1", "2"}) {
		t.Errorf("values %v", got)
	}
	if got := parseQuery(""); got.pairs != nil {
		t.Errorf("no query gave %v", got)
	}
}

func TestParamThatThePatternLacks(t *testing.T) {
	e := newEdge(t, testConfig(), []Route{
		route("GET", "/x/{uid}", does(func(c *Call) error { return c.Send(200, []byte(c.Param("id"))) })),
	})
	if w := call(e, "GET", "/x/1", "", "Authorization", basic(keyAdmin)); w.Code != http.StatusInternalServerError {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
