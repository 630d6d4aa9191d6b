package print

import (
	"strings"
	"unicode"
)

// Lines breaks text into lines that are no longer than width. Paragraphs stay apart; blank lines at either end go.
func (s *Setter) Lines(text string, st Style, width float64) []Line {
	var out []Line
	for paragraph := range strings.SplitSeq(strings.Trim(s.ready(text), "\n "), "\n") {
		out = append(out, s.wrap(strings.TrimRight(paragraph, " "), st, width)...)
	}
	return out
}

// Most is Lines, of which at most n are kept; the last one then ends with an ellipsis.
func (s *Setter) Most(n int, text string, st Style, width float64) []Line {
	lines := s.Lines(text, st, width)
	if len(lines) > n {
		last := lines[n-1]
		last.text += " " + lines[n].text
		lines = append(lines[:n-1], s.cut(last, st, width))
	}
	return lines
}

func (s *Setter) wrap(paragraph string, st Style, width float64) []Line {
	right := rightward(paragraph)
	runes := []rune(paragraph)
	most := width / (st.Size * millimetres) * 1000
	var out []Line
	for start := 0; ; {
		sum, end, cut := 0.0, start, 0 // cut is where the line may end, as far as is known
		for end < len(runes) {
			sum += float64(advance(faceOf(runes[end], st.Bold), runes[end]))
			if sum > most && runes[end] != ' ' {
				break
			}
			end++
			if end < len(runes) && breakable(runes[end-1], runes[end]) {
				cut = end
			}
		}
		switch {
		case end >= len(runes):
			return append(out, Line{strings.TrimRight(string(runes[start:]), " "), right})
		case cut <= start:
			cut = max(end, start+1) // a word that is longer than a line
		}
		out = append(out, Line{strings.TrimRight(string(runes[start:cut]), " "), right})
		for start = cut; start < len(runes) && runes[start] == ' '; start++ {
		}
	}
}

// breakable tells whether a line may end between two letters.
func breakable(a, b rune) bool {
	switch {
	case b == ' ', strings.ContainsRune("、。，．：；！？）」』】〉》ー々", b), strings.ContainsRune("（「『【〈《", a):
		return false
	case a == ' ':
		return true
	case a == '-' || a == '/' || a == '_':
		return unicode.IsLetter(b)
	}
	return ideographic(a) || ideographic(b)
}

// ideographic tells letters that need no spaces between words.
func ideographic(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f ||
		r >= 0xff00 && r <= 0xffef
}
