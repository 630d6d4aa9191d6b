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

// folder writes files and imports them.
func (o *office) folder(how apitest.FolderOptions, in string, files ...string) apitest.FolderReport {
	o.t.Helper()
	for i := 0; i < len(files); i += 2 {
		o.put(in, files[i], files[i+1])
	}
	_, _, r, err := o.App.ImportFolder(o.t.Context(),
		apitest.Importing{Path: in, Email: o.ada.Email, Project: o.project}, how)
	if err != nil {
		o.t.Fatal(err)
	}
	return r
}

// A file that is too large is told by name, and counts as one that did not come; others come.
func TestOneLargeFile(t *testing.T) {
	s := apitest.Start(t, apitest.SQLite, apitest.Quota(1<<30, 1000))
	o := &office{Server: s, t: t, ada: s.Account("ada")}
	o.project = o.ada.Project("Tower")
	r := o.folder(apitest.FolderOptions{Publish: true}, t.TempDir(), "huge.pdf", "%PDF-1.4 "+strings.Repeat("x", 5000),
		"huge.jpg", "\xff\xd8\xff\xe0"+strings.Repeat("x", 5000), "one.jpg", "\xff\xd8\xff\xe0x")
	told := strings.Join(r.Notes, "\n")
	if r.Photos != 1 || r.Refused != 2 || !strings.Contains(told, "huge.pdf did not come: it has 5009 bytes") ||
		!strings.Contains(told, "huge.jpg did not come") {
		t.Errorf("%+v", r)
	}
}

// A document that becomes what it was before is the newest version again, once.
func TestDocumentComesBack(t *testing.T) {
	apitest.Engines(t, func(t *testing.T, engine string) {
		o := open(t, engine)
		folder, how := t.TempDir(), apitest.FolderOptions{Documents: true}
		for _, text := range []string{"%PDF-1.4 a", "%PDF-1.4 bb", "%PDF-1.4 a"} {
			for _, dry := range []bool{true, false} {
				if r := o.folder(apitest.FolderOptions{Documents: true, Dry: dry}, folder, "Plan.pdf", text); r.Documents != 1 {
					t.Errorf("%s, dry %v: %+v", text, dry, r)
				}
			}
			if r := o.folder(how, folder); r.DocumentsHere != 1 {
				t.Errorf("%s again: %+v", text, r)
			}
		}
		o.want("documents", o.list("attachments", "version", "size"), "1|10", "2|11", "3|10")
	})
}

// Documents of different folders are no versions of each other, however long the names of these are.
func TestDeepFolders(t *testing.T) {
	s := apitest.Start(t, apitest.SQLite)
	o := &office{Server: s, t: t, ada: s.Account("ada")}
	o.project = o.ada.Project("Tower")
	deep := strings.Repeat("a", 130) + "/" + strings.Repeat("b", 130)
	o.folder(apitest.FolderOptions{Documents: true}, t.TempDir(), deep+"/north/Plan.pdf", "%PDF-1.4 north",
		deep+"/south/Plan.pdf", "%PDF-1.4 south")
	o.want("versions", o.list("attachments", "version"), "1", "1")
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
