package foreign

import (
	"strings"
	"unicode/utf8"
)

// The longest texts that records have.
const (
	mostTitle = 255
	mostText  = 65535
)

// clip ends a text with … where it would be too long.
func clip(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
}
