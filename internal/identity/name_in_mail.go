package identity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// mostPlain is how many characters of a name of somebody's choice stand in a mail: a subject shows no more on a phone.
const mostPlain = 60

// PlainName is a name that people chose, as a mail shows it to others: on one line, short, without characters that
// nobody sees or that turn the direction of writing, and without words that look like the address of a page or of a
// person. Otherwise an invitation would carry a stranger's advertisement in the name of this service. It gives instead
// where nothing is left.
func PlainName(name, instead string) string {
	var words []string
	for _, word := range strings.Fields(strings.Map(seen, name)) {
		if !addressed(word) {
			words = append(words, word)
		}
	}
	plain := strings.Join(words, " ")
	if utf8.RuneCountInString(plain) > mostPlain {
		plain = strings.TrimSpace(string([]rune(plain)[:mostPlain-1])) + "…"
	}
	if !strings.ContainsFunc(plain, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return instead
	}
	return plain
}

// seen makes a space of what breaks lines or is a space of its own, and drops what shows nothing: control and format
// characters, among them those that turn the direction of writing, and what has no meaning.
func seen(r rune) rune {
	switch {
	case unicode.IsSpace(r) || unicode.Is(unicode.Z, r) || r == '\u2028' || r == '\u2029':
		return ' '
	case unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs) || r == utf8.RuneError:
		return -1
	}
	return r
}

// addressed tells whether a word looks like an address to a mail program: it has an @, a scheme, begins with www., or
// has a dot inside with two letters or more after it. Characters that look like dots and letters count as those that
// they stand for.
func addressed(word string) bool {
	word = strings.ToLower(norm.NFKC.String(word))
	word = strings.NewReplacer("。", ".", "․", ".", "‧", ".", "·", ".").Replace(word)
	if strings.ContainsRune(word, '@') || strings.Contains(word, "://") || strings.HasPrefix(word, "www.") ||
		strings.Contains(word, "//") {
		return true
	}
	before := 0 // how much stands before a dot
	for i, r := range word {
		if r != '.' {
			before++
			continue
		}
		letters := 0
		for _, after := range word[i+1:] {
			if !unicode.IsLetter(after) && after != '-' {
				break
			}
			letters++
		}
		if before > 0 && letters > 1 {
			return true
		}
	}
	return false
}
