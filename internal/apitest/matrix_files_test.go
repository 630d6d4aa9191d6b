package apitest_test

import (
	"fmt"
	"strings"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/blob"
)

// contentType is what a body is sent as.
func contentType(body string) string {
	if strings.HasPrefix(body, "--"+apitest.Frontier) {
		return "multipart/form-data; boundary=" + apitest.Frontier
	}
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
		return "application/json"
	}
	return "application/x-www-form-urlencoded"
}

// uploading begins an upload in the project here; its texts carry no mark, for a capability tells them to whoever has it.
func (w *world) uploading(family string) apitest.Response {
	w.t.Helper()
	if family == "sheets" {
		set := w.overseer.Want(201, "POST", "/projects/"+w.here+"/sheets/uploads", map[string]any{"num_files": 1, "version_name": "New"})
		return w.overseer.Want(201, "POST", set.Text("file_upload_requests.0.url"), map[string]any{"file_name": "plan.pdf"})
	}
	attributes := map[string]any{"content_type": "image/png"}
	if family == "attachments" {
		attributes["name"] = "plan.png"
	}
	return w.overseer.Want(201, "POST", "/projects/"+w.here+"/"+family+"/uploads", attributes)
}

// token is that of an upload whose file has come, for the family of the route.
func (w *world) token(r *row) string {
	w.t.Helper()
	family, _, _ := strings.Cut(strings.TrimPrefix(r.pattern, "/projects/{project}/"), "/")
	start := w.uploading(family)
	got := w.send(w.server.URL, "", "POST", "/storage/"+w.here, apitest.Form(start, "content"))
	if got.status != 303 {
		w.t.Fatalf("the form: %d %s", got.status, got.body)
	}
	w.wrote()
	hook := start.Text("webhook_url")
	return hook[strings.LastIndex(hook, "/")+1:]
}

// request is the place of the only file of a version upload; any other where it is not known there.
func (w *world) request(project, set string) string {
	w.t.Helper()
	if project == nowhere {
		return nowhere
	}
	r := w.viewer(project).Do("GET", "/projects/"+project+"/sheets/uploads/"+set, nil)
	if r.Status != 200 {
		return nowhere
	}
	return r.Text("file_upload_requests.0.uid")
}

// object is what follows files/ in a good link.
func (w *world) object() string {
	w.t.Helper()
	w.wrote()
	link := w.overseer.Upload(w.here, "photos", map[string]any{"content_type": "image/png"}, "content").Text("url")
	return link[strings.LastIndex(link, "/")+1:]
}

// tiles are the parts of the address of a drawing: its archive, its pass and its hash.
func (w *world) tiles() []string {
	w.t.Helper()
	if w.shown == nil {
		made, err := w.archive()
		if err != nil {
			w.t.Fatal(err)
		}
		w.shown = made
	}
	return w.shown
}

// archive makes one without a sheet: no job runs in this world, where nobody else may write.
func (w *world) archive() ([]string, error) {
	ctx, a := w.t.Context(), w.server.App
	o, err := a.Blob.Open(ctx, w.server.Plan("A101", 0).File)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	f, err := a.Drawing.Bring(o)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	made, err := f.Tiles(ctx, 1)
	if err != nil {
		return nil, err
	}
	object, hash := blob.NewName(), strings.Repeat("0f", 16)
	if _, err := a.Files.Keep(ctx, object, made.Path, ""); err != nil {
		return nil, err
	}
	until := w.clock.Now().Add(10_000 * time.Hour) // thousands of cells, and each may take a minute
	pass := fmt.Appendf(nil, "%d.", until.Unix())
	return []string{object, string(a.Auth.Seal(w.here, until).Append(pass, []byte(object+"/"+hash))), hash}, nil
}
