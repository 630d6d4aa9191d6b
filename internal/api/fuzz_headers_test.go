package api

import (
	"encoding/base64"
	stdjson "encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"groundwork/internal/fault"
)

// FuzzQuery holds the lenient reader of queries against the standard library's where that accepts, and against itself:
// what it read, written as an URL again, is read the same.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{
		"", "a=1&b=2", "a", "=x", "a=1&a=2", "a=%2", "a=%zz&b=%41+c", "a=%00%ff", "&&a=b&&",
		"a=b=c", "%61=%C3%A9", "a;b=1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q := parseQuery(raw)
		values := q.RawValues()
		for _, name := range q.Names() {
			if !q.Has(name) || q.Get(name) != values.Get(name) {
				t.Fatalf("%q of %q is %q, and %q in all values", name, raw, q.Get(name), values.Get(name))
			}
			for _, text := range append(values[name], name) {
				if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
					t.Fatalf("%q gives %q", raw, text)
				}
			}
		}
		if again := parseQuery(values.Encode()).RawValues(); !reflect.DeepEqual(again, values) {
			t.Fatalf("%q: %v was read back as %v", raw, values, again)
		}
		if q.With() != values.Encode() {
			t.Fatalf("%q is written as %q, not %q", raw, q.With(), values.Encode())
		}
		changed := q.RawValues()
		changed.Set("a", "1 &")
		changed.Del("b")
		if got := q.With("a", "1 &", "b", ""); got != changed.Encode() {
			t.Fatalf("%q with changes is written as %q, not %q", raw, got, changed.Encode())
		}
		std, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		for name, all := range std {
			if text := name + strings.Join(all, ""); !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				return // what is cleaned is not what was sent
			}
		}
		if !reflect.DeepEqual(values, std) {
			t.Fatalf("%q is %v, the standard library sees %v", raw, values, std)
		}
	})
}

// FuzzBasic holds the reader of credentials against net/http's: where that finds a user name without odd characters, so
// does this.
func FuzzBasic(f *testing.F) {
	for _, s := range []string{
		"", "Basic", "basic Z3drX3g6", "Basic Z3drX3g", "Basic  Z3drX3g6  ", "Basic Og==",
		"Basic !", "Bearer x", "Bearer", "Digest a=b", "Basic Z3dr\nX3g6",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		key, err := givenKey(http.Header{"Authorization": {header}})
		if err != nil {
			if key != "" || !fault.Is(err, fault.Unauthenticated) && !fault.Is(err, fault.Forbidden) {
				t.Fatalf("%q: %q, %v", header, key, err)
			}
			if text := fault.Of(err).Message; !utf8.ValidString(text) || len(text) > 400 {
				t.Fatalf("%q is refused with %q", header, text)
			}
		} else if key == "" || strings.Contains(key, ":") {
			t.Fatalf("%q gives the key %q", header, key)
		}
		r := &http.Request{Header: http.Header{"Authorization": {header}}}
		if user, _, ok := r.BasicAuth(); ok && user != "" && (err != nil || key != user) {
			t.Fatalf("%q: %q, %v; net/http reads %q", header, key, err, user)
		}
		if two, err := givenKey(http.Header{"Authorization": {header, header}}); two != "" || err == nil {
			t.Fatal("two headers are taken for one")
		}
		// Whatever text is a key comes through, with a password or without, padded or not.
		if name := strings.ReplaceAll(header, ":", ""); name != "" {
			for _, sent := range []string{
				base64.StdEncoding.EncodeToString([]byte(name + ":")),
				base64.RawStdEncoding.EncodeToString([]byte(name + ":x:y")),
			} {
				if got, err := givenKey(http.Header{"Authorization": {"Basic " + sent}}); err != nil || got != name {
					t.Fatalf("the key %q arrives as %q: %v", name, got, err)
				}
			}
		}
	})
}

// FuzzTags checks that conditions mean the same repeated and joined, and that a tag of ours is found among whatever
// else stands there.
func FuzzTags(f *testing.F) {
	for _, s := range []string{
		"", "*", `"7.a"`, `W/"7.a"`, `"6.a", "7.a-gzip"`, `"`, `W/`, `""""`, `,,"a"`,
		`"7.a-zstd-gzip"`, "7.a", ` "7.a" `,
	} {
		f.Add(s, `"9.z"`)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		const own = "kx0.1f-3w5e11264sgsf"
		a, b, both := matches([]string{one}, own), matches([]string{two}, own), matches([]string{one, two}, own)
		if both != (a || b) || matches([]string{one + "," + two}, own) != both {
			t.Fatalf("%q and %q: %t, %t, together %t", one, two, a, b, both)
		}
		for _, form := range []string{
			own, `"` + own + `"`, `W/"` + own + `"`, `"` + own + `-gzip"`,
			` "` + own + `" `,
		} {
			if !matches([]string{one, form}, own) || !matches([]string{form + "," + one}, own) {
				t.Fatalf("%s is not found beside %q", form, one)
			}
		}
		if a && !strings.Contains(one, own) && !strings.Contains(one, "*") {
			t.Fatalf("%q is taken for %s", one, own)
		}
		for tag := range tags([]string{one, two}) {
			if tag == "" || strings.ContainsAny(tag, ",") {
				t.Fatalf("%q, %q: a tag %q", one, two, tag)
			}
		}
	})
}

// FuzzCoding checks that a coding is only chosen when it was named or * was, and never one that was refused.
func FuzzCoding(f *testing.F) {
	for _, s := range []string{
		"", "gzip", "gzip;q=0", "*;q=0.5, zstd;q=0", "x-gzip", "identity;q=0", "gzip;q=NaN",
		"deflate;q=1e400", "br, GZIP;Q=1.000", ";;q=", "gzip;q=0x1p-2",
	} {
		f.Add(s, "zstd")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		for _, headers := range [][]string{{one}, {one, two}, {one + "," + two}} {
			got := chooseCoding(headers)
			all := strings.ToLower(strings.Join(headers, ","))
			if got != identityCoding && !strings.Contains(all, codingNames[got][0]) && !strings.Contains(all, "*") {
				t.Fatalf("%q is answered with %v", headers, got)
			}
			refused := append(slices.Clone(headers), "zstd;q=0, gzip;q=0, deflate;q=0")
			if c := chooseCoding(refused); c != identityCoding {
				t.Fatalf("%q is answered with %v", refused, c)
			}
		}
		if a, b := chooseCoding([]string{one, two}), chooseCoding([]string{one + "," + two}); a != b {
			t.Fatalf("%q and %q repeated: %v, joined: %v", one, two, a, b)
		}
	})
}

// FuzzRequest sends whole requests with every header that is read: the answer is JSON or nothing, and never a failure
// of ours.
func FuzzRequest(f *testing.F) {
	config := testConfig()
	config.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	config.Failures = 1 << 30
	routes := []Route{
		route("GET", "/projects"), route("POST", "/projects"), route("GET", "/projects/{project}/issues/{uid}"),
		route("PATCH", "/projects/{project}/issues/{uid}"),
		route("DELETE", "/projects/{project}/issues/{uid}"),
		route("GET", "/projects/{project}/issues/reports/{report}"),
	}
	e := newEdge(f, config, routes)
	f.Add("GET", "/projects?a=1", basic(keyAdmin), "*/*", `"1"`, "text/plain", "10.0.0.1", "x")
	f.Add("POST", "/projects", basic(keyAdmin), "application/json", "", "application/json; charset=utf-8",
		"::1, 192.0.2.7", `{"a":[1]}`)
	f.Add("PATCH", "/projects/p1/issues/%2F%00", basic(keyMember), "", "*", "application/json", "%", `{}`)
	f.Add("OPTIONS", "/projects/p1//issues/../x", "Bearer", ";", "W/", `application/json;a="`, "", "{")
	f.Add("GET", "/batch", "", "", "", "", "", "")
	f.Fuzz(func(t *testing.T, method, target, authorization, accept, tag, kind, forwarded, body string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || u.Path == "" || !validMethod(method) {
			return // net/http refuses it before us
		}
		r := httptest.NewRequest("GET", "/", strings.NewReader(body))
		r.Method, r.URL, r.RequestURI = method, u, target
		for name, value := range map[string]string{
			"Authorization": authorization, "Accept": accept, "If-None-Match": tag, "If-Match": tag,
			"Content-Type": kind, "X-Forwarded-For": forwarded,
			"Accept-Encoding": "identity", "X-Request-Id": tag, "Origin": forwarded, "Idempotency-Key": tag,
		} {
			if value != "" {
				r.Header[name] = []string{value}
			}
		}
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)
		if w.Code < 200 || w.Code >= 500 {
			t.Fatalf("%s %q: %d %s", method, target, w.Code, w.Body)
		}
		for name, values := range w.Header() {
			if strings.ContainsAny(strings.Join(values, ""), "\r\n\x00") {
				t.Fatalf("the header %s is %q", name, values)
			}
		}
		if w.Body.Len() > 0 && strings.HasPrefix(w.Header().Get("Content-Type"), "application/json") &&
			!stdjson.Valid(w.Body.Bytes()) {
			t.Fatalf("%s %q: %q is not JSON", method, target, w.Body)
		}
		if w.Code >= 400 && method != "HEAD" {
			var refusal struct{ Message string }
			if err := stdjson.Unmarshal(w.Body.Bytes(), &refusal); err != nil || refusal.Message == "" {
				t.Fatalf("%s %q: %d %q", method, target, w.Code, errors.Join(err, errors.New(w.Body.String())))
			}
		}
	})
}

// validMethod tells whether net/http hands a method on.
func validMethod(method string) bool {
	return method != "" && !strings.ContainsFunc(method, func(r rune) bool {
		return r > '~' || !strings.ContainsRune("!#$%&'*+-.^_`|~", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') &&
			(r < 'a' || r > 'z')
	})
}

// FuzzFormBody sends anything as a form: it is read, or refused with a sentence; never a 5xx, and what is read can
// stand in a database and in an answer.
func FuzzFormBody(f *testing.F) {
	const encoded, parts = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
	part := func(disposition, text string) string {
		return "--b\r\nContent-Disposition: " + disposition + "\r\n\r\n" + text + "\r\n"
	}
	for _, s := range []string{
		"", "a=1&b=2", "a=1&a=2", "%ff=1&%ff=2", "%00=%00", "a=%zz", "a;b=1", "a+b=c+d",
		strings.Repeat("a", 100) + "é=1",
	} {
		f.Add(encoded, s)
		f.Add("application/x-www-form-urlencoded; charset=utf-8", s)
	}
	for _, s := range []string{
		part(`form-data; name="a"`, "1") + "--b--", part(`form-data; name="logo"; filename="x.png"`,
			"\x89PNG\x00") + "--b--\r\n", part(`form-data; name="`+"\xff"+`"`, "\x00") + "--b--",
		part(`form-data; name="a"`, "1"), part("", "") + "--b--", "--b--", "--b\r\n\r\n",
		strings.Repeat(part(`form-data; name="a"`, "1"), mostFields+1) + "--b--",
		part(`form-data; name*=utf-8''%ff`, "x") + "--b--",
	} {
		f.Add(parts, s)
	}
	f.Add("multipart/form-data", "--\r\n")
	f.Add("multipart/mixed; boundary=b", part(`form-data; name="a"`, "1")+"--b--")
	f.Add("application/json", "{}")
	const most = 4 << 10
	var got Form
	e := newEdge(f, testConfig(), []Route{route("POST", "/open", func(r *Route) {
		r.Access = Public
		r.Do = func(c *Call) (err error) {
			if got, err = c.Form(most); err != nil {
				return err
			}
			return c.SendJSON(200, got.Values)
		}
	})})
	f.Fuzz(func(t *testing.T, kind, body string) {
		got = Form{}
		r := httptest.NewRequest("POST", "/open", strings.NewReader(body))
		r.Header["Content-Type"] = []string{kind}
		w := record(e, r)
		if w.Code != 200 {
			if w.Code != 400 && w.Code != 413 && w.Code != 415 || message(t, w) == "" ||
				(w.Code == 413) != (len(body) > most) && w.Code == 413 {
				t.Fatalf("%q %q: %d %s", kind, body, w.Code, w.Body)
			}
			return
		}
		for name, all := range got.Values {
			for _, text := range append(all, name) {
				if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
					t.Fatalf("%q gives %q", body, text)
				}
			}
		}
		if std, err := url.ParseQuery(body); err == nil && strings.HasPrefix(kind, encoded) && got.Files == nil &&
			body != "" && utf8.ValidString(body) && !strings.Contains(body, "%") && !strings.Contains(body, "\x00") &&
			!reflect.DeepEqual(std, got.Values) {
			t.Fatalf("%q is %v, the standard library sees %v", body, got.Values, std)
		}
		size := 0
		for _, file := range got.Files {
			size += len(file)
		}
		if size > len(body) {
			t.Fatalf("%q gives files of %d bytes", body, size)
		}
	})
}
