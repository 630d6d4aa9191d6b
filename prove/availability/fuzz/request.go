package fuzz

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"groundwork/prove/lab"
	"groundwork/prove/openapi"
)

// aim makes the next request of a client.
func (g *gunner) aim(index int64) *shot {
	var d draft
	switch n := g.random.IntN(100); {
	case g.project == "" || g.shut > 10:
		// There is none, or the Admin was removed from it, as happens.
		g.project, g.shut = "", 0
		d = draft{method: http.MethodPost, path: "/projects", headers: []lab.BatchHeader{
			{Name: "Content-Type", Value: "application/json"},
		}, body: []byte(`{"name":"Fuzz"}`)}
		d.set("Authorization", lab.BasicAuth(g.f.good[0]))
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
		d = draft{method: http.MethodGet, path: lab.OneOf(g.random, g.pages)}
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
	host := "groundwork.test"
	if d.path == "/metrics" {
		host = g.f.site.Address // they are for callers on the same machine who ask for that machine
	}
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", d.method, d.path, host)
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
		s.ours = s.ours || h.Value == lab.BasicAuth(g.f.good[0]) && g.project != "" && strings.Contains(path, g.project)
		// HTTP itself refuses these, whatever is asked for.
		s.broken = s.broken ||
			strings.ContainsFunc(h.Value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
	}
	return s
}

// valid makes a request as the document describes it.
func (g *gunner) valid() draft {
	r := lab.OneOf(g.random, g.f.doc.Routes)
	for g.skip(r) {
		r = lab.OneOf(g.random, g.f.doc.Routes)
	}
	if g.one(12) {
		r, _ = g.f.doc.Route(http.MethodPost, "/batch")
	}
	d := g.plain(r)
	if g.one(2) {
		d = g.made(r)
	}
	g.credentials(&d)
	if g.one(8) {
		d.set("Accept", lab.OneOf(g.random, []string{
			"application/vnd.groundwork+json; version=1", "application/json", "*/*",
			"application/vnd.plangrid+json;version=1.2.3",
		}))
	}
	if g.one(8) {
		d.set("Accept-Encoding", "gzip")
	}
	if r.Path == "/batch" {
		g.batch(&d)
	}
	if r.Body != nil && g.one(4) {
		kept := d
		kept.headers = slices.Clone(d.headers)
		g.last = &kept
	}
	return d
}

// skip leaves most of the requests out that would be the greater part of the work and find nothing.
func (g *gunner) skip(r *openapi.Route) bool {
	switch {
	case r.Path == "/openapi.json" || r.Path == "/metrics":
		return !g.one(8)
	case r.Method == http.MethodPost && r.Path == "/projects":
		return !g.one(20)
	case !strings.HasPrefix(r.Path, "/projects/"):
		return !g.one(5)
	default:
		return false
	}
}

// plain makes a request of a route, without credentials.
func (g *gunner) plain(r *openapi.Route) draft {
	segments := slices.Clone(r.Segments)
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
	d := draft{method: r.Method, path: strings.Join(segments, "/")}
	query := url.Values{}
	for _, p := range r.Params {
		switch {
		case p.In == "query" && (p.Required || g.one(4)):
			query.Set(p.Name, strings.Trim(string(g.json(g.value(p.Name, p.Schema, 0))), `"`))
		case p.In == "header" && g.one(4):
			d.set(p.Name, g.header(p.Name, d.path))
		}
	}
	if len(query) > 0 {
		d.path += "?" + query.Encode()
	}
	if r.Body != nil {
		d.set("Content-Type", lab.OneOf(g.random, []string{"application/json", "application/json; charset=utf-8"}))
		d.body = g.json(g.value("", r.Body, 0))
	}
	if r.Form != nil {
		d.set("Content-Type", "application/x-www-form-urlencoded")
		fields, _ := g.value("", r.Form, 0).(lab.Object)
		form := lab.FormValues{}
		for name, value := range fields {
			form[name] = fmt.Sprint(value)
		}
		d.body = []byte(form.Encode())
	}
	return d
}

func (g *gunner) header(name, path string) string {
	switch {
	case strings.HasPrefix(name, "If-") && g.tags[path] != "":
		return g.tags[path]
	case strings.HasPrefix(name, "If-"):
		return lab.OneOf(g.random, []string{"*", `"abc"`, `W/"abc"`})
	case len(g.keys) > 0 && g.one(2):
		return lab.OneOf(g.random, g.keys)
	default:
		key := fmt.Sprintf("key-%d-%d", g.id, g.random.IntN(1_000_000))
		g.keys = remember(g, g.keys, key)
		return key
	}
}

// batch fills a batch with requests of other routes.
func (g *gunner) batch(d *draft) {
	type part struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Headers []lab.BatchHeader `json:"headers"`
		Body    *string           `json:"body"`
	}
	var parts []part
	d.parts = []draft{}
	for range 1 + g.random.IntN(6) {
		inner := g.plain(lab.OneOf(g.random, g.f.doc.Routes))
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
			p.Headers = append(p.Headers, lab.BatchHeader{
				Name: "Idempotency-Key", Value: g.header("Idempotency-Key", ""),
			})
		}
		d.parts, parts = append(d.parts, inner), append(parts, p)
	}
	d.body = g.json(parts)
	if len(parts) == 0 {
		d.body, d.parts = []byte("[]"), nil
	}
}
