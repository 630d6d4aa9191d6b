package api

import (
	"bytes"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestFields(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	deep := func(n int) string { return `{"a":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}" }
	for _, tt := range []struct {
		name, body, says string // says is "" for what is accepted
	}{
		{"object", `{"name":"x","n":[1,{"a":null}]}`, ""},
		{"no fields", `{}`, ""},
		{"spaces around", " \n{\"a\":1}\t ", ""},
		{"brackets in strings", `{"a":"\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["}`, ""},
		{"great number", `{"a":1e300000}`, ""},
		{"deepest", deep(mostDepth), ""},
		{"too deep", deep(mostDepth + 1), "deeper than 32"},
		{"a million deep", strings.Repeat("[", 1_000_000), "deeper than 32"},
		{"array", `[1]`, "must be a JSON object"},
		{"string", `"x"`, "must be a JSON object"},
		{"null", `null`, "must be a JSON object"},
		{"spaces alone", `  `, "ends too early"},
		{"cut off", `{"a":1`, "ends too early"},
		{"no JSON", `name=x`, "not valid JSON"},
		{"bad array", `[1,]`, "not valid JSON"},
		{"trailing comma", `{"a":1,}`, "not valid JSON"},
		{"single quotes", `{'a':1}`, "not valid JSON"},
		{"two values", `{"a":1}{"b":2}`, "goes on after"},
		{"text after", `{"a":1} x`, "goes on after"},
		{"name twice", `{"role":"viewer","role":"owner"}`, "name role twice"},
		{"name twice inside", `{"a":[{"b":{"c":1,"\u0063":2}}]}`, "/a/0/b/c"},
		{"other case is another name", `{"role":1,"ROLE":2}`, ""},
		{"bad UTF-8", "{\"a\":\"\xff\"}", "UTF-8"},
		{"half a surrogate pair", `{"a":"\ud800"}`, "UTF-8"},
		{"NUL between tokens", "{\"a\":\x001}", "not valid JSON"},
		{"byte order mark", "\uFEFF{}", "not valid JSON"},
		{"leading zero", `{"a":01}`, "not valid JSON"},
		{"not a number", `{"a":NaN}`, "not valid JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := call(e, "POST", "/projects", tt.body, "Authorization", basic(keyAdmin))
			if tt.says == "" {
				if w.Code != 201 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
				return
			}
			if says := message(t, w); w.Code != 400 || !strings.Contains(says, tt.says) {
				t.Errorf("%d %s", w.Code, says)
			}
			var body struct {
				Errors map[string]string `json:"errors"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || body.Errors["_general"] == "" {
				t.Errorf("nothing under _general: %s", w.Body)
			}
		})
	}
}

func TestFieldsKeepOrderAndValues(t *testing.T) {
	body := []byte(`{"b" : "x" , "a":{"c":[1, 2]},"\u00e9":null}`)
	o, err := parseObject(body)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range o {
		got = append(got, f.Name+"="+string(f.Value))
	}
	if strings.Join(got, " ") != `b="x" a={"c":[1, 2]} é=null` {
		t.Errorf("%q", got)
	}
	if v, ok := o.Get("a"); !ok || string(v) != `{"c":[1, 2]}` {
		t.Errorf("a is %s", v)
	}
	if _, ok := o.Get("none"); ok {
		t.Error("a field that is not there was found")
	}
	// A value must not reach into its neighbour when somebody appends to it.
	_ = append(o[0].Value, strings.Repeat("X", 20)...)
	if string(o[1].Value) != `{"c":[1, 2]}` {
		t.Errorf("appending changed a neighbour: %s", o[1].Value)
	}
}

func TestBodyHeaders(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	for _, tt := range []struct {
		name, kind, coding, body string
		status                   int
		says                     string
	}{
		{"charset", "application/json; charset=utf-8", "", `{}`, 201, ""},
		{"other case", "Application/JSON", "", `{}`, 201, ""},
		{"identity", "application/json", "identity", `{}`, 201, ""},
		{"empty with type", "application/json; charset=utf-8", "", "", 201, ""},
		{"empty without type", "", "", "", 201, ""},
		{"empty with another type", "text/plain", "", "", 201, ""},
		{"form", "application/x-www-form-urlencoded", "", `name=x`, 400, "application/x-www-form-urlencoded"},
		{"text", "text/plain", "", `{}`, 400, "text/plain"},
		{"no type", "", "", `{}`, 400, "no content type"},
		{"gzip", "application/json", "gzip", `{}`, 400, "Content-Encoding: gzip"},
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(tt.body)
			if chunked {
				body = io.MultiReader(body)
			}
			r := httptest.NewRequest("POST", "/projects", body)
			if chunked {
				r.ContentLength = -1
			}
			r.Header.Set("Authorization", basic(keyAdmin))
			if tt.kind != "" {
				r.Header.Set("Content-Type", tt.kind)
			}
			if tt.coding != "" {
				r.Header.Set("Content-Encoding", tt.coding)
			}
			w := record(e, r)
			if w.Code != tt.status || tt.status != 201 && !strings.Contains(message(t, w), tt.says) {
				t.Errorf("%s, chunked %v: %d %s", tt.name, chunked, w.Code, w.Body)
			}
		}
	}
}

// endless is a body that never stops; it fails the test when it is read on and on.
type endless struct {
	t    *testing.T
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read += len(p); e.read > 4*mostBody {
		e.t.Error("a body without end is read on")
		return 0, io.EOF
	}
	return copy(p, bytes.Repeat([]byte(" "), len(p))), nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("cut") }

func TestBodySize(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	exact := `{"a":"` + strings.Repeat("x", mostBody-8) + `"}`
	if w := call(e, "POST", "/projects", exact, "Authorization", basic(keyAdmin)); w.Code != 201 {
		t.Errorf("1 MiB: %d", w.Code)
	}
	w := call(e, "POST", "/projects", exact+" ", "Authorization", basic(keyAdmin))
	if says := message(t, w); w.Code != 413 || !strings.Contains(says, "1048576") ||
		w.Header().Get("Connection") != "close" {
		t.Errorf("1 MiB and a byte: %d %s %v", w.Code, says, w.Header())
	}
	for name, tt := range map[string]struct {
		body   io.Reader
		status int
	}{"without end": {&endless{t: t}, 413}, "broken": {broken{}, 400}} {
		r := httptest.NewRequest("POST", "/projects", tt.body)
		r.ContentLength = -1
		r.Header.Set("Authorization", basic(keyAdmin))
		r.Header.Set("Content-Type", "application/json")
		if w := record(e, r); w.Code != tt.status || w.Header().Get("Connection") != "close" {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestRefusedBeforeTheBodyIsRead(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	r := httptest.NewRequest("POST", "/projects", &endless{t: t, read: 4 * mostBody})
	r.ContentLength = 1 << 30
	if w := record(e, r); w.Code != 401 {
		t.Errorf("%d", w.Code)
	}
}
