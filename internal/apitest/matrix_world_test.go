package apitest_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/credential"
	"groundwork/internal/grant"
)

// The callers, by the names of their columns; roles have the names of their roles.
const (
	noKey        = "no key"
	garbage      = "garbage"
	deactivated  = "deactivated"
	removed      = "removed"
	outsider     = "outsider"
	smuggler     = "smuggler"
	admin        = "Admin"
	power        = "Power Collaborator"
	collaborator = "Collaborator"
)

// The words that everything in the two projects carries in its texts, so that a leak of any field is seen.
const (
	hereMark = "quartz"
	awayMark = "obsidian"
)

// The uids of the roles are what the contract says they are, on purpose not what the code says.
var roleUIDs = map[string]string{
	admin:        "9d139e64-cac9-4f23-b4d5-9fd3688b498e",
	power:        "0b6c1f5e-6d0a-4a52-9f5e-2f1b7c3d8a41",
	collaborator: "5e7a9c30-41d2-4c8b-8a67-d9f0b2e4c613",
}

// nowhere is a uid that nobody has.
const nowhere = "00000000-0000-4000-8000-00000000dead"

// caller is a column of the table: a person with what they send as credentials.
type caller struct {
	*apitest.Person
	name string
	// sent are Authorization headers, each tried; an empty one is not sent.
	sent []string
	// role in the project here; none for who is no present member.
	role string
	// home is a project that the person founded, and where they have the same role now; "" where they never did.
	home string
	// sees are the marks of the projects in which the person is a present member.
	sees string
}

// world is one installation with two projects and everybody who may knock. Everything is made and repaired through the
// true service; what is tested may be another edge on the same database.
type world struct {
	t      testing.TB
	server *apitest.Server
	clock  *apitest.Clock
	client *http.Client

	here, away string // projects
	overseer   *apitest.Person
	there      string // the project that a body is for
	foreigner  *apitest.Person
	callers    map[string]*caller
	app        *grant.Application // made when it is first needed
	appSecret  string
	shown      string // an archive of tiles

	made  map[string]*target // by key
	seen  map[string]state   // by the key of a target
	fresh int
	tried int // requests of the table
}

func newWorld(t testing.TB, engine string) *world {
	t.Helper()
	w := &world{
		t: t, clock: apitest.NewClock(), callers: map[string]*caller{}, made: map[string]*target{},
		seen: map[string]state{},
	}
	w.server = apitest.Start(t, engine, apitest.At(w.clock))
	w.client = &http.Client{Transport: &http.Transport{DisableCompression: true}, Timeout: time.Minute}
	w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(w.client.CloseIdleConnections)

	w.overseer, w.foreigner = w.server.Account("olga"), w.server.Account("frank", awayMark, "Frank")
	project := func(by *apitest.Person, mark string) string {
		return by.Want(201, "POST", "/projects", map[string]any{
			"name": mark + " tower", "custom_id": mark + "-1", "owner": mark + " ltd", "street_1": mark + " street",
			"city": mark,
		}).Text("uid")
	}
	w.here, w.away = project(w.overseer, hereMark), project(w.foreigner, awayMark)

	people := invited(w.server, w.overseer, "admin", "power", "collaborator", "removed", "outsider")
	for i, c := range []*caller{
		{name: admin, role: admin, sees: hereMark},
		{name: power, role: power, sees: hereMark},
		{name: collaborator, role: collaborator, sees: hereMark},
		{name: removed},
		{name: outsider, sees: awayMark},
	} {
		c.Person = people[i]
		// Making a key needs a password; the first one ends no key.
		if _, _, err := w.server.App.Auth.ResetPassword(t.Context(), c.Email, apitest.Password); err != nil {
			t.Fatal(err)
		}
		c.sent = []string{basic(c.Key)}
		w.callers[c.name] = c
		if c.name == outsider {
			w.foreigner.Invite(w.away, c.Person, admin)
			continue
		}
		c.home = c.Project("Home of " + c.Name)
		c.Invite(c.home, w.overseer, admin)
		w.place(c.home, c.Person, c.role)
		w.overseer.Invite(w.here, c.Person, admin)
		w.place(w.here, c.Person, c.role)
	}
	w.callers[smuggler] = w.callers[outsider]

	chief := w.callers[admin]
	off := w.server.Key(chief.Email)
	if _, err := w.server.App.Auth.RevokeKey(t.Context(), off); err != nil {
		t.Fatal(err)
	}
	never, _ := credential.NewSecret(credential.KindKey)
	for name, sent := range map[string][]string{
		noKey: {""}, deactivated: {basic(off)}, garbage: {basic("letmein"), basic(never)},
	} {
		w.callers[name] = &caller{Person: chief.Person, name: name, sent: sent, role: chief.role, home: chief.home}
	}
	return w
}

// invited makes people with keys by invitations into a project that then forgets them, which costs less than accounts
// with passwords. The operator says that they are whom their addresses belong to.
func invited(s *apitest.Server, by *apitest.Person, names ...string) (people []*apitest.Person) {
	users := "/projects/" + by.Project("Lobby") + "/users/"
	for _, name := range names {
		email := name + "@example.com"
		uid := by.Want(201, "POST", users+"invites", map[string]any{"email": email, "first_name": name}).Text("uid")
		by.Want(204, "DELETE", users+uid, nil)
		if err := s.App.Auth.Prove(context.Background(), uid); err != nil {
			panic(err)
		}
		p := by.As(s.Key(email))
		p.Name, p.UID, p.Email = name, uid, email
		people = append(people, p)
	}
	return people
}

func basic(key string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(key+":"))
}

// place gives somebody a role in a project, or takes them out where the role is "".
func (w *world) place(project string, who *apitest.Person, role string) {
	w.t.Helper()
	w.wrote()
	path := "/projects/" + project + "/users/" + who.UID
	is := w.overseer.Do("GET", path, nil)
	gone := is.Status == http.StatusNotFound || is.Text("removed") == "true"
	switch {
	case role == "" && !gone:
		w.overseer.Want(204, "DELETE", path, nil)
	case role != "" && gone:
		w.overseer.Want(201, "POST", "/projects/"+project+"/users/invites", map[string]any{
			"email": who.Email, "role_uid": roleUIDs[role],
		})
	case role != "" && is.Text("role.uid") != roleUIDs[role]:
		w.overseer.Want(200, "PATCH", path, map[string]any{"role_uid": roleUIDs[role]})
	}
}

// next is a number that was not given before.
func (w *world) next() int {
	w.fresh++
	return w.fresh
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request with exactly these credentials, and with these headers by pairs, to the service at an address.
func (w *world) send(to, authorization, method, path, body string, headers ...string) answer {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, to+path, bytes.NewReader([]byte(body)))
	if err != nil {
		w.t.Fatal(err)
	}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	if body != "" {
		req.Header.Set("Content-Type", contentType(body))
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	from := io.Reader(res.Body)
	if res.Header.Get("Content-Type") == "text/event-stream" {
		from = io.LimitReader(from, 1) // it has no end
	}
	text, err := io.ReadAll(from)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(text)}
}

// sendInBatch sends a request as the only part of a batch. Who cannot send a batch at all is a part of somebody else's.
func (w *world) sendInBatch(to string, who *caller, authorization, method, path, body string) answer {
	w.t.Helper()
	part := map[string]any{"method": method, "path": path}
	if body != "" {
		part["body"] = body
	}
	envelope := authorization
	if who.name == noKey || who.name == garbage || who.name == deactivated {
		envelope = basic(w.overseer.Key)
		part["headers"] = []any{map[string]any{"name": "Authorization", "value": authorization}}
	}
	text, err := json.Marshal([]any{part})
	if err != nil {
		w.t.Fatal(err)
	}
	whole := w.send(to, envelope, "POST", "/batch", string(text))
	var got struct {
		Data []struct {
			Status  int `json:"status_code"`
			Headers []struct{ Name, Value string }
			Body    string
		}
	}
	if err := json.Unmarshal([]byte(whole.body), &got); err != nil || whole.status != 200 || len(got.Data) != 1 {
		w.t.Fatalf("the batch with %s %s: %d %s", method, path, whole.status, whole.body)
	}
	header := http.Header{}
	for _, h := range got.Data[0].Headers {
		header.Add(h.Name, h.Value)
	}
	return answer{got.Data[0].Status, header, got.Data[0].Body}
}

// look is a record or list as its project's Admin sees it, with the project's clock where the answer has it.
func (w *world) look(project, path string) string {
	w.t.Helper()
	r := w.viewer(project).Want(200, "GET", "/projects/"+project+path, nil)
	// Links are signed anew in each period: that is no change.
	return fmt.Sprintf("%s %s", r.Header.Get("X-Clock"), signed.ReplaceAll(r.Body, nil))
}

var signed = regexp.MustCompile(`\?expires=\d+&signature=[\w.-]+`)

// viewer is an Admin of a project.
func (w *world) viewer(project string) *apitest.Person {
	if project == w.away {
		return w.foreigner
	}
	return w.overseer
}
