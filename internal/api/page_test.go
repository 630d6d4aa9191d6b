package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"groundwork/internal/fault"
)

var testPage = &Page{
	Policy: "default-src 'self'",
	Refusal: func(status int, message, requestID string) []byte {
		return fmt.Appendf(nil, "<h1>%d</h1>%s (%s)", status, message, requestID)
	},
}

// page is a public route for browsers.
func page(method, pattern string, do func(*Call) error) Route {
	return Route{
		Method: method, Pattern: pattern, Access: Public, Alone: true, Page: testPage, Do: do,
		Summary: "See it.", Tag: "pages", Status: 200,
	}
}

func sendHTML(c *Call) error {
	c.SetHeader("Content-Type", "text/html; charset=utf-8")
	return c.Send(200, []byte("<p>"+c.Version))
}

func pack(t *testing.T, text string) *Packed {
	t.Helper()
	p := &Packed{Type: "text/css", Tag: "h1"}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	p.Gzip = out.Bytes()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Zstd = w.EncodeAll([]byte(text), nil)
	return p
}

func TestPage(t *testing.T) {
	c := testConfig()
	c.Version = "1.2.3"
	e := newEdge(t, c, []Route{
		route("GET", "/", func(r *Route) { r.Access = Public }),
		page("GET", "/pages", sendHTML),
		page("POST", "/pages", sendHTML),
		page("GET", "/pages/broken", func(*Call) error { return errors.New("secret cause") }),
		page("GET", "/pages/refused", func(*Call) error { return fault.New(fault.Forbidden, "Not for you.") }),
		page("GET", "/pages/moved", func(c *Call) error { return c.Redirect("/pages") }),
	})
	for _, tt := range []struct {
		method, path  string
		header        []string
		status        int
		kind, content string
	}{
		{"GET", "/", nil, 200, "application/json", `{"level":0,"path":"/","query":{}}`},
		{
			"POST", "/", nil, 405, "application/json",
			`{"message":"The method POST is not allowed on this path. Allowed: GET, HEAD, OPTIONS."}`,
		},
		{"GET", "/pages", nil, 200, "text/html; charset=utf-8", "<p>1.2.3"},
		{"HEAD", "/pages", nil, 200, "text/html; charset=utf-8", ""},
		{
			"PUT", "/pages", nil, 405, "text/html; charset=utf-8",
			"<h1>405</h1>The method PUT is not allowed on this path. Allowed: GET, HEAD, OPTIONS, POST. (r1)",
		},
		{
			"GET", "/pages/broken", nil, 500, "text/html; charset=utf-8",
			"<h1>500</h1>Something went wrong on our side. The team has been notified. (r1)",
		},
		{"GET", "/pages/refused", nil, 403, "text/html; charset=utf-8", "<h1>403</h1>Not for you. (r1)"},
		{"GET", "/pages/none", nil, 404, "application/json", `{"message":"There is nothing at the path /pages/none."}`},
		{"POST", "/pages", nil, 200, "text/html; charset=utf-8", "<p>1.2.3"}, // no browser
		{"POST", "/pages", []string{"Sec-Fetch-Site", "same-origin"}, 200, "text/html; charset=utf-8", "<p>1.2.3"},
		// behind a proxy that changes Host
		{
			"POST", "/pages",
			[]string{"Origin", "https://build.example.com"},
			200, "text/html; charset=utf-8",
			"<p>1.2.3",
		},
		// a link
		{"GET", "/pages", []string{"Sec-Fetch-Site", "cross-site"}, 200, "text/html; charset=utf-8", "<p>1.2.3"},
		{
			"POST", "/pages",
			[]string{"Sec-Fetch-Site", "cross-site"},
			403, "text/html; charset=utf-8",
			"<h1>403</h1>This was sent by a page of another site, and is not done. (r1)",
		},
		{
			"POST", "/pages",
			[]string{"Origin", "https://evil.example.com"},
			403, "text/html; charset=utf-8",
			"<h1>403</h1>This was sent by a page of another site, and is not done. (r1)",
		},
	} {
		isPage := strings.HasPrefix(tt.kind, "text/html")
		if !isPage {
			tt.header = append(tt.header, "Origin", "https://tools.example")
		}
		w := call(e, tt.method, tt.path, "", append(tt.header, "X-Request-Id", "r1")...)
		if w.Code != tt.status || w.Header().Get("Content-Type") != tt.kind || w.Body.String() != tt.content {
			t.Errorf("%s %s %v: %d %s %s", tt.method, tt.path, tt.header, w.Code, w.Header().Get("Content-Type"),
				w.Body)
		}
		policy, origin := "default-src 'none'; frame-ancestors 'none'", "*"
		if isPage {
			policy, origin = testPage.Policy, ""
		}
		if h := w.Header(); h.Get("Content-Security-Policy") != policy ||
			h.Get("Access-Control-Allow-Origin") != origin ||
			(h.Get("Cross-Origin-Opener-Policy") == "same-origin") != isPage ||
			h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: %v", tt.method, tt.path, h)
		}
	}
	w := call(e, "GET", "/pages/moved", "")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/pages" || w.Body.Len() > 0 ||
		w.Header().Get("Content-Type") != "" {
		t.Errorf("redirected: %d %v", w.Code, w.Header())
	}
	w = call(e, "POST", "/batch", `[{"method":"GET","path":"/pages"},{"method":"GET","path":"/docs"}]`, "Authorization",
		basic(keyAdmin), "Content-Type", "application/json")
	if strings.Count(w.Body.String(), "Only API routes can be part of a batch.") != 4 { // message and errors of each
		t.Errorf("in a batch: %s", w.Body)
	}
	if document := string(e.OpenAPI()); strings.Contains(document, "/pages") || !strings.Contains(document, `"/": {`) {
		t.Error("the OpenAPI document describes pages, or not the root")
	}
}

func TestBadPages(t *testing.T) {
	for name, change := range map[string]func(*Route){
		"no policy":        func(r *Route) { r.Page = &Page{Refusal: testPage.Refusal} },
		"no refusal":       func(r *Route) { r.Page = &Page{Policy: testPage.Policy} },
		"part of a batch":  func(r *Route) { r.Alone = false },
		"nothing about it": func(r *Route) { r.Summary = "" },
	} {
		r := page("GET", "/pages", sendHTML)
		change(&r)
		if _, err := New(testConfig(), []Route{r}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestSendPacked(t *testing.T) {
	text := strings.Repeat("body { margin: 0 }\n", 200)
	p := pack(t, text)
	e := newEdge(t, testConfig(), []Route{page("GET", "/style", func(c *Call) error { return c.SendPacked(p) })})
	for accept, want := range map[string]string{
		"": "", "br": "", "deflate": "", "gzip": "gzip",
		"gzip, deflate, br, zstd": "zstd", "zstd;q=0.5, gzip": "gzip",
	} {
		w := call(e, "GET", "/style", "", "Accept-Encoding", accept)
		h := w.Header()
		tag := `"h1"`
		if want != "" {
			tag = `W/"h1"`
		}
		if w.Code != 200 || h.Get("Content-Encoding") != want || h.Get("Content-Type") != "text/css" ||
			h.Get("ETag") != tag || strings.Join(h["Vary"], ",") != "Accept-Encoding" {
			t.Errorf("%q: %d %v", accept, w.Code, h)
		}
		if h.Get("Content-Length") != fmt.Sprint(w.Body.Len()) {
			t.Errorf("%q: length %s of %d", accept, h.Get("Content-Length"), w.Body.Len())
		}
		got, err := unpack(want, w.Body)
		if err != nil || got != text {
			t.Errorf("%q: %v %q", accept, err, got)
		}
	}
	if w := call(e, "GET", "/style", "", "If-None-Match", `W/"h1"`, "Accept-Encoding", "gzip"); w.Code != 304 ||
		w.Body.Len() > 0 || w.Header().Get("Vary") == "" {
		t.Errorf("the same tag: %d %v", w.Code, w.Header())
	}
	if w := call(e, "GET", "/style", "", "If-None-Match", `"h2"`); w.Code != 200 {
		t.Errorf("another tag: %d", w.Code)
	}
	if w := call(e, "HEAD", "/style", ""); w.Body.Len() > 0 ||
		w.Header().Get("Content-Length") != fmt.Sprint(len(text)) {
		t.Errorf("HEAD: %v", w.Header())
	}
}

func unpack(coding string, from io.Reader) (string, error) {
	var err error
	switch coding {
	case "gzip":
		from, err = gzip.NewReader(from)
	case "zstd":
		from, err = zstd.NewReader(from)
	}
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(from)
	return string(text), err
}

func TestPrefersHTML(t *testing.T) {
	e := newEdge(t, testConfig(), []Route{route("GET", "/", func(r *Route) {
		r.Access, r.Do = Public, func(c *Call) error { return c.SendJSON(200, c.PrefersHTML()) }
	})})
	for accept, want := range map[string]string{
		"": "false", "*/*": "false", "application/json": "false", "text/plain": "false", "text/html": "true",
		"TEXT/HTML": "true",
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": "true",
		"text/html;q=0.5, application/json":                               "false",
		"text/html, application/json;q=0.5":                               "true",
		"text/html;q=0":                                                   "false",
		"application/vnd.groundwork+json; version=1, text/html":           "false",
		`a/b; x="text/html,text/html"`:                                    "false",
	} {
		if w := call(e, "GET", "/", "", "Accept", accept); w.Body.String() != want {
			t.Errorf("%q: %s", accept, w.Body)
		}
	}
}
