package read

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"groundwork/internal/drawing/discipline"
)

// row is what a list of drawings has for a number: a title, and the heading that it stands under. Of what two lists say
// differently there is nothing.
type row struct {
	title, heading string
	disputed       bool // the heading
}

// list is a list of drawings, as a cover sheet has one.
type list map[string]row

// head is a line that may stand above the rows of a list: word is the discipline that it names, "" where it names none.
type head struct {
	word string
	box  Box
}

const (
	// mostHeadings is how many such lines a page may have, headWords how many words: a heading is short.
	mostHeadings, headWords = 400, 6
	// ahead and behind are how far from the numbers of a list, in hundredths of the page's width, a heading may begin.
	ahead, behind = 2, 8
	// headingReach is how many times its height the first row may stand below a heading.
	headingReach = 4
)

// headings finds what may stand above the rows of a list: names of disciplines, and whatever else begins where the
// numbers do and so ends what stood under the name before.
func headings(lines []Line, mentioned []mention) (out []head) {
	type column struct{ angle, at int }
	at := func(b Box, angle int) column {
		u0, _, _ := frame(b, angle)
		return column{angle, int(math.Round(u0 / 10))}
	}
	numbers := map[column]int{}
	for i := range mentioned {
		if m := &mentioned[i]; m.listed() {
			numbers[at(m.box, m.angle)]++
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	for i := range lines {
		l := &lines[i]
		if len(l.Words) > headWords || len(out) == mostHeadings {
			continue
		}
		h := head{discipline.Heading(l.Text), l.Box}
		c := at(l.Box, l.Angle)
		aligned := max(numbers[c], numbers[column{c.angle, c.at - 1}], numbers[column{c.angle, c.at + 1}]) >= listLength
		if h.word != "" || aligned && !strings.ContainsFunc(l.Text, unicode.IsDigit) && !isLabel(l.Text) {
			out = append(out, h)
		}
	}
	return out
}

// listed is whether a mention may be the number of a list's row: a title stands behind it.
func (m *mention) listed() bool { return !m.pointed && m.follows != "" && wordy(m.follows) }

// lists finds the lists of drawings of a set: numbers below each other, each with a title behind it.
func lists(leaves []*Leaf) list {
	out := list{}
	for _, leaf := range leaves {
		columns := map[int][]*mention{}
		for i := range leaf.mentions {
			if m := &leaf.mentions[i]; m.listed() {
				at := int(math.Round(m.box.X0 / leaf.width * 100))
				columns[at] = append(columns[at], m)
			}
		}
		maps.DeleteFunc(columns, func(_ int, column []*mention) bool {
			different := map[string]bool{}
			for _, m := range column {
				different[same(m.number)] = true
			}
			return len(different) < listLength
		})
		var last under
		for _, at := range slices.Sorted(maps.Keys(columns)) {
			last = out.column(columns[at], leaf.headsOf(at, columns), last)
		}
	}
	return out
}

// headsOf are the lines that may stand above rows of a column: of none that begins further right, and not in a row.
func (leaf *Leaf) headsOf(at int, columns map[int][]*mention) (out []head) {
	for _, h := range leaf.heads {
		x, own := int(math.Round(h.box.X0/leaf.width*100)), math.MinInt
		for other := range columns {
			if other <= x+ahead && other >= x-behind {
				own = max(own, other)
			}
		}
		_, y := h.box.mid()
		beside := func(m *mention) bool { return y >= m.box.Y0 && y <= m.box.Y1 }
		if own == at && !slices.ContainsFunc(columns[at], beside) {
			out = append(out, h)
		}
	}
	slices.SortFunc(out, func(a, b head) int { return cmp.Compare(a.box.Y0, b.box.Y0) })
	return out
}

// under is the heading of a row, and the letters of its number.
type under struct{ heading, letters string }

// column adds the rows of a column, and gives what the last of them is under. What the column before ended with goes on
// as long as its letters do.
func (l list) column(rows []*mention, heads []head, last under) under {
	slices.SortStableFunc(rows, func(a, b *mention) int { return cmp.Compare(a.box.Y0, b.box.Y0) })
	begun := false
	for _, m := range rows {
		letters := discipline.Letters(m.number)
		if !begun && letters != last.letters {
			last.heading = ""
		}
		for len(heads) > 0 && heads[0].box.Y0 < m.box.Y0 {
			h := heads[0]
			heads, begun, last.heading = heads[1:], true, ""
			if m.box.Y0-h.box.Y1 < headingReach*max(h.box.Y1-h.box.Y0, m.box.Y1-m.box.Y0) {
				last.heading = h.word
			}
		}
		last.letters = letters
		l.add(m, last.heading)
	}
	return last
}

// add takes what a row says; what another one says differently is not known.
func (l list) add(m *mention, heading string) {
	key := same(m.number)
	old, known := l[key]
	switch {
	case !known:
		old = row{title: m.follows, heading: heading}
	case plain(old.title) != plain(m.follows):
		old.title = ""
	}
	if heading != "" && old.heading != heading {
		old.heading, old.disputed = heading, old.disputed || old.heading != ""
	}
	l[key] = old
}

// disciplines says what each sheet is about, by what is sure of it.
func disciplines(sheets []Sheet, listed list) {
	said := make([]discipline.Said, len(sheets))
	for i, s := range sheets {
		if s.Number.Confidence >= sureNumber {
			said[i].Number = s.Number.Text
			if r := listed[same(s.Number.Text)]; !r.disputed {
				said[i].Heading = r.heading
			}
		}
		if s.Title.Confidence >= sureTitle {
			said[i].Title = s.Title.Text
		}
	}
	for i, word := range discipline.Decide(said) {
		sheets[i].Discipline = word
	}
}
