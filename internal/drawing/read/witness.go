package read

import (
	"math"
	"unicode"
)

const (
	// oftenMark is how often a number stands on a page in one size that names something drawn, and manyMarks among how
	// many different ones of its kind and size.
	oftenMark, manyMarks = 3, 4
	// longestMark is how many letters and digits the name of a door or a room has at most.
	longestMark = 8
)

// marks finds the candidates that stand on a page again and again, or among others that are made alike and as large:
// doors, windows, rooms and views are named so, and a sheet is not. A label, or a name from outside, knows better.
func marks(lines []Line, candidates []candidate) {
	type kind struct {
		angle    int
		skeleton string
	}
	kinds := map[kind][]*candidate{}
	for i := range candidates {
		if c := &candidates[i]; c.label < 1 && !c.joined && len(c.text) <= longestMark {
			k := kind{c.angle, skeleton(c.text)}
			kinds[k] = append(kinds[k], c)
		}
	}
	if len(kinds) == 0 {
		return
	}
	alike := map[kind][]*Line{}
	for i := range lines {
		l := &lines[i]
		if len(l.Text) > longestMark {
			continue
		}
		if k := (kind{l.Angle, skeleton(l.Text)}); kinds[k] != nil && len(alike[k]) < mostAlike {
			alike[k] = append(alike[k], l)
		}
	}
	for k, of := range kinds {
		for _, c := range of {
			same, others := 0, map[string]bool{}
			for _, l := range alike[k] {
				switch {
				case math.Abs(l.Size-c.size) > 0.05*c.size:
				case l.Text == c.text:
					same++
				default:
					others[l.Text] = true
				}
			}
			c.mark = same >= oftenMark || len(others) >= manyMarks
		}
	}
}

// mostAlike is how many lines of one kind are looked at: a schedule may have thousands.
const mostAlike = 400

// standsAside is whether a candidate stands where title blocks have their number: near a corner of the page, or at its
// right or lower edge.
func (c *candidate) standsAside(w, h float64) bool {
	x, y := c.box.mid()
	x, y = x/w, y/h
	return min(x, 1-x) < 0.14 && min(y, 1-y) < 0.14 || x > 0.9 || y > 0.9
}

// leastPlaced is how many pages must have their numbers in one place before the place speaks for them.
const leastPlaced = 3

// witnesses are what speaks for a number on its page.
type witnesses struct {
	// placed is whether it stands where numbers stand: behind a label, where other pages have theirs, or at the edge.
	placed bool
	// alike is whether other pages have numbers there that are made like it.
	alike bool
}

// testify gives what speaks for a number that members of a family have in one place, alike of them made like it.
func testify(c *candidate, leaf *Leaf, members, alike int) witnesses {
	return witnesses{
		placed: c.label >= 1 || members >= leastPlaced ||
			!c.joined && !c.mark && c.standsAside(leaf.width, leaf.height),
		alike: members >= leastPlaced && alike >= leastPlaced,
	}
}

const (
	// surestAlone is how sure a number is at most for which there is one witness, however good: two are asked for
	// where nobody looks again.
	surestAlone = 0.89
	// surestNamed is how sure one is that only a name from outside of the page speaks for: it may be the name of what
	// is drawn.
	surestNamed = 0.75
)

// lookalikes are the letters and digits that a recogniser takes for each other.
var lookalikes = map[rune]rune{'O': '0', 'Q': '0', 'I': '1', 'L': '1', 'Z': '2', 'S': '5', 'B': '8', 'G': '6'}

// digitsAs are the letters that digits are most often taken for.
var digitsAs = map[rune]rune{'0': 'O', '1': 'I', '5': 'S', '8': 'B'}

// form is where letters, digits and marks stand in a number, one by one.
func form(s string) string {
	return string(mapped(s, func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '9'
		case unicode.IsLetter(r):
			return 'A'
		}
		return r
	}))
}

func mapped(s string, each func(rune) rune) []rune {
	out := []rune(s)
	for i, r := range out {
		out[i] = each(r)
	}
	return out
}

// formed is a number that was recognised, in the form that the numbers of its set have: with letters in place of the
// digits that look like them, and the other way round. Where that does not make it so, it stays.
func formed(text, as string) string {
	letters, kinds := []rune(text), []rune(as)
	if len(letters) != len(kinds) {
		return text
	}
	for i, r := range letters {
		other := r
		switch {
		case kinds[i] == 'A' && unicode.IsDigit(r):
			other = digitsAs[r]
		case kinds[i] == '9' && unicode.IsLetter(r):
			other = lookalikes[r]
		}
		if other == 0 {
			return text
		}
		letters[i] = other
	}
	if form(string(letters)) != as {
		return text
	}
	return string(letters)
}

// spellAlike writes the recognised numbers of pages that have them in one place in the form that most of them have,
// unless another page has that number, or a name from outside agrees with what was read. A person confirms them.
func spellAlike(of []*candidate) {
	forms, taken, usual := map[string]int{}, map[string]bool{}, ""
	for _, c := range of {
		f := form(c.text)
		forms[f]++
		if forms[f] > forms[usual] {
			usual = f
		}
		taken[c.text] = true
	}
	if forms[usual] < leastPlaced || 2*forms[usual] <= len(of) {
		return
	}
	for _, c := range of {
		if c.doubt == 0 || c.claimed || form(c.text) == usual {
			continue
		}
		if text := formed(c.text, usual); !taken[text] {
			taken[text] = true
			c.text, c.respelled = text, true
		}
	}
}
