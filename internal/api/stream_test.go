package api

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"groundwork/internal/fault"
)

func TestPace(t *testing.T) {
	began := time.Unix(1000, 0)
	for _, c := range []struct {
		after time.Duration
		moved int64
		want  time.Duration // after the beginning
	}{
		{0, 0, patience},
		{20 * time.Second, 0, patience}, // nothing came: the end does not move
		{20 * time.Second, 10 * leastPace, patience + 10*time.Second},
		{20 * time.Second, 1000 * leastPace, 20*time.Second + patience}, // however much came, nobody rests on it
		{time.Hour, 1 << 40, time.Hour + patience},
	} {
		r := &inflow{began: began, moved: c.moved}
		if got := r.due(began.Add(c.after)).Sub(began); got != c.want {
			t.Errorf("after %s and %d bytes: %s, want %s", c.after, c.moved, got, c.want)
		}
	}
}

// streaming is an edge that takes and gives streams, on a server whose own deadlines have always passed already.
func streaming(t *testing.T, routes ...Route) (*Edge, string) {
	t.Helper()
	e := newEdge(t, testConfig(), routes)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(e, slog.New(slog.DiscardHandler))
	s.ReadTimeout = time.Nanosecond
	go func() { _ = s.Serve(NewListener(l, nil)) }()
	t.Cleanup(func() { _ = s.Close() })
	return e, l.Addr().String()
}

// TestStreamsOutliveTheDeadlines: a body that is read as it comes has the time that it needs; any other has not.
func TestStreamsOutliveTheDeadlines(t *testing.T) {
	public := func(do func(*Call) error) func(*Route) {
		return func(r *Route) { r.Access, r.Do = Public, do }
	}
	_, address := streaming(t, route("POST", "/stream", public(func(c *Call) error {
		body, err := c.Stream()
		if err != nil {
			return err
		}
		hash := sha256.New()
		n, err := io.Copy(hash, body)
		if err != nil {
			return err
		}
		return c.SendJSON(200, map[string]string{"message": fmt.Sprintf("%d %x", n, hash.Sum(nil))})
	})), route("POST", "/body", public(func(c *Call) error {
		_, err := c.Fields()
		return err
	})), route("POST", "/refused", public(func(c *Call) error {
		if _, err := c.Stream(); err != nil {
			return err
		}
		return fault.New(fault.Forbidden, "No.")
	})))
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	post := func(path string) (*http.Response, string) {
		t.Helper()
		conn := dial(t, address)
		from := bufio.NewReader(conn)
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", path, len(content))
		if line, _ := from.ReadString('\n'); strings.Contains(line, "100 Continue") {
			_, _ = from.ReadString('\n')
		} else {
			from = bufio.NewReader(io.MultiReader(strings.NewReader(line), from))
		}
		go func() { _, _ = conn.Write(content) }() // what is refused is not read to its end
		return answer(t, from)
	}
	sum := sha256.Sum256(content)
	if r, text := post("/stream"); r.StatusCode != 200 || text != fmt.Sprintf("%d %x", len(content), sum) {
		t.Errorf("the stream: %s %s", r.Status, text)
	}
	if r, text := post("/body"); r.StatusCode != 400 || !strings.Contains(text, "did not arrive in time") {
		t.Errorf("a body that is no stream has the time of one: %s %s", r.Status, text)
	}
	if r, text := post("/refused"); r.StatusCode != 403 || text != "No." {
		t.Errorf("a refusal does not reach who is still sending: %s %s", r.Status, text)
	}
}

// TestStreamsAreBounded: there are places for so many streams, and each is given back.
func TestStreamsAreBounded(t *testing.T) {
	e, address := streaming(t, route("POST", "/stream", func(r *Route) {
		r.Access = Public
		r.Do = func(c *Call) error {
			body, err := c.Stream()
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, body)
			return err
		}
	}))
	post := func(body string, headers string) int {
		t.Helper()
		conn := dial(t, address)
		fmt.Fprintf(conn, "POST /stream HTTP/1.1\r\nHost: x\r\n%sContent-Length: 10\r\n\r\n%s", headers, body)
		_ = conn.(*net.TCPConn).CloseWrite()
		r, _ := answer(t, bufio.NewReader(conn))
		return r.StatusCode
	}
	if got := post("broken", ""); got != 400 {
		t.Errorf("a body that breaks off: %d", got)
	}
	if got := post("0123456789", "Content-Encoding: gzip\r\n"); got != 400 {
		t.Errorf("a body that is compressed: %d", got)
	}
	if n := e.streams.Load(); n != 0 {
		t.Errorf("%d places are taken", n)
	}
	e.streams.Store(mostStreams)
	if got := post("0123456789", ""); got != 503 {
		t.Errorf("one stream too many: %d", got)
	}
	if n := e.streams.Load(); n != mostStreams {
		t.Errorf("%d places are taken", n)
	}
}
