package archive_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"groundwork/internal/apitest"
	"groundwork/internal/archive"
	"groundwork/internal/draft"
	"groundwork/internal/drawing"
	"groundwork/internal/store"
)

// TestMain lets this test program be the child that the services under test read images and PDFs with.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == drawing.WorkerCommand {
		os.Exit(drawing.Work())
	}
	os.Exit(m.Run())
}

// traps are texts that go wrong on the way where something decodes, compares, escapes or cuts them.
var traps = []string{
	"'", `"`, `\`, `\N`, "%s", "a\tb\r\nc\vd", "é", "e\u0301", "\U0001f3d7\ufe0f", "\u202e\u05d0\u05d1", "x\ufeffy",
	"\uffff", "\U0010ffff", "ß\u1e9e", "$1", "null", "-0", "9007199254740993", `{"~p":1}`, `{"~person":"x"}`, `~`,
	"</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&amp;", "a\u2028\u2029b", "\u00a0x",
	`{"~r":"issues/x"}`, strings.Repeat("long ", 50),
}

// estate is an installation with a project that has every kind of record.
type estate struct {
	*apitest.Server
	project  string
	ada, bob *apitest.Person
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

// make makes the estate through the API, as any client would.
func makeEstate(t testing.TB, engine string) *estate {
	t.Helper()
	s := apitest.Start(t, engine)
	e := &estate{Server: s, ada: s.Account("ada", "Ada", "Lovelace"), bob: s.Account("bob", "Bob \U0001f3d7 O'Neil")}
	e.project = e.ada.Project(`Tower "<b>é</b>" & Söhne`)
	e.ada.Invite(e.project, e.bob, "Admin")
	e.ada.Invite(e.project, s.Account("eve"), "Admin")
	e.ada.Invite(e.project, &apitest.Person{Email: "nobody.yet@example.com"}, "Power Collaborator")
	e.post(t, e.ada, "DELETE", "/users/"+s.Person("eve", "eve@example.com").UID, nil)
	photo := e.ada.Upload(e.project, "photos", map[string]any{"content_type": "image/png", "title": "Wand <b>"}, picture(t)).Text("uid")
	e.ada.Upload(e.project, "photos", map[string]any{"content_type": "image/png", "title": "no picture"}, "not a picture")
	document := e.bob.Upload(e.project, "attachments", map[string]any{
		"content_type": "text/html", "name": "page.html",
	}, "<script>alert(1)</script>").Text("uid")
	shot := e.ada.Upload(e.project, "snapshots", map[string]any{"content_type": "image/png", "title": "Nord"}, picture(t)).Text("uid")
	e.issues(t, photo, document, shot)
	e.rest(t, photo, document, shot)
	work(t, s)
	e.drawings(t)
	// What waits still: a photo that nobody has looked at.
	e.ada.Upload(e.project, "photos", map[string]any{"content_type": "image/png", "title": "new"}, picture(t))
	return e
}

// post sends a request about the project.
func (e *estate) post(t testing.TB, who *apitest.Person, method, path string, body any) apitest.Response {
	t.Helper()
	r := who.Do(method, "/projects/"+e.project+path, body)
	if r.Status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, r.Status, r.Body)
	}
	return r
}

func (e *estate) issues(t testing.TB, photo, document, shot string) {
	list := e.post(t, e.ada, "POST", "/issue_lists", map[string]any{"name": "Mängel"}).Text("uid")
	first := ""
	for i, trap := range traps {
		uid := e.post(t, []*apitest.Person{e.ada, e.bob}[i%2], "POST", "/issues", map[string]any{
			"title": trap, "description": trap + "\n" + trap, "issue_list_uid": list, "assigned_to_uids": []string{e.bob.UID},
		}).Text("uid")
		e.post(t, e.bob, "POST", "/issues/"+uid+"/comments", map[string]any{"text": trap})
		if first == "" {
			first = uid
		}
	}
	e.post(t, e.bob, "PATCH", "/issues/"+first, map[string]any{"title": "Riß", "status": "closed"})
	e.post(t, e.ada, "POST", "/issues/"+first+"/photos", map[string]any{"photo_uid": photo})
	e.post(t, e.ada, "POST", "/issues/"+first+"/attachments", map[string]any{"attachment_uid": document})
	e.post(t, e.ada, "POST", "/issues/"+first+"/snapshots", map[string]any{"snapshot_uid": shot})
	e.post(t, e.ada, "DELETE", "/issues/"+first+"/attachments/"+document, nil)
	gone := e.post(t, e.ada, "POST", "/issues", map[string]any{"title": "gone"}).Text("uid")
	e.post(t, e.ada, "DELETE", "/issues/"+gone, nil)
}

func (e *estate) rest(t testing.TB, photo, document, shot string) {
	statuses := e.post(t, e.ada, "GET", "/rfis/statuses", nil)
	e.post(t, e.ada, "PATCH", "/rfis/statuses/"+statuses.Text("data.1.uid"), map[string]any{"label": "Beantwortet <i>"})
	rfi := e.post(t, e.ada, "POST", "/rfis", map[string]any{
		"title": "Türe 12", "question": "<script>", "assigned_to_uids": []string{e.bob.UID},
	}).Text("uid")
	e.post(t, e.ada, "PATCH", "/rfis/"+rfi, map[string]any{"status": statuses.Text("data.1.uid"), "answer": "Ja"})
	e.post(t, e.ada, "POST", "/rfis/"+rfi+"/photos", map[string]any{"photo_uid": photo})
	report := e.post(t, e.bob, "POST", "/field_reports", map[string]any{
		"title": "Montag", "report_date": "2026-03-01", "description": "Beton\u2028",
		"weather":        map[string]any{"summary_key": "rain", "temperature_max": 11.5},
		"pg_form_values": map[string]any{"pg_worklog_entries": []any{map[string]any{"trade": "Maurer", "timespan": 14400}}},
	}).Text("uid")
	e.post(t, e.bob, "POST", "/field_reports/"+report+"/photos", map[string]any{"photo_uid": photo})
	e.post(t, e.bob, "POST", "/field_reports/"+report+"/snapshots", map[string]any{"snapshot_uid": shot})
	e.post(t, e.bob, "POST", "/field_reports/"+report+"/attachments", map[string]any{"attachment_uid": document})
	e.post(t, e.bob, "POST", "/comments", map[string]any{"text": "zum Ganzen"})
	e.post(t, e.bob, "POST", "/views", map[string]any{"name": "Meine", "of": "issues", "query": "status=open"})
	e.post(t, e.ada, "POST", "/views", map[string]any{"name": "Alle", "of": "photos", "layout": "grid", "visibility": "master"})
}

// drawings has a set of drawings read and published, and another one read and not published; somebody draws on a sheet.
func (e *estate) drawings(t testing.TB) {
	var file bytes.Buffer
	if _, err := draft.Write(&file, draft.Options{Seed: 43, Sheets: 2, Plain: true}); err != nil {
		t.Fatal(err)
	}
	e.ada.UploadSet(e.project, "Ausführung", true, apitest.SetFile{Name: "plan <1>.pdf", Content: file.Bytes()})
	e.ada.UploadSet(e.project, "Entwurf", false, apitest.SetFile{Name: "b.pdf", Content: file.Bytes()})
	work(t, e.Server)
	sheet := e.post(t, e.ada, "GET", "/sheets", nil).Text("data.0.uid")
	for _, who := range []*apitest.Person{e.ada, e.bob} {
		e.post(t, who, "POST", "/annotations", map[string]any{
			"sheet_uid": sheet, "kind": "cloud", "color": "#2F80ED", "text": "Prüfen <b>",
			"geometry": map[string]any{"points": []any{map[string]any{"x": 0.25, "y": 0.5}, map[string]any{"x": 0.5, "y": 0.625}}},
		})
	}
	e.post(t, e.bob, "POST", "/sheets/"+sheet+"/comments", map[string]any{"text": "schön"})
	e.ada.BeginSet(e.project, "kommt noch", true, apitest.SetFile{Name: "c.pdf", Content: file.Bytes()})
}

// picture is a small PNG.
func picture(t testing.TB) string {
	img := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for x := range 40 {
		img.Set(x, x%30, color.RGBA{R: uint8(x), A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// export writes an archive and gives where it lies.
func export(t testing.TB, a *apitest.Server, project string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "project.zip")
	if made, _, err := a.App.Export(t.Context(), project, path, quiet); err != nil || len(made.Lost) > 0 {
		t.Fatal(made, err)
	}
	return path
}

func quiet(int) {}

// bring imports an archive.
func bring(t testing.TB, a *apitest.Server, path string) archive.Report {
	t.Helper()
	r, err := a.App.Import(t.Context(), path, false, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// digest is the hash of a file.
func digest(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// sound fails where something that is stored does not agree with itself.
func sound(t testing.TB, a *apitest.Server) {
	t.Helper()
	for _, check := range a.App.Verify(t.Context()) {
		if err := check.Run(t.Context()); err != nil {
			t.Errorf("%s: %v", check.Name, err)
		}
	}
}

// dump is everything that is stored in all tables, but for what no archive touches.
func dump(t testing.TB, a *apitest.Server) string {
	t.Helper()
	snap, err := a.App.Store.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	var b strings.Builder
	for _, table := range snap.Tables() {
		if table.Name == "jobs" || table.Name == "instance" {
			continue
		}
		err := snap.Each(t.Context(), table, func(c *store.Cols) error {
			b.WriteString(table.Name)
			for i := range table.Columns {
				fmt.Fprintf(&b, " %q", c.Text(i))
			}
			b.WriteByte('\n')
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// kinds are the plurals of all kinds, by what is written of their stored numbers.
func kinds(t testing.TB) (all []string) {
	t.Helper()
	facts, err := os.ReadFile("../../testdata/kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(facts)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			all = append(all, words[1])
		}
	}
	return all
}

// validate holds every line against the schema that the archive has, and gives how many there were.
func validate(t testing.TB, all map[string]string) (n int) {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(all["schema.json"]))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	for name, content := range all {
		base := strings.TrimSuffix(strings.TrimSuffix(name, ".jsonl"), ".json")
		if folder, _, is := strings.Cut(base, "/"); is {
			base = folder
		}
		if base == name || base == "files" && !strings.HasSuffix(name, ".jsonl") || name == "schema.json" ||
			!strings.Contains(name, ".json") {
			continue
		}
		schema, err := c.Compile("schema.json#/$defs/" + base)
		if err != nil {
			t.Fatal(name, err)
		}
		texts := []string{content}
		if strings.HasSuffix(name, ".jsonl") {
			texts = strings.Split(strings.TrimSuffix(content, "\n"), "\n")
		}
		for i, text := range texts {
			if text == "" {
				continue
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err == nil {
				err = schema.Validate(value)
			}
			if err != nil {
				t.Errorf("line %d of %s: %v", i+1, name, err)
			}
			n++
		}
	}
	return n
}
