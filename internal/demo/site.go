// Package demo owns what a demonstration shows: a school that is being built, its people, what they write, photograph
// and draw, made through the public API as any program would make it, and the same from one seed. It feeds benchmarks
// too. It refuses to know how anything is stored: it has an address, keys, and nothing else.
package demo

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Site is a service in which the demonstration is made. A making that was cut short is repeated with the same seed and
// day: every request has a key, by which it takes effect once.
type Site struct {
	// Edge answers requests, and Base is the address that it says it has.
	Edge http.Handler
	Base string
	// Keys are those of People, in their order.
	Keys []string
	Day  time.Time
	Seed uint64
	// Sheets is how many each set of drawings has.
	Sheets int
	// Say is told what there is so far, in words; it may be nil.
	Say func(what string, count int)

	m       *Maker
	sent    int
	marks   int
	people  []string
	lists   []string
	project string
	issues  []made
	rfis    []made
	reports []string
	err     error
}

// made is a record that others refer to.
type made struct {
	uid, room    string
	person, list int
	level        int
}

// call sends one request as one of the people and reads the answer. After the first that fails it does nothing.
func (s *Site) call(ctx context.Context, as int, method, path string, body, into any) {
	header := http.Header{}
	if method != http.MethodGet {
		s.sent++
		header.Set("Idempotency-Key", "demo-"+strconv.Itoa(s.sent))
	}
	s.exchange(ctx, as, method, path, header, body, into)
}

// keyless is call for a request that may take effect more than once.
func (s *Site) keyless(ctx context.Context, as int, method, path string, body, into any) {
	s.exchange(ctx, as, method, path, http.Header{}, body, into)
}

func (s *Site) exchange(ctx context.Context, as int, method, path string, header http.Header, body, into any) {
	if s.err != nil {
		return
	}
	var sent []byte
	if body != nil {
		if sent, s.err = json.Marshal(body, json.Deterministic(true)); s.err != nil {
			return
		}
		header.Set("Content-Type", "application/json")
	}
	header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(s.Keys[as]+":")))
	status, answer := s.ask(ctx, method, path, header, bytes.NewReader(sent))
	if s.err == nil && status >= http.StatusMultipleChoices {
		s.err = fmt.Errorf("%s %s answered %d: %s", method, path, status, answer)
	}
	if s.err == nil && into != nil {
		s.err = json.Unmarshal(answer, into)
	}
}

// ask sends a request as it is.
func (s *Site) ask(ctx context.Context, method, path string, header http.Header, body io.Reader) (int, []byte) {
	r, err := http.NewRequestWithContext(ctx, method, path, body)
	if err != nil {
		s.err = err
		return 0, nil
	}
	r.RemoteAddr, r.Header = "127.0.0.1:0", header
	w := &response{header: http.Header{}, status: http.StatusOK}
	s.Edge.ServeHTTP(w, r)
	if err := ctx.Err(); err != nil {
		s.err = err
	}
	return w.status, w.body.Bytes()
}

// make makes a record and gives its uid.
func (s *Site) make(ctx context.Context, as int, path string, body map[string]any) string {
	var record struct {
		UID string `json:"uid"`
	}
	s.call(ctx, as, http.MethodPost, path, body, &record)
	return record.UID
}

func (s *Site) change(ctx context.Context, as int, path string, body map[string]any) {
	s.call(ctx, as, http.MethodPatch, path, body, nil)
}

// in is a path in the project.
func (s *Site) in(parts ...string) string {
	return "/projects/" + s.project + "/" + strings.Join(parts, "/")
}

func (s *Site) say(what string, count int) {
	if s.Say != nil && s.err == nil {
		s.Say(what, count)
	}
}

// response keeps an answer in memory. It has no connection whose deadlines could be moved.
type response struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *response) Header() http.Header              { return w.header }
func (w *response) WriteHeader(status int)           { w.status = status }
func (w *response) Write(b []byte) (int, error)      { return w.body.Write(b) }
func (w *response) SetReadDeadline(time.Time) error  { return nil }
func (w *response) SetWriteDeadline(time.Time) error { return nil }
