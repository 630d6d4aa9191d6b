package api

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"groundwork/internal/auth"
	"groundwork/internal/credential"
)

// Access says what a route needs before its function runs. The zero value is no access: a route must say what it needs.
type Access uint8

const (
	// Public needs no credentials and counts against no limit: documents, health, capabilities.
	Public Access = iota + 1
	// Caller needs a credential, whoever's.
	Caller
	// Member needs a credential of a present member of the project {project} whose role the route's Right admits.
	Member
	// Person is for pages: it needs somebody who is signed in; everybody else is led to the sign-in page.
	Person
	// Operator is for pages: it needs an operator of the installation who is signed in.
	Operator
)

// Route is one line of the table that is the single source of the router, the permission check, the limits and the
// OpenAPI document.
type Route struct {
	Method string
	// Pattern is a path such as /projects/{project}/issues/{uid}. A literal segment wins over a wildcard, segment by
	// segment from the left. The pattern of a page may end with a wildcard for the rest of the path, such as
	// /app/{rest...}: it also takes /app/, and everything else wins over it.
	Pattern string
	Access  Access
	// Right is what each role may do; on Member routes, and only there.
	Right auth.Right
	// Do answers the request with Send or SendJSON, or gives the error to answer with.
	Do func(*Call) error
	// Poll frees the route from rate limits whose interval is longer than a minute.
	Poll bool
	// ByParts says that the route takes its turns itself, one for each of its parts.
	ByParts bool
	// Alone refuses the route, and everything under its first segment, inside a batch.
	Alone bool
	// Page makes it a route for browsers.
	Page *Page
	// Majors are the functions that answer for other MAJOR versions than the first; those that are not named are
	// answered by Do.
	Majors map[int]func(*Call) error

	// Guarded routes honour If-Match, Keyed ones Idempotency-Key; a GET with credentials always honours If-None-Match.
	Guarded, Keyed bool

	Summary string
	// Tag is the family of resources it belongs to.
	Tag string
	// Extension marks what the original API did not have.
	Extension bool
	Query     []Param
	// In describes the body; nil when there is none. OptionalIn says that an empty body is fine.
	In         Schema
	OptionalIn bool
	// Out describes the answer of status Status; 204 has none.
	Out    Schema
	Status int
	// Takes and Gives are the content types of a body and an answer that are not JSON.
	Takes, Gives string
	// Also are further statuses of success, answered in the same form; a redirection has a Location and no body.
	Also []int
	// Errors are statuses besides those that the table implies (see errorStatuses), such as 409.
	Errors []int
	// Refusal describes the answers 400 and 401 where another standard says what they are; nil where they are like all
	// errors.
	Refusal Schema
	// Components are the named schemas that In, Out and Query refer to. The same name must always mean the same schema.
	Components map[string]Schema

	// vital routes are served from the share of the in-flight cap that is kept for them.
	vital bool
}

// Extending marks a route as one that the original API did not have.
func Extending(r Route) Route {
	r.Extension = true
	return r
}

// Param is a query parameter.
type Param struct {
	Name, Summary string
	Schema        Schema
	Required      bool
}

// Schema is JSON Schema 2020-12, as OpenAPI 3.1 embeds it.
type Schema = map[string]any

// endpoint is a route with what is known of it before any request.
type endpoint struct {
	Route
	names    []string // of the wildcards, from the left
	write    bool
	scope    credential.Scopes // what a token needs
	personal bool              // no token is enough
	hashes   bool              // it may have a password hashed: forms of pages, and what changes the account itself
	series   *series
}

// mostParams is how many wildcards a pattern may have.
const mostParams = 6

var (
	methods = []string{"DELETE", "GET", "PATCH", "POST", "PUT"}
	literal = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	wild    = regexp.MustCompile(`^\{[a-z][a-z_]*(\.\.\.)?\}$`)
)

// restEnd is how a wildcard for the rest of the path ends.
const restEnd = "...}"

// takesRest tells whether a segment of a pattern is a wildcard for the rest of the path.
func takesRest(segment string) bool { return strings.HasSuffix(segment, restEnd) }

func compile(r Route) (*endpoint, error) {
	wrong := func(format string, args ...any) (*endpoint, error) {
		return nil, fmt.Errorf("api: route %s %s: "+format, append([]any{r.Method, r.Pattern}, args...)...)
	}
	end := &endpoint{Route: r, write: r.Method != "GET"}
	end.scope, end.personal = r.scope()
	end.hashes = end.write && (r.Page != nil || end.personal)
	if !slices.Contains(methods, r.Method) {
		return wrong("the method must be one of %s (HEAD and OPTIONS are answered for all)",
			strings.Join(methods, ", "))
	}
	segments, ok := split(r.Pattern)
	if !ok {
		return wrong("the pattern must begin with a slash and have no empty segment")
	}
	for i, s := range segments {
		switch {
		case takesRest(s) && i < len(segments)-1:
			return wrong("the wildcard %s takes the rest of the path, so that nothing can follow it", s)
		case takesRest(s) && r.Page == nil:
			return wrong("only a page takes the rest of a path: the OpenAPI document has no word for it")
		case wild.MatchString(s):
			name := strings.TrimSuffix(s[1:len(s)-1], "...")
			if slices.Contains(end.names, name) {
				return wrong("the wildcard %s is there twice", s)
			}
			end.names = append(end.names, name)
		case !literal.MatchString(s) || s == "." || s == "..":
			return wrong("the segment %q is neither a plain literal nor a wildcard such as {uid}", s)
		}
	}
	switch {
	case len(end.names) > mostParams:
		return wrong("it has more than %d wildcards", mostParams)
	case r.Access < Public || r.Access > Operator:
		return wrong("it does not say what access it needs")
	case r.Access == Member && r.Right == auth.Right{}:
		return wrong("a Member route needs a Right")
	case r.Access == Member && !slices.Contains(end.names, "project"):
		return wrong("a Member route needs the wildcard {project}")
	case r.Access != Member && r.Right != auth.Right{}:
		return wrong("only a Member route has a Right")
	case r.Access > Member && r.Page == nil:
		return wrong("only pages know who is signed in")
	case r.Do == nil:
		return wrong("it has no function")
	case r.Status < 200 || r.Status > 299 && r.Status != http.StatusSeeOther:
		return wrong("it does not say the status of its success")
	case (r.Out == nil) != (r.Status == 204 || r.Status == 303) && r.Gives == "" && r.Page == nil:
		return wrong("an answer has a schema, and only 204 and 303 have none")
	case r.Page != nil && (r.Page.Policy == "" || r.Page.Refusal == nil || !r.Alone):
		return wrong("a page needs a policy and a form for refusals, and is no part of a batch")
	case r.Summary == "" || r.Tag == "":
		return wrong("it needs a summary and a tag")
	}
	return end, nil
}

// scope is what a token needs for a route: write:projects for everything about projects, read:profile to see whose it
// is. What else belongs to the account itself is not for applications: one that could make keys, or change whom mail
// goes to, could stay for ever.
func (r Route) scope() (needed credential.Scopes, personal bool) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.Pattern, "/"), "/")
	switch {
	case first == "projects" || r.Access == Member:
		return credential.WriteProjects, false
	case first == "me" && rest == "" && r.Method == "GET":
		return credential.ReadProfile, false
	}
	return 0, first == "me"
}

// split cuts a path into its segments, none for the root; it fails on a path with an empty one.
func split(path string) ([]string, bool) {
	if path == "/" {
		return nil, true
	}
	if len(path) < 2 || path[0] != '/' {
		return nil, false
	}
	segments := strings.Split(path[1:], "/")
	return segments, !slices.Contains(segments, "")
}

// series is the metrics of one route: found once, so that counting a request looks nothing up.
type series struct {
	requests *prometheus.CounterVec
	route    Route
	seconds  prometheus.Observer
	by       [len(statuses)]atomic.Pointer[prometheus.Counter]
}
