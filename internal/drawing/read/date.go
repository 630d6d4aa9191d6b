package read

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	numeric    = regexp.MustCompile(`^(\d{1,2})[/.\-](\d{1,2})[/.\-](\d{4}|\d{2})$`)
	yearFirst  = regexp.MustCompile(`^(\d{4})[/.\-](\d{1,2})[/.\-](\d{1,2})$`)
	monthFirst = regexp.MustCompile(`^([A-Z]{3,10})\.?[ \-](\d{1,2})(?:ST|ND|RD|TH)?,?[ \-](\d{4}|\d{2})$`)
	dayFirst   = regexp.MustCompile(`^(\d{1,2})[ \-.]([A-Z]{3,10})\.?,?[ \-](\d{4}|\d{2})$`)
	monthOnly  = regexp.MustCompile(`^([A-Z]{3,10})\.?,? (\d{4})$`)
)

// joints are what stands between the parts of a date in some languages: "14. März 2026", "14 de marzo de 2026".
var joints = strings.NewReplacer(" DE ", " ", " DI ", " ", ". ", " ")

// day is a date as written; of a numeric one it is not known which number is the month.
type day struct {
	year, a, b int
	open       bool // a and b may be month and day or the reverse; otherwise a is the month
}

func parseDate(s string) (day, bool) {
	s = joints.Replace(folded(strings.TrimSpace(s)))
	if m := yearFirst.FindStringSubmatch(s); m != nil {
		return checked(day{number(m[1]), number(m[2]), number(m[3]), false})
	}
	if m := numeric.FindStringSubmatch(s); m != nil {
		return checked(day{century(m[3]), number(m[1]), number(m[2]), true})
	}
	if m := monthFirst.FindStringSubmatch(s); m != nil {
		return checked(day{century(m[3]), month(m[1]), number(m[2]), false})
	}
	if m := dayFirst.FindStringSubmatch(s); m != nil {
		return checked(day{century(m[3]), month(m[2]), number(m[1]), false})
	}
	if m := monthOnly.FindStringSubmatch(s); m != nil {
		return checked(day{number(m[2]), month(m[1]), 1, false})
	}
	return day{}, false
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

func century(s string) int {
	n := number(s)
	if len(s) == 2 {
		n += 2000
	}
	return n
}

// month is the number of a month by its name or the beginning of it; 0 where it is none.
func month(s string) int {
	for m, names := range months {
		for _, name := range names {
			if len(s) >= 3 && strings.HasPrefix(name, s) && s != "JUI" || s == "SEPT" && m == 8 {
				return m + 1
			}
		}
	}
	return 0
}

func checked(d day) (day, bool) {
	ok := d.year >= 1900 && d.year < 2100 && d.a >= 1 && d.b >= 1
	if d.open {
		return d, ok && d.a <= 31 && d.b <= 31 && min(d.a, d.b) <= 12
	}
	return d, ok && d.a <= 12 && d.b <= 31
}

// write settles which number is the month.
func (d day) write(daysFirst bool) string {
	m, n := d.a, d.b
	if d.open && (d.a > 12 || daysFirst && d.b <= 12) {
		m, n = d.b, d.a
	}
	return fmt.Sprintf("%04d-%02d-%02d", d.year, m, n)
}

// dated is a date on a page.
type dated struct {
	day
	line   *Line
	box    Box
	inline bool // its label stands in the same line
}

func (b *blocks) dates() {
	found := make([][]dated, len(b.leaves))
	days, months := 0, 0
	for i, leaf := range b.leaves {
		found[i] = datesOf(leaf)
		for _, d := range found[i] {
			if d.open && d.a > 12 {
				days++
			}
			if d.open && d.b > 12 {
				months++
			}
		}
	}
	for i, leaf := range b.leaves {
		daysFirst := days > months
		if days == months {
			daysFirst = international(leaf)
		}
		if len(found[i]) == 0 {
			continue
		}
		d := pickDate(found[i], leaf, daysFirst, b.sheets[i].Number.Box)
		if b.sheets[i].Number.Text != "" || d.Confidence >= labelledDate {
			b.sheets[i].Date = d
		}
	}
}

// labelledDate is how sure a date is at least that has a label of its own: a page without a number has no other.
const labelledDate = 0.8

// international is whether a page has the proportions of the A series, whose users write the day first.
func international(l *Leaf) bool {
	long, short := max(l.width, l.height), min(l.width, l.height)
	return math.Abs(long/short-math.Sqrt2) < 0.006
}

// datesOf finds dates that stand alone or behind their label: a date in a sentence is about something else.
func datesOf(leaf *Leaf) []dated {
	var out []dated
	for j := range leaf.edge {
		l := &leaf.edge[j]
		if d, ok := parseDate(l.Text); ok {
			out = append(out, dated{d, l, l.Box, false})
			continue
		}
		for n := 1; n < min(4, len(l.Words)); n++ {
			var head, tail []string
			for k, w := range l.Words {
				if k < n {
					head = append(head, w.Text)
				} else {
					tail = append(tail, w.Text)
				}
			}
			if d, ok := parseDate(strings.Join(tail, " ")); ok && dateLabels[bare(strings.Join(head, " "))] {
				out = append(out, dated{d, l, l.Words[n].Box.join(l.Words[len(l.Words)-1].Box), true})
			}
		}
	}
	return out
}

// pickDate prefers a date with a label of its own; in a table of issues the latest counts.
func pickDate(all []dated, leaf *Leaf, daysFirst bool, number Box) Value {
	best := Value{}
	for _, d := range all {
		text := d.write(daysFirst)
		rows, over, beside := 0, false, d.inline
		for _, o := range all {
			if o.line != d.line && o.line.Angle == d.line.Angle && o.line.u0 < d.line.u1 && o.line.u1 > d.line.u0 &&
				math.Abs(o.line.v-d.line.v) < 8*d.line.Size {
				rows++
			}
		}
		for j := range leaf.edge {
			o := &leaf.edge[j]
			if o.Angle != d.line.Angle || !dateLabels[bare(o.Text)] {
				continue
			}
			over = over || above(o, d.line)
			beside = beside || before(o, d.line)
		}
		sure := 0.35
		switch {
		case beside:
			sure = 0.9
		case over && rows == 0:
			sure = 0.8
		case over || rows > 0:
			sure = 0.6
		}
		x, y := d.box.mid()
		nx, ny := number.mid()
		if math.Hypot((x-nx)/leaf.width, (y-ny)/leaf.height) < 0.25 {
			sure += 0.05
		}
		switch {
		case sure > best.Confidence+0.1, sure > best.Confidence-0.1 && text > best.Text && sure < 0.7, best.Text == "":
			best = Value{text, sure, d.box}
		}
	}
	return best
}
