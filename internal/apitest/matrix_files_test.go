package apitest_test

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"groundwork/internal/apitest"
	"groundwork/internal/blob"
	"groundwork/internal/store"
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

// uploading begins an upload in the project here; its texts carry no mark, for a capability tells them to whoever has
// it.
func (w *world) uploading(family string) apitest.Response {
	w.t.Helper()
	if family == "sheets" {
		set := w.overseer.Want(201, "POST", "/projects/"+w.here+"/sheets/uploads", map[string]any{
			"num_files": 1, "version_name": "New",
		})
		return w.overseer.Want(201, "POST", set.Text("file_upload_requests.0.url"),
			map[string]any{"file_name": "plan.pdf"})
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

// tiles are the parts of the address of a drawing: its archive, its pass and its hash. The pass is a new one each time:
// whoever leaves the project ends those from before.
func (w *world) tiles() []string {
	w.t.Helper()
	if w.shown == "" {
		made, err := w.archive()
		if err != nil {
			w.t.Fatal(err)
		}
		w.shown = made
	}
	a, hash := w.server.App, strings.Repeat("0f", 16)
	p, err := a.Store.Project(w.t.Context(), w.here)
	if err != nil {
		w.t.Fatal(err)
	}
	until := w.clock.Now().Add(time.Hour)
	pass := fmt.Appendf(nil, "%d.", until.Unix())
	return []string{w.shown, string(a.Auth.Links(p, until).Append(pass, []byte(w.shown+"/"+hash))), hash}
}

// archive makes one without a sheet: no job runs in this world, where nobody else may write.
func (w *world) archive() (string, error) {
	ctx, a := w.t.Context(), w.server.App
	o, err := a.Blob.Open(ctx, w.server.Plan("A101", 0).File)
	if err != nil {
		return "", err
	}
	defer o.Close()
	f, err := a.Drawing.Bring(o)
	if err != nil {
		return "", err
	}
	defer f.Close()
	made, _, err := f.Tiles(ctx, 1)
	if err != nil {
		return "", err
	}
	object := blob.NewName()
	_, err = a.Files.Keep(ctx, object, made.Path, "")
	return object, err
}

// unburden ends the files that are being made: no job runs in this world, and nobody may have more than a few.
func (w *world) unburden() {
	w.t.Helper()
	w.wrote()
	ctx, s := w.t.Context(), w.server.App.Store
	err := s.In(store.JobsOffice).Write(ctx, func(tx *store.Tx) error {
		return tx.Exec("DELETE FROM jobs WHERE owner <> ''")
	})
	for _, uid := range []string{w.here, w.away} {
		p, missing := s.Project(ctx, uid)
		if err = errors.Join(err, missing); err == nil {
			err = s.Edit(ctx, p, 0, func(tx *store.Tx) error {
				return tx.Exec("UPDATE shareables SET status = 2 WHERE project = $1 AND status = 0", p.ID)
			})
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
