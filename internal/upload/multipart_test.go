package upload

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"mime/multipart"
	"strings"
	"testing"
	"testing/iotest"

	"groundwork/internal/fault"
)

func TestPartName(t *testing.T) {
	for disposition, want := range map[string]string{
		`form-data; name="key"`:                                      "key",
		`form-data; name=key`:                                        "key",
		`form-data;NAME = key ; filename=x`:                          "key",
		`form-data; name=file; filename=data; filename*=utf-8''data`: "file",
		`form-data; filename="a; name=evil"; name="file"`:            "file",
		`form-data; filename="a\"; name=\"evil"; name="file"`:        "file",
		`form-data; filename=Übersicht plan.pdf; name=file`:          "file",
		`form-data; name="a\"b"`:                                     `a"b`,
		`form-data; filename="x"`:                                    "",
		`form-data; name`:                                            "",
		``:                                                           "",
	} {
		if got := partName(disposition); got != want {
			t.Errorf("%s: %q, want %q", disposition, got, want)
		}
	}
}

// read reads a form to its end, as it is stored.
func read(contentType string, body io.Reader) (*content, []byte, error) {
	f, err := readForm(contentType, body)
	if err != nil {
		return nil, nil, err
	}
	c := &content{f, measure{hash: sha256.New(), most: 1 << 20, room: -1}}
	file, err := io.ReadAll(c)
	return c, file, err
}

// A form is read the same in whatever pieces it comes.
func TestFormInPieces(t *testing.T) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	_ = w.WriteField("Key", "value")
	part, _ := w.CreateFormFile("file", "f")
	file := strings.Repeat("\r\n--"+w.Boundary()[:20]+"\x00", 30)
	_, _ = io.WriteString(part, file)
	_ = w.Close()
	for name, pieces := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "late error": iotest.DataErrReader} {
		c, got, err := read(w.FormDataContentType(), pieces(bytes.NewReader(b.Bytes())))
		if err != nil || string(got) != file || c.fields["key"] != "value" || c.size != int64(len(file)) {
			t.Errorf("%s: %v, %d bytes", name, err, len(got))
		}
	}
	for n := range b.Len() - 3 { // the line end after the last boundary may be missing, and the dashes are looked for
		if _, _, err := read(w.FormDataContentType(), bytes.NewReader(b.Bytes()[:n])); !fault.Is(err, fault.Invalid) {
			t.Fatalf("broken off after %d of %d bytes: %v", n, b.Len(), err)
		}
	}
	gone := errors.New("the caller has gone")
	if _, _, err := read(w.FormDataContentType(),
		io.MultiReader(bytes.NewReader(b.Bytes()[:500]), iotest.ErrReader(gone))); !fault.Is(err, fault.Invalid) {
		t.Errorf("a body that fails: %v", err)
	}
}

func TestBounds(t *testing.T) {
	form := "--b\r\nContent-Disposition: form-data; name=file\r\n\r\n0123456789\r\n--b--\r\n"
	for _, c := range []struct {
		most, room int64
		want       fault.Kind
	}{{10, -1, 0}, {10, 10, 0}, {9, -1, fault.Invalid}, {10, 9, fault.TooLarge}, {10, 0, fault.TooLarge}} {
		f, err := readForm("multipart/form-data; boundary=b", strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.ReadAll(&content{f, measure{hash: sha256.New(), most: c.most, room: c.room}})
		if c.want == 0 && err != nil || c.want != 0 && !fault.Is(err, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// FuzzForm: whatever is posted is a form or is refused; what the standard library writes is read as it was written.
func FuzzForm(f *testing.F) {
	f.Add("multipart/form-data; boundary=b",
		[]byte("--b\r\nContent-Disposition: form-data; name=key\r\n\r\nv\r\n--b\r\nContent-Disposition: form-data; name=file\r\n\r\nx\r\n--b--\r\n"))
	f.Add(`multipart/form-data; boundary="----b"`,
		[]byte("------b\nContent-Disposition: form-data; name=\"file\"; filename=\"\\\"\"\n\nx\n------b--"))
	f.Add("text/plain", []byte("x"))
	f.Add("multipart/form-data; boundary=b", []byte("--b\r\n\r\n\r\n--b--\r\n\r\n--b"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		c, file, err := read(contentType, bytes.NewReader(body))
		if err != nil {
			if kind := fault.Of(err).Kind; kind != fault.Invalid {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		if c.size != int64(len(file)) || len(file) > len(body) || len(c.fields) > mostFields {
			t.Fatalf("%d of %d bytes, %d fields", c.size, len(body), len(c.fields))
		}
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		part, _ := w.CreateFormFile("file", contentType)
		_, _ = part.Write(body)
		_ = w.Close()
		if _, again, err := read(w.FormDataContentType(), &b); err != nil || !bytes.Equal(again, body) {
			t.Fatalf("%q comes back as %q: %v", body, again, err)
		}
	})
}

// FuzzDisposition: the header of any name is one line of ASCII, and says the name back to who reads it as the standard
// says.
func FuzzDisposition(f *testing.F) {
	for _, name := range []string{
		"Plan.pdf", "Grundriß 東.pdf", `a"b\c`, "..", "", "a\r\nX: y", "\u202Ex", "%41.txt",
		strings.Repeat("長", 255), "\xff",
	} {
		f.Add(name, true)
	}
	f.Fuzz(func(t *testing.T, name string, inline bool) {
		header := disposition(name, inline)
		if strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Fatalf("%q", header)
		}
		how, rest, _ := strings.Cut(header, "; ")
		if how != map[bool]string{true: "inline", false: "attachment"}[inline] ||
			!strings.HasPrefix(rest, `filename="`) {
			t.Fatalf("%q", header)
		}
		got := filenameOf(t, header)
		if got != plainName(name) || strings.ContainsAny(got, "/\\\r\n\x00") || got == "" || got == "." || got == ".." {
			t.Fatalf("%q is %q", name, got)
		}
	})
}
