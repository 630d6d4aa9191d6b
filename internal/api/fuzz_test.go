package api

import (
	"bytes"
	stdjson "encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"groundwork/internal/fault"
)

// FuzzFields holds the strict reader against the standard library's, which accepts more, and against itself.
func FuzzFields(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `{"a":1,"b":[{"c":null}]}`, `{"a":1,"a":2}`, `[1]`, `{"a":"\ud800"}`,
		"{\"a\":\"\xff\"}", `{"a":1}x`, `{"a\u0000":1e999}`, ` {"é":"\\\""} `,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := parseObject(b)
		whole := checkJSON(b)
		if err != nil {
			if !fault.Is(err, fault.Invalid) ||
				!strings.HasPrefix(fault.Of(err).Message, "The request is not valid. The body ") {
				t.Fatalf("refused with %v", err)
			}
			if whole == nil && len(b) > 0 && b[0] == '{' {
				t.Fatalf("a good object is refused with %v", err)
			}
			return
		}
		if whole != nil || !stdjson.Valid(b) || !utf8.Valid(b) || tooDeep(b) {
			t.Fatalf("%q was accepted", b)
		}
		var loose map[string]stdjson.RawMessage
		if err := stdjson.Unmarshal(b, &loose); err != nil || len(loose) != len(o) {
			t.Fatalf("%d fields, the standard library sees %d: %v", len(o), len(loose), err)
		}
		for _, field := range o {
			if got, ok := loose[field.Name]; !ok || !bytes.Equal(bytes.TrimSpace(got), field.Value) {
				t.Fatalf("%q is %s, the standard library sees %s", field.Name, field.Value, got)
			}
		}
	})
}

// FuzzAccept checks that a header means the same repeated, joined and in another case.
func FuzzAccept(f *testing.F) {
	for _, s := range []string{
		"*/*", "application/vnd.x+json; version=1", `application/json;version="1.2.3";q=0`,
		"a,,b;c", `"`, `a;q="\`, "application/vnd.x+json; version=2",
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		a, b := acceptable([]string{one}), acceptable([]string{two})
		for _, err := range []error{a, b} {
			if err != nil && !fault.Is(err, fault.NotAcceptable) {
				t.Fatalf("refused with %v", err)
			}
		}
		both := acceptable([]string{one, two})
		given := func(s string) bool { return strings.Trim(s, " \t,") != "" }
		if given(one) && given(two) && (both == nil) != (a == nil || b == nil) {
			t.Fatalf("%v and %v together are %v", a, b, both)
		}
		if strings.Count(one, `"`) == 0 && !strings.Contains(one, `\`) {
			if joined := acceptable([]string{one + "," + two}); (joined == nil) != (both == nil) {
				t.Fatalf("joined %v, repeated %v", joined, both)
			}
		}
		if utf8.ValidString(one) && strings.ToLower(strings.ToUpper(one)) == strings.ToLower(one) &&
			(acceptable([]string{strings.ToUpper(one)}) == nil) != (a == nil) {
			t.Fatal("in capitals it means something else")
		}
	})
}

// FuzzBatch sends whatever to /batch: the answer is a refusal, or a result for each element, never a failure of ours.
func FuzzBatch(f *testing.F) {
	e := newEdge(f, testConfig(), []Route{
		route("GET", "/projects"), route("POST", "/projects"), route("GET", "/projects/{project}/issues/{uid}"),
		route("DELETE", "/projects/{project}/issues/{uid}"),
	})
	for _, s := range []string{
		`[]`, `[{}]`, `[{"method":"GET","path":"/projects?x=%20"}]`,
		`[{"method":"POST","path":"/projects","body":"{\"a\":1}","headers":[{"name":"Accept","value":"*/*"}]}]`,
		`[{"method":"DELETE","path":"/projects/p1/issues/%2F"},7,null,[],{"method":"GET","path":"//evil"}]`,
		`[{"method":"GET","path":"/batch"}]`, `{"a":`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w, results := batch(t, e, body)
		if !stdjson.Valid(w.Body.Bytes()) {
			t.Fatalf("not JSON: %q", w.Body)
		}
		if w.Code != 200 {
			if w.Code != 400 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			return
		}
		var parts []stdjson.RawMessage
		if err := stdjson.Unmarshal([]byte(body), &parts); err != nil || len(parts) != len(results) || len(parts) < 1 ||
			len(parts) > 50 {
			t.Fatalf("%d results of %d requests: %v", len(results), len(parts), err)
		}
		for _, r := range results {
			if r.StatusCode < 200 || r.StatusCode >= 500 || r.Body != "" && !stdjson.Valid([]byte(r.Body)) {
				t.Fatalf("%+v", r)
			}
		}
	})
}
