package api

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestSlowBodiesKeepNobodyOut: a body that is on its way takes no place among the requests in flight, a large one does.
func TestSlowBodiesKeepNobodyOut(t *testing.T) {
	const most = 2
	config := testConfig()
	config.InFlight = most
	e := newEdge(t, config, []Route{
		route("GET", "/open", func(r *Route) {
			r.Access = Public
			r.Do = func(c *Call) error { return c.Send(200, []byte(`{}`)) }
		}),
		route("POST", "/open", func(r *Route) {
			r.Access = Public
			r.Do = func(c *Call) error {
				if _, err := c.Fields(); err != nil {
					return err
				}
				return c.Send(200, []byte(`{}`))
			}
		}),
	})
	for _, test := range []struct {
		name       string
		sent, rest string
		meanwhile  int // what a normal request is answered with
	}{
		{"small bodies", `{"a":"`, `"}`, 200},
		{"large bodies", `{"a":"` + strings.Repeat("a", 2*mostAside), `"}`, 503},
	} {
		var senders []*io.PipeWriter
		answers := make(chan int)
		for range most {
			body, sender := io.Pipe()
			senders = append(senders, sender)
			r := httptest.NewRequest("POST", "/open", body)
			r.Header.Set("Content-Type", "application/json")
			go func() { answers <- record(e, r).Code }()
			// A pipe's write returns when the other side has read all of it. The last byte is read after the one before
			// was dealt with.
			for _, part := range []string{test.sent, "b"} {
				if _, err := io.WriteString(sender, part); err != nil {
					t.Fatal(err)
				}
			}
		}
		if w := call(e, "GET", "/open", ""); w.Code != test.meanwhile {
			t.Errorf("%s: meanwhile a request is answered with %d, want %d", test.name, w.Code, test.meanwhile)
		}
		for _, sender := range senders {
			_, _ = io.WriteString(sender, test.rest)
			_ = sender.Close()
			if code := <-answers; code != 200 {
				t.Errorf("%s: a slow body is answered with %d", test.name, code)
			}
		}
		// One that never arrives leaves nothing behind.
		body, sender := io.Pipe()
		r := httptest.NewRequest("POST", "/open", body)
		r.Header.Set("Content-Type", "application/json")
		go func() { answers <- record(e, r).Code }()
		_, _ = io.WriteString(sender, test.sent)
		_ = sender.CloseWithError(io.ErrUnexpectedEOF)
		if code := <-answers; code != 400 {
			t.Errorf("%s: a body that breaks off is answered with %d", test.name, code)
		}
		if n := e.inFlight.Load(); n != 0 {
			t.Errorf("%s: %d requests are in flight after all were answered", test.name, n)
		}
	}
}
