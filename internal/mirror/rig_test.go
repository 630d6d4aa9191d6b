package mirror_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"groundwork/internal/apitest"
	"groundwork/internal/draft"
	"groundwork/internal/store"
)

// proxy stands between a mirror and its source, and does harm.
type proxy struct {
	*httptest.Server
	target atomic.Pointer[string]

	mu sync.Mutex
	// harm may answer itself, and then gives true; nil does nothing.
	harm func(w http.ResponseWriter, r *http.Request) bool
	keys map[string]int // how often each Authorization came, by path
	asks []string
}

func newProxy(t testing.TB) *proxy {
	p := &proxy{keys: map[string]int{}}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			u, err := url.Parse(*p.target.Load())
			if err == nil {
				r.SetURL(u)
			}
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asks = append(p.asks, r.Method+" "+r.URL.Path)
		if r.Header.Get("Authorization") != "" {
			p.keys[r.URL.Path]++
		}
		harm := p.harm
		p.mu.Unlock()
		if harm != nil && harm(w, r) {
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// harms sets what harm is done from now on.
func (p *proxy) harms(harm func(w http.ResponseWriter, r *http.Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.harm, p.asks = harm, nil
}

func (p *proxy) asked(path string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.asks {
		if strings.Contains(one, path) {
			n++
		}
	}
	return n
}

// plain hides the extensions: the source is any server that speaks the API.
func plain(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasSuffix(r.URL.Path, "/changes") && !strings.HasSuffix(r.URL.Path, "/views") {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, `{"message":"There is no such path."}`)
	return true
}

// source is a server with a project, behind a proxy.
type source struct {
	*apitest.Server
	*proxy
	project        string
	ada, bob       *apitest.Person
	issues, photos []string
}

// startSource starts a server behind a proxy, with a project of two people.
func startSource(t testing.TB, engine string) *source {
	t.Helper()
	s := &source{Server: apitest.Start(t, engine), proxy: newProxy(t)}
	s.Move(s.proxy.URL)
	s.target.Store(&s.Server.URL)
	s.ada, s.bob = s.Account("ada", "Ada", "Lovelace"), s.Account("bob", "Bob \U0001f3d7 O'Neil")
	s.project = s.ada.Project(`Tower "é" & Söhne`)
	s.ada.Invite(s.project, s.bob, "Admin")
	s.bob.Want(200, "GET", "/projects/"+s.project, nil)
	return s
}

// do sends a request about the project.
func (s *source) do(t testing.TB, who *apitest.Person, method, path string, body any) apitest.Response {
	t.Helper()
	r := who.Do(method, "/projects/"+s.project+path, body)
	if r.Status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, r.Status, r.Body)
	}
	return r
}

// traps are texts that go wrong where something decodes, escapes or cuts them.
var traps = []string{
	`"`, `\`, "a\tb\r\nc", "é", "e\u0301", "\u202e\u05d0", "x\ufeffy", "\U0010ffff", "-0", `{"~p":1}`, `{"~person":"x"}`,
	"</script>", "a\u2028b", `{"~r":"issues/x"}`, strings.Repeat("long ", 50),
}

// fill makes records of every kind.
func (s *source) fill(t testing.TB) {
	t.Helper()
	s.ada.Invite(s.project, s.Account("eve"), "Power Collaborator")
	s.ada.Invite(s.project, &apitest.Person{Email: "nobody.yet@example.com"}, "Collaborator")
	s.do(t, s.ada, "DELETE", "/users/"+s.Person("eve", "eve@example.com").UID, nil)
	list := s.do(t, s.ada, "POST", "/issue_lists", map[string]any{"name": "Mängel"}).Text("uid")
	for i, trap := range traps {
		uid := s.do(t, []*apitest.Person{s.ada, s.bob}[i%2], "POST", "/issues", map[string]any{
			"title": trap, "description": trap + "\n" + trap, "issue_list_uid": list, "assigned_to_uids": []string{s.bob.UID},
			"cost_impact": 12.5, "due_at": "2026-05-01T10:00:00Z",
		}).Text("uid")
		s.do(t, s.bob, "POST", "/issues/"+uid+"/comments", map[string]any{"text": trap})
		s.issues = append(s.issues, uid)
	}
	for i := range 3 {
		s.photos = append(s.photos, s.ada.Upload(s.project, "photos", map[string]any{
			"content_type": "image/png", "title": fmt.Sprint("Wand ", i),
		}, picture(t, i)).Text("uid"))
	}
	plan := s.bob.Upload(s.project, "attachments", map[string]any{"content_type": "text/html", "name": "page.html"}, "<b>1</b>").Text("uid")
	s.bob.Upload(s.project, "attachments", map[string]any{
		"content_type": "text/html", "name": "page.html", "auto_version": true,
	}, "<b>2</b>")
	shot := s.ada.Upload(s.project, "snapshots", map[string]any{"content_type": "image/png", "title": "Nord"}, picture(t, 9)).Text("uid")
	first := s.issues[0]
	s.do(t, s.bob, "PATCH", "/issues/"+first, map[string]any{"title": "Riß", "status": "closed"})
	s.do(t, s.ada, "POST", "/issues/"+first+"/photos", map[string]any{"photo_uid": s.photos[1]})
	s.do(t, s.ada, "POST", "/issues/"+first+"/photos", map[string]any{"photo_uid": s.photos[0]})
	s.do(t, s.ada, "POST", "/issues/"+first+"/attachments", map[string]any{"attachment_uid": plan})
	s.do(t, s.ada, "DELETE", "/issues/"+s.issues[1], nil)
	statuses := s.do(t, s.ada, "GET", "/rfis/statuses", nil)
	s.do(t, s.ada, "PATCH", "/rfis/statuses/"+statuses.Text("data.1.uid"), map[string]any{"label": "Beantwortet"})
	rfi := s.do(t, s.ada, "POST", "/rfis", map[string]any{"title": "Türe 12", "assigned_to_uids": []string{s.bob.UID}}).Text("uid")
	s.do(t, s.ada, "PATCH", "/rfis/"+rfi, map[string]any{"status": statuses.Text("data.1.uid"), "answer": "Ja"})
	s.do(t, s.bob, "PATCH", "/rfis/"+rfi, map[string]any{"assigned_to_uids": []string{s.ada.UID}})
	s.do(t, s.ada, "POST", "/rfis/"+rfi+"/photos", map[string]any{"photo_uid": s.photos[2]})
	s.do(t, s.ada, "POST", "/rfis/"+rfi+"/snapshots", map[string]any{"snapshot_uid": shot})
	report := s.do(t, s.bob, "POST", "/field_reports", map[string]any{
		"title": "Montag", "report_date": "2026-03-01", "weather": map[string]any{"summary_key": "rain", "temperature_max": 11.5},
		"pg_form_values": map[string]any{"pg_worklog_entries": []any{map[string]any{"trade": "Maurer", "timespan": 14400}}},
	}).Text("uid")
	s.do(t, s.bob, "POST", "/field_reports/"+report+"/photos", map[string]any{"photo_uid": s.photos[0]})
	s.do(t, s.bob, "POST", "/views", map[string]any{"name": "Meine", "of": "issues", "query": "status=open"})
	s.do(t, s.ada, "POST", "/views", map[string]any{"name": "Alle", "of": "photos", "layout": "grid", "visibility": "master"})
	s.do(t, s.ada, "POST", "/comments", map[string]any{"text": "zum Projekt"})
	work(t, s.Server)
}

// draw has a set of drawings read and published, and people draw on a sheet.
func (s *source) draw(t testing.TB) {
	t.Helper()
	var file bytes.Buffer
	if _, err := draft.Write(&file, draft.Options{Seed: 43, Sheets: 2, Plain: true}); err != nil {
		t.Fatal(err)
	}
	s.ada.UploadSet(s.project, "Ausführung", true, apitest.SetFile{Name: "plan <1>.pdf", Content: file.Bytes()})
	work(t, s.Server)
	sheet := s.do(t, s.ada, "GET", "/sheets", nil).Text("data.0.uid")
	for i, who := range []*apitest.Person{s.ada, s.bob, s.bob} {
		s.do(t, who, "POST", "/annotations", map[string]any{
			"sheet_uid": sheet, "kind": "cloud", "color": "#2F80ED", "text": "Prüfen", "visibility": []string{"user", "user", "master"}[i],
			"geometry": map[string]any{"points": []any{map[string]any{"x": 0.25, "y": 0.5}, map[string]any{"x": 0.5, "y": 0.625}}},
		})
	}
	s.do(t, s.ada, "POST", "/annotations", map[string]any{"sheet_uid": sheet, "issue_uid": s.issues[2]})
	s.do(t, s.bob, "POST", "/sheets/"+sheet+"/comments", map[string]any{"text": "schön"})
	work(t, s.Server)
}

// work has everything done that waits to be done in the background.
func work(t testing.TB, s *apitest.Server) {
	t.Helper()
	for again := true; again; {
		if err := s.App.Jobs.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.App.Jobs.Wait()
		again = false
		err := s.App.Store.In(store.JobsOffice).Query(t.Context(),
			"SELECT id FROM jobs WHERE state < 2 AND run_at <= $1 LIMIT 1", []any{s.App.Store.Now()},
			func(*store.Cols) error {
				again = true
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// picture is a small PNG, another one for each number.
func picture(t testing.TB, n int) string {
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for x := range 40 {
		img.Set(x, (x+n)%30, color.RGBA{R: uint8(x), G: uint8(n), A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// member is somebody of a mirrored project at its new place: the operator says that the address is theirs.
func member(t testing.TB, s *apitest.Server, name string) *apitest.Person {
	t.Helper()
	p := s.Person(name, name+"@example.com")
	if err := s.App.Auth.Prove(t.Context(), p.UID); err != nil {
		t.Fatal(err)
	}
	return p
}

// sound fails where something that is stored does not agree with itself.
func sound(t testing.TB, s *apitest.Server) {
	t.Helper()
	for _, check := range s.App.Verify(t.Context()) {
		if err := check.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", check.Name, err)
		}
	}
}
