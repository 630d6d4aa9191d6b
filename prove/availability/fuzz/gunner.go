package fuzz

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
	"groundwork/prove/oauth"
	"groundwork/prove/openapi"

	"github.com/go-json-experiment/json"
)

// fuzz is a load of requests that nobody sane would send.
type fuzz struct {
	t     *lab.Trial
	doc   *openapi.Document
	site  *lab.Site
	plain *lab.Client
	total int64
	rogue *rogue

	estates []*estate.Estate
	person  *oauth.Provider // who is signed in, and allows applications to act for her
	good    []string        // keys: of an Admin, a Collaborator, a stranger
	limited string
	revoked string

	next, fired, parts atomic.Int64

	mu       sync.Mutex
	findings map[int64]string // by request
	statuses map[int]int
	reached  map[*openapi.Route]bool
}

// found notes what is wrong with the answer to a request, in a form that lets anybody send it again.
func (f *fuzz) found(s *shot, format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.findings[s.index] == "" {
		f.findings[s.index] = secrets.ReplaceAllString(
			fmt.Sprintf("request %d of seed %d: %s\n%s", s.index, f.t.Seed, fmt.Sprintf(format, args...),
				strconv.Quote(clipMiddle(s.raw))), "$1…")
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

// shot is one request as it goes over the wire, and what the judge must know of it.
type shot struct {
	index  int64
	raw    []byte
	method string
	path   string  // without the query
	sent   []byte  // the body
	parts  []draft // of a batch that was not tampered with
	broken bool    // it is not valid HTTP, or what it reaches is not certain
	ours   bool    // the Admin asks for something in the project of the moment
}

// draft is a request before it is written down.
type draft struct {
	method  string
	path    string // with the query
	headers []lab.BatchHeader
	body    []byte
	parts   []draft
}

func (d *draft) set(name, value string) {
	d.headers = slices.DeleteFunc(d.headers, func(h lab.BatchHeader) bool { return strings.EqualFold(h.Name, name) })
	d.headers = append(d.headers, lab.BatchHeader{Name: name, Value: value})
}

// one tells with a chance of one in n.
func (g *gunner) one(in int) bool { return g.random.IntN(in) == 0 }

func (g *gunner) projectUID() string {
	if known := g.uids["projects"]; len(known) > 0 && g.one(15) {
		return lab.OneOf(g.random, known)
	}
	return g.project
}

// uid gives one that an earlier answer showed in the project at hand, or one of another project or kind, or almost one.
func (g *gunner) uid(family string) string {
	if known := g.uids[g.at+family]; len(known) > 0 && !g.one(10) {
		return lab.OneOf(g.random, known)
	}
	at := g.at
	if known := g.uids["projects"]; len(known) > 0 {
		at = lab.OneOf(g.random, known)
	}
	if known := g.uids[at+lab.OneOf(g.random, []string{"issues", "issue_lists", "users", "roles"})]; len(known) > 0 &&
		g.one(2) {
		return lab.OneOf(g.random, known)
	}
	return lab.OneOf(g.random, []string{"00000000-0000-4000-8000-000000000000", "no-such-thing", "0", "NULL"})
}

// own gives the uid of something that the account itself has, or almost one.
func (g *gunner) own(family string) string {
	if known := g.uids[family]; len(known) > 0 && !g.one(10) {
		return lab.OneOf(g.random, known)
	}
	return g.uid(family)
}

// json writes a value down, always in the same way.
func (g *gunner) json(value any) []byte {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return text
}

// remember keeps a bounded number of things, old and new.
func remember(g *gunner, known []string, one string) []string {
	const most = 40
	if len(known) < most {
		return append(known, one)
	}
	known[g.random.IntN(most)] = one
	return known
}

// rogue stands between the service and the judge, and spoils answers.
type rogue struct {
	every   int64
	mu      sync.Mutex
	spoiled map[int64]string // how, by request
}

func (r *rogue) spoil(s *shot, a *lab.Answer) {
	if s.index%r.every != 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	ways := []string{
		"a status of 500", "HTML", "JSON that ends too early", "a field that is missing",
		"a field that nobody described", "a field of another type",
	}
	how := int(s.index/r.every) % len(ways)
	first := bytes.IndexByte(a.Body, '"')
	if !strings.HasPrefix(s.path, "/projects") || first != 1 || s.method == http.MethodHead {
		how = 0 // the others need a JSON object whose fields are described
	}
	r.spoiled[s.index] = ways[how]
	switch how {
	case 0:
		a.Status = http.StatusInternalServerError
	case 1:
		a.Header, a.Body = a.Header.Clone(), []byte("<!DOCTYPE html><p>Sorry</p>")
		a.Header.Set("Content-Type", "text/html")
	case 2:
		a.Body = a.Body[:len(a.Body)-1]
	case 3:
		a.Body = []byte("{}")
	case 4:
		a.Body = append([]byte(`{"planted":1,`), a.Body[1:]...)
	case 5:
		colon := bytes.IndexByte(a.Body, ':')
		a.Body = append(bytes.Clone(a.Body[:colon+1]), []byte(`[[]]}`)...)
	}
}

// credentials are good ones mostly.
func (g *gunner) credentials(d *draft) {
	f := g.f
	switch n := g.random.IntN(100); {
	case strings.HasPrefix(d.path, "/oauth/") && n < 75:
		// An application says in the form who it is.
	case n < 73:
		d.set("Authorization", lab.BasicAuth(f.good[0]))
	case n < 75 && g.bearer != "":
		d.set("Authorization", "Bearer "+g.bearer)
	case n < 83:
		d.set("Authorization", lab.BasicAuth(f.good[1]))
	case n < 88:
		d.set("Authorization", lab.BasicAuth(f.good[2]))
	case n < 91:
		d.set("Authorization", lab.BasicAuth(f.limited))
	case n < 93:
		d.set("Authorization", lab.BasicAuth(f.revoked))
	case n < 96:
		d.set("Authorization", lab.OneOf(g.random, []string{
			lab.BasicAuth("gwk_" + strings.Repeat("a", 38)), lab.BasicAuth(""),
			lab.BasicAuth("x"), "Basic", "Basic !!!", "Bearer",
			"Bearer abc", "Digest username=\"a\"", "Basic " + base64.StdEncoding.EncodeToString([]byte(f.good[0])),
			lab.BasicAuth(f.good[0] + "x"), lab.BasicAuth(strings.Repeat("k", 5000)),
			"Basic \t", ":", lab.BasicAuth("\x00\xff"),
		}))
	}
}
