package foreign_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"groundwork/internal/apitest"
)

// Pictures of a folder become photos and, when it is asked for, PDFs documents, once.
func TestFolderOfFiles(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		folder := t.TempDir()
		var picture bytes.Buffer
		if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
			t.Fatal(err)
		}
		o.put(folder, "site/North wall.png", picture.String())
		o.put(folder, "specs/Paint.pdf", "%PDF-1.4 one")
		o.put(folder, "letter.docx", "PK")
		in := apitest.Importing{Path: folder, Email: o.ada.Email, Project: o.project}
		run := func(dry bool, documents, here, photos, photosHere int) apitest.FolderReport {
			t.Helper()
			_, _, r, err := o.App.ImportFolder(t.Context(), in, apitest.FolderOptions{Documents: true, Dry: dry})
			if err != nil {
				t.Fatal(err)
			}
			if r.Documents != documents || r.DocumentsHere != here || r.Photos != photos || r.PhotosHere != photosHere {
				t.Errorf("%+v", r)
			}
			return r
		}
		run(true, 1, 0, 1, 0)
		o.want("after the dry run", o.list("photos", "title"))
		if r := run(false, 1, 0, 1, 0); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "letter.docx was left out") {
			t.Errorf("notes: %q", r.Notes)
		}
		run(false, 0, 1, 0, 1)
		o.want("photos", o.list("photos", "title", "content_type"), "North wall|image/png")
		o.want("documents", o.list("attachments", "name", "folder", "version", "size"), "Paint.pdf|specs|1|12")
		if err := o.App.Jobs.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		o.App.Jobs.Wait()
		o.want("photos that were looked at", o.list("photos", "width", "height", "image_error"), "30|20|<nil>")
		link := o.ada.Want(200, "GET", "/projects/"+o.project+"/photos", nil).Text("data.0.url")
		if got := o.Fetch(link, nil); !got.Is(picture.Bytes()) {
			t.Errorf("the photo has %d bytes", len(got.Body))
		}
		o.put(folder, "specs/Paint.pdf", "%PDF-1.4 another")
		run(false, 1, 0, 0, 1)
		o.want("documents", o.list("attachments", "name", "version", "size"), "Paint.pdf|1|12", "Paint.pdf|2|16")
	})
}

func (o *office) put(folder, name, content string) {
	o.t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		o.t.Fatal(err)
	}
}
