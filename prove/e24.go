package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	fuzzClients = 32
	fuzzEstates = 5 // the last is kept for what chance did not reach
	fuzzMemory  = 300 << 20
)

var e24 = &experiment{
	id:      "E24",
	title:   "requests made from the OpenAPI document: valid, nearly valid, random, chained by earlier answers; good keys and bad ones",
	bar:     "no 5xx, every answer is JSON and as the document says for its status, goroutines as before, less than 300 MB of memory",
	control: "somebody who spoils one answer in 500",
	engines: bothEngines,
	run: func(t *trial) error {
		total := t.pick(15_000, 1_000_000)
		if t.engine == postgres {
			total = t.pick(3000, 100_000)
		}
		f, err := newFuzz(t, total)
		if err != nil {
			return err
		}
		idle, err := f.goroutines(0)
		if err != nil {
			return err
		}
		began := time.Now()
		if err := f.run(); err != nil {
			return err
		}
		took := time.Since(began)
		found := len(f.reached)
		if err := f.visit(); err != nil {
			return err
		}
		after, err := f.goroutines(idle)
		if err != nil {
			return err
		}
		most, err := memory(f.site.server.Process.Pid, "VmHWM")
		if err != nil {
			return err
		}
		t.note("requests, parts of batches", "%s, %s", thousands(int(f.fired.Load())), thousands(int(f.parts.Load())))
		t.note("a second", "%s", thousands(int(float64(total)/took.Seconds())))
		t.note("operations that succeeded", "%d of %d, %d by chance", len(f.reached), len(f.doc.routes), found)
		t.note("statuses", "%s", f.tally())
		t.note("wrong answers", "%d", len(f.findings))
		t.note("goroutines idle, after", "%d, %d", idle, after)
		t.note("memory, most", "%s", megabytes(most))
		t.require(after <= idle, "%d goroutines in place of %d", after, idle)
		t.require(most < fuzzMemory, "it took %s of memory", megabytes(most))
		for _, r := range f.doc.routes {
			t.require(f.reached[r], "no request of %s %s succeeded", r.method, r.path)
		}
		for _, text := range slices.Sorted(maps.Values(f.findings)) {
			t.require(false, "%s", text)
		}
		if len(f.findings) > 0 {
			t.require(false, "the server said:\n%s", f.site.said())
		}
		return f.site.verify()
	},
	runControl: func(t *trial) (string, error) {
		const total = 3000
		f, err := newFuzz(t, total)
		if err != nil {
			return "", err
		}
		f.rogue = &rogue{every: 500, spoiled: map[int64]string{}}
		if err := f.run(); err != nil {
			return "", err
		}
		for index, how := range f.rogue.spoiled {
			if f.findings[index] == "" {
				return "", fmt.Errorf("request %d was answered with %s, and nobody noticed", index, how)
			}
		}
		if len(f.rogue.spoiled) == 0 {
			return "", nil
		}
		return fmt.Sprintf("all of the %d spoiled answers of %s were noticed", len(f.rogue.spoiled), thousands(total)), nil
	},
}

// fuzz is a load of requests that nobody sane would send.
type fuzz struct {
	t     *trial
	doc   *document
	site  *site
	plain *client
	total int64
	rogue *rogue

	estates []*estate
	person  *heist   // who is signed in, and allows applications to act for her
	good    []string // keys: of an Admin, a Collaborator, a stranger
	limited string
	revoked string

	next, fired, parts atomic.Int64

	mu       sync.Mutex
	findings map[int64]string // by request
	statuses map[int]int
	reached  map[*route]bool
}

func newFuzz(t *trial, total int) (*fuzz, error) {
	s, err := newSite(t, released)
	if err != nil {
		return nil, err
	}
	f := &fuzz{t: t, site: s, total: int64(total), good: []string{s.key}, findings: map[int64]string{}, statuses: map[int]int{}, reached: map[*route]bool{}}
	for _, name := range []string{"bob", "cleo"} {
		if _, err := s.command("a ferry under the bridge at noon\n", "account", "create", "--email", name+"@example.com", "--name", name, "--password-stdin"); err != nil {
			return nil, err
		}
		key, err := s.newKey(name + "@example.com")
		if err != nil {
			return nil, err
		}
		f.good = append(f.good, key)
	}
	if f.limited, err = s.command("", "key", "create", "--email", "ada@example.com", "--limit", "all/2=5", "--limit", "write/60=20"); err != nil {
		return nil, err
	}
	if f.revoked, err = s.newKey("ada@example.com"); err != nil {
		return nil, err
	}
	if _, err := s.command("", "key", "revoke", f.revoked); err != nil {
		return nil, err
	}
	f.person = &heist{site: s, back: "https://sync.example.com/callback"}
	if err := f.person.register(); err != nil {
		return nil, err
	}
	if f.estates, err = s.newEstates(fuzzEstates); err != nil {
		return nil, err
	}
	if err := f.person.signIn(); err != nil {
		return nil, err
	}
	f.plain = s.client()
	if err := f.plain.tiled(t, "/projects/"+f.estates[fuzzEstates-1].project); err != nil {
		return nil, err
	}
	f.doc, err = readDocument(t, f.plain)
	return f, err
}

// run fires all requests.
func (f *fuzz) run() error {
	var errs [fuzzClients]error
	crew(fuzzClients, func(i int) {
		g := f.gunner(i, f.estates[i%(fuzzEstates-1)])
		defer g.hangUp()
		for errs[i] == nil && f.t.Err() == nil {
			index := f.next.Add(1)
			if index > f.total {
				return
			}
			errs[i] = g.fire(g.aim(index))
		}
	})
	return errors.Join(append(errs[:], f.t.Err())...)
}

// visit tries every operation that nothing succeeded with yet, until something does; what deletes comes last. What is read by its uid is made first, where
// it can be: some things are seen by their maker only.
func (f *fuzz) visit() error {
	g := f.gunner(fuzzClients, f.estates[fuzzEstates-1])
	defer g.hangUp()
	fire := func(r *route) error {
		d := g.made(r)
		if r.form == nil { // in a form an application says who it is
			d.set("Authorization", basic(f.good[0]))
		}
		return g.fire(g.shot(&d, f.next.Add(1)))
	}
	for _, deletes := range []bool{false, true} {
		for _, r := range f.doc.routes {
			for n := 0; n < 100 && !f.reached[r] && (r.method == http.MethodDelete) == deletes; n++ {
				if maker := f.doc.maker(r); maker != nil && n%10 == 0 {
					if err := fire(maker); err != nil {
						return err
					}
				}
				if err := fire(r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// found notes what is wrong with the answer to a request, in a form that lets anybody send it again.
func (f *fuzz) found(s *shot, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.findings[s.index] == "" {
		f.findings[s.index] = secrets.ReplaceAllString(
			fmt.Sprintf("request %d of seed %d: %s\n%s", s.index, f.t.seed, fmt.Sprintf(format, args...), strconv.Quote(clipMiddle(s.raw))), "$1…")
	}
}

// secrets are left out of what is kept, though nobody can use them any more.
var secrets = regexp.MustCompile(`(Basic |Bearer |gw[a-z]_)[A-Za-z0-9+/=_-]+`)

// clipMiddle keeps the beginning and the end of a long request.
func clipMiddle(raw []byte) string {
	const most = 2000
	if len(raw) <= most {
		return string(raw)
	}
	return string(raw[:most/2]) + fmt.Sprintf("…%d bytes…", len(raw)-most) + string(raw[len(raw)-most/2:])
}

func (f *fuzz) tally() string {
	var out []string
	for _, status := range slices.Sorted(maps.Keys(f.statuses)) {
		out = append(out, fmt.Sprintf("%d×%s", status, thousands(f.statuses[status])))
	}
	return strings.Join(out, " ")
}

// goroutines asks the service how many it has; it waits until there are no more than most, unless that is 0: there may still be pages to read.
func (f *fuzz) goroutines(most int) (n int, err error) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		for _, c := range []*http.Client{f.plain.http, f.person.browser, f.person.plain} {
			c.CloseIdleConnections()
		}
		a, err := f.plain.do(f.t, http.MethodGet, "/metrics", nil)
		if err != nil {
			return 0, err
		}
		_, rest, found := strings.Cut(string(a.body), "\ngo_goroutines ")
		if !found {
			return 0, fmt.Errorf("the metrics do not tell the number of goroutines: %s", a)
		}
		line, _, _ := strings.Cut(rest, "\n")
		if n, err = strconv.Atoi(line); err != nil || most == 0 || n <= most || time.Now().After(end) {
			return n, err
		}
	}
}

// gunner is one client with a connection of its own.
type gunner struct {
	f       *fuzz
	id      int
	random  *rand.Rand
	conn    net.Conn
	in      *bufio.Reader
	project string              // the uid of one that was there a moment ago
	shut    int                 // how often the Admin was refused there of late
	at      string              // the uid of the project that the request at hand is about
	uids    map[string][]string // of earlier answers, by project and the last word of their path
	tags    map[string]string   // by path
	pages   []string
	keys    []string // of idempotent requests
	bearer  string   // an access token
	last    *draft   // one with a body, to be sent again
}

// gunner makes a client that begins in an estate.
func (f *fuzz) gunner(id int, e *estate) *gunner {
	g := &gunner{f: f, id: id, random: f.t.random(id), project: e.project, uids: map[string][]string{"projects": {e.project}}, tags: map[string]string{}}
	for family, uids := range e.uids {
		g.uids[e.project+family] = slices.Clone(uids)
	}
	return g
}

// fire sends a request and judges the answer.
func (g *gunner) fire(s *shot) error {
	a, err := g.send(s)
	if err != nil {
		g.hangUp()
		g.f.found(s, "no answer: %v", err)
		return nil
	}
	g.f.fired.Add(1)
	if g.f.rogue != nil {
		g.f.rogue.spoil(s, a)
	}
	g.judge(s, a)
	return g.f.t.Err()
}

// send writes a request as it is and reads the answer.
func (g *gunner) send(s *shot) (*answer, error) {
	if g.conn == nil {
		// Each client has an address of its own: refused credentials are counted by address.
		d := net.Dialer{Timeout: 5 * time.Second, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+g.id))}}
		conn, err := d.DialContext(g.f.t, "tcp", g.f.site.address)
		if err != nil {
			return nil, err
		}
		g.conn, g.in = conn, bufio.NewReader(conn)
	}
	if err := g.conn.SetDeadline(time.Now().Add(requestWithin)); err != nil {
		return nil, err
	}
	// What is refused before it was read whole may cut the writing off; the answer is what counts.
	_, written := g.conn.Write(s.raw)
	response, err := http.ReadResponse(g.in, &http.Request{Method: s.method})
	if err != nil {
		return nil, errors.Join(err, written)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if response.Header.Get("Content-Encoding") == "gzip" && len(body) > 0 {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		if body, err = io.ReadAll(z); err != nil {
			return nil, err
		}
	}
	if response.Close {
		g.hangUp()
	}
	return &answer{response.StatusCode, response.Header, body}, nil
}

func (g *gunner) hangUp() {
	if g.conn != nil {
		_ = g.conn.Close()
		g.conn = nil
	}
}

// rogue stands between the service and the judge, and spoils answers.
type rogue struct {
	every   int64
	mu      sync.Mutex
	spoiled map[int64]string // how, by request
}

func (r *rogue) spoil(s *shot, a *answer) {
	if s.index%r.every != 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	ways := []string{"a status of 500", "HTML", "JSON that ends too early", "a field that is missing", "a field that nobody described", "a field of another type"}
	how := int(s.index/r.every) % len(ways)
	first := bytes.IndexByte(a.body, '"')
	if !strings.HasPrefix(s.path, "/projects") || first != 1 || s.method == http.MethodHead {
		how = 0 // the others need a JSON object whose fields are described
	}
	r.spoiled[s.index] = ways[how]
	switch how {
	case 0:
		a.status = http.StatusInternalServerError
	case 1:
		a.header, a.body = a.header.Clone(), []byte("<!DOCTYPE html><p>Sorry</p>")
		a.header.Set("Content-Type", "text/html")
	case 2:
		a.body = a.body[:len(a.body)-1]
	case 3:
		a.body = []byte("{}")
	case 4:
		a.body = append([]byte(`{"planted":1,`), a.body[1:]...)
	case 5:
		colon := bytes.IndexByte(a.body, ':')
		a.body = append(bytes.Clone(a.body[:colon+1]), []byte(`[[]]}`)...)
	}
}
