package api

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/credential"
)

type batchResult struct {
	StatusCode int                 `json:"status_code"`
	Headers    []map[string]string `json:"headers"`
	Body       string              `json:"body"`
}

func (r batchResult) header(name string) string {
	for _, h := range r.Headers {
		if h["name"] == name {
			return h["value"]
		}
	}
	return ""
}

func batch(t testing.TB, e *Edge, body string, headers ...string) (*httptest.ResponseRecorder, []batchResult) {
	t.Helper()
	if len(headers) == 0 {
		headers = []string{"Authorization", basic(keyAdmin)}
	}
	w := call(e, "POST", "/batch", body, headers...)
	var out struct {
		Data []batchResult `json:"data"`
	}
	if w.Code == 200 {
		if err := json.Unmarshal(w.Body.Bytes(), &out, json.RejectUnknownMembers(true)); err != nil {
			t.Fatalf("%v: %s", err, w.Body)
		}
	}
	return w, out.Data
}

func TestBatch(t *testing.T) {
	var order []string
	routes := append(testRoutes(), route("POST", "/steps/{uid}", does(func(c *Call) error {
		order = append(order, c.Param("uid"))
		c.SetHeader("X-Clock", "now")
		return c.SendJSON(200, order)
	})))
	e := newEdge(t, testConfig(), routes)
	w, got := batch(t, e, `[
		{"method":"POST","path":"/steps/1"},
		{"method":"GET","path":"/projects?limit=2&q=%20x"},
		{"method":"POST","path":"/projects","body":"{\"name\":\"Mall\"}"},
		{"method":"POST","path":"/projects","body":"{\"name\":"},
		{"method":"DELETE","path":"/projects/p1/issues/i1"},
		{"method":"HEAD","path":"/projects"},
		{"method":"PUT","path":"/projects"},
		{"method":"GET","path":"/projects/p2","headers":null,"body":null},
		{"method":"GET","path":"/panics"},
		{"method":"GET","path":"/late"},
		{"method":"POST","path":"/steps/2"},
		{"method":"GET","path":"/big","headers":[{"name":"Accept-Encoding","value":"gzip"}]}
	]`)
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for i, want := range []struct {
		status int
		body   string
	}{
		{200, `["1"]`},
		{200, `{"level":0,"path":"/projects","query":{"limit":["2"],"q":[" x"]}}`},
		{201, `{"name":"Mall"}`},
		{400, "ends too early"},
		{204, ""},
		{200, ""},
		{405, "The method PUT"},
		{404, "Project p2 does not exist."},
		{500, "Something went wrong"},
		{500, "Something went wrong"},
		{200, `["1","2"]`},
		{200, "slab slab"},
	} {
		if i >= len(got) || got[i].StatusCode != want.status || !strings.Contains(got[i].Body, want.body) ||
			want.body == "" && got[i].Body != "" {
			t.Errorf("result %d: %+v, want %+v", i+1, got[i], want)
		}
		if id := w.Header().Get("X-Request-Id") + "-" + itoa(i+1); got[i].header("x-request-id") != id {
			t.Errorf("result %d is called %q", i+1, got[i].header("x-request-id"))
		}
	}
	if got[0].header("content-type") != "application/json" || got[0].header("x-clock") != "now" ||
		got[6].header("allow") != "GET, HEAD, OPTIONS, POST" {
		t.Errorf("headers %v, %v", got[0].Headers, got[6].Headers)
	}
	for i, r := range got {
		if r.Body != "" && !jsontext.Value(r.Body).IsValid() {
			t.Errorf("result %d is not JSON: %s", i+1, r.Body)
		}
		for _, h := range r.Headers {
			if len(h) != 2 || h["name"] != strings.ToLower(h["name"]) {
				t.Errorf("header %v", h)
			}
		}
	}
}

func TestBatchRefusedAsAWhole(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	one := `{"method":"GET","path":"/projects"}`
	many := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(one+",", n), ",") + "]" }
	for name, tt := range map[string]struct {
		body   string
		status int
	}{
		"one": {many(1), 200}, "fifty": {many(50), 200}, "fifty-one": {many(51), 400}, "none": {"[]", 400},
		"no body": {"", 400},
		"object":  {one, 400}, "string": {`"x"`, 400}, "null": {"null", 400}, "cut off": {"[" + one, 400},
		"comma":      {"[" + one + ",]", 400},
		"name twice": {`[{"method":"GET","method":"GET","path":"/projects"}]`, 400}, "text after": {many(1) + "x", 400},
		"4 MiB": {"[" + one + strings.Repeat(" ", mostBatch-len(one)-2) + "]", 200},
		"more":  {"[" + one + strings.Repeat(" ", mostBatch-len(one)-1) + "]", 413},
	} {
		w, _ := batch(t, e, tt.body)
		if w.Code != tt.status {
			t.Errorf("%s: %d %.200s", name, w.Code, w.Body)
		}
		if tt.status != 200 {
			message(t, w)
		}
	}
	if w, _ := batch(t, e, many(1), "Accept", "application/json"); w.Code != 401 {
		t.Errorf("without credentials: %d", w.Code)
	}
}

func TestBatchPartsRefused(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	long := strings.Repeat("x", mostPath)
	for name, part := range map[string]string{
		"body is an object":              `{"method":"POST","path":"/projects","body":{"name":"x"}}`,
		"body is no JSON":                `{"method":"POST","path":"/projects","body":"name"}`,
		"body is empty":                  `{"method":"POST","path":"/projects","body":""}`,
		"body has no field":              `{"method":"POST","path":"/projects","body":"{}"}`,
		"body is a list":                 `{"method":"POST","path":"/projects","body":"[1]"}`,
		"body has a name twice":          `{"method":"POST","path":"/projects","body":"{\"a\":1,\"a\":2}"}`,
		"unsupported field":              `{"method":"GET","path":"/projects","id":1}`,
		"unsupported field, null":        `{"method":"GET","path":"/projects","id":null}`,
		"no method":                      `{"path":"/projects"}`,
		"method is null":                 `{"method":null,"path":"/projects"}`,
		"method is a number":             `{"method":1,"path":"/projects"}`,
		"method is no token":             `{"method":"GET /x HTTP/1.1\r\n","path":"/projects"}`,
		"method is empty":                `{"method":"","path":"/projects"}`,
		"no path":                        `{"method":"GET"}`,
		"path is null":                   `{"method":"GET","path":null}`,
		"path is a number":               `{"method":"GET","path":7}`,
		"path without slash":             `{"method":"GET","path":"projects"}`,
		"path is an address":             `{"method":"GET","path":"http://evil.example/projects"}`,
		"path is another host":           `{"method":"GET","path":"//evil.example/projects"}`,
		"path with a line break":         `{"method":"GET","path":"/projects\r\nX: y"}`,
		"path with a space":              `{"method":"GET","path":"/projects HTTP/1.1"}`,
		"path with a bad escape":         `{"method":"GET","path":"/projects/%zz"}`,
		"path with a fragment":           `{"method":"GET","path":"/projects#x"}`,
		"path too long":                  `{"method":"GET","path":"/` + long + `"}`,
		"headers is an object":           `{"method":"GET","path":"/projects","headers":{"name":"A","value":"b"}}`,
		"headers is a list of strings":   `{"method":"GET","path":"/projects","headers":["A: b"]}`,
		"header without name":            `{"method":"GET","path":"/projects","headers":[{"value":"b"}]}`,
		"header without value":           `{"method":"GET","path":"/projects","headers":[{"name":"A"}]}`,
		"header value is a number":       `{"method":"GET","path":"/projects","headers":[{"name":"A","value":1}]}`,
		"header value is null":           `{"method":"GET","path":"/projects","headers":[{"name":"A","value":null}]}`,
		"header with another field":      `{"method":"GET","path":"/projects","headers":[{"name":"A","value":"b","x":1}]}`,
		"header name with a line break":  `{"method":"GET","path":"/projects","headers":[{"name":"A\r\nB","value":"b"}]}`,
		"header name is empty":           `{"method":"GET","path":"/projects","headers":[{"name":"","value":"b"}]}`,
		"header value with a line break": `{"method":"GET","path":"/projects","headers":[{"name":"A","value":"b\r\nC: d"}]}`,
		"header value with NUL":          `{"method":"GET","path":"/projects","headers":[{"name":"A","value":"b\u0000"}]}`,
		"headers too large": `{"method":"GET","path":"/projects","headers":[{"name":"A","value":"` +
			long + long + `"}]}`,
		"batch":             `{"method":"POST","path":"/batch","body":"{\"a\":1}"}`,
		"batch in disguise": `{"method":"POST","path":"/%62atch","body":"{\"a\":1}"}`,
		"sign-in":           `{"method":"POST","path":"/oauth/token","body":"{\"a\":1}"}`,
		"docs":              `{"method":"GET","path":"/docs"}`,
		"document":          `{"method":"GET","path":"/openapi.json"}`,
		"health":            `{"method":"GET","path":"/healthz?x=1"}`,
		"readiness":         `{"method":"GET","path":"/readyz"}`,
		"metrics":           `{"method":"GET","path":"/metrics"}`,
		"not an object":     `7`,
		"a list":            `[]`,
	} {
		w, got := batch(t, e, `[{"method":"GET","path":"/projects"},`+part+`,{"method":"GET","path":"/projects"}]`)
		if len(got) != 3 || got[0].StatusCode != 200 || got[1].StatusCode != 400 || got[2].StatusCode != 200 ||
			!strings.HasPrefix(got[1].Body, `{"message":"`) {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestBatchCredentialsAndVersions(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	part := func(name, value string) string {
		return fmt.Sprintf(`{"method":"GET","path":"/projects/p1","headers":[{"name":%q,"value":%q}]}`, name, value)
	}
	_, got := batch(t, e, "["+strings.Join([]string{
		part("X-Any", "x"), part("authorization", basic(keyMember)), part("Authorization", basic(keyStranger)),
		part("AUTHORIZATION", basic("wrong")),
		part("Authorization", ""), part("Accept", "application/vnd.x+json; version=2"),
		part("Accept", "application/json"), part("Content-Length", "99"), part("Transfer-Encoding", "chunked"),
	}, ",")+"]", "Authorization", basic(keyAdmin), "Accept", "application/vnd.x+json; version=1")
	want := []int{200, 200, 403, 403, 401, 406, 200, 200, 200}
	for i := range want {
		if i >= len(got) || got[i].StatusCode != want[i] {
			t.Errorf("result %d: %+v, want %d", i+1, got[i], want[i])
		}
	}
	if !strings.Contains(got[0].Body, `"level":2`) || !strings.Contains(got[1].Body, `"level":1`) {
		t.Errorf("own credentials have no effect: %s, %s", got[0].Body, got[1].Body)
	}
}

func TestBatchCountsOnce(t *testing.T) {
	e := newEdge(t, testConfig(credential.Limit{Type: "all", Interval: 86400, Limit: 3}, credential.Limit{
		Type: "write", Interval: 86400, Limit: 2,
	}), testRoutes())
	parts := "[" + strings.TrimSuffix(strings.Repeat(`{"method":"POST","path":"/projects","body":"{\"name\":\"x\"}"},`,
		50), ",") + "]"
	for i := range 2 {
		_, got := batch(t, e, parts)
		for _, r := range got {
			if r.StatusCode != 201 {
				t.Fatalf("batch %d: %+v", i, r)
			}
		}
	}
	if w, _ := batch(t, e, parts); w.Code != 429 || !strings.Contains(w.Body.String(), `"request_type":"write"`) {
		t.Errorf("a third batch: %d %s", w.Code, w.Body)
	}
	if w := call(e, "GET", "/projects", "", "Authorization", basic(keyAdmin)); w.Code != 200 {
		t.Errorf("the refused batch was counted: %d", w.Code)
	}
}

func TestBatchCountsEachRefusedCredential(t *testing.T) {
	config := testConfig()
	config.Failures = 3
	config.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // where httptest's requests come from
	e := newEdge(t, config, testRoutes())
	wrong := func(i int) string {
		return fmt.Sprintf(`{"method":"GET","path":"/projects","headers":[{"name":"Authorization","value":%q},{"name":"X-Forwarded-For","value":"198.51.100.%d"}]}`, basic("wrong"), i)
	}
	_, got := batch(t, e, "["+wrong(1)+","+wrong(2)+","+wrong(3)+","+wrong(4)+`,{"method":"GET","path":"/projects"}]`)
	for i, want := range []int{403, 403, 403, 429, 200} {
		if got[i].StatusCode != want {
			t.Errorf("result %d: %+v, want %d", i+1, got[i], want)
		}
	}
}
