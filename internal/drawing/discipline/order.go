package discipline

import (
	"fmt"
	"strings"
	"unicode"
)

// longDigits is how many digits of a number are written with zeros before them; longer ones, which nobody has, sort
// behind.
const longDigits = 6

// SortKey is a text by which drawings are sorted as people sort a set, byte by byte: by their disciplines, those
// without one last, and then by number, 2 before 10.
func SortKey(name string, word *string) string {
	var b strings.Builder
	if word == nil {
		fmt.Fprintf(&b, "%02d::", others+1)
	} else {
		place := isCalled(*word)
		if place == none {
			place = others
		}
		fmt.Fprintf(&b, "%02d:%s:", place, strings.Join(wordsOf(*word), " "))
	}
	digits := func(r rune) bool { return unicode.IsDigit(r) }
	for i, word := range strings.FieldsFunc(Fold(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		for j := 0; word != ""; j++ {
			if i+j > 0 {
				b.WriteByte(' ')
			}
			rest := strings.TrimLeftFunc(word, digits)
			if run := strings.TrimLeft(word[:len(word)-len(rest)], "0"); len(rest) == len(word) {
				rest = strings.TrimLeftFunc(word, func(r rune) bool { return !digits(r) })
				b.WriteString(word[:len(word)-len(rest)])
			} else if len(run) <= longDigits {
				b.WriteString(strings.Repeat("0", longDigits-len(run)) + run)
			} else {
				fmt.Fprintf(&b, ":%03d%s", len(run), run)
			}
			word = rest
		}
	}
	return b.String()
}
