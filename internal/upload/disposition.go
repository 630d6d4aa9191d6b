package upload

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
)

// disposition is the Content-Disposition of RFC 6266: the name in its own script, and one in ASCII for programs that
// know no other.
func disposition(name string, inline bool) string {
	name = plainName(name)
	ascii := strings.Map(func(r rune) rune {
		if r > '~' || r == '"' || r == '%' {
			return '_'
		}
		return r
	}, name)
	how := "attachment"
	if inline {
		how = "inline"
	}
	header := fmt.Sprintf(`%s; filename="%s"`, how, ascii)
	if ascii != name {
		header += "; filename*=UTF-8''" + percent(name)
	}
	return header
}

// plainName takes out of a name what would lead elsewhere, or deceive the eye: separators, control characters, and
// marks that turn the direction of text.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		turns := r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
		if r == '/' || r == '\\' || r == unicode.ReplacementChar || unicode.IsControl(r) || turns {
			return '_'
		}
		return r
	}, name)
	if strings.Trim(name, ". ") == "" {
		return "file"
	}
	return name
}

// percent escapes all but what RFC 5987 lets stand.
func percent(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
			strings.IndexByte("!#$&+-.^_`|~", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

var endings = map[string][]string{
	"image/png": {".png"}, "image/jpeg": {".jpg", ".jpeg"}, "image/heic": {".heic"}, "image/heif": {".heif", ".heic"},
}

// PictureName is what a picture is saved under: its title, or picture, with an ending that tells what it is.
func PictureName(title, contentType string) string {
	name, usual := strings.TrimSpace(title), endings[contentType]
	if name == "" {
		name = "picture"
	}
	if len(usual) == 0 || slices.Contains(usual, strings.ToLower(path.Ext(name))) {
		return name
	}
	return name + usual[0]
}
