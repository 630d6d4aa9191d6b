package read

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// mention is a number of some sheet on a page, before it is known which sheets there are.
type mention struct {
	number  string
	text    string
	box     Box
	angle   int
	pointed bool   // a view's number, or a word such as SEE, makes it a reference
	follows string // what stands behind it, as titles do in an index
}

var (
	viewNumber = regexp.MustCompile(`^([0-9]{1,2}[A-Z]?|[A-Z]|[A-Z][0-9]{1,2}|-)$`)
	overNumber = regexp.MustCompile(
		`^((DETAIL|DET|DTL|SECTION|SECT|SEC|ELEVATION|ELEV|VIEW)\.? ?)?([0-9]{1,2}[A-Z]?|[A-Z][0-9]{0,2})$`)
	pointers = labels("SEE", "RE", "REF", "REFER", "REFERENCE", "SHEET", "SHEETS", "SHT", "DWG", "DWGS", "DRAWING",
		"DRAWINGS", "DRG", "PER", "DETAIL", "DETAILS", "DET", "DTL", "SECTION", "ELEVATION", "SIM", "ON")
)

// mentions finds everything on a page that looks like a sheet's number and may refer to it.
func mentions(lines []Line) []mention {
	var out []mention
	for i := range lines {
		l := &lines[i]
		pointed := false
		for k, w := range l.Words {
			m, words := mentionAt(l, k)
			m.pointed = m.pointed || pointed
			if pointers[bare(strings.Trim(w.Text, punctuation))] {
				pointed = true
			}
			if words == 0 {
				continue
			}
			if len(l.Words) == words && !m.pointed {
				o := viewOver(l, lines, i)
				if o == nil {
					o = viewBeside(l, lines, i)
				}
				if o != nil {
					m.pointed, m.text = true, o.Text+"/"+m.number
				}
			}
			if k == 0 && !m.pointed {
				m.follows = rest(l, words, lines, i)
			}
			if m.pointed || m.follows != "" {
				out = append(out, m)
			}
			if len(out) == mostMentions {
				return out
			}
		}
	}
	return out
}

const punctuation = ".,;:()[]"

// mentionAt is the number that begins with a word of a line, perhaps behind its view, and how many words it has: 0 when
// there is none.
func mentionAt(l *Line, k int) (m mention, words int) {
	w := l.Words[k]
	text := strings.Trim(w.Text, punctuation)
	m = mention{number: text, text: w.Text, box: w.Box, angle: l.Angle}
	if view, sheet, cut := strings.Cut(text, "/"); cut {
		if !viewNumber.MatchString(view) {
			return m, 0
		}
		m.number, m.pointed = sheet, true
		m.box = tail(w, l.Angle, len([]rune(view))+1)
	}
	if k > 1 && l.Words[k-1].Text == "/" && viewNumber.MatchString(strings.Trim(l.Words[k-2].Text, punctuation)) {
		m.pointed = true
	}
	if isNumber(m.number) {
		return m, 1
	}
	if k+1 < len(l.Words) {
		next := l.Words[k+1]
		if both := m.number + " " + strings.Trim(next.Text, punctuation); isNumber(both) {
			m.number, m.text, m.box = both, m.text+" "+next.Text, m.box.join(next.Box)
			return m, 2
		}
	}
	return m, 0
}

// tail is the box of a word without its first letters.
func tail(w Word, angle, letters int) Box {
	f := float64(letters) / float64(len([]rune(w.Text)))
	b := w.Box
	switch angle {
	case 0:
		b.X0 += (b.X1 - b.X0) * f
	case 90:
		b.Y0 += (b.Y1 - b.Y0) * f
	case 180:
		b.X1 -= (b.X1 - b.X0) * f
	case 270:
		b.Y1 -= (b.Y1 - b.Y0) * f
	}
	return b
}

// viewOver is the short text centred right above a number, as in the two halves of a bubble. Lines come in reading
// order, so it is not far before.
func viewOver(l *Line, lines []Line, i int) *Line {
	for j := i - 1; j >= max(0, i-mostNear); j-- {
		o := &lines[j]
		if o.Angle != l.Angle || l.v-o.v > 2.8*l.Size+3 {
			return nil
		}
		gap := (l.v - o.v) / l.Size
		// A section's head may have its view in letters twice as large as the sheet's number.
		if gap > 0.6*max(1, (o.Size+l.Size)/2/l.Size) && gap < 2.6 && math.Abs(o.u0+o.u1-l.u0-l.u1)/2 < 0.45*l.Size &&
			o.Size < 2.6*l.Size && l.Size < 1.4*o.Size && overNumber.MatchString(o.Text) {
			return o
		}
	}
	return nil
}

// viewBeside is the short text right before a number, where the two stand by themselves, as in the two halves of a box.
func viewBeside(l *Line, lines []Line, i int) *Line {
	var view *Line
	for _, step := range []int{-1, 1} {
		for j := i + step; j >= max(0, i-mostNear) && j < min(len(lines), i+mostNear); j += step {
			o := &lines[j]
			if o.Angle != l.Angle || math.Abs(o.v-l.v) > 3*l.Size {
				break
			}
			gap := max(o.u0-l.u1, l.u0-o.u1) / l.Size
			switch beside := math.Abs(o.v-l.v) < 0.2*l.Size; {
			case beside && o.u1 <= l.u0 && gap < 2.5 && alike(o.Size, l.Size) && overNumber.MatchString(o.Text):
				view = o
			case gap < 4:
				return nil // part of a table, or of a text
			}
		}
	}
	return view
}

// rest is what stands on the same base line behind a number of so many words.
func rest(l *Line, words int, lines []Line, i int) string {
	if len(l.Words) > words {
		var out []string
		for _, w := range l.Words[words:] {
			out = append(out, w.Text)
		}
		return strings.Join(out, " ")
	}
	best := (*Line)(nil)
	for _, step := range []int{1, -1} {
		for j := i + step; j >= max(0, i-mostNear) && j < min(len(lines), i+mostNear); j += step {
			o := &lines[j]
			if o.Angle != l.Angle || math.Abs(o.v-l.v) > l.Size {
				break
			}
			if math.Abs(o.v-l.v) < 0.45*l.Size && o.u0 >= l.u1 && o.u0-l.u1 < 14*l.Size && (best == nil ||
				o.u0 < best.u0) {
				best = o
			}
		}
	}
	if best == nil {
		return ""
	}
	return best.Text
}

// link keeps the mentions that refer to another sheet of the set.
func link(leaves []*Leaf, sheets []Sheet) {
	type entry struct {
		number string
		titles map[string]bool
	}
	known := map[string]*entry{}
	for _, s := range sheets {
		if s.Number.Text == "" {
			continue
		}
		key := same(s.Number.Text)
		if known[key] == nil {
			known[key] = &entry{s.Number.Text, map[string]bool{}}
		}
		known[key].titles[plain(s.Title.Text)] = true
	}
	for i, leaf := range leaves {
		own := same(sheets[i].Number.Text)
		for _, m := range leaf.mentions {
			e := known[same(m.number)]
			if e == nil || same(m.number) == own {
				continue
			}
			follows := plain(m.follows)
			if m.pointed || follows != "" && e.titles[follows] {
				sheets[i].Callouts = append(sheets[i].Callouts, Callout{e.number, m.text, m.box})
			}
		}
		slices.SortStableFunc(sheets[i].Callouts, func(a, b Callout) int {
			return cmp.Or(cmp.Compare(a.Box.Y0, b.Box.Y0), cmp.Compare(a.Box.X0, b.Box.X0))
		})
	}
}

// plain is a title without what two writers of it may do differently.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '–', '.', ',', '&':
			return -1
		}
		return r
	}, strings.ToUpper(s))
}
