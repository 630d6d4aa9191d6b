package read

import (
	"math"
	"strings"
	"unicode"
)

// Fonts without a table of Unicode give the codes of their glyphs in place of letters. In most of them glyphs stand in
// the order of ASCII, so that all codes are lower by the same number: "3KDVH" is "Phase", and digits and blanks are
// control characters.
const (
	// glyphShift is that number in fonts of the usual order, which begin with three glyphs that are no letters.
	glyphShift = 29
	// fewestWords is how many words of drawings must come out before codes are taken for shifted.
	fewestWords = 3
	// strange is which part of a page's characters may be control characters before its text counts as unreadable.
	strange = 0.2
)

// drawingWords are words by which it is seen that letters are letters.
var drawingWords = func() map[string]bool {
	all := labels("WITH", "FROM", "THIS", "SHALL", "WALL", "DOOR", "WINDOW", "ROOM", "FLOOR", "ROOF", "LEVEL", "EXISTING",
		"CONCRETE", "STEEL", "TYPICAL", "PHASE", "AUTHOR", "GENERAL", "CEILING", "STAIR", "KITCHEN", "BATH", "BEDROOM",
		"NORTH", "SOUTH", "EAST", "WEST", "FIRST", "SECOND", "GROUND", "AREA", "BEAM", "COLUMN", "SLAB", "PIPE", "DUCT")
	for _, words := range []map[string]bool{titleWords, titleLabels, dateLabels, fieldLabels, sheetWords} {
		for w := range words {
			if len(w) >= 4 && !strings.Contains(w, " ") {
				all[w] = true
			}
		}
	}
	return all
}()

// repair gives letters to characters whose codes are shifted, and takes out control characters. ok is false where the
// page's characters cannot be told: nothing of it is shown then.
func repair(chars []Char) (out []Char, ok bool) {
	controls := 0
	for i := range chars {
		if unicode.IsControl(chars[i].Rune) {
			controls++
		}
	}
	if controls == 0 { // a blank would be one
		return chars, true
	}
	runs := successions(chars)
	found := map[string]bool{}
	for _, r := range runs {
		for _, w := range known(shifted(chars[r[0]:r[1]])) {
			found[w] = true
		}
	}
	if len(found) < fewestWords {
		if controls > 10 && float64(controls) > strange*float64(len(chars)) {
			return nil, false
		}
		return printed(chars), true
	}
	out = make([]Char, 0, len(chars))
	for _, r := range runs {
		part := chars[r[0]:r[1]]
		if !isShifted(part) {
			out = append(out, part...)
			continue
		}
		for _, c := range part {
			c.Rune = shift(c.Rune)
			out = append(out, c)
		}
	}
	return printed(out), true
}

// printed are the characters that are no control characters.
func printed(chars []Char) []Char {
	out := make([]Char, 0, len(chars))
	for _, c := range chars {
		if !unicode.IsControl(c.Rune) {
			out = append(out, c)
		}
	}
	return out
}

// successions are the runs of characters that follow each other in one size and direction: each is of one font.
func successions(chars []Char) (out [][2]int) {
	begin := 0
	for i := 1; i <= len(chars); i++ {
		if i < len(chars) {
			a, b := &chars[i-1], &chars[i]
			if a.Size == b.Size && a.Angle == b.Angle && math.Abs(a.X1-b.X0)+math.Abs(a.Y1-b.Y0) < 4*a.Size {
				continue
			}
		}
		out = append(out, [2]int{begin, i})
		begin = i
	}
	return out
}

func shift(r rune) rune {
	if moved := r + glyphShift; moved >= ' ' && moved <= '~' {
		return moved
	}
	return r
}

// shifted is the text that characters have when their codes are shifted back.
func shifted(chars []Char) string {
	var b strings.Builder
	for i := range chars {
		b.WriteRune(shift(chars[i].Rune))
	}
	return b.String()
}

// known are the words of drawings in a text.
func known(text string) (out []string) {
	for _, w := range strings.FieldsFunc(folded(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if drawingWords[w] {
			out = append(out, w)
		}
	}
	return out
}

// isShifted is whether characters make sense only when their codes are shifted back.
func isShifted(chars []Char) bool {
	var plainly strings.Builder
	controls := 0
	for i := range chars {
		plainly.WriteRune(chars[i].Rune)
		if unicode.IsControl(chars[i].Rune) {
			controls++
		}
	}
	as, back := plainly.String(), shifted(chars)
	switch before, after := len(known(as)), len(known(back)); {
	case before != after:
		return after > before
	case controls > 0:
		return true
	}
	return vowels(as) < 0.15 && vowels(back) > 0.2
}

// vowels is which part of the letters of a text they are.
func vowels(text string) float64 {
	letters, n := 0, 0
	for _, r := range folded(text) {
		if unicode.IsLetter(r) {
			letters++
		}
		if strings.ContainsRune("AEIOUY", r) {
			n++
		}
	}
	return part(n, letters)
}
