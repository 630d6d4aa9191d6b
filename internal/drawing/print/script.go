package print

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// plain is text as the document's format can hold it: composed characters of the first plane, without those that only
// control. Lines stay lines.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t', r == '\u00a0':
			return ' '
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
			return -1
		case r == unicode.ReplacementChar, r > 0xffff:
			return missing
		}
		return r
	}, norm.NFC.String(strings.ToValidUTF8(text, string(missing))))
}

// ready is text in letters that the typefaces have.
func (s *Setter) ready(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && faceOf(r, false) < 0 {
			r = missing
		}
		if r == missing {
			s.lacks = true
		}
		return r
	}, join(plain(text)))
}

// rightward tells whether a paragraph runs from right to left: its first letter decides.
func rightward(text string) bool {
	for _, r := range text {
		p, _ := bidi.LookupRune(r)
		switch p.Class() {
		case bidi.L:
			return false
		case bidi.R, bidi.AL:
			return true
		}
	}
	return false
}

// visual gives the letters of a line from left to right.
func visual(l Line) []rune {
	plainly := true
	for _, r := range l.text {
		plainly = plainly && r < 0x590
	}
	if plainly {
		return []rune(l.text)
	}
	direction := bidi.DefaultDirection(bidi.LeftToRight)
	if l.Right {
		direction = bidi.DefaultDirection(bidi.RightToLeft)
	}
	var p bidi.Paragraph
	_, err := p.SetString(l.text, direction)
	order, err2 := p.Order()
	if err != nil || err2 != nil {
		return []rune(l.text)
	}
	// The library gives stretches as they are read. What runs to the left, and numbers within it, change places.
	var spans [][]rune
	var left []bool
	for i := range order.NumRuns() {
		run := order.Run(i)
		turned := run.Direction() == bidi.RightToLeft
		text := run.String()
		if turned {
			text = bidi.ReverseString(text)
		}
		inside := turned || l.Right || i > 0 && left[i-1] && numeric(text)
		spans, left = append(spans, []rune(text)), append(left, inside)
	}
	for i := 0; i < len(spans); {
		j := i
		for j < len(spans) && left[j] == left[i] {
			j++
		}
		if left[i] {
			slices.Reverse(spans[i:j])
		}
		i = j
	}
	return slices.Concat(spans...)
}

func numeric(text string) bool {
	return strings.IndexFunc(text, unicode.IsLetter) < 0 && strings.IndexFunc(text, unicode.IsDigit) >= 0
}

// forms are the first of the joined forms of Arabic and Persian letters: alone, at the end, and, where four is true, at
// the beginning and in the middle.
var forms = func() map[rune]form {
	out := map[rune]form{
		'پ': {0xfb56, true}, 'چ': {0xfb7a, true}, 'ژ': {0xfb8a, false}, 'ک': {0xfb8e, true}, 'گ': {0xfb92, true},
		'ی': {0xfbfc, true},
	}
	const twos = "آأؤإاةدذرزوى"
	at := rune(0xfe81) // behind the hamza, which never joins
	for _, r := range "آأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىي" {
		f := form{at, !strings.ContainsRune(twos, r)}
		out[r] = f
		at += 2
		if f.four {
			at += 2
		}
	}
	return out
}()

type form struct {
	alone rune
	four  bool
}

// knots are the letters that become one with a lam before them.
var knots = map[rune]rune{'آ': 0xfef5, 'أ': 0xfef7, 'إ': 0xfef9, 'ا': 0xfefb}

// join gives the letters of Arabic the forms that they have beside each other.
func join(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r >= 0x600 && r < 0x700 }) < 0 {
		return text
	}
	in := []rune(text)
	out := make([]rune, 0, len(in))
	var before bool // the letter before reaches out to the next one
	for i := 0; i < len(in); i++ {
		r := in[i]
		f, is := forms[r]
		if !is {
			out = append(out, r)
			if !unicode.Is(unicode.Mn, r) {
				before = r == 'ـ'
			}
			continue
		}
		next := rune(0)
		for _, n := range in[i+1:] {
			if next = n; !unicode.Is(unicode.Mn, n) {
				break
			}
		}
		if knot := knots[next]; r == 'ل' && knot != 0 && in[i+1] == next {
			if before {
				knot++
			}
			out = append(out, knot)
			before = false
			i++
			continue
		}
		_, reached := forms[next]
		after := f.four && (reached || next == 'ـ')
		shape := f.alone
		if before {
			shape++
		}
		if after {
			shape += 2
		}
		out = append(out, shape)
		before = f.four
	}
	return string(out)
}
