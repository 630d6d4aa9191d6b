package read

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var (
	// code is how sheet numbers look in general: groups of capitals and digits, perhaps with a small letter behind.
	code = regexp.MustCompile(`^[A-Z0-9]+(?:[-–.][A-Z0-9]+){0,6}[a-z]?$`)
	// parted is a code whose letters stand apart from the rest.
	parted = regexp.MustCompile(`^[A-Z]{1,3} [0-9]{1,4}(?:[-–.][0-9]{1,3})?[A-Z]{0,2}[a-z]?$`)
	// shape is how most of them look: letters of a discipline, digits, perhaps a second group, perhaps a letter.
	shape = regexp.MustCompile(`^([A-Z]{1,3})[-–. ]?([0-9]{1,4})(?:[.\-–]([0-9]{1,3}))?([A-Za-z]{0,2})$`)
)

// trades are the letters that drawings of a discipline begin with, by the customs of North American offices.
var trades = strings.Fields("G H V B C L S A I Q F P D M E W T R X Z O N K U J Y " +
	"GI GC CS TS LS CV CG CU CD CE LA LI LP LD AD AE AI AF AG AS AR ID IN SB SF SD SE ST FP FA FS PD PL MD MH MP ME MI ED EL EP ES EY EA TN TY TC AV SK QF EX DM FX")

// counting are short words that a number follows without being a sheet's.
var counting = labels("REV", "NO", "NR", "OF", "LOT", "BID", "ALT", "VOL", "BOX", "TEL", "FAX", "TYP")

// isNumber is whether a text could be the number of some sheet: it has letters and digits, and not too many of either in a row.
func isNumber(s string) bool {
	if head, _, cut := strings.Cut(s, " "); cut {
		return parted.MatchString(s) && !counting[head]
	}
	if len(s) < 2 || len(s) > 32 || !code.MatchString(s) {
		return false
	}
	letters, digits, inRow, kind := 0, 0, 0, false
	for _, r := range s {
		digit := unicode.IsDigit(r)
		switch {
		case digit:
			digits++
		case unicode.IsLetter(r):
			letters++
		default:
			inRow = 0
			continue
		}
		if digit != kind {
			inRow, kind = 0, digit
		}
		if inRow++; inRow > 4 {
			return false
		}
	}
	return letters > 0 && digits > 0
}

// isUsual is whether a number is made as those of most offices are.
func isUsual(s string) bool {
	m := shape.FindStringSubmatch(s)
	return m != nil && slices.Contains(trades, m[1])
}

// skeleton is what numbers of one set have in common: where letters, digits and marks stand.
func skeleton(s string) string {
	var out []rune
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			r = '9'
		case unicode.IsLetter(r):
			r = 'A'
		}
		if len(out) == 0 || out[len(out)-1] != r {
			out = append(out, r)
		}
	}
	return string(out)
}

// same is a number without what two writers of it may do differently.
func same(number string) string {
	return strings.ReplaceAll(strings.ReplaceAll(number, " ", ""), "–", "-")
}

// candidate is a number that may be the sheet's own.
type candidate struct {
	text  string
	box   Box
	angle int
	size  float64
	score float64
	label float64
	// joined is one that other words follow or precede, perhaps those of the next cell.
	joined bool
}

var (
	sheetWords = labels("SHEET", "SHT", "DRAWING", "DRG", "DWG", "PLAN", "PLATE", "PAGE", "DOCUMENT", "DOC")
	countWords = labels("NO", "NR", "NUMBER", "NUM", "#", "N°", "ID", "REF", "REFERENCE", "CODE")
)

// isNumberLabel is whether a text announces a sheet's number.
func isNumberLabel(s string) bool {
	words := strings.FieldsFunc(bare(s), func(r rune) bool { return r == ' ' || r == '/' || r == '-' })
	for _, w := range words {
		if !sheetWords[w] && !countWords[w] {
			return false
		}
	}
	return len(words) > 0 && len(words) < 4
}

func labels(words ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		m[w] = true
	}
	return m
}

// in is a test for labels of a list.
func in(words map[string]bool) func(string) bool {
	return func(s string) bool { return words[bare(s)] }
}

// bare is a label without what surrounds it: capitals, no colon, no full stops.
func bare(s string) string {
	return strings.TrimSpace(strings.Trim(strings.ReplaceAll(strings.ToUpper(s), ".", ""), " :-–"))
}

// candidates are the numbers that stand alone, behind their label, or at an end of a line.
func candidates(lines []Line) []candidate {
	var out []candidate
	largest := 1.0 // of those that stand alone
	for _, l := range lines {
		if text, box, label, ok := alone(l); ok {
			out = append(out, candidate{text: text, box: box, angle: l.Angle, label: max(label, labelled(l, lines, isNumberLabel)), size: l.Size})
			largest = max(largest, l.Size)
			continue
		}
		for _, w := range ends(l) {
			if isNumber(w.Text) {
				out = append(out, candidate{text: w.Text, box: w.Box, angle: l.Angle, size: l.Size, joined: true})
			}
		}
	}
	for i := range out {
		c := &out[i]
		c.score = 2.5*min(1, c.size/largest) + 2*c.label
		if isUsual(c.text) {
			c.score++
		}
	}
	slices.SortStableFunc(out, strongestFirst)
	const kept = 40 // of those made alike: a schedule may have hundreds
	made := map[string]int{}
	return slices.DeleteFunc(out, func(c candidate) bool {
		k := skeleton(c.text)
		made[k]++
		return made[k] > kept
	})
}

// stand adds to a score what its place on the page is worth: most numbers stand at an edge, and many at the lower right.
func (c *candidate) stand(w, h float64) {
	x, y := c.box.mid()
	corner := math.Hypot((w-x)/w, (h-y)/h)
	edge := min(x/w, y/h, (w-x)/w, (h-y)/h)
	c.score += 1.6*max(0, 1-corner*1.6) + max(0, 1-edge*6)
	if c.joined {
		c.score *= 0.5
	}
}

func strongestFirst(a, b candidate) int { return cmp.Compare(b.score, a.score) }

// ends are the first and the last word of a line that has more than one.
func ends(l Line) []Word {
	if n := len(l.Words); n > 1 {
		return []Word{l.Words[0], l.Words[n-1]}
	}
	return nil
}

// alone is whether a line is nothing but a number, or its label and the number.
func alone(l Line) (text string, box Box, label float64, ok bool) {
	if isNumber(l.Text) {
		return l.Text, l.Box, 0, true
	}
	n := len(l.Words)
	if n < 2 || n > 5 {
		return "", Box{}, 0, false
	}
	last := l.Words[n-1]
	rest := make([]string, 0, 4)
	for _, w := range l.Words[:n-1] {
		rest = append(rest, w.Text)
	}
	if isNumber(last.Text) && isNumberLabel(strings.Join(rest, " ")) {
		return last.Text, last.Box, 1, true
	}
	return "", Box{}, 0, false
}

// labelled is how surely a label belongs to a line: 1 where it stands above or before it, less where it stands below, since it may belong to what is there.
func labelled(l Line, lines []Line, label func(string) bool) float64 {
	sure := 0.0
	for i := range lines {
		o := &lines[i]
		switch {
		case o.Angle != l.Angle:
		case (above(o, &l) || before(o, &l)) && label(o.Text):
			return 1
		case heads(o, &l) && label(o.Text) && nothingBetween(o, &l, lines):
			return 1
		case below(o, &l) && label(o.Text):
			sure = 0.4
		}
	}
	return sure
}

// heads is whether label o stands at the top of a tall cell in which line l may be.
func heads(o, l *Line) bool {
	gap := l.v - o.v
	return o.Size < l.Size && gap > 0 && gap < 12*l.Size && o.u0 < l.u1 && o.u1 > l.u0-4*l.Size
}

// nothingBetween is whether nothing stands between a label and a line.
func nothingBetween(o, l *Line, lines []Line) bool {
	return !slices.ContainsFunc(lines, func(m Line) bool {
		return m.Angle == l.Angle && m.v > o.v+0.5*o.Size && m.v < l.v-0.5*l.Size && m.u0 < max(l.u1, o.u1) && m.u1 > min(l.u0, o.u0)
	})
}

// above is whether label o stands over line l: not far, and over some part of its cell.
func above(o, l *Line) bool {
	gap := l.v - o.v
	reach := 2.2*l.Size + 30
	return o.Size <= l.Size*1.15 && gap > 0.4*o.Size && gap < reach && o.u0 < l.u1+0.5*l.Size && o.u1 > l.u0-max(4*l.Size, 90)
}

// before is whether label o stands on the base line of l, to its left.
func before(o, l *Line) bool {
	return math.Abs(o.v-l.v) < 0.45*max(l.Size, o.Size) && o.u1 <= l.u0+1 && l.u0-o.u1 < 130
}

// below is whether label o stands under line l, smaller than it.
func below(o, l *Line) bool {
	gap := o.v - l.v
	return o.Size < l.Size*0.9 && gap > 0.4*l.Size && gap < 1.6*l.Size+12 && o.u0 < l.u1+0.5*l.Size && o.u1 > l.u0-max(4*l.Size, 90)
}

// settle decides whether the blanks in a set's numbers are meant, or come from letters set apart: by how the sheets write each other's numbers.
func settle(leaves []*Leaf, sheets []Sheet) {
	read := map[string]bool{}
	for _, s := range sheets {
		read[same(s.Number.Text)] = true
	}
	parted, joined := 0, 0
	for i, leaf := range leaves {
		for _, m := range leaf.mentions {
			switch {
			case !read[same(m.number)] || same(m.number) == same(sheets[i].Number.Text):
			case strings.Contains(m.number, " "):
				parted++
			default:
				joined++
			}
		}
	}
	if parted > joined {
		return
	}
	for i := range sheets {
		sheets[i].Number.Text = strings.ReplaceAll(sheets[i].Number.Text, " ", "")
	}
}
