package discipline

import (
	"fmt"
	"strings"
	"unicode"
)

// SortKey is a text by which drawings are sorted as people sort a set, byte by byte: by discipline, those without one
// last, and then by number. It begins with what drawings of one discipline share, which ends with the second colon.
func SortKey(name string, word *string) string {
	if word == nil {
		return fmt.Sprintf("%02d::%s", others+1, counted(name))
	}
	place := isCalled(*word)
	if place == none {
		place = others
	}
	return fmt.Sprintf("%02d:%s:%s", place, counted(*word), counted(name))
}

// longDigits is how many digits a number is given; longer ones, which nobody has, come after.
const longDigits = 6

// counted is a text that sorts as people count, 2 before 10: its runs of letters and of digits, folded, whatever stands
// between.
func counted(text string) string {
	var b strings.Builder
	between := func(r rune) bool { return !unicode.IsLetter(r) && !digit(r) }
	for word := range strings.FieldsFuncSeq(Fold(text), between) {
		for word != "" {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			rest := strings.TrimLeftFunc(word, digit)
			run := strings.TrimLeft(word[:len(word)-len(rest)], "0")
			switch {
			case rest == word:
				rest = strings.TrimLeftFunc(word, unicode.IsLetter)
				b.WriteString(word[:len(word)-len(rest)])
			case len(run) <= longDigits:
				b.WriteString(strings.Repeat("0", longDigits-len(run)) + run)
			default:
				fmt.Fprintf(&b, "=%03d%s", len(run), run) // behind the digits and before the letters
			}
			word = rest
		}
	}
	return b.String()
}

func digit(r rune) bool { return r >= '0' && r <= '9' }
