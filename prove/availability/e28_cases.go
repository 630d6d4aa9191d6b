package availability

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/prove/lab"
)

// batchCase is one batch and what the contract says of it.
type batchCase struct {
	name   string
	body   string
	status int   // of the whole
	parts  []int // statuses of the results
	has    string
}

// batchCases are all ways to misuse a batch, and a few to use it.
func batchCases(project string) []batchCase {
	const me = `{"method":"GET","path":"/me"}`
	many := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(me+",", n), ",") + "]" }
	all := func(n, status int) []int { return slices.Repeat([]int{status}, n) }
	refused := func(name, body string) batchCase {
		return batchCase{name: name, body: body, status: http.StatusBadRequest}
	}
	// one puts a request between two good ones, which must not suffer.
	one := func(name, part string, status int) batchCase {
		return batchCase{
			name: name, body: "[" + me + "," + part + "," + me + "]", status: http.StatusOK,
			parts: []int{200, status, 200},
		}
	}
	path := func(name, path string, status int) batchCase {
		return one(name, `{"method":"GET","path":`+string(lab.QuotedJSON(path))+`}`, status)
	}
	method := func(name, method string, status int) batchCase {
		return one(name, `{"method":`+string(lab.QuotedJSON(method))+`,"path":"/me"}`, status)
	}
	headers := func(name, headers string, status int) batchCase {
		return one(name, `{"method":"GET","path":"/me","headers":`+headers+`}`, status)
	}
	body := func(name, body string, status int) batchCase {
		return one(name, `{"method":"POST","path":"`+project+`/issues","body":`+body+`}`, status)
	}
	containing := func(c batchCase, text string) batchCase {
		c.has = text
		return c
	}
	return []batchCase{
		refused("no requests", `[]`),
		{name: "one request", body: many(1), status: 200, parts: all(1, 200)},
		{name: "50 requests", body: many(50), status: 200, parts: all(50, 200)},
		refused("51 requests", many(51)),
		refused("an object", me),
		refused("a string", `"GET /me"`),
		refused("null", `null`),
		refused("nothing", ``),
		refused("no JSON", `[{]`),
		refused("half of it", `[`+me),
		refused("something behind it", `[`+me+`] [`+me+`]`),
		refused("a name twice", `[{"method":"GET","method":"GET","path":"/me"}]`),
		refused("bad UTF-8", "[{\"method\":\"GET\",\"path\":\"/me\xff\"}]"),
		{
			name: "4 MiB and one byte", body: many(1) + strings.Repeat(" ", 4<<20+1-len(many(1))),
			status: http.StatusRequestEntityTooLarge,
		},

		one("a number for a request", `7`, 400),
		one("null for a request", `null`, 400),
		one("an array for a request", `[]`, 400),
		one("an unknown field", `{"method":"GET","path":"/me","url":"/me"}`, 400),
		one("no method", `{"path":"/me"}`, 400),
		one("no path", `{"method":"GET"}`, 400),
		one("a number for a method", `{"method":1,"path":"/me"}`, 400),

		path("a batch in a batch", "/batch", 400),
		path("a batch, escaped", "/%62atch", 400),
		path("a batch with a query", "/batch?a=1", 400),
		one("a batch in a batch, as it should be", `{"method":"POST","path":"/batch","body":"{\"a\":1}"}`, 400),
		path("a sign-in", "/oauth/token", 400),
		path("the documentation", "/docs", 400),
		path("the OpenAPI document", "/openapi.json", 400),
		path("health", "/healthz", 400),
		path("readiness", "/readyz", 400),
		path("metrics", "/metrics", 400),
		path("an unknown path", "/nowhere", 404),
		path("a path with dots", "/projects/../batch", 404),
		path("a path without a slash", "me", 400),
		path("an empty path", "", 400),
		path("another host", "//evil.example/me", 400),
		path("an address", "http://evil.example/me", 400),
		path("an address, secured", "https://evil.example/me", 400),
		path("a file", "file:///etc/passwd", 400),
		path("a line break in the path", "/me\r\nX-Evil: 1", 400),
		path("a space in the path", "/me HTTP/1.1", 400),
		path("a fragment", "/me#x", 400),
		path("a bad escape", "/me%zz", 400),
		path("a path of 9 kB", "/"+strings.Repeat("a", 9000), 400),

		method("a method in small letters", "get", 405),
		method("CONNECT", "CONNECT", 405),
		method("a line break in the method", "GET\r\nX-Evil: 1", 400),
		method("an empty method", "", 400),

		headers("headers as an object", `{"Accept":"application/json"}`, 400),
		headers("a header without a value", `[{"name":"Accept"}]`, 400),
		headers("a header without a name", `[{"value":"x"}]`, 400),
		headers("a header with a number", `[{"name":"X","value":1}]`, 400),
		headers("a header with a third field", `[{"name":"X","value":"1","more":1}]`, 400),
		headers("a line break in a value", `[{"name":"X","value":"1\r\nX-Evil: 1"}]`, 400),
		headers("half a line break in a value", `[{"name":"X","value":"1\nX-Evil: 1"}]`, 400),
		headers("a line break in a name", `[{"name":"X\r\nX-Evil","value":"1"}]`, 400),
		headers("a colon in a name", `[{"name":"X: 1","value":"1"}]`, 400),
		headers("20 kB of headers", `[{"name":"X","value":"`+strings.Repeat("a", 20000)+`"}]`, 400),
		headers("no headers", `[]`, 200),
		headers("headers of null", `null`, 200),
		headers("a bad key", `[{"name":"Authorization","value":"`+lab.BasicAuth("gwk_nobody")+`"}]`, 403),
		headers("a bad key, small letters", `[{"name":"authorization","value":"`+lab.BasicAuth("gwk_nobody")+`"}]`,
			403),
		headers("two keys", `[{"name":"Authorization","value":"a"},{"name":"authorization","value":"b"}]`, 401),
		headers("an unknown version", `[{"name":"Accept","value":"application/vnd.plangrid+json; version=9"}]`, 406),
		containing(headers("another host in a header", `[{"name":"Host","value":"evil.example"}]`, 200),
			`"status_code":200`),

		body("a body that is an object", `{"title":"x"}`, 400),
		body("a body that is an array", `"[]"`, 400),
		body("a body without a field", `"{}"`, 400),
		body("an empty body", `""`, 400),
		body("a body that is no JSON", `"{"`, 400),
		body("a body with a name twice", `"{\"title\":\"a\",\"title\":\"b\"}"`, 400),
		body("a body with an unknown field", `"{\"titel\":\"a\"}"`, 400),
		body("a body of another type", `"{\"title\":7}"`, 400),
		containing(body("a good body", `"{\"title\":\"from a batch\"}"`, 201), `from a batch`),
		{
			name: "later requests see what earlier ones did, and stand alone", status: 200, parts: []int{201, 404, 200},
			has: `\"total_count\":1`,
			body: `[{"method":"POST","path":"` + project +
				`/issue_lists","body":"{\"name\":\"L\"}"},{"method":"DELETE","path":"` + project +
				`/issue_lists/none"},` +
				`{"method":"GET","path":"` + project + `/issue_lists"}]`,
		},
	}
}

// onlyOneCount requires that a batch counts once against the limits of its key, whatever is in it.
func onlyOneCount(t *lab.Trial, s *lab.Site) error {
	key, err := s.Command("", "key", "create", "--email", "ada@example.com", "--limit", "all/3600=3", "--limit",
		"write/3600=1")
	if err != nil {
		return err
	}
	c := s.NewClient()
	c.Key = key
	batch := strings.TrimSuffix(strings.Repeat(`{"method":"GET","path":"/me"},`, 50), ",")
	var statuses []int
	for range 2 {
		a, err := c.Do(t, http.MethodPost, "/batch", []byte("["+batch+"]"))
		if err != nil {
			return err
		}
		statuses = append(statuses, a.Status)
	}
	var limits struct {
		Data []struct {
			Type      string `json:"request_type"`
			Remaining int    `json:"remaining"`
		} `json:"data"`
	}
	if err := c.MustDo(t, http.MethodGet, "/rate_limits", nil, &limits); err != nil {
		return err
	}
	t.Require(slices.Equal(statuses, []int{200, 429}), "two batches with room for one are answered with %v", statuses)
	// Of 3 requests and 1 write, one batch and the question itself are used; the refused batch costs nothing.
	got := fmt.Sprint(limits.Data)
	t.Require(got == "[{all 1} {write 0}]", "after a batch of 50 and one question the limits stand at %s", got)
	return nil
}

// manyBadKeys requires that credentials in a batch are counted by address: sixty refusals in a minute, then 429, and
// that a good key never suffers.
func manyBadKeys(t *lab.Trial, s *lab.Site) error {
	c := s.NewClient()
	part := func(i int) string {
		return fmt.Sprintf(`{"method":"GET","path":"/me","headers":[{"name":"Authorization","value":"%s"}]}`,
			lab.BasicAuth(fmt.Sprintf("gwk_guess%d", i)))
	}
	var parts []string
	for i := range 50 {
		parts = append(parts, part(i))
	}
	body := []byte("[" + strings.Join(parts, ",") + "]")
	const attempts = 5
	var counts map[int]int
	for range attempts {
		// Refusals are counted in memory, per minute of the clock: both batches must fall into one, after nothing else.
		if _, err := s.Stop(); err != nil {
			return err
		}
		if _, err := s.Start(); err != nil {
			return err
		}
		minute := time.Now().Truncate(time.Minute)
		counts = map[int]int{}
		for range 2 {
			var results struct {
				Data []struct {
					Status int `json:"status_code"`
				} `json:"data"`
			}
			a, err := c.Do(t, http.MethodPost, "/batch", body)
			if err != nil {
				return err
			}
			if err := json.Unmarshal(a.Body, &results); err != nil {
				return err
			}
			for _, r := range results.Data {
				counts[r.Status]++
			}
		}
		if time.Now().Truncate(time.Minute).Equal(minute) {
			break
		}
	}
	t.Note("100 bad keys", "%d × 403, %d × 429", counts[403], counts[429])
	t.Require(counts[403] == 60 && counts[429] == 40,
		"100 bad keys in two batches are answered %v, want 60 × 403, then 429", counts)
	return c.MustDo(t, http.MethodGet, "/me", nil, nil)
}
