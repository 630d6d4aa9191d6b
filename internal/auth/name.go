package auth

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// EmailKey is how addresses compare: without regard to case.
func EmailKey(email string) string { return strings.ToLower(email) }

const (
	mostEmail = 254 // bytes, as mail servers have it
	mostName  = 255
)

// emailProblem says what keeps a text from being an e-mail address, leniently: whether mail arrives, only sending shows.
func emailProblem(email string) string {
	local, domain, _ := strings.Cut(email, "@")
	switch {
	case email == "":
		return "An e-mail address is needed."
	case len(email) > mostEmail:
		return "An e-mail address has at most 254 bytes."
	case !printable(email) || strings.ContainsFunc(email, unicode.IsSpace):
		return "An e-mail address has no spaces and no control characters."
	case local == "" || domain == "" || strings.Contains(domain, "@"):
		return "An e-mail address has one @ with something on both sides, like name@example.com."
	}
	return ""
}

func nameProblem(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "A name is needed."
	case len(name) > mostName:
		return "A name has at most 255 bytes."
	case !printable(name):
		return "A name has no control characters."
	}
	return ""
}

// printable tells whether a text is valid UTF-8 without control characters.
func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// SplitName takes a whole name apart at its last space: "Anna Maria Schmidt" is Anna Maria, Schmidt. A single word is a first name.
func SplitName(name string) (first, last string) {
	words := strings.Fields(name)
	if len(words) < 2 {
		return strings.Join(words, ""), ""
	}
	return strings.Join(words[:len(words)-1], " "), words[len(words)-1]
}

// optional is nil, which the database keeps as null, for an empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
