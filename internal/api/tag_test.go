package api

import (
	"strings"
	"testing"
)

func TestEntityTags(t *testing.T) {
	routes := append(testRoutes(),
		route("GET", "/record", does(func(c *Call) error {
			if c.Fresh("7.a") {
				return nil
			}
			return c.Send(200, []byte(`{"n":7}`))
		})),
		route("GET", "/view", does(func(c *Call) error {
			if c.FreshView("a") {
				return nil
			}
			return c.Send(200, []byte(`{"n":7}`))
		})),
		route("PATCH", "/record", does(func(c *Call) error {
			return c.SendJSON(200, c.IfMatch("7"))
		})))
	e := newEdge(t, testConfig(), routes)
	own := call(e, "GET", "/projects", "", "Authorization", basic(keyAdmin)).Header().Get("ETag")
	for _, tt := range []struct {
		method, path, header, value string
		status                      int
		body                        string
	}{
		{"GET", "/record", "If-None-Match", "", 200, `{"n":7}`},
		{"GET", "/record", "If-None-Match", `"7.a"`, 304, ""},
		{"GET", "/record", "If-None-Match", `W/"7.a"`, 304, ""},
		{"GET", "/record", "If-None-Match", `"6.a", "7.a-gzip"`, 304, ""},
		{"GET", "/record", "If-None-Match", `*`, 304, ""},
		{"GET", "/record", "If-None-Match", `"7.b"`, 200, `{"n":7}`},
		{"HEAD", "/record", "If-None-Match", `"7.a"`, 304, ""},
		{"GET", "/view", "If-None-Match", `"9.a"`, 304, ""},
		{"GET", "/view", "If-None-Match", `"9.b"`, 200, `{"n":7}`},
		{"GET", "/view", "If-None-Match", `"9a"`, 200, `{"n":7}`},
		{"GET", "/view", "If-None-Match", `"9.b", "a"`, 304, ""},
		{"GET", "/projects", "If-None-Match", own, 304, ""},
		{"GET", "/projects?x=1", "If-None-Match", own, 200, `{"level":0,"path":"/projects","query":{"x":["1"]}}`},
		{"PATCH", "/record", "If-Match", "", 200, "true"},
		{"PATCH", "/record", "If-Match", `"7.a"`, 200, "true"},
		{"PATCH", "/record", "If-Match", `W/"7.other-gzip"`, 200, "true"},
		{"PATCH", "/record", "If-Match", `"5.a", "7.a"`, 200, "true"},
		{"PATCH", "/record", "If-Match", `*`, 200, "true"},
		{"PATCH", "/record", "If-Match", `"70.a"`, 200, "false"},
		{"PATCH", "/record", "If-Match", `""`, 200, "false"},
	} {
		headers := []string{"Authorization", basic(keyAdmin)}
		if tt.value != "" {
			headers = append(headers, tt.header, tt.value)
		}
		w := call(e, tt.method, tt.path, "", headers...)
		if w.Code != tt.status || w.Body.String() != tt.body {
			t.Errorf("%s %s with %s: %d %s", tt.method, tt.path, tt.value, w.Code, w.Body)
		}
		if tagged := w.Header().Get("ETag"); (tagged != "") != (tt.method != "PATCH") ||
			strings.Contains(tagged, "gzip") {
			t.Errorf("%s %s has the tag %q", tt.method, tt.path, tagged)
		}
		for _, name := range []string{"X-Content-Type-Options", "Content-Security-Policy"} {
			if (w.Header().Get(name) == "") != (w.Code == 304) {
				t.Errorf("%s %s: %d has %s %q", tt.method, tt.path, w.Code, name, w.Header().Get(name))
			}
		}
	}
	if got := call(e, "GET", "/nowhere", "").Header().Get("ETag"); got != "" {
		t.Errorf("an error has the tag %s", got)
	}
}
