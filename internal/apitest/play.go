package apitest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"groundwork/internal/credential"
	"groundwork/internal/grant"
)

// player plays one transcript against one server.
type player struct {
	t         *testing.T
	server    *Server
	clock     *Clock
	contract  *contract
	labels    *labels
	people    map[string]*Person
	owners    map[string]*Person // of projects, by the project's variable
	variables map[string]string
	drawn     int    // sets with drawings so far
	first     string // who asks when a request does not say
	// further are steps of a set-up that need a noun, which this package knows only in its tests.
	further map[string]func(p *player, words []string)
}

// play runs all steps on the engine and gives the transcript as it would be written with the responses that came. With
// compare, a response that differs from the transcript's fails the test.
func play(t *testing.T, archive *txtar.Archive, engine string, contracts func(document []byte) (*contract, error),
	compare bool, further map[string]func(*player, []string),
) *txtar.Archive {
	t.Helper()
	steps, err := parse(archive)
	if err != nil {
		t.Fatal(err)
	}
	clock := NewClock()
	p := &player{
		t: t, clock: clock, server: Start(t, engine, At(clock), StandardLimits()), labels: newLabels(clock),
		people: map[string]*Person{}, owners: map[string]*Person{}, variables: map[string]string{}, further: further,
	}
	if p.contract, err = contracts(p.server.Edge.OpenAPI()); err != nil {
		t.Fatal(err)
	}
	for role, uid := range roles {
		p.labels.keep(uid)
		p.variables[strings.ToUpper(strings.Fields(role)[0])] = uid
	}
	for _, f := range archive.Files {
		if f.Name != "response" {
			p.labels.keep(string(f.Data))
		}
	}
	out := &txtar.Archive{Comment: archive.Comment}
	for _, s := range steps {
		out.Files = append(out.Files, archive.Files[s.section])
		if s.request == nil {
			for _, line := range s.setup {
				p.setUp(line)
			}
			continue
		}
		text := p.play(s)
		want := ""
		if s.response >= 0 {
			want = string(archive.Files[s.response].Data)
		}
		if d := diff(want, text); d != "" && compare {
			t.Errorf("%s:\n%s", s.title, d)
		}
		out.Files = append(out.Files, txtar.File{Name: "response", Data: []byte(text)})
	}
	return out
}

// setUp does one line of a set-up section; the package comment lists the forms.
func (p *player) setUp(line string) {
	p.t.Helper()
	if line == "" || strings.HasPrefix(line, "#") {
		return
	}
	p.clock.Advance(second)
	f := strings.Fields(line)
	switch {
	case f[0] == "account" && len(f) >= 2:
		p.enter(f[1], p.server.Account(f[1], strings.Trim(strings.Join(f[2:], " "), `"`)))
	case f[0] == "key" && len(f) >= 4 && f[2] == "of":
		p.addKey(f[1], p.person(f[3]), f[4:])
	case f[0] == "revoke" && len(f) == 2:
		if _, err := p.server.App.Auth.RevokeKey(p.t.Context(), p.person(f[1]).Key); err != nil {
			p.t.Fatal(err)
		}
	case f[0] == "disable" && len(f) == 2:
		if err := p.server.App.Auth.DisableAccount(p.t.Context(), p.person(f[1]).UID, true); err != nil {
			p.t.Fatal(err)
		}
	case f[0] == "project" && len(f) == 4 && f[2] == "by":
		p.owners[f[1]] = p.person(f[3])
		p.remember(f[1], p.person(f[3]).Project("Project "+f[1]))
	case f[0] == "member" && len(f) >= 6 && f[2] == "of" && f[4] == "as":
		p.owner(f[3]).Invite(p.variables[f[3]], p.person(f[1]), strings.Join(f[5:], " "))
	case f[0] == "remove" && len(f) == 4 && f[2] == "of":
		p.owner(f[3]).Want(http.StatusNoContent, "DELETE", "/projects/"+p.variables[f[3]]+"/users/"+p.person(f[1]).UID,
			nil)
	case f[0] == "application" && len(f) == 5 && f[2] == "of":
		p.addApplication(f[1], p.person(f[3]), f[4])
	case f[0] == "allow" && len(f) >= 6 && f[2] == "of" && f[4] == "for":
		p.allow(f[1], p.person(f[3]), p.variables[f[5]], strings.Join(f[6:], " "))
	case f[0] == "file" && len(f) == 8 && f[2] == "in" && f[4] == "of" && f[6] == "by":
		p.remember(f[1], p.file(f[3], p.variables[f[5]], p.person(f[7]), f[1]))
	case f[0] == "restart" && len(f) == 1:
		p.server.Restart()
	case p.further[f[0]] != nil:
		p.further[f[0]](p, f[1:])
	default:
		p.t.Fatalf("set-up: %q is none of the forms that the package comment of apitest lists", line)
	}
}

// file uploads a document, a photo or a snapshot and gives its uid.
func (p *player) file(family, project string, by *Person, name string) string {
	p.t.Helper()
	start := map[string]any{"content_type": "image/png", "title": name}
	if family == "attachments" {
		start = map[string]any{"content_type": "application/pdf", "name": name}
	}
	return by.Upload(project, family, start, "The content of "+name).Text("uid")
}

// addKey makes a further key for an account; words are its limits.
func (p *player) addKey(name string, of *Person, words []string) {
	p.t.Helper()
	limits, err := credential.ParseLimits(words)
	if err != nil {
		p.t.Fatal(err)
	}
	p.enter(name, of.As(p.server.Key(of.Email, limits...)))
}

// addApplication registers an application; {NAME} is its client id, {NAME:secret} its secret.
func (p *player) addApplication(name string, of *Person, redirect string) {
	p.t.Helper()
	app, secret, err := p.server.App.Auth.CreateApplication(p.t.Context(), of.UID, grant.NewApplication{
		Name: name, Redirects: []string{redirect},
	}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.remember(name, app.UID)
	p.remember(name+":secret", secret)
}

// allow gives the code that an application is sent when somebody allows it.
func (p *player) allow(name string, who *Person, application, scopes string) {
	p.t.Helper()
	parsed, ok := credential.ParseScopes(scopes)
	if !ok {
		p.t.Fatalf("%q are not scopes", scopes)
	}
	code, err := p.server.App.Auth.Allow(p.t.Context(), grant.Ask{
		Application: application, Account: who.UID, Scopes: parsed,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.remember(name, code)
}

func (p *player) person(name string) *Person {
	p.t.Helper()
	who := p.people[name]
	if who == nil {
		p.t.Fatalf("%q is not set up", name)
	}
	return who
}

func (p *player) owner(project string) *Person {
	p.t.Helper()
	who := p.owners[project]
	if who == nil {
		p.t.Fatalf("the project %q is not set up", project)
	}
	return who
}

func (p *player) enter(name string, who *Person) {
	if p.first == "" {
		p.first = name
	}
	p.people[name] = who
	p.labels.hide(name, who.Key)
	p.variables["key:"+name], p.variables["basic:"+name] = who.Key, basic(who.Key)
	if name == who.Name {
		p.remember(name, who.UID)
	}
}

func (p *player) remember(name, value string) {
	p.variables[name] = value
	p.labels.name(value, name)
}

// play sends one request and gives the response as a transcript shows it.
func (p *player) play(s *step) string {
	p.t.Helper()
	r := s.request
	p.clock.Advance(r.advance)
	var res Response
	var sent *http.Request
	var body []byte
	var err error
	if r.raw != "" {
		res, err = p.sendRaw(r.raw)
	} else if sent, body, err = p.build(r); err == nil {
		res, err = p.server.send(sent)
	}
	if errors.Is(err, errClosed) {
		return "(the connection was closed without a response)\n"
	}
	if err != nil {
		p.t.Errorf("%s: %v", s.title, err)
		return ""
	}
	if res.Status >= 500 {
		p.t.Errorf("%s: a client's request got %d: %s", s.title, res.Status, res.Body)
	}
	if sent != nil {
		p.check(s.title, sent.Method, sent.URL.EscapedPath(), body, res)
	}
	for _, c := range r.set {
		p.capture(s.title, c, res)
	}
	return p.show(r, sent, res)
}

// check holds an exchange, and each of a batch's, against the OpenAPI document and the forms of times.
func (p *player) check(title, method, path string, body []byte, res Response) {
	p.t.Helper()
	var subs []exchange
	if path == "/batch" && res.Status == http.StatusOK {
		var err error
		if subs, err = batch(body, res); err != nil {
			p.t.Errorf("%s: %v", title, err)
		}
	}
	for _, sub := range subs {
		p.check(title+", in the batch", sub.method, sub.path, sub.sent, sub.response)
		if sub.response.Status == http.StatusBadRequest {
			body = nil // a batch is accepted with requests that its schema refuses: their own results say so
		}
	}
	if err := p.contract.check(method, path, body, res); err != nil {
		p.t.Errorf("%s: %v", title, err)
	}
	for _, wrong := range badTimes(res.Body) {
		p.t.Errorf("%s: %s", title, wrong)
	}
}

// build makes the request of its text.
func (p *player) build(r *request) (*http.Request, []byte, error) {
	// A variable in a query is a value, not syntax: the plus of a time must arrive as one. An address that the service
	// gave out is taken whole.
	path, query, _ := strings.Cut(r.target, "?")
	path, unknown := expand(path, p.variables, func(v string) string {
		if strings.HasPrefix(v, Base) {
			return strings.TrimPrefix(v, Base)
		}
		return url.PathEscape(v)
	})
	if query != "" {
		var more []string
		query, more = expand(query, p.variables, url.QueryEscape)
		path, unknown = path+"?"+query, append(unknown, more...)
	}
	if len(unknown) > 0 {
		return nil, nil, fmt.Errorf("unknown variables: %s", strings.Join(unknown, ", "))
	}
	whole := func(v string) string { return v }
	body, _ := expand(r.body, p.variables, whole)
	if r.escapes {
		var err error
		if body, err = unescape(body); err != nil {
			return nil, nil, err
		}
	}
	req, err := http.NewRequestWithContext(p.t.Context(), r.method, p.server.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	who := r.as
	if who == "" {
		who = p.first
	}
	if who != "" && who != "nobody" {
		req.Header.Set("Authorization", "Basic "+basic(p.person(who).Key))
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range r.headers {
		name := textproto.CanonicalMIMEHeaderKey(h[0])
		value, _ := expand(h[1], p.variables, whole)
		if value == "" {
			req.Header.Del(name)
			continue
		}
		req.Header[name] = []string{value}
	}
	return req, []byte(body), nil
}

var errClosed = errors.New("closed without a response")

// sendRaw sends bytes as they are: lines of the head end in CRLF, the body follows the first empty line.
func (p *player) sendRaw(text string) (Response, error) {
	text, _ = expand(strings.TrimSuffix(text, "\n"), p.variables, func(v string) string { return v })
	head, body, _ := strings.Cut(text, "\n\n")
	raw, err := unescape(strings.ReplaceAll(head, "\n", `\r\n`) + `\r\n\r\n` + body)
	if err != nil {
		return Response{}, err
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.server.URL, "http://"))
	if err != nil {
		return Response{}, err
	}
	defer conn.Close()
	// No response within this time is a failure; nothing waits for it to pass.
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return Response{}, err
	}
	if _, err := io.WriteString(conn, raw); err != nil {
		return Response{}, err
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return Response{}, errClosed
	}
	if err != nil {
		return Response{}, err
	}
	defer res.Body.Close()
	return p.server.receive(res)
}

func (p *player) capture(title string, c capture, res Response) {
	p.t.Helper()
	if header, is := strings.CutPrefix(c.at, "header "); is {
		value := res.Header.Get(header)
		if value == "" {
			p.t.Errorf("%s: set %s: no header %s", title, c.name, header)
			return
		}
		p.remember(c.name, value)
		return
	}
	value, err := res.text(c.at)
	if err != nil {
		p.t.Errorf("%s: set %s: %v", title, c.name, err)
		return
	}
	p.remember(c.name, value)
}

// always are the headers that are shown wherever they are, besides those a request asks to see.
var always = []string{"Allow", "Content-Encoding", "Location", "Retry-After", "Www-Authenticate"}

// spelled are the headers that net/http writes otherwise than people do.
var spelled = map[string]string{"Etag": "ETag", "Www-Authenticate": "WWW-Authenticate"}

// show writes a response: status, headers, an empty line, the body.
func (p *player) show(r *request, sent *http.Request, res Response) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d %s\n", res.Status, http.StatusText(res.Status))
	names := map[string]bool{}
	for _, name := range r.show {
		names[name] = true
	}
	for _, name := range always {
		if res.Header.Get(name) != "" {
			names[name] = true
		}
	}
	if kind := res.Header.Get("Content-Type"); kind != "application/json" && len(res.Body) > 0 {
		names["Content-Type"] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		values, title := res.Header.Values(name), cmp.Or(spelled[name], name)
		if len(values) == 0 {
			fmt.Fprintf(&out, "%s: (none)\n", title)
		}
		for _, value := range values {
			given := ""
			if sent != nil {
				given = sent.Header.Get(name)
			}
			fmt.Fprintf(&out, "%s: %s\n", title, p.labels.header(name, value, given))
		}
	}
	if len(res.Body) == 0 {
		return out.String()
	}
	if r.silent {
		out.WriteString("\n(not shown)\n")
		return out.String()
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, res.Body, "", "  "); err != nil {
		pretty.Reset()
		pretty.Write(res.Body)
	}
	text := pretty.String()
	// A batch shows its own id, with a number for each request in it.
	if id := res.Header.Get("X-Request-Id"); id != "" && (sent == nil || sent.Header.Get("X-Request-Id") != id) {
		text = strings.ReplaceAll(text, id, "<id>")
	}
	text = tagInBatch.ReplaceAllStringFunc(text, func(found string) string {
		parts := tagInBatch.FindStringSubmatch(found)
		tag, err := strconv.Unquote(parts[2])
		if err != nil {
			return found
		}
		return parts[1] + `"` + p.labels.header("Etag", tag, "") + `"`
	})
	out.WriteString("\n" + strings.TrimSuffix(p.labels.text(text), "\n") + "\n")
	return out.String()
}

// tagInBatch is a result of a batch that has an entity tag.
var tagInBatch = regexp.MustCompile(`("name": "etag",\s*"value": )("(?:[^"\\]|\\.)*")`)
