package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

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
	headers []batchField
	body    []byte
	parts   []draft
}

func (d *draft) set(name, value string) {
	d.headers = slices.DeleteFunc(d.headers, func(h batchField) bool { return strings.EqualFold(h.Name, name) })
	d.headers = append(d.headers, batchField{name, value})
}

// one tells with a chance of one in n.
func (g *gunner) one(in int) bool { return g.random.IntN(in) == 0 }

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

// aim makes the next request of a client.
func (g *gunner) aim(index int64) *shot {
	var d draft
	switch n := g.random.IntN(100); {
	case g.project == "" || g.shut > 10:
		// There is none, or the Admin was removed from it, as happens.
		g.project, g.shut = "", 0
		d = draft{method: http.MethodPost, path: "/projects", headers: []batchField{{"Content-Type", "application/json"}}, body: []byte(`{"name":"Fuzz"}`)}
		d.set("Authorization", basic(g.f.good[0]))
		return g.shot(&d, index)
	case n < 50:
		d = g.valid()
	case n < 85:
		d = g.valid()
		for range 1 + g.random.IntN(2) {
			g.tamper(&d)
		}
	case n < 87 && g.last != nil:
		d = *g.last
	case n < 90 && len(g.pages) > 0:
		d = draft{method: http.MethodGet, path: pick(g.random, g.pages)}
		g.credentials(&d)
	case n < 98:
		d = g.noise()
	default:
		return g.garbage(index)
	}
	return g.shot(&d, index)
}

// shot writes a draft down.
func (g *gunner) shot(d *draft, index int64) *shot {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: groundwork.test\r\n", d.method, d.path)
	for _, h := range d.headers {
		fmt.Fprintf(&b, "%s: %s\r\n", h.Name, h.Value)
	}
	if len(d.body) > 0 || d.method == http.MethodPost {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(d.body))
	}
	b.WriteString("\r\n")
	b.Write(d.body)
	path, _, _ := strings.Cut(d.path, "?")
	s := &shot{index: index, raw: b.Bytes(), method: d.method, path: path, sent: d.body, parts: d.parts}
	for _, h := range d.headers {
		s.ours = s.ours || h.Value == basic(g.f.good[0]) && g.project != "" && strings.Contains(path, g.project)
		// HTTP itself refuses these, whatever is asked for.
		s.broken = s.broken || strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
	}
	return s
}

// valid makes a request as the document describes it.
func (g *gunner) valid() draft {
	r := pick(g.random, g.f.doc.routes)
	for g.skip(r) {
		r = pick(g.random, g.f.doc.routes)
	}
	if g.one(12) {
		r, _ = g.f.doc.find(http.MethodPost, "/batch")
	}
	d := g.plain(r)
	if g.one(2) {
		d = g.made(r)
	}
	g.credentials(&d)
	if g.one(8) {
		d.set("Accept", pick(g.random, []string{"application/vnd.groundwork+json; version=1", "application/json", "*/*", "application/vnd.plangrid+json;version=1.2.3"}))
	}
	if g.one(8) {
		d.set("Accept-Encoding", "gzip")
	}
	if r.path == "/batch" {
		g.batch(&d)
	}
	if r.body != nil && g.one(4) {
		kept := d
		kept.headers = slices.Clone(d.headers)
		g.last = &kept
	}
	return d
}

// skip leaves most of the requests out that would be the greater part of the work and find nothing.
func (g *gunner) skip(r *route) bool {
	switch {
	case r.path == "/openapi.json" || r.path == "/metrics":
		return !g.one(8)
	case r.method == http.MethodPost && r.path == "/projects":
		return !g.one(20)
	case !strings.HasPrefix(r.path, "/projects/"):
		return !g.one(5)
	default:
		return false
	}
}

// plain makes a request of a route, without credentials.
func (g *gunner) plain(r *route) draft {
	segments := slices.Clone(r.segments)
	g.at = g.projectUID()
	for i, s := range segments {
		switch {
		case s == "{project}":
			segments[i] = g.at
		case s == "{other}":
			segments[i] = g.uid("sheets")
		case strings.HasPrefix(s, "{") && segments[1] == "me":
			segments[i] = g.own(segments[i-1])
		case strings.HasPrefix(s, "{"):
			segments[i] = g.uid(segments[i-1])
		}
	}
	d := draft{method: r.method, path: strings.Join(segments, "/")}
	query := url.Values{}
	for _, p := range r.params {
		switch {
		case p.in == "query" && (p.required || g.one(4)):
			query.Set(p.name, strings.Trim(string(g.json(g.value(p.name, p.schema, 0))), `"`))
		case p.in == "header" && g.one(4):
			d.set(p.name, g.header(p.name, d.path))
		}
	}
	if len(query) > 0 {
		d.path += "?" + query.Encode()
	}
	if r.body != nil {
		d.set("Content-Type", pick(g.random, []string{"application/json", "application/json; charset=utf-8"}))
		d.body = g.json(g.value("", r.body, 0))
	}
	if r.form != nil {
		d.set("Content-Type", "application/x-www-form-urlencoded")
		fields, _ := g.value("", r.form, 0).(object)
		form := sheaf{}
		for name, value := range fields {
			form[name] = fmt.Sprint(value)
		}
		d.body = []byte(form.encode())
	}
	return d
}

func (g *gunner) header(name, path string) string {
	switch {
	case strings.HasPrefix(name, "If-") && g.tags[path] != "":
		return g.tags[path]
	case strings.HasPrefix(name, "If-"):
		return pick(g.random, []string{"*", `"abc"`, `W/"abc"`})
	case len(g.keys) > 0 && g.one(2):
		return pick(g.random, g.keys)
	default:
		key := fmt.Sprintf("key-%d-%d", g.id, g.random.IntN(1_000_000))
		g.keys = remember(g, g.keys, key)
		return key
	}
}

func (g *gunner) projectUID() string {
	if known := g.uids["projects"]; len(known) > 0 && g.one(15) {
		return pick(g.random, known)
	}
	return g.project
}

// uid gives one that an earlier answer showed in the project at hand, or one of another project or kind, or almost one.
func (g *gunner) uid(family string) string {
	if known := g.uids[g.at+family]; len(known) > 0 && !g.one(10) {
		return pick(g.random, known)
	}
	at := g.at
	if known := g.uids["projects"]; len(known) > 0 {
		at = pick(g.random, known)
	}
	if known := g.uids[at+pick(g.random, []string{"issues", "issue_lists", "users", "roles"})]; len(known) > 0 && g.one(2) {
		return pick(g.random, known)
	}
	return pick(g.random, []string{"00000000-0000-4000-8000-000000000000", "no-such-thing", "0", "NULL"})
}

// own gives the uid of something that the account itself has, or almost one.
func (g *gunner) own(family string) string {
	if known := g.uids[family]; len(known) > 0 && !g.one(10) {
		return pick(g.random, known)
	}
	return g.uid(family)
}

// batch fills a batch with requests of other routes.
func (g *gunner) batch(d *draft) {
	type part struct {
		Method  string       `json:"method"`
		Path    string       `json:"path"`
		Headers []batchField `json:"headers"`
		Body    *string      `json:"body"`
	}
	var parts []part
	d.parts = []draft{}
	for range 1 + g.random.IntN(6) {
		inner := g.plain(pick(g.random, g.f.doc.routes))
		if g.one(4) {
			g.tamperPath(&inner)
		}
		if !valid8(inner.path) {
			continue
		}
		p := part{Method: inner.method, Path: inner.path}
		if len(inner.body) > 0 && !g.one(10) {
			body := string(inner.body)
			p.Body = &body
		}
		if g.one(4) {
			p.Headers = append(p.Headers, batchField{"Idempotency-Key", g.header("Idempotency-Key", "")})
		}
		d.parts, parts = append(d.parts, inner), append(parts, p)
	}
	d.body = g.json(parts)
	if len(parts) == 0 {
		d.body, d.parts = []byte("[]"), nil
	}
}

// credentials are good ones mostly.
func (g *gunner) credentials(d *draft) {
	f := g.f
	switch n := g.random.IntN(100); {
	case strings.HasPrefix(d.path, "/oauth/") && n < 75:
		// An application says in the form who it is.
	case n < 73:
		d.set("Authorization", basic(f.good[0]))
	case n < 75 && g.bearer != "":
		d.set("Authorization", "Bearer "+g.bearer)
	case n < 83:
		d.set("Authorization", basic(f.good[1]))
	case n < 88:
		d.set("Authorization", basic(f.good[2]))
	case n < 91:
		d.set("Authorization", basic(f.limited))
	case n < 93:
		d.set("Authorization", basic(f.revoked))
	case n < 96:
		d.set("Authorization", pick(g.random, []string{
			basic("gwk_" + strings.Repeat("a", 38)), basic(""), basic("x"), "Basic", "Basic !!!", "Bearer", "Bearer abc", "Digest username=\"a\"", "Basic " + base64.StdEncoding.EncodeToString([]byte(f.good[0])),
			basic(f.good[0] + "x"), basic(strings.Repeat("k", 5000)), "Basic \t", ":", basic("\x00\xff"),
		}))
	}
}

// json writes a value down, always in the same way.
func (g *gunner) json(value any) []byte {
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return text
}
