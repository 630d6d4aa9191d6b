package upload

import (
	"mime"
	"testing"
)

// filenameOf reads a name as the standard library does.
func filenameOf(t *testing.T, header string) string {
	t.Helper()
	_, params, err := mime.ParseMediaType(header)
	if err != nil {
		t.Fatalf("%q: %v", header, err)
	}
	return params["filename"]
}

func TestPictureName(t *testing.T) {
	for _, c := range []struct{ title, kind, want string }{
		{"North wall", "image/jpeg", "North wall.jpg"},
		{"IMG_1.JPEG", "image/jpeg", "IMG_1.JPEG"},
		{"IMG_1.jpg", "image/png", "IMG_1.jpg.png"},
		{" ", "image/heic", "picture.heic"},
		{"v1.2", "image/heif", "v1.2.heif"},
	} {
		if got := PictureName(c.title, c.kind); got != c.want {
			t.Errorf("%q: %q, want %q", c.title, got, c.want)
		}
	}
}

func TestValidType(t *testing.T) {
	for text, want := range map[string]bool{
		"application/pdf": true, "text/plain; charset=utf-8": true, "image/svg+xml": true, "IMAGE/PNG": true,
		"": false, "pdf": false, "a/b/c": false, "text/plain\r\nX: y": false, "tëxt/plain": false, "text/": false,
		"/plain": false,
	} {
		if ValidType(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
