package api

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"groundwork/internal/transport"
)

// TestWaiting: who waits keeps nobody out; only so many may wait, of one account and of all; and a stop ends all waits.
func TestWaiting(t *testing.T) {
	config := testConfig()
	config.InFlight = 2
	began := make(chan bool)
	e := newEdge(t, config, []Route{
		route("GET", "/open", func(r *Route) {
			r.Access = Public
			r.Do = func(c *Call) error { return c.Send(200, []byte(`{}`)) }
		}),
		route("GET", "/wait", func(r *Route) {
			r.Do = func(c *Call) error {
				waited, err := c.Wait(time.Hour, func(ctx context.Context) {
					began <- true
					<-ctx.Done()
				})
				if err != nil {
					return err
				}
				if !waited {
					began <- false
				}
				return c.Send(200, fmt.Appendf(nil, `{"waited":%t}`, waited))
			}
		}),
	})
	answers := make(chan string)
	wait := func() bool {
		go func() { answers <- call(e, "GET", "/wait", "", "Authorization", basic(keyAdmin)).Body.String() }()
		return <-began
	}
	for i := range waitingOfAccount {
		if !wait() {
			t.Fatalf("wait %d of %d finds no room", i+1, waitingOfAccount)
		}
	}
	if w := call(e, "GET", "/open", ""); w.Code != 200 {
		t.Errorf("while %d wait and %d may be in flight, a request is answered with %d", waitingOfAccount,
			config.InFlight, w.Code)
	}
	if wait() {
		t.Errorf("an account waits more than %d times at once", waitingOfAccount)
	}
	if got := <-answers; got != `{"waited":false}` {
		t.Errorf("one too many is answered with %s", got)
	}
	e.waiting.all = mostWaiting
	if _, ok := e.waiting.take(ofAccount("somebody else", 1)); ok {
		t.Errorf("more than %d wait", mostWaiting)
	}
	e.waiting.all = waitingOfAccount
	e.Drain()
	for range waitingOfAccount {
		if got := <-answers; got != `{"waited":true}` {
			t.Errorf("after a stop a wait ends with %s", got)
		}
	}
	if e.waiting.all != 0 || len(e.waiting.by) != 0 || e.inFlight.Load() != 0 {
		t.Errorf("%d wait, %v, %d are in flight after all were answered", e.waiting.all, e.waiting.by,
			e.inFlight.Load())
	}
}

// TestWaitingOnTheWire: a request that waits longer than a request may take to arrive is neither cut off nor taken for
// one whose caller has gone.
func TestWaitingOnTheWire(t *testing.T) {
	e := newEdge(t, testConfig(), []Route{route("GET", "/wait", func(r *Route) {
		r.Do = func(c *Call) error {
			_, err := c.Wait(c.AskedToWait(), func(ctx context.Context) { <-ctx.Done() })
			if err == nil {
				err = c.Context().Err()
			}
			if err != nil {
				return err
			}
			return c.Send(200, []byte(`{}`))
		}
	})})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := transport.NewServer(e, slog.New(slog.DiscardHandler))
	s.ReadTimeout, s.WriteTimeout = 100*time.Millisecond, 200*time.Millisecond
	go func() { _ = s.Serve(transport.NewListener(l, nil)) }()
	defer s.Close()
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+l.Addr().String()+"/wait", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", basic(keyAdmin))
	req.Header.Set("Prefer", "wait=1")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != 200 {
		t.Errorf("%d %s %v", res.StatusCode, body, err)
	}
}

func TestAskedToWait(t *testing.T) {
	var got time.Duration
	e := newEdge(t, testConfig(), []Route{route("GET", "/ask", func(r *Route) {
		r.Do = func(c *Call) error {
			got = c.AskedToWait()
			return c.Send(200, []byte(`{}`))
		}
	})})
	for prefer, want := range map[string]time.Duration{
		"": 0, "wait=30": 30 * time.Second, "wait=5": 5 * time.Second, "Wait = 5": 5 * time.Second,
		`wait="7"`: 7 * time.Second, "wait=0": 0, "wait=-3": 0, "wait": 0, "wait=x": 0,
		"wait=31": 30 * time.Second, "wait=99999999999999999999": 0, "wait=9999999999": 30 * time.Second,
		"respond-async, wait=10": 10 * time.Second, "wait=4; foo=bar": 4 * time.Second, "await=3": 0,
	} {
		if call(e, "GET", "/ask", "", "Authorization", basic(keyAdmin), "Prefer", prefer); got != want {
			t.Errorf("Prefer: %s is %s, want %s", prefer, got, want)
		}
	}
	call(e, "POST", "/batch", `[{"method":"GET","path":"/ask","headers":[{"name":"Prefer","value":"wait=30"}]}]`,
		"Authorization", basic(keyAdmin))
	if got != 0 {
		t.Errorf("a part of a batch waits %s", got)
	}
}
