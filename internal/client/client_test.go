package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// serve starts a server, and a client of it.
func serve(t *testing.T, o Options, handle http.HandlerFunc) (*Client, *httptest.Server) {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	o.Key, o.Pause = "gwk_secret", time.Millisecond
	c, err := New(s.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	return c, s
}

// The key goes to the origin that was given, and nowhere else.
func TestKeyStaysAtItsOrigin(t *testing.T) {
	var leaked atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || strings.Contains(fmt.Sprint(r.Header, r.URL), "secret") {
			leaked.Add(1)
		}
		_, _ = io.WriteString(w, `{}`)
	}))
	defer thief.Close()
	var files atomic.Int64
	c, s := serve(t, Options{Private: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/away":
			http.Redirect(w, r, thief.URL+"/x", http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/file"):
			if r.Header.Get("Authorization") != "" {
				files.Add(1)
			}
			if r.URL.Path == "/file-away" {
				http.Redirect(w, r, thief.URL+"/x", http.StatusFound)
			}
		default:
			if user, _, _ := r.BasicAuth(); user != "gwk_secret" {
				w.WriteHeader(http.StatusUnauthorized)
			}
			_, _ = io.WriteString(w, `{}`)
		}
	})
	if _, _, err := c.Get(t.Context(), "/projects"); err != nil {
		t.Fatal(err)
	}
	port := strings.TrimPrefix(s.URL, "http://127.0.0.1")
	for _, target := range []string{
		thief.URL + "/projects", "//evil.example/x", "https://127.0.0.1" + port + "/x", "http://user@127.0.0.1" + port + "/x",
		"http://127.0.0.1" + port + ".evil.example/x", "ftp://127.0.0.1" + port, "", "projects", s.URL + "@evil.example/x",
	} {
		if _, _, err := c.Get(t.Context(), target); err == nil {
			t.Errorf("%q was asked", target)
		}
	}
	if _, _, err := c.Get(t.Context(), "/away"); err == nil {
		t.Error("an answer led away")
	}
	folder := t.TempDir()
	for _, link := range []string{s.URL + "/file", s.URL + "/file-away", thief.URL + "/x"} {
		if _, err := c.Fetch(t.Context(), link, filepath.Join(folder, "f"), 1000); err != nil {
			t.Errorf("%s: %v", link, err)
		}
	}
	if leaked.Load()+files.Load() > 0 {
		t.Errorf("the key was sent %d times elsewhere, and %d times with a file", leaked.Load(), files.Load())
	}
}

// Files are not fetched from private addresses, but for those that were allowed.
func TestPrivateAddresses(t *testing.T) {
	c := &Client{Options: Options{Private: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}}
	for address, want := range map[string]bool{
		"93.184.216.34:443": true, "[2606:2800:220:1::1]:443": true, "10.1.2.3:80": true,
		"10.2.0.1:80": false, "127.0.0.1:80": false, "[::1]:80": false, "192.168.1.1:80": false, "172.16.0.1:80": false,
		"169.254.169.254:80": false, "0.0.0.0:80": false, "100.64.0.1:80": false, "[fe80::1%eth0]:80": false,
		"[fd00::1]:80": false, "[::ffff:127.0.0.1]:80": false, "[64:ff9b::7f00:1]:80": false, "224.0.0.1:80": false,
		"255.255.255.255:80": false, "[2002:7f00:1::]:80": false, "nonsense": false,
	} {
		if err := c.admits(address); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was asked") }))
	defer other.Close()
	asking, _ := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusFound)
	})
	for _, link := range []string{other.URL + "/x", asking.Origin() + "/x"} {
		_, err := asking.Fetch(t.Context(), link, filepath.Join(t.TempDir(), "f"), 1000)
		if err == nil || !strings.Contains(err.Error(), "private address") {
			t.Errorf("%s: %v", link, err)
		}
	}
}

// What a server cannot answer now is asked again; what it refuses is not.
func TestAskedAgain(t *testing.T) {
	for _, one := range []struct {
		name  string
		fails func(w http.ResponseWriter, n int64)
		asked int64
		err   string
	}{
		{"busy", func(w http.ResponseWriter, _ int64) { w.WriteHeader(503) }, 4, ""},
		{"a rate limit", func(w http.ResponseWriter, _ int64) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(429)
		}, 4, ""},
		{"a rate limit in its answer", func(w http.ResponseWriter, _ int64) {
			w.WriteHeader(429)
			fmt.Fprintf(w, `{"message":"x","rate_limit":{"reset":%q}}`, time.Now().Add(10*time.Millisecond).UTC().Format(time.RFC3339Nano))
		}, 4, ""},
		{"half an answer", func(w http.ResponseWriter, _ int64) { _, _ = io.WriteString(w, `{"data":[`) }, 4, ""},
		{"a cut", func(w http.ResponseWriter, _ int64) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{`)
		}, 4, ""},
		{"a refusal", func(w http.ResponseWriter, _ int64) {
			w.WriteHeader(403)
			_, _ = io.WriteString(w, `{"message":"The key is wrong."}`)
		}, 1, "The key is wrong."},
		{"HTML", func(w http.ResponseWriter, _ int64) {
			w.WriteHeader(404)
			_, _ = io.WriteString(w, `<h1>`)
		}, 1, "404"},
	} {
		var asked atomic.Int64
		c, _ := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
			if n := asked.Add(1); n < 4 {
				one.fails(w, n)
				return
			}
			_, _ = io.WriteString(w, `{"ok":true}`)
		})
		text, _, err := c.Get(t.Context(), "/x")
		if asked.Load() != one.asked || (err == nil) != (one.err == "") || err != nil && !strings.Contains(err.Error(), one.err) {
			t.Errorf("%s: asked %d times: %s %v", one.name, asked.Load(), text, err)
		}
	}
	var asked atomic.Int64
	c, _ := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(500)
	})
	if _, _, err := c.Get(t.Context(), "/x"); err == nil || asked.Load() != mostAttempts {
		t.Errorf("asked %d times: %v", asked.Load(), err)
	}
}

// Requests are spread over the windows that a server tells.
func TestRequestsAreSpread(t *testing.T) {
	c, _ := serve(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[{"interval":86400,"limit":1000},{"interval":1,"limit":50},{"interval":1,"limit":0}]}`)
	})
	if err := c.Limits(t.Context()); err != nil || c.pace.apart != 20*time.Millisecond {
		t.Fatal(err, c.pace.apart)
	}
	before := c.pace.next
	for range 3 {
		if _, _, err := c.Get(t.Context(), "/x"); err != nil {
			t.Fatal(err)
		}
	}
	if c.pace.next.Sub(before) < 3*c.pace.apart {
		t.Errorf("three requests took %s", c.pace.next.Sub(before))
	}
	c.pace.learn(http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"3600"}})
	if wait := time.Until(c.pace.next); wait < 50*time.Minute {
		t.Errorf("with nothing left it waits %s", wait)
	}
}

// Answers and files are read within bounds, and a file has its name when it is whole.
func TestAnswersAreBounded(t *testing.T) {
	big := strings.Repeat(" ", 1<<20)
	c, s := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/answer":
			for range MostAnswer>>20 + 1 {
				_, _ = io.WriteString(w, big)
			}
		case "/short":
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, "abc")
		case "/said":
			w.Header().Set("Content-Length", "2000")
		case "/gone":
			w.WriteHeader(404)
		default:
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("Content-Disposition", `attachment; filename="a b.png"`)
			for range 3 {
				_, _ = io.WriteString(w, strings.Repeat("x", 500))
				w.(http.Flusher).Flush()
			}
		}
	})
	if _, _, err := c.Get(t.Context(), "/answer"); !IsRefused(err, 413) {
		t.Error(err)
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "f")
	for name, want := range map[string]string{"/endless": "more than", "/said": "more than", "/short": "EOF", "/gone": "404"} {
		_, err := c.Fetch(t.Context(), s.URL+name, path, 1000)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := c.Fetch(t.Context(), "file:///etc/passwd", path, 1000); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	if all, err := os.ReadDir(folder); err != nil || len(all) > 0 {
		t.Errorf("%v is left: %v", all, err)
	}
	f, err := c.Fetch(t.Context(), s.URL+"/whole", path, 1500)
	if err != nil || f.Bytes != 1500 || f.Type != "image/png" || f.Name != "a b.png" || len(f.SHA256) != 64 {
		t.Errorf("%+v %v", f, err)
	}
}

// An address that cannot be asked, and a key that is none, are refused with a sentence.
func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.example.com": "", "https://api.example.com/v1/": "", "http://127.0.0.1:8080": "", "http://localhost": "",
		"http://[::1]:80": "", "http://api.example.com": "https", "api.example.com": "URL", "": "URL", "ftp://x": "URL",
		"https://user:pass@x": "key", "https://x?a=b": "key", "https://x#y": "key", "https://": "URL", "http://10.0.0.1": "https",
	} {
		_, err := New(address, Options{Key: "k"})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, key := range []string{"", "a b", "a:b", "a\n", "é"} {
		if _, err := New("https://x", Options{Key: key}); err == nil {
			t.Errorf("the key %q was taken", key)
		}
	}
}

// A batch asks for parts alone that it did not answer, and a server without batches is asked one by one.
func TestBatches(t *testing.T) {
	for _, status := range []int{200, 404} {
		var alone atomic.Int64
		c, _ := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/batch" {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, `{"data":[{"status_code":200,"body":"{\"n\":1}"},{"status_code":503,"body":""},{"status_code":404,"body":"{}"}]}`)
				return
			}
			alone.Add(1)
			if r.URL.Path == "/c" {
				w.WriteHeader(404)
			}
			_, _ = io.WriteString(w, `{"n":2}`)
		})
		parts, err := c.Batch(t.Context(), []string{"/a", "/b", "/c"})
		if err != nil || len(parts) != 3 || parts[1].Status != 200 || string(parts[1].Body) != `{"n":2}` || parts[2].Status != 404 {
			t.Errorf("%d: %+v %v", status, parts, err)
		}
		if want := map[int]int64{200: 1, 404: 3}[status]; alone.Load() != want {
			t.Errorf("%d: %d were asked alone", status, alone.Load())
		}
	}
}
