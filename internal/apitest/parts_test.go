package apitest

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

func TestScanning(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT doc FROM records WHERE id > $1 LIMIT 50":           false,
		"SELECT doc FROM records LIMIT 50 OFFSET 100":              true,
		"select count(*) from records":                             true,
		"SELECT COUNT (1) FROM projects p JOIN records r ON 1 = 1": true,
		"SELECT target FROM links LIMIT 1 OFFSET 2":                false,
		"SELECT count(*) FROM keys":                                false,
		"SELECT id FROM records WHERE doc = 'count(' ":             false,
		"SELECT 'records', COUNT(*) FROM keys":                     false,
		"SELECT account_count FROM records":                        false,
	} {
		if got := scanning(sql); got != want {
			t.Errorf("scanning(%q) = %v", sql, got)
		}
	}
}

func TestDiff(t *testing.T) {
	if got := diff("a\nb", "a\nb"); got != "" {
		t.Errorf("equal texts differ: %s", got)
	}
	want := "--- want\n+++ got\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
	if got := diff("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nfive\n6\n7\n8\n9"); got != want {
		t.Errorf("got\n%s", got)
	}
	far := strings.Repeat("x\n", 10)
	if got := diff("a\n"+far+"b", "A\n"+far+"B"); strings.Count(got, "@@ ") != 2 || strings.Count(got, "\n x") != 6 {
		t.Errorf("two distant changes:\n%s", got)
	}
	if got := diff("", "new\n"); !strings.Contains(got, "+new\n") {
		t.Errorf("an empty text:\n%s", got)
	}
}

func TestLabels(t *testing.T) {
	const (
		one = "11111111-2222-4333-8444-555555555555"
		two = "22222222-2222-4333-8444-555555555555"
		own = "33333333-2222-4333-8444-555555555555"
	)
	clock := NewClock()
	clock.Advance(time.Hour)
	l := newLabels(clock)
	l.keep("the client says " + own)
	l.name(two, "ISSUE")
	l.name("7", "NUMBER")
	l.hide("ada", "gwk_secret")
	for _, c := range []struct{ text, want string }{
		{`"` + one + `"`, `"<uid:1>"`},
		{Base + "/projects/" + one + "/issues/" + two, "{base}/projects/<uid:1>/issues/{ISSUE}"},
		{strings.ToUpper(two), "{ISSUE}"},
		{own + " " + "44444444-2222-4333-8444-555555555555", own + " <uid:2>"},
		{"2026-01-05T08:00:01.000002+00:00", "<time:1>"},
		{"2026-01-05T08:00:01.000003+00:00", "<time:2>"},
		{"2026-01-05T08%3A00%3A01.000002%2B00%3A00", "<time:1>"},
		{"2026-01-05T08:00:02+00:00", "<time:3 whole>"},
		{"2026-01-05T08:00:02.500+00:00", "<time:4 3 digits>"},
		{"2026-01-05T08:00:02.500000Z", "2026-01-05T08:00:02.500000Z"},
		{"2025-12-31T08:00:02+00:00", "2025-12-31T08:00:02+00:00"},
		{"2027-01-05T08:00:02+00:00", "2027-01-05T08:00:02+00:00"},
		{"?cursor=abc-_%3D&skip=2", "?cursor=<cursor>&skip=2"},
		{"gwk_secret", "{key:ada}"},
		{"Basic Z3drX3NlY3JldDo=", "Basic {basic:ada}"},
		{`"number": 7`, `"number": 7`},
	} {
		if got := l.text(c.text); got != c.want {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
	l.name(`"5.a"`, "TAG")
	for _, c := range [][4]string{
		{"Etag", `"5.a"`, "", "{TAG}"},
		{"Etag", `"5.b"`, "", "<etag:2>"},
		{"Etag", `"5.b"`, "", "<etag:2>"},
		{"X-Request-Id", "x", "", "<id>"},
		{"X-Request-Id", "x", "x", "x"},
		{"X-Clock", "2026-01-05T08:00:01.000002+00:00", "", "<time:1>"},
	} {
		if got := l.header(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("%s: %s: got %s, want %s", c[0], c[1], got, c[3])
		}
	}
}

func TestExpand(t *testing.T) {
	variables := map[string]string{"P": "a b", "key:ada": "k"}
	got, unknown := expand(`{P}|{key:ada}|{Q}|{3*"ab"}|{2*"\n"}|{"P": 1}`, variables, strings.ToUpper)
	if want := "A B|K|{Q}|ababab|\n\n|{\"P\": 1}"; got != want || !slices.Equal(unknown, []string{"{Q}"}) {
		t.Errorf("got %q and %q", got, unknown)
	}
	if got, err := unescape(`a\x00\xff\u00e9\\é`); err != nil || got != "a\x00\xffé\\é" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := unescape(`\z`); err == nil {
		t.Error("a wrong escape passed")
	}
}

func TestParseTranscript(t *testing.T) {
	steps, err := parse(txtar.Parse([]byte(
		"Prose.\n-- setup --\naccount ada\n-- request: one --\n# why\nPOST /a?b=c d\nas: ada\nset: X = data.0.uid\nset: T = header ETag\n" +
			"show: etag, X-Clock\nadvance: 90s\nescapes: yes\nbody: not shown\nX-Thing: 1: 2\n\n{\n\n}\n-- response --\n200 OK\n-- raw: two --\nGET / HTTP/1.1\n")))
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 3 || !slices.Equal(steps[0].setup, []string{"account ada"}) || steps[1].response != 2 ||
		steps[2].response != -1 || steps[2].request.raw != "GET / HTTP/1.1\n" {
		t.Fatalf("steps: %+v", steps)
	}
	r := steps[1].request
	if r.method != "POST" || r.target != "/a?b=c d" || r.as != "ada" || r.body != "{\n\n}" ||
		r.advance != 90*time.Second || !r.escapes || !r.silent ||
		!slices.Equal(r.set, []capture{{"X", "data.0.uid"}, {"T", "header ETag"}}) ||
		!slices.Equal(r.show, []string{"Etag", "X-Clock"}) ||
		!slices.Equal(r.headers, [][2]string{{"X-Thing", "1: 2"}}) {
		t.Errorf("request: %+v", r)
	}
	for _, wrong := range []string{
		"-- request: one --\nGET /\n",
		"P\n-- response --\n200\n",
		"P\n-- request --\nGET /\n",
		"P\n-- thing --\n",
		"P\n-- request: a --\nGET\n",
		"P\n-- request: a --\nGET /\nnonsense: x\n",
		"P\n-- request: a --\nGET /\nX-No-Colon\n",
		"P\n-- request: a --\nGET /\n-- response --\n-- response --\n",
	} {
		if _, err := parse(txtar.Parse([]byte(wrong))); err == nil {
			t.Errorf("parsed: %q", wrong)
		}
	}
}

func TestBadTimes(t *testing.T) {
	for body, want := range map[string]int{
		`{"created_at": "2026-01-05T08:00:00.000000+00:00", "due_at": "2026-01-05T08:00:00+00:00", "closed_at": null, "sent_at": "2026-01-05T08:00:00.500000+00:00"}`: 0,
		`[{"updated_at": "2026-01-05T08:00:00+00:00"}]`:        1,
		`{"a": {"created_at": "2026-01-05T08:00:00.000000Z"}}`: 1,
		`{"due_at": "2026-01-05T08:00:00.500+00:00"}`:          1,
		`{"reset": "soon"}`: 1,
		`not JSON`:          0,
	} {
		if got := badTimes([]byte(body)); len(got) != want {
			t.Errorf("%s: %q", body, got)
		}
	}
}

const smallDocument = `{"paths": {
	"/a/{x}": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}, "404": {"$ref": "#/components/responses/404"}}}},
	"/a/{x}/{y}": {"get": {"responses": {}}},
	"/a/b/{y}": {"get": {"responses": {"204": {}}}, "parameters": []},
	"/a": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}},
		"responses": {"201": {"content": {"application/json": {"schema": true}}}}}}},
	"components": {"schemas": {"A": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}},
		"responses": {"404": {"content": {"application/json": {"schema": {"type": "object", "required": ["message"]}}}}}}}`

func TestContract(t *testing.T) {
	c, err := newContract([]byte(smallDocument))
	if err != nil {
		t.Fatal(err)
	}
	jsonType := http.Header{"Content-Type": {"application/json"}}
	for _, e := range []struct {
		method, path, sent string
		status             int
		header             http.Header
		body, want         string // want: a part of the complaint
	}{
		{"GET", "/a/1", "", 200, jsonType, `{"n": 1}`, ""},
		{"GET", "/a/1", "", 200, jsonType, `{"n": "1"}`, "got string, want integer"},
		{"GET", "/a/1", "", 200, jsonType, `{}`, "missing property 'n'"},
		{"GET", "/a/1", "", 200, http.Header{}, `{"n": 1}`, "content type"},
		{"GET", "/a/1", "", 404, jsonType, `{"message": ""}`, ""},
		{"GET", "/a/1", "", 404, jsonType, `{}`, "missing property 'message'"},
		{"GET", "/a/1", "", 418, jsonType, `{}`, "does not list this status"},
		{"GET", "/a/b/1", "", 204, nil, "", ""},
		{"GET", "/a/b/1", "", 204, nil, "x", "a body where"},
		{"GET", "/nowhere", "", 200, nil, "x", ""},
		{"POST", "/a", `{"n": 1}`, 201, jsonType, `1`, ""},
		{"POST", "/a", `{"n": 1.5}`, 201, jsonType, `1`, "accepted, but not by its schema"},
		{"GET", "/a/1", `{}`, 200, jsonType, `{"n": 1}`, "does not know"},
	} {
		err := c.check(e.method, e.path, []byte(e.sent), Response{e.status, e.header, []byte(e.body)})
		if (err == nil) != (e.want == "") || err != nil && !strings.Contains(err.Error(), e.want) {
			t.Errorf("%s %s %d %s: %v; want %q", e.method, e.path, e.status, e.body, err, e.want)
		}
	}
	if got := c.unplayed(); !slices.Equal(got, []string{"GET /a/{x}/{y}"}) {
		t.Errorf("unplayed: %q", got)
	}
}
