package grant

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"groundwork/internal/identity"
)

// FuzzLogo checks that what is taken for a logo is a picture that browsers take for the very kind it is sent as, so
// that nothing else can hide in it.
func FuzzLogo(f *testing.F) {
	data := func(kind, picture string) string {
		return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(picture))
	}
	for _, s := range []string{
		"", "data:", "data:,", "data:image/png;base64,", data("image/png", "\x89PNG\r\n\x1a\n"), data("image/gif",
			"GIF89a<script>"), data("image/webp", "RIFF\x00\x00\x00\x00WEBPVP8 "), data("image/webp", "RIFF<script>"),
		data("image/jpeg", "\xff\xd8\xff"), data("image/svg+xml", "<svg onload=alert(1)>"),
		data("image/png", "\xff\xd8\xff"), data("text/html", "GIF89a"), data("image/png;a=b", "\x89PNG\r\n\x1a\n"),
		data("IMAGE/PNG", "\x89PNG\r\n\x1a\n"), data("image/gif", "GIF87a"+strings.Repeat("x", mostLogo)),
		"data:image/gif;base64,R0lGODdh\n", "data:image/gif;base64,R0lGODdh,R0lGODdh",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kind, picture := (&Application{Logo: text}).Picture()
		if picture == nil {
			if kind != "" {
				t.Fatalf("%q is nothing, of kind %q", text, kind)
			}
		} else if sniffed := http.DetectContentType(picture); sniffed != kind || len(picture) > mostLogo ||
			!identity.Printable(text) {
			t.Fatalf("%q is sent as %q; browsers see %q, %d bytes", text, kind, sniffed, len(picture))
		}
		// A picture that is uploaded is the logo that it becomes.
		made := LogoFrom([]byte(text))
		if back := logoOf(made); (made == "") != (back == nil) || made != "" && string(back) != text {
			t.Fatalf("%q becomes %q", text, made)
		}
	})
}
