package apitest_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/blob"
	"groundwork/internal/s3test"
)

// dock is a server with a project and its Admin.
type dock struct {
	*apitest.Server
	t       *testing.T
	clock   *apitest.Clock
	ada     *apitest.Person
	project string
}

func newDock(t *testing.T, engine string, options ...apitest.Option) *dock {
	t.Helper()
	clock := apitest.NewClock()
	d := &dock{Server: apitest.Start(t, engine, append(options, apitest.At(clock))...), t: t, clock: clock}
	d.ada = d.Account("ada")
	d.project = d.ada.Project("Tower")
	return d
}

func (d *dock) begin(by *apitest.Person) apitest.Response {
	d.t.Helper()
	return by.Want(201, "POST", "/projects/"+d.project+"/photos/uploads", map[string]any{
		"content_type": "image/png", "title": "North",
	})
}

func (d *dock) post(action, form string) apitest.Response {
	d.t.Helper()
	r, err := d.Try("POST", action, []byte(form), http.Header{
		"Content-Type": {"multipart/form-data; boundary=" + apitest.Frontier},
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// send posts a file with the form of an upload.
func (d *dock) send(start apitest.Response, content string) apitest.Response {
	d.t.Helper()
	return d.post(start.Text("storage_post_form_arguments.action"), apitest.Form(start, content))
}

func (d *dock) complete(start apitest.Response) apitest.Response {
	d.t.Helper()
	return d.Fetch(start.Text("webhook_url"), nil)
}

// objects counts what lies in the file store.
func (d *dock) objects() (n int) {
	d.t.Helper()
	if err := d.App.Blob.Each(d.t.Context(), func(blob.Info) error { n++; return nil }); err != nil {
		d.t.Fatal(err)
	}
	return n
}

func (d *dock) photos() int {
	d.t.Helper()
	total, err := d.ada.Want(200, "GET", "/projects/"+d.project+"/photos?limit=0", nil).Value("total_count")
	if err != nil {
		d.t.Fatal(err)
	}
	var n int
	if _, err := fmt.Sscan(fmt.Sprint(total), &n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

func (d *dock) want(what string, status int, r apitest.Response) {
	d.t.Helper()
	if r.Status != status || status >= 400 && !strings.HasPrefix(string(r.Body), `{"message":`) {
		d.t.Errorf("%s: %d, want %d: %s", what, r.Status, status, r.Body)
	}
}

// TestForms: what is not the form that was given out, whole, is refused and leaves nothing.
func TestForms(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		d := newDock(t, engine, apitest.Quota(0, 1000))
		start := d.begin(d.ada)
		action, good := start.Text("storage_post_form_arguments.action"), apitest.Form(start, "content")
		field := func(name string) string {
			at := strings.Index(good, fmt.Sprintf("name=%q\r\n\r\n", name))
			_, after, _ := strings.Cut(good[at:], "\r\n\r\n")
			value, _, _ := strings.Cut(after, "\r\n")
			return value
		}
		swap := func(name, value string) string { return strings.Replace(good, field(name), value, 1) }
		other := apitest.Form(d.begin(d.ada), "content")
		part := "--" + apitest.Frontier + "\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n"
		for _, c := range []struct {
			what, form string
			want       int
		}{
			{"another key", swap("key", "00000000-0000-4000-8000-000000000000"), 403},
			{"an empty key", swap("key", ""), 403},
			{"the policy of another form", strings.Replace(good, field("policy"),
				other[strings.Index(other, "eyJ"):][:len(field("policy"))], 1), 403},
			{"a policy that is cut", swap("policy", field("policy")[4:]), 403},
			{"no signature", swap("signature", ""), 403},
			{"another signature", swap("signature", strings.Repeat("A", 43)+"="), 403},
			{"another type", swap("Content-Type", "text/html"), 403},
			{"another redirection", swap("success_action_redirect", "https://evil.example/"), 403},
			{"no fields", good[strings.LastIndex(good, "--"+apitest.Frontier+"\r\n"):], 403},
			{"a field twice", fmt.Sprintf(part, "KEY", "x") + good, 400},
			{"no file", strings.Replace(good, `name="file"`, `name="fil"`, 1), 400},
			{"something after the file", strings.TrimSuffix(good, "--"+apitest.Frontier+"--\r\n") + fmt.Sprintf(part,
				"x", "y") + "--" + apitest.Frontier + "--\r\n", 400},
			{"a second file", strings.TrimSuffix(good, "--"+apitest.Frontier+"--\r\n") + fmt.Sprintf(part, "file",
				"y") + "--" + apitest.Frontier + "--\r\n", 400},
			{"broken off", good[:len(good)-len(apitest.Frontier)-6], 400},
			{"broken off in the fields", good[:200], 400},
			{"no form", "content", 400},
			{"a field without end", fmt.Sprintf(part, "x", strings.Repeat("y", 1<<20)), 400},
			{"a header without end", "--" + apitest.Frontier + "\r\nX: " + strings.Repeat("y", 1<<20), 400},
			{"a file too long by one", apitest.Form(start, strings.Repeat("x", 1001)), 400},
			{"a file much too long", apitest.Form(start, strings.Repeat("x", 1<<20)), 400},
		} {
			d.want(c.what, c.want, d.post(action, c.form))
		}
		d.want("another project", 404, d.post(strings.Replace(action, d.project, "nowhere", 1), good))
		elsewhere := d.ada.Project("Elsewhere")
		d.want("a project that the form is not of", 403, d.post(strings.Replace(action, d.project, elsewhere, 1), good))
		r, err := d.Try("POST", action, []byte(good), http.Header{"Content-Type": {"application/json"}})
		if err != nil {
			t.Fatal(err)
		}
		d.want("JSON", 400, r)
		d.want("completion", 400, d.complete(start))
		if n := d.objects(); n != 0 {
			t.Errorf("%d objects are left", n)
		}
		d.want("the largest file", 303, d.post(action, apitest.Form(start, strings.Repeat("x", 1000))))
		d.want("what is not sent stands as it was given out", 303,
			d.post(action, strings.Replace(strings.Replace(good, "image/png", "", 1), "STANDARD", "", 1)))
		if n := d.objects(); n != 1 {
			t.Errorf("%d objects for one upload", n)
		}
		d.clock.Advance(time.Hour)
		d.want("an expired form", 403, d.post(action, good))
		d.want("completion after that", 200, d.complete(start))
		d.want("a form that was completed", 403, d.post(action, good))
		if got := d.Fetch(d.complete(start).Text("url"), nil); string(got.Body) != "content" {
			t.Errorf("the file is %q", got.Body)
		}
	})
}

// TestUploadsEnd: uploads that nobody completed are forgotten with their files a day after their form expired; the
// others only forgotten.
func TestUploadsEnd(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		d := newDock(t, engine)
		left, done := d.begin(d.ada), d.begin(d.ada)
		d.send(left, "left")
		d.send(done, "done")
		link := d.complete(done).Text("url")
		for _, after := range []time.Duration{0, 24*time.Hour + 59*time.Minute} {
			d.clock.Advance(after)
			if err := d.App.Files.Sweep(t.Context(), d.App.Store); err != nil {
				t.Fatal(err)
			}
			if n := d.objects(); n != 2 {
				t.Errorf("%d objects after %s", n, after)
			}
		}
		d.clock.Advance(2 * time.Minute)
		if err := d.App.Files.Sweep(t.Context(), d.App.Store); err != nil {
			t.Fatal(err)
		}
		if n := d.objects(); n != 1 {
			t.Errorf("%d objects are left", n)
		}
		d.want("a completion that comes too late", 404, d.complete(left))
		d.want("a completion that is repeated too late", 404, d.complete(done))
		d.want("an old link", 403, d.Fetch(link, nil))
		if n := d.photos(); n != 1 {
			t.Errorf("%d photos", n)
		}
	})
}

// TestStarters: an upload is completed in the name of who began it, as long as they could still begin it.
func TestStarters(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		d := newDock(t, engine)
		bob := d.Account("bob")
		d.ada.Invite(d.project, bob, "Collaborator")
		users := "/projects/" + d.project + "/users/"
		start := d.begin(bob)
		d.send(start, "content")
		d.ada.Want(204, "DELETE", users+bob.UID, nil)
		d.want("somebody who was removed", 403, d.complete(start))
		d.ada.Want(201, "POST", users+"invites", map[string]any{"email": bob.Email})
		if _, err := d.App.Auth.RevokeKey(t.Context(), bob.Key); err != nil {
			t.Fatal(err)
		}
		d.want("a key that was deactivated", 403, d.complete(start))
		if n := d.photos(); n != 0 {
			t.Errorf("%d photos were made", n)
		}
		again := bob.As(d.Key(bob.Email))
		start = d.begin(again)
		d.send(start, "content")
		if by := d.complete(start).Text("created_by.email"); by != bob.Email {
			t.Errorf("it was made by %s", by)
		}
		d.ada.Want(204, "DELETE", users+bob.UID, nil)
		d.want("a repeated completion of somebody who was removed", 403, d.complete(start))

		d.ada.Want(201, "POST", users+"invites", map[string]any{"email": bob.Email})
		d.ada.Want(200, "PATCH", users+bob.UID, map[string]any{"role_uid": roleUIDs[admin]})
		document := again.Want(201, "POST", "/projects/"+d.project+"/attachments/uploads", map[string]any{
			"content_type": "text/plain", "name": "Plan",
		})
		d.send(document, "content")
		d.ada.Want(200, "PATCH", users+bob.UID, map[string]any{"role_uid": roleUIDs[power]})
		d.want("somebody who may no longer upload documents", 403, d.complete(document))
		d.want("a photo's address for a document", 404,
			d.Fetch(strings.Replace(document.Text("webhook_url"), "attachments", "photos", 1), nil))
	})
}

// TestCompletionsAtOnce: however many complete an upload at once, there is one record.
func TestCompletionsAtOnce(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		d := newDock(t, engine)
		start := d.begin(d.ada)
		d.send(start, "content")
		beside := d.Beside()
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				s := d.Server
				if i%2 == 0 {
					s = beside
				}
				if r := s.Fetch(start.Text("webhook_url"), nil); r.Status != 200 || r.Text("uid") != start.Text("uid") {
					t.Errorf("%d %s", r.Status, r.Body)
				}
			})
		}
		all.Wait()
		if n := d.photos(); n != 1 {
			t.Errorf("%d photos", n)
		}
	})
}

// TestUploadsBegunTwice: with an Idempotency-Key a repeated start gives out the same form; without one it is another
// upload.
func TestUploadsBegunTwice(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		d := newDock(t, engine)
		begin := func(key string) apitest.Response {
			header := http.Header{"Authorization": {basic(d.ada.Key)}, "Idempotency-Key": {key}}
			r, err := d.Try("POST", "/projects/"+d.project+"/photos/uploads",
				map[string]any{"content_type": "image/png"}, header)
			if err != nil || r.Status != 201 {
				t.Fatalf("%v %d %s", err, r.Status, r.Body)
			}
			return r
		}
		first, again, other := begin("one"), begin("one"), begin("two")
		if !bytes.Equal(first.Body, again.Body) || again.Header.Get("Idempotent-Replayed") != "true" ||
			first.Text("uid") == other.Text("uid") {
			t.Errorf("%s\n%s\n%s", first.Body, again.Body, other.Body)
		}
		d.send(again, "content")
		d.want("what the first begin began", 200, d.complete(first))
	})
}

// TestQuota: a project takes no more than it may, whatever comes at once, and says so.
func TestQuota(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		d := newDock(t, engine, apitest.Quota(100, 1000))
		d.ada.Upload(d.project, "photos", map[string]any{"content_type": "image/png"}, strings.Repeat("x", 60))
		start := d.begin(d.ada)
		d.want("a file too many", 413, d.send(start, strings.Repeat("x", 41)))
		d.want("one that fits", 303, d.send(start, strings.Repeat("x", 40)))
		d.want("in its place", 303, d.send(start, strings.Repeat("x", 39)))
		d.want("beside it", 413, d.send(d.begin(d.ada), "xx"))
		if n := d.objects(); n != 2 {
			t.Errorf("%d objects", n)
		}
		d.ada.Upload(d.ada.Project("Another"), "photos", map[string]any{"content_type": "image/png"},
			strings.Repeat("x", 100))
	})
}

// TestLinksAndTags: a list is the same inside a period and another one in the next, for its links are; so is the answer
// to who has it already.
func TestLinksAndTags(t *testing.T) {
	t.Parallel()
	apitest.Engines(t, func(t *testing.T, engine string) {
		d := newDock(t, engine)
		photo := d.ada.Upload(d.project, "photos", map[string]any{"content_type": "image/png"}, "content")
		for _, path := range []string{"/photos", "/photos/" + photo.Text("uid"), "/issues"} {
			path = "/projects/" + d.project + path
			first := d.ada.Want(200, "GET", path, nil)
			has := http.Header{"If-None-Match": {first.Header.Get("ETag")}, "Authorization": {basic(d.ada.Key)}}
			for _, step := range []struct {
				after time.Duration
				want  int
			}{{59 * time.Minute, 304}, {2 * time.Minute, 200}, {-61 * time.Minute, 304}} {
				d.clock.Advance(step.after)
				want := step.want
				if strings.HasSuffix(path, "/issues") {
					want = 304 // there is no link in it
				}
				r, err := d.Try("GET", path, nil, has)
				if err != nil {
					t.Fatal(err)
				}
				d.want(path, want, r)
				if want == 200 && bytes.Equal(r.Body, first.Body) {
					t.Errorf("%s: the links of the next period are the same", path)
				}
			}
		}
		link := photo.Text("url")
		d.clock.Advance(119*time.Minute + 50*time.Second) // since the hour
		d.want("a link before its end", 200, d.Fetch(link, nil))
		d.clock.Advance(20 * time.Second)
		d.want("a link after its end", 403, d.Fetch(link, nil))
		fresh := d.ada.Want(200, "GET", "/projects/"+d.project+"/photos/"+photo.Text("uid"), nil).Text("url")
		elsewhere := d.ada.Project("Elsewhere")
		for what, bad := range map[string]string{
			"a later end":     strings.Replace(fresh, "expires=1", "expires=2", 1),
			"another project": strings.Replace(fresh, d.project, elsewhere, 1),
			"another file":    strings.Replace(fresh, "/files/", "/files/a", 1),
			"no signature":    fresh[:strings.Index(fresh, "&signature")],
			"no end":          strings.Replace(fresh, "expires=", "x=", 1),
		} {
			if bad == fresh {
				t.Fatal(what)
			}
			d.want(what, 403, d.Fetch(bad, nil))
		}
		d.want("an unknown project", 404, d.Fetch(strings.Replace(fresh, d.project, "nowhere", 1), nil))
	})
}

// TestFilesInBrowsers: nothing that somebody uploaded runs in a browser, and its name leads nowhere.
func TestFilesInBrowsers(t *testing.T) {
	t.Parallel()
	d := newDock(t, apitest.SQLite)
	for _, c := range []struct{ declared, name, served, how string }{
		{"image/png", "a.png", "image/png", `inline; filename="a.png"`},
		{
			"application/pdf", "Grundriß 東.pdf", "application/pdf",
			`inline; filename="Grundri_ _.pdf"; filename*=UTF-8''Grundri%C3%9F%20%E6%9D%B1.pdf`,
		},
		{"image/heic", "a.heic", "image/heic", `attachment; filename="a.heic"`},
		{"text/html", "a.html", "application/octet-stream", `attachment; filename="a.html"`},
		{"TEXT/HTML; charset=utf-7", "a.html", "application/octet-stream", `attachment; filename="a.html"`},
		{"image/svg+xml", "a.svg", "application/octet-stream", `attachment; filename="a.svg"`},
		{"application/xhtml+xml", "a", "application/octet-stream", `attachment; filename="a"`},
		{"application/xml", "a", "application/octet-stream", `attachment; filename="a"`},
		{"application/javascript", "a", "application/octet-stream", `attachment; filename="a"`},
		{"text/plain; charset=utf-16", "a.txt", "text/plain; charset=utf-8", `attachment; filename="a.txt"`},
		{"multipart/related", "a", "application/octet-stream", `attachment; filename="a"`},
		{
			"application/vnd.openxmlformats-officedocument.wordprocessingml.document", "a.docx",
			"application/vnd.openxmlformats-officedocument.wordprocessingml.document", `attachment; filename="a.docx"`,
		},
		{"text/plain", "../../etc/passwd", "text/plain; charset=utf-8", `attachment; filename=".._.._etc_passwd"`},
		{
			"text/plain", `a"; x="\b`, "text/plain; charset=utf-8",
			`attachment; filename="a_; x=__b"; filename*=UTF-8''a%22%3B%20x%3D%22_b`,
		},
		{"text/plain", "a\r\nX-Evil: 1", "text/plain; charset=utf-8", `attachment; filename="a__X-Evil: 1"`},
		{"text/plain", "\u202Egnp.exe", "text/plain; charset=utf-8", `attachment; filename="_gnp.exe"`},
		{"text/plain", "..", "text/plain; charset=utf-8", `attachment; filename="file"`},
	} {
		document := d.ada.Upload(d.project, "attachments", map[string]any{"content_type": c.declared, "name": c.name},
			"<script>alert(1)</script>")
		if document.Text("name") != c.name {
			t.Errorf("%q is called %q", c.name, document.Text("name"))
		}
		r := d.Fetch(document.Text("url"), nil)
		got := []string{
			r.Header.Get("Content-Type"), r.Header.Get("Content-Disposition"),
			r.Header.Get("X-Content-Type-Options"), r.Header.Get("Content-Security-Policy"), r.Header.Get("X-Evil"),
		}
		want := []string{c.served, c.how, "nosniff", "default-src 'none'; sandbox", ""}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s %q: %q, want %q", c.declared, c.name, got[i], want[i])
			}
		}
	}
}

// TestRanges: parts of a file, as the store behind it gives them.
func TestRanges(t *testing.T) {
	t.Parallel()
	d := newDock(t, apitest.SQLite)
	content := strings.Repeat("0123456789", 10000)
	link := d.ada.Upload(d.project, "photos", map[string]any{"content_type": "image/png"}, content).Text("url")
	whole := d.Fetch(link, nil)
	tag := whole.Header.Get("ETag")
	for _, c := range []struct {
		header http.Header
		status int
		want   string
	}{
		{http.Header{"Range": {"bytes=0-9"}}, 206, content[:10]},
		{http.Header{"Range": {"bytes=99990-"}}, 206, content[99990:]},
		{http.Header{"Range": {"bytes=-5"}}, 206, content[99995:]},
		{http.Header{"Range": {"bytes=5-9"}, "If-Range": {tag}}, 206, content[5:10]},
		{http.Header{"Range": {"bytes=5-9"}, "If-Range": {`"another"`}}, 200, content},
		{http.Header{"Range": {"pages=1"}}, 416, ""},
		{http.Header{"Range": {"bytes=100000-"}}, 416, ""},
		{http.Header{"If-None-Match": {tag}}, 304, ""},
		{http.Header{"If-Match": {`"another"`}}, 412, ""},
	} {
		r := d.Fetch(link, c.header)
		if r.Status != c.status || c.status < 400 && string(r.Body) != c.want {
			t.Errorf("%v: %d, %d bytes", c.header, r.Status, len(r.Body))
		}
	}
	several := d.Fetch(link, http.Header{"Range": {"bytes=0-1,10-11"}})
	if several.Status != 206 || !strings.HasPrefix(several.Header.Get("Content-Type"), "multipart/byteranges") {
		t.Errorf("several ranges: %d %s", several.Status, several.Header)
	}
	head, err := d.Try("HEAD", link, nil, http.Header{})
	if err != nil || head.Status != 200 || head.Header.Get("Content-Length") != "100000" || len(head.Body) > 0 {
		t.Errorf("HEAD: %v %d %s", err, head.Status, head.Header)
	}
}

// TestRedirectedFiles: with redirect=true whoever follows a link is sent to the store, which says the same of the file.
func TestRedirectedFiles(t *testing.T) {
	t.Parallel()
	bucket := s3test.Shared(t)
	d := newDock(t, apitest.SQLite, apitest.Files(bucket.URL("redirected", "redirect=true")))
	d.clock.Advance(time.Until(d.clock.Now())) // the store has a clock of its own
	link := d.ada.Upload(d.project, "attachments", map[string]any{"content_type": "application/pdf", "name": "東.pdf"},
		"content").Text("url")
	r := d.Fetch(link, nil)
	to := r.Header.Get("Location")
	if r.Status != http.StatusFound || !strings.HasPrefix(to, bucket.Endpoint) {
		t.Fatalf("%d %s", r.Status, to)
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, to, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode != 200 || got.Header.Get("Content-Type") != "application/pdf" ||
		!strings.HasSuffix(got.Header.Get("Content-Disposition"), "%E6%9D%B1.pdf") {
		t.Errorf("%s %v", got.Status, got.Header)
	}
}
