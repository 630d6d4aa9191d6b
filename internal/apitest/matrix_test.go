package apitest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/apitest"
)

// cell is one request of the table and the status that it must have.
type cell struct {
	row    *row
	who    *caller
	target string
	want   int
}

// The ways in which a cell is tried.
type way int

const (
	plainly way = iota
	inBatch
	asHEAD
	broken // with a body that is not JSON: what is wrong with a body is told only to who may send it
	// that the answer differs from what an Admin has, or that the record is another: a condition is for who is let in
	onCondition
)

func (by way) String() string {
	return [...]string{"plainly", "in a batch", "HEAD", "broken body", "on a condition"}[by]
}

// cells are all requests of a line. Strangers are tried on everything that makes sense for the route; callers selects
// columns, all where there are none.
func (w *world) cells(r *row, callers ...string) []cell {
	var out []cell
	add := func(column, target string, want int) {
		if want != none && (len(callers) == 0 || slices.Contains(callers, column)) {
			out = append(out, cell{r, w.callers[column], target, want})
		}
	}
	for _, name := range strangers {
		for _, target := range targets {
			switch {
			case r.roles[admin][target] == none:
			case name == smuggler:
			case target == unknown && !r.record() && (name == removed || name == outsider):
				// An unknown project is told to everybody with a good key; TestRightsUnknownProject.
			case name == outsider && r.project() && target != others && target != deleted && target != unknown:
				// They own nothing here, and what is foreign here is theirs.
			default:
				add(name, target, r.strangers[name])
			}
		}
	}
	add(smuggler, smuggler, r.strangers[smuggler])
	for _, role := range roleNames {
		for _, target := range targets {
			add(role, target, r.roles[role][target])
		}
		if !r.record() || !personal[r.kind()] {
			continue
		}
		if role == collaborator && r.method != http.MethodGet {
			add(role, published, http.StatusForbidden)
		} else {
			add(role, published, r.roles[role][own])
		}
	}
	return out
}

// try sends the request of a cell to the service at an address and says in what the answer differs from the table.
func (w *world) try(to string, c cell, by way) []string {
	w.t.Helper()
	var out []string
	for _, authorization := range c.who.sent {
		for _, problem := range w.tryWith(to, c, by, authorization) {
			out = append(out, fmt.Sprintf("%s by %s on %s (%s): %s", c.row.name(), c.who.name, c.target, by, problem))
		}
	}
	return out
}

func (w *world) tryWith(to string, c cell, by way, authorization string) (problems []string) {
	w.t.Helper()
	w.tried++
	if strings.HasSuffix(c.row.pattern, "/packets") || strings.HasSuffix(c.row.pattern, "/reports") ||
		strings.HasSuffix(c.row.pattern, "/export") || strings.HasSuffix(c.row.kind(), "s/packets") ||
		strings.HasSuffix(c.row.kind(), "/reports") || strings.HasSuffix(c.row.kind(), "/export") {
		w.unburden()
	}
	t := w.target(c.row, c.who, c.target)
	method, path := c.row.method, w.path(c.row, t.project, t.uid)
	if strings.Contains(path, "{file}") {
		path = w.loaded()
	}
	if c.who.name == garbage || c.who.name == deactivated || strings.HasPrefix(c.row.pattern, "/oauth/") {
		w.clock.Advance(time.Minute) // refused credentials are counted by the minute
	}
	if query := queries[c.row.name()]; query != nil {
		path += query(w)
	}
	body, want := "", c.want
	if takesBody(method) {
		valid := bodies[c.row.name()]
		if valid == nil {
			w.t.Fatalf("%s has no body; TestRightsCanBePlayed tells what is missing.", c.row.name())
		}
		w.there = t.project
		body = valid(w)
	}
	before := w.state(c.row, t)
	var got answer
	switch by {
	case inBatch:
		if c.row.name() == "POST /batch" {
			body = ""
		}
		if c.row.batch != none {
			want = c.row.batch
		}
		got = w.sendInBatch(to, c.who, authorization, method, path, body)
	case asHEAD:
		got = w.send(to, authorization, http.MethodHead, path, "")
	case onCondition:
		got = w.send(to, authorization, method, path, body, w.condition(c.row, t)...)
	case broken:
		got = w.send(to, authorization, method, path, `{"title":`)
	default:
		got = w.send(to, authorization, method, path, body)
	}
	if got.status != want {
		problems = append(problems, fmt.Sprintf("%d, want %d: %s", got.status, want, got.body))
	}
	problems = append(problems, w.leaks(c, got)...)
	w.wrote()
	after := w.state(c.row, t)
	if want >= 400 {
		if after != before {
			problems = append(problems, fmt.Sprintf("it was refused and changed something:\n%s\n%s", before, after))
		}
		if by != asHEAD {
			problems = append(problems, w.wording(c, t, want, got)...)
		}
	}
	if after.record != before.record {
		w.mend(c.row, c.who, t)
	}
	return problems
}

// condition is headers that would answer a request of who is let in with 304 or 412.
func (w *world) condition(r *row, t *target) []string {
	w.t.Helper()
	if r.method != http.MethodGet {
		return []string{"If-Match", `"another"`, "Idempotency-Key", fmt.Sprintf("key-%d", w.next())}
	}
	return []string{"If-None-Match", strings.TrimSuffix(`*, `+w.tag(r, t), ", ")}
}

// loaded is the address of a file that a page loads.
func (w *world) loaded() string {
	w.t.Helper()
	_, after, _ := strings.Cut(w.send(w.server.URL, "", http.MethodGet, "/docs", "").body, `href="/assets/`)
	name, _, found := strings.Cut(after, `"`)
	if !found {
		w.t.Fatal("The page /docs loads nothing.")
	}
	return "/assets/" + name
}

// leaks looks for the marks of projects that the caller may not see, and in refusals for any.
func (w *world) leaks(c cell, got answer) []string {
	var out []string
	for _, mark := range []string{hereMark, awayMark} {
		told := strings.ToLower(fmt.Sprint(got.body, got.header))
		if strings.Contains(told, mark) && (got.status >= 400 || mark != c.who.sees) {
			out = append(out, fmt.Sprintf("it tells something of the project %s: %s", mark, got.body))
		}
	}
	return out
}

// refusalPage is how a page for people says why something is refused.
var refusalPage = regexp.MustCompile(`(?s)^<!doctype html>.*</h1>\n<p>([^<]+)</p>`)

// wording holds what a refusal says besides its status.
func (w *world) wording(c cell, t *target, want int, got answer) []string {
	var said struct{ Message string }
	if page := refusalPage.FindStringSubmatch(got.body); page != nil {
		said.Message = page[1]
	} else if err := json.Unmarshal([]byte(got.body), &said); err != nil || said.Message == "" {
		return []string{"the refusal has no message: " + got.body}
	}
	switch {
	case want == http.StatusUnauthorized && got.header.Get("WWW-Authenticate") == "":
		return []string{"401 without WWW-Authenticate"}
	case want == http.StatusNotFound && c.row.project():
		sentence := "Project " + t.project + " does not exist."
		if c.row.record() && t.project != nowhere {
			sentence = title(c.row.kind()) + " " + t.uid + " does not exist."
		}
		if said.Message != sentence {
			return []string{fmt.Sprintf("it says %q, not %q", said.Message, sentence)}
		}
	}
	return nil
}

// TestRights plays the whole table on each engine.
func TestRights(t *testing.T) {
	t.Parallel()
	rows := readRights(t)
	apitest.Engines(t, func(t *testing.T, engine string) {
		w := newWorld(t, engine)
		var routes []string
		for _, r := range w.server.Edge.Routes() {
			routes = append(routes, r.Method+" "+r.Pattern)
		}
		for _, problem := range unmatched(rows, routes) {
			t.Error(problem)
		}
		cells := 0
		for _, r := range rows {
			cells += len(w.cells(r))
			for _, problem := range w.play(r) {
				t.Error(problem)
			}
		}
		t.Logf("figure: endpoints: %d", len(rows))
		t.Logf("figure: cells of the table: %d", cells)
		t.Logf("figure: requests: %d", w.tried)
	})
}

// play tries a line in every way.
func (w *world) play(r *row) []string {
	w.t.Helper()
	var out []string
	for _, c := range w.cells(r) {
		out = append(out, w.try(w.server.URL, c, plainly)...)
		out = append(out, w.try(w.server.URL, c, inBatch)...)
		if r.method == http.MethodGet {
			out = append(out, w.try(w.server.URL, c, asHEAD)...)
		}
		if c.want >= 401 {
			out = append(out, w.try(w.server.URL, c, onCondition)...)
			// there the body is the credentials
			if bodies[r.name()] != nil && !strings.HasPrefix(r.pattern, "/oauth/") {
				out = append(out, w.try(w.server.URL, c, broken)...)
			}
		}
	}
	return out
}
