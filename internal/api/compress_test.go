package api

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

func TestChooseCoding(t *testing.T) {
	for _, tt := range []struct {
		accept []string
		want   coding
	}{
		{nil, identityCoding},
		{[]string{""}, identityCoding},
		{[]string{"gzip"}, gzipped},
		{[]string{"GZIP"}, gzipped},
		{[]string{"x-gzip"}, gzipped},
		{[]string{"deflate"}, deflated},
		{[]string{"gzip, deflate"}, gzipped},
		{[]string{"deflate, gzip"}, gzipped},
		{[]string{"deflate", "gzip"}, gzipped},
		{[]string{"gzip, deflate, br, zstd"}, zstandard},
		{[]string{"gzip;q=0.5, deflate;q=0.8"}, deflated},
		{[]string{"gzip;q=0"}, identityCoding},
		{[]string{"gzip;q=0.000, deflate"}, deflated},
		{[]string{"gzip; Q=1.0"}, gzipped},
		{[]string{"br"}, identityCoding},
		{[]string{"*"}, zstandard},
		{[]string{"*;q=0"}, identityCoding},
		{[]string{"zstd;q=0, *"}, gzipped},
		{[]string{"identity"}, identityCoding},
		{[]string{"identity, gzip"}, gzipped},
		{[]string{"identity;q=1, gzip;q=0.5"}, identityCoding},
		{[]string{"identity;q=0.2, gzip;q=0.5"}, gzipped},
		{[]string{"gzip;q=x"}, identityCoding},
		{[]string{"gzip;q=NaN"}, identityCoding},
		{[]string{"gzip;q=2"}, identityCoding},
	} {
		if got := chooseCoding(tt.accept); got != tt.want {
			t.Errorf("%q: %v", tt.accept, got.header())
		}
	}
}

func TestCompressedAnswers(t *testing.T) {
	e := newEdge(t, testConfig(), testRoutes())
	want := call(e, "GET", "/big", "", "Authorization", basic(keyAdmin))
	if got := want.Header(); got.Get("Vary") != "Origin, Accept-Encoding" || got.Get("Content-Encoding") != "" ||
		got.Get("ETag") != `"7.a"` {
		t.Errorf("%v", got)
	}
	for name, open := range map[string]func(io.Reader) (io.Reader, error){
		"gzip":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"deflate": func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
		"zstd":    func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	} {
		// Twice, for what is used again.
		for range 2 {
			w := call(e, "GET", "/big", "", "Authorization", basic(keyAdmin), "Accept-Encoding", name)
			h := w.Header()
			if h.Get("Content-Encoding") != name || h.Get("Vary") != "Origin, Accept-Encoding" ||
				h.Get("ETag") != `W/"7.a"` {
				t.Errorf("%s: %v", name, h)
			}
			if w.Body.Len() >= want.Body.Len()/4 || h.Get("Content-Length") != itoa(w.Body.Len()) {
				t.Errorf("%s: %d bytes, told %s", name, w.Body.Len(), h.Get("Content-Length"))
			}
			r, err := open(w.Body)
			if err != nil {
				t.Fatal(name, err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != want.Body.String() {
				t.Errorf("%s: %v, %d bytes", name, err, len(got))
			}
		}
	}
	w := call(e, "HEAD", "/big", "", "Authorization", basic(keyAdmin), "Accept-Encoding", "gzip")
	if w.Body.Len() != 0 || w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD: %v", w.Header())
	}
	small := call(e, "GET", "/open", "", "Accept-Encoding", "gzip")
	if small.Header().Get("Content-Encoding") != "" || !strings.HasPrefix(small.Body.String(), "{") {
		t.Errorf("a small answer is compressed: %v", small.Header())
	}
}

func TestWeaken(t *testing.T) {
	for tag, want := range map[string]string{`"a"`: `W/"a"`, `W/"a"`: `W/"a"`, "": ""} {
		h := http.Header{}
		if tag != "" {
			h.Set("ETag", tag)
		}
		if weaken(h); h.Get("ETag") != want {
			t.Errorf("%s became %s", tag, h.Get("ETag"))
		}
	}
}
