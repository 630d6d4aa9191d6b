package foreign

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// A folder is read with those in it, and nothing outside of it; what cannot be taken is told.
func TestFolder(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.pdf")
	put(t, outside, "%PDF-1.7 secret")
	root := t.TempDir()
	for name, content := range map[string]string{
		"A-101.pdf": "%PDF-1.7", "set/A-102.PDF": "\n%PDF-1.4", "site/one.jpg": "\xff\xd8\xff\xe0x", "site/two.png": "\x89PNG\r\n",
		"site/three.heic": "\x00\x00\x00\x18ftypheic0000", "lie.pdf": "no PDF", "empty.jpg": "", "list.csv": "a,b",
		"letter.docx": "PK", ".hidden.pdf": "%PDF-", ".git/x.pdf": "%PDF-", "Thumbs.db": "x", "\xff.jpg": "\xff\xd8\xff",
	} {
		put(t, filepath.Join(root, filepath.FromSlash(name)), content)
	}
	for link, to := range map[string]string{
		"link.pdf": outside, "inside.pdf": "A-101.pdf", "folder": filepath.Dir(outside), "round": ".",
	} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := OpenFolder(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	names := func(files []File) string {
		var all []string
		for _, one := range files {
			all = append(all, one.Path+" "+one.Type)
		}
		return strings.Join(all, ", ")
	}
	if got := names(f.PDFs); got != "A-101.pdf application/pdf, set/A-102.PDF application/pdf" {
		t.Errorf("PDFs: %s", got)
	}
	if got := names(f.Photos); got != "site/one.jpg image/jpeg, site/three.heic image/heic, site/two.png image/png" {
		t.Errorf("photos: %s", got)
	}
	told := strings.Join(f.Notes, "\n")
	for _, want := range []string{
		"link.pdf was left out: it is a link", "inside.pdf was left out", "folder was left out: it is a link",
		"round was left out", "lie.pdf was left out: it is not what its ending says", "empty.jpg was left out: it is empty",
		"list.csv was left out: tables are imported by themselves", "letter.docx was left out: it is no PDF",
		"?.jpg was left out: its name is no text", "whose names begin with a dot were left out: 2.",
	} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told:\n%s", want, told)
		}
	}
	if len(f.Notes) != 10 {
		t.Errorf("%d notes:\n%s", len(f.Notes), told)
	}
	if one := f.Photos[0]; one.Title() != "one" || one.Folder() != "site" || len(one.SHA256) != 64 || one.Size != 5 {
		t.Errorf("%+v is called %q in %q", one, one.Title(), one.Folder())
	}
	if _, err := openFolder(t.Context(), root, 3); err == nil || !strings.Contains(err.Error(), "more than 3 files") {
		t.Errorf("too many: %v", err)
	}
	if _, err := OpenFolder(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no PDF and no picture") {
		t.Errorf("nothing: %v", err)
	}
	if _, err := OpenFolder(t.Context(), outside); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a file: %v", err)
	}
}

// Names that would write on a terminal are told, and kept, without what does.
func TestNamesThatWrite(t *testing.T) {
	folder := t.TempDir()
	put(t, filepath.Join(folder, "a.pdf"), "%PDF-1.4")
	put(t, filepath.Join(folder, "b\x1b[2J\n- all came.txt"), "x")
	put(t, filepath.Join(folder, "c\x1b[31m\u202e.jpg"), "\xff\xd8\xff")
	f, err := OpenFolder(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const moving = "\x1b\n\u202e"
	if text := strings.Join(f.Notes, ""); text == "" || strings.ContainsAny(text, moving) {
		t.Errorf("notes: %q", text)
	}
	if len(f.Photos) != 1 || strings.ContainsAny(f.Photos[0].Title()+f.Photos[0].Name(), moving) {
		t.Errorf("photos: %+v", f.Photos)
	}
	path := filepath.Join(folder, "t.csv")
	put(t, path, "#,Title,Stamp,Room,Evil\x1b[2J"+strings.Repeat("h", 1<<16)+"\n1,a,b,c,d\n")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.columns {
		if strings.ContainsAny(c.heading, moving) || utf8.RuneCountInString(c.heading) > mostTitle {
			t.Errorf("a heading is %q", c.heading)
		}
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
