package fuzz

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"groundwork/prove/lab"
	"groundwork/prove/openapi"
)

// judge holds an answer against the document, and learns from it.
func (g *gunner) judge(s *shot, a *lab.Answer) {
	f := g.f
	f.mu.Lock()
	f.statuses[a.Status]++
	f.mu.Unlock()
	if a.Status >= http.StatusInternalServerError {
		f.found(s, "%s", a)
		return
	}
	switch {
	case s.ours && a.Status == http.StatusForbidden:
		g.shut++
	case s.ours && a.OK():
		g.shut = max(0, g.shut-1)
	}
	if a.Header.Get("X-Request-Id") == "" {
		f.found(s, "no X-Request-Id: %s", a)
	}
	if isPage(s.path) {
		return
	}
	r, value, problem := f.check(s, s.method, s.path, a.Status, a.Header.Get("Content-Type"), a.Body)
	if problem != "" {
		f.found(s, "%s: %s", problem, a)
		return
	}
	if (a.OK() || a.Status == http.StatusSeeOther) && r != nil {
		f.mu.Lock()
		f.reached[r] = true
		f.mu.Unlock()
		if problem := taken(r, s.sent); problem != "" {
			f.found(s, "%s: %s", problem, a)
		}
		g.learn(s.path, a.Header, value)
	}
	if s.parts != nil && a.OK() {
		g.judgeParts(s, a.Body)
	}
}

// isPage tells whether a path belongs to the pages for people, which are HTML.
func isPage(path string) bool { return strings.HasPrefix(path, "/docs") }

// check says what is wrong with an answer; it gives the route, if there is one, and the JSON.
func (f *fuzz) check(s *shot, method, path string, status int, contentType string,
	body []byte,
) (r *openapi.Route, value any, problem string) {
	if method == http.MethodHead {
		method = http.MethodGet
		if len(body) > 0 {
			return nil, nil, "a body in the answer to HEAD"
		}
	}
	if method == http.MethodOptions && status < 300 {
		return nil, nil, empty(body)
	}
	var want *openapi.Reply
	if !s.broken {
		if segments, ok := decode(path); ok {
			r, _ = f.doc.Route(method, segments)
		}
	}
	if r != nil {
		want = r.Replies[status]
	} else if status >= 400 {
		if want = f.doc.Errors[status]; want == nil {
			want = f.doc.Errors[http.StatusBadRequest] // what HTTP itself refuses has the form of any error
		}
	}
	switch {
	case want == nil:
		return r, nil, "a status that the document does not have"
	case s.method == http.MethodHead:
		return r, nil, ""
	case want.Text:
		return r, nil, ""
	case want.Schema == nil:
		return r, nil, empty(body)
	case r == nil && status == http.StatusNotFound && bytes.Contains(s.raw, []byte("Accept: text/html")) &&
		strings.HasPrefix(contentType, "text/html"):
		return r, nil, "" // a browser that asks for what does not exist is shown a page
	case !strings.HasPrefix(contentType, "application/json"):
		return r, nil, fmt.Sprintf("the content type %q", contentType)
	case !jsontext.Value(body).IsValid():
		return r, nil, "not JSON"
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = want.Schema.Validate(value)
	}
	if err != nil {
		return r, nil, "not as the document says: " + err.Error()
	}
	return r, value, ""
}

func empty(body []byte) string {
	if len(body) > 0 {
		return "a body where there is none"
	}
	return ""
}

// decode gives a path with its segments decoded; one that leads nowhere is not ok.
func decode(path string) (string, bool) {
	segments := strings.Split(path, "/")
	for i, s := range segments {
		decoded, err := url.PathUnescape(s)
		if err != nil || decoded == "." || decoded == ".." {
			return "", false
		}
		segments[i] = strings.ReplaceAll(decoded, "/", "\x00") // a slash inside a segment is none
	}
	return strings.Join(segments, "/"), true
}

// taken says whether a route took a body that the document does not allow.
func taken(r *openapi.Route, sent []byte) string {
	if len(bytes.TrimSpace(sent)) == 0 || r.Method == http.MethodGet || r.Method == http.MethodDelete ||
		r.Path == "/batch" {
		return "" // a batch answers for each of its parts
	}
	if r.Form != nil || strings.HasPrefix(r.Path, "/storage/") || strings.HasSuffix(r.Path, "/completions/{token}") {
		return "" // forms; and whoever tells that a file has come may say anything besides
	}
	if r.Accepts == nil {
		return "took a body that the document does not have"
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(sent))
	if err == nil {
		err = r.Accepts.Validate(value)
	}
	if err != nil {
		return "took what the document does not allow: " + err.Error()
	}
	return ""
}

// judgeParts holds each result of a batch against the document.
func (g *gunner) judgeParts(s *shot, body []byte) {
	var results struct {
		Data []struct {
			Status  int               `json:"status_code"`
			Headers []lab.BatchHeader `json:"headers"`
			Body    string            `json:"body"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &results); err != nil || len(results.Data) != len(s.parts) {
		g.f.found(s, "%d results of %d parts: %v", len(results.Data), len(s.parts), err)
		return
	}
	for i, result := range results.Data {
		g.f.parts.Add(1)
		part := s.parts[i]
		if result.Status >= http.StatusInternalServerError {
			g.f.found(s, "part %d: %d %s", i, result.Status, lab.Clip([]byte(result.Body)))
			return
		}
		path, _, _ := strings.Cut(part.path, "?")
		inner := *s
		// not every route can be part of a batch
		inner.method, inner.broken = part.method, slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound},
			result.Status)
		kind := "application/json"
		for _, h := range result.Headers {
			if h.Name == "content-type" {
				kind = h.Value
			}
		}
		if _, value, problem := g.f.check(&inner, part.method, path, result.Status, kind,
			[]byte(result.Body)); problem != "" {
			g.f.found(s, "part %d: %s: %d %s", i, problem, result.Status, lab.Clip([]byte(result.Body)))
			return
		} else if result.Status < 300 {
			g.learn(path, nil, value)
		}
	}
}

// learn keeps what later requests can use.
func (g *gunner) learn(path string, header http.Header, value any) {
	if tag := header.Get("ETag"); tag != "" {
		if len(g.tags) > 500 {
			clear(g.tags)
		}
		g.tags[path] = tag
	}
	o, _ := value.(lab.Object)
	if next, _ := o["next_page_url"].(string); next != "" {
		g.pages = remember(g, g.pages, strings.TrimPrefix(next, g.f.site.BaseURL))
	}
	family := familyOf(path)
	segments := strings.Split(path, "/")
	mine := len(segments) > 1 && segments[1] == "me"
	if !mine && len(segments) > 3 && family != "projects" {
		family = segments[2] + family
	}
	if uid, _ := o["uid"].(string); uid != "" {
		if family == "projects" && (g.project == "" || g.one(60)) {
			g.project = uid
		}
		g.uids[family] = remember(g, g.uids[family], uid)
	}
	if mine {
		return // a list of one's keys has those that this experiment is made with
	}
	data, _ := o["data"].([]any)
	for _, one := range data {
		if uid, _ := openapi.Dig(lab.Object{"x": one}, "x")["uid"].(string); uid != "" {
			g.uids[family] = remember(g, g.uids[family], uid)
		}
	}
}

// familyOf is the last word of a path that is no uid.
func familyOf(path string) string {
	family := ""
	for s := range strings.SplitSeq(path, "/") {
		if s != "" && !strings.ContainsAny(s, "0123456789-%") && s != "invites" {
			family = s
		}
	}
	return family
}
