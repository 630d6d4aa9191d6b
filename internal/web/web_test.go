package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/web"
)

var link = regexp.MustCompile(`(?:src|href)="([^"]+)"`)

// TestAssets loads everything that the documentation refers to, as browsers and others do.
func TestAssets(t *testing.T) {
	server := apitest.Start(t, apitest.SQLite)
	get := func(path string, header ...string) apitest.Response {
		t.Helper()
		h := http.Header{}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		r, err := server.Try("GET", path, nil, h)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}

	page := get("/docs", "Accept", "text/html")
	if page.Status != 200 || page.Header.Get("ETag") == "" || page.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("the page: %d %v", page.Status, page.Header)
	}
	if r := get("/docs", "If-None-Match", page.Header.Get("ETag")); r.Status != 304 || len(r.Body) > 0 {
		t.Errorf("the page again: %d", r.Status)
	}
	for _, text := range []string{"0.0.0-test", apitest.Base + "/me", "groundwork key create", `href="/openapi.json"`} {
		if !strings.Contains(string(page.Body), text) {
			t.Errorf("the page does not say %s", text)
		}
	}
	if strings.Contains(string(page.Body), "style=") ||
		regexp.MustCompile(`<script[^>]*>[^<]|<style|\son\w+=`).Match(page.Body) {
		t.Error("the page has a script or a style inside")
	}

	types := map[string]string{
		".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8",
	}
	loaded := map[string]bool{}
	for _, m := range link.FindAllStringSubmatch(string(page.Body), -1) {
		path := m[1]
		if strings.HasPrefix(path, "#") || loaded[path] {
			continue
		}
		loaded[path] = true
		r, want := get(path), 200
		if path == "/app/" {
			want = 303 // nobody is signed in here
		}
		if r.Status != want {
			t.Errorf("%s: %d", path, r.Status)
		}
		if !strings.HasPrefix(path, "/assets/") {
			if path != "/openapi.json" && path != "/docs" && path != "/app/" {
				t.Errorf("the page leads to %s", path)
			}
			continue
		}
		h := r.Header
		if want := types[path[strings.LastIndex(path, "."):]]; h.Get("Content-Type") != want || want == "" {
			t.Errorf("%s: %s", path, h.Get("Content-Type"))
		}
		if h.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Vary") != "Accept-Encoding" || h.Get("ETag") == "" {
			t.Errorf("%s: %v", path, h)
		}
		if again := get(path, "If-None-Match", h.Get("ETag")); again.Status != 304 || len(again.Body) > 0 {
			t.Errorf("%s again: %d", path, again.Status)
		}
		zipped := get(path, "Accept-Encoding", "gzip")
		if zipped.Header.Get("Content-Encoding") != "gzip" || string(zipped.Body) != string(r.Body) {
			t.Errorf("%s is something else when it is compressed: %v", path, zipped.Header)
		}
	}
	if len(loaded) < 8 {
		t.Errorf("the page loads only %d files", len(loaded))
	}
}

// TestRefusal holds that nothing a caller sends becomes a part of a page.
func TestRefusal(t *testing.T) {
	for _, r := range web.Routes(nil, web.Backups{}, web.Forgetting{}, web.Start{}) {
		if r.Page == nil {
			continue
		}
		got := string(r.Page.Refusal(403, `It's <script>alert("1")</script> & more.`, `"><img>`))
		for _, want := range []string{
			"<h1>Not for you</h1>",
			"It&#39;s &lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt; &amp; more.", "Status 403",
			"&#34;&gt;&lt;img&gt;",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %s in %s", r.Pattern, want, got)
			}
		}
	}
}
