package api

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// quote appends a JSON string; what is not UTF-8 in it becomes U+FFFD.
func quote(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

// clip keeps a client's own text inside a message short.
func clip(s string) string {
	const most = 100
	if s = clean(s); len(s) <= most {
		return s
	}
	return clean(s[:most]) + "…"
}

// clean makes text from outside fit for every database: what is not UTF-8, and NUL, which one engine refuses, become
// U+FFFD. No uid holds that, so such a text names nothing.
func clean(s string) string {
	if strings.IndexByte(s, 0) < 0 && utf8.ValidString(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
