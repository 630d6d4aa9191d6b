package apitest_test

import (
	"testing"

	"groundwork/internal/apitest"
)

// A uid that a client chose names an upload within its kind only: two uploads of one uid never meet, whatever the order
// of their forms and completions.
func TestUploadsOfOneUID(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		d := newDock(t, engine)
		const uid = "5C2D7E10-9B1A-4C3D-8E4F-0A1B2C3D4E5F"
		begin := func(family string, body map[string]any) apitest.Response {
			body["uid"] = uid
			return d.ada.Want(201, "POST", "/projects/"+d.project+"/"+family+"/uploads", body)
		}
		photo := begin("photos", map[string]any{"content_type": "image/png"})
		document := begin("attachments", map[string]any{"content_type": "text/plain", "name": "a.txt"})
		snapshot := begin("snapshots", map[string]any{"content_type": "image/png"})
		hooks := map[string]bool{}
		for _, offer := range []apitest.Response{photo, document, snapshot} {
			hooks[offer.Text("webhook_url")[len(offer.Text("webhook_url"))-32:]] = true
		}
		if len(hooks) != 3 {
			t.Fatalf("the completion tokens are %v, and not three", hooks)
		}
		for content, offer := range map[string]apitest.Response{
			"of the photo": photo, "of the document": document,
			"of the snapshot": snapshot,
		} {
			record := d.Post(offer, content)
			if got := d.Fetch(record.Text("url"), nil); string(got.Body) != content {
				t.Errorf("%s: the file is %q", content, got.Body)
			}
		}
		// Completed, the uid is the record's, and its beginner gets no form for it again.
		if r := d.ada.Do("POST", "/projects/"+d.project+"/photos/uploads",
			map[string]any{"uid": uid, "content_type": "image/png"}); r.Status != 409 || r.Text("url") == "" {
			t.Errorf("a begin with the uid of a photo: %d %s", r.Status, r.Body)
		}
		// In another project nobody knows of it, and its token is another one.
		eve := d.Account("eve")
		other := eve.Want(201, "POST", "/projects/"+eve.Project("Shed")+"/photos/uploads", map[string]any{
			"uid": uid, "content_type": "image/png",
		})
		if tail := other.Text("webhook_url"); hooks[tail[len(tail)-32:]] {
			t.Error("an upload of another project has the same token")
		}
	})
}
