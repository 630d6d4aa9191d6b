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
	pointed bool   // a view's number, or a word such as SEE, makes it a reference
	follows string // what stands behind it, as titles do in an index
}

var (
	viewNumber = regexp.MustCompile(`^([0-9]{1,2}[A-Z]?|[A-Z]|[A-Z][0-9]{1,2}|-)$`)
	overNumber = regexp.MustCompile(`^([0-9]{1,2}[A-Z]?|[A-Z])$`)
	pointers   = labels("SEE", "RE", "REF", "REFER", "REFERENCE", "SHEET", "SHEETS", "SHT", "DWG", "DWGS", "DRAWING", "DRAWINGS", "PER")
)

// mentions finds everything on a page that looks like a sheet's number.
func mentions(lines []Line) []mention {
	var out []mention
	for i := range lines {
		l := &lines[i]
		pointed := false
		for k, w := range l.Words {
			text := strings.Trim(w.Text, ".,;:()[]")
			m := mention{number: text, text: w.Text, box: w.Box, pointed: pointed}
			if view, sheet, cut := strings.Cut(text, "/"); cut {
				if !viewNumber.MatchString(view) {
					continue
				}
				m.number, m.pointed = sheet, true
				m.box = tail(w, l.Angle, len([]rune(view))+1)
			}
			if pointers[bare(text)] {
				pointed = true
			}
			if !isNumber(m.number) {
				continue
			}
			if len(l.Words) == 1 && !m.pointed {
				if o := viewOver(l, lines, i); o != nil {
					m.pointed, m.text = true, o.Text+"/"+m.number
				}
			}
			if k == 0 && !m.pointed {
				m.follows = rest(l, lines, i)
			}
			out = append(out, m)
		}
	}
	return out
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

// viewOver is the short text centred right above a number, as in the two halves of a bubble. Lines come in reading order, so it is not far before.
func viewOver(l *Line, lines []Line, i int) *Line {
	for j := i - 1; j >= 0; j-- {
		o := &lines[j]
		if o.Angle != l.Angle || l.v-o.v > 2.8*l.Size+3 {
			return nil
		}
		gap := (l.v - o.v) / l.Size
		if gap > 0.85 && gap < 2.6 && math.Abs(o.u0+o.u1-l.u0-l.u1)/2 < 0.45*l.Size && o.Size < 1.7*l.Size && l.Size < 1.4*o.Size && overNumber.MatchString(o.Text) {
			return o
		}
	}
	return nil
}

// rest is what stands on the same base line behind a number.
func rest(l *Line, lines []Line, i int) string {
	if len(l.Words) > 1 {
		return strings.TrimSpace(strings.TrimPrefix(l.Text, l.Words[0].Text))
	}
	best := (*Line)(nil)
	for _, step := range []int{1, -1} {
		for j := i + step; j >= 0 && j < len(lines); j += step {
			o := &lines[j]
			if o.Angle != l.Angle || math.Abs(o.v-l.v) > l.Size {
				break
			}
			if math.Abs(o.v-l.v) < 0.45*l.Size && o.u0 >= l.u1 && o.u0-l.u1 < 14*l.Size && (best == nil || o.u0 < best.u0) {
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
	titles := map[string][]string{}
	for _, s := range sheets {
		if s.Number.Text != "" {
			titles[s.Number.Text] = append(titles[s.Number.Text], plain(s.Title.Text))
		}
	}
	for i, leaf := range leaves {
		own := sheets[i].Number.Text
		for _, m := range leaf.mentions {
			names, known := titles[m.number]
			if !known || m.number == own {
				continue
			}
			follows := plain(m.follows)
			listed := follows != "" && slices.ContainsFunc(names, func(t string) bool { return t == follows })
			if m.pointed || listed {
				sheets[i].Callouts = append(sheets[i].Callouts, Callout{m.number, m.text, m.box})
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
