package blob

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/fault"

	"groundwork/internal/await"
)

// atStore opens a bucket at a server of the test's own, with little patience.
func atStore(t *testing.T, endpoint string) *bucket {
	t.Helper()
	p, err := parsePlace("s3://key:secret@bucket?endpoint=" + endpoint)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openBucket(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := s.(*bucket)
	b.line.stall = 200 * time.Millisecond
	return b
}

// TestASilentStore is a link that is open at our end only: it takes bytes and never answers. Nothing waits longer than
// a stall.
func TestASilentStore(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	b := atStore(t, "http://"+silent.Addr().String())
	for what, do := range map[string]func() error{
		"open": func() error { _, err := b.Open(t.Context(), NewName()); return err },
		"put": func() error {
			_, err := b.Put(t.Context(), NewName(), bytes.NewReader(make([]byte, 1000)))
			return err
		},
		"delete": func() error { return b.Delete(t.Context(), NewName()) },
		"each":   func() error { return b.Each(t.Context(), func(Info) error { return nil }) },
		"sweep":  func() error { return b.Sweep(t.Context(), time.Now()) },
	} {
		began := time.Now()
		if err := do(); !errors.Is(err, errStalled) || !fault.Is(err, fault.Unavailable) ||
			fault.Of(err).RetryAfter == 0 {
			t.Errorf("%s: %v", what, err)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s took %v", what, took)
		}
	}
	if err := b.Check(t.Context()); err == nil || !bytes.Contains([]byte(err.Error()), []byte("does not answer")) {
		t.Errorf("check: %v", err)
	}
}

// body serves an object of 1,000 bytes and does what the test says once some of them are sent.
func body(t *testing.T, then func(n int64, w http.ResponseWriter)) *httptest.Server {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2026 15:04:05 GMT")
		w.Header().Set("ETag", `"x"`)
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Length", "1000")
			return
		}
		then(asked.Add(1), &ranged{w, r})
	}))
	t.Cleanup(s.Close)
	return s
}

// ranged knows the request that it answers.
type ranged struct {
	http.ResponseWriter
	r *http.Request
}

// TestABrokenDownload is picked up where it broke.
func TestABrokenDownload(t *testing.T) {
	whole := bytes.Repeat([]byte("0123456789"), 100)
	s := body(t, func(n int64, w http.ResponseWriter) {
		if n%2 == 0 {
			http.ServeContent(&cut{w, 100}, w.(*ranged).r, "", time.Time{}, bytes.NewReader(whole))
			return
		}
		http.ServeContent(&cut{w, 300}, w.(*ranged).r, "", time.Time{}, bytes.NewReader(whole))
	})
	o, err := atStore(t, s.URL).Open(t.Context(), NewName())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	got, err := io.ReadAll(o)
	if err != nil || !bytes.Equal(got, whole) {
		t.Errorf("read %d bytes, %v", len(got), err)
	}
}

// cut breaks the connection after some bytes of a body.
type cut struct {
	http.ResponseWriter
	left int
}

func (c *cut) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p[:min(len(p), c.left)])
	if c.left -= n; err == nil && c.left == 0 {
		_ = http.NewResponseController(c.ResponseWriter.(*ranged).ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// TestADownloadThatStops is given up after a stall, and not before: a reader may take its time.
func TestADownloadThatStops(t *testing.T) {
	more, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	s := body(t, func(_ int64, w http.ResponseWriter) {
		w.Header().Set("Content-Range", "bytes 0-999/1000")
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(http.StatusPartialContent)
		for _, wait := range []<-chan struct{}{more, release} {
			_, _ = w.Write(make([]byte, 400))
			_ = http.NewResponseController(w.(*ranged).ResponseWriter).Flush()
			<-wait
		}
	})
	b := atStore(t, s.URL)
	o, err := b.Open(t.Context(), NewName())
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if _, err := io.ReadFull(o, make([]byte, 400)); err != nil {
		t.Fatal(err)
	}
	away := time.Now() // the reader is elsewhere: what must pass is the time itself
	await.True(t, time.Minute, "the clock stands", func() bool { return time.Since(away) > 3*b.line.stall })
	close(more)
	if _, err := io.ReadFull(o, make([]byte, 400)); err != nil {
		t.Fatalf("after a pause of the reader: %v", err)
	}
	if n, err := o.Read(make([]byte, 1)); n != 0 || !errors.Is(err, errStalled) {
		t.Errorf("%d, %v", n, err)
	}
}

// FuzzPlace checks that a URL of a bucket is taken only when it says what is needed, and that a refusal never repeats
// it: it may hold a secret.
func FuzzPlace(f *testing.F) {
	for _, s := range []string{
		"s3://bucket", "s3://k:secretword@bucket/p?endpoint=https://e&region=r&redirect=true",
		"s3://", "s3://b?x", "s3://bucket/../x", "file:x", "s3://bucket?endpoint=secretword", "s3:secretword",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePlace(text)
		if err != nil {
			if len(text) > 12 && bytes.Contains([]byte(err.Error()), []byte(text)) {
				t.Fatalf("%q is told in %q", text, err)
			}
			return
		}
		if !bucketName(p.bucket) || p.endpoint.Host == "" || p.endpoint.User != nil || p.region == "" ||
			(p.key == "") != (p.secret == "") {
			t.Fatalf("%q is %+v", text, p)
		}
		if key := p.prefix + NewName(); bytes.Contains([]byte("/"+key), []byte("/../")) || key[0] == '/' ||
			bytes.Contains([]byte(key), []byte("//")) {
			t.Fatalf("%q makes %q", text, key)
		}
	})
}
