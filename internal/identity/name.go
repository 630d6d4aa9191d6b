package identity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostEmail = 254 // bytes, as mail servers have it
	mostName  = 255
)

// NameProblem says what is wrong with a name; "" is nothing.
func NameProblem(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "A name is needed."
	case len(name) > mostName:
		return "A name has at most 255 bytes."
	case !Printable(name):
		return "A name has no control characters."
	}
	return ""
}

// Printable tells whether a text is valid UTF-8 without control characters.
func Printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// SplitName takes a whole name apart at its last space: "Anna Maria Schmidt" is Anna Maria, Schmidt. A single word is a
// first name.
func SplitName(name string) (first, last string) {
	words := strings.Fields(name)
	if len(words) < 2 {
		return strings.Join(words, ""), ""
	}
	return strings.Join(words[:len(words)-1], " "), words[len(words)-1]
}

// Clip cuts a text to so many bytes.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// text is a text that may be missing.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
