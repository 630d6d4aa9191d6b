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
	// wide is how any office may write them: with small letters, underscores and strokes, or with digits alone. What
	// looks like that is one only where something says so.
	wide = regexp.MustCompile(`^[A-Za-z0-9]+(?:[-–._/][A-Za-z0-9]+){0,9}$`)
	// parted is a code whose letters stand apart from the rest.
	parted = regexp.MustCompile(`^[A-Z]{1,3} [0-9]{1,4}(?:[-–.][0-9]{1,3})?[A-Z]{0,2}[a-z]?$`)
	// shape is how most of them look: letters of a discipline, digits, perhaps a second group, perhaps a letter.
	shape = regexp.MustCompile(`^([A-Z]{1,3})[-–. ]?([0-9]{1,4})(?:[.\-–]([0-9]{1,3}))?([A-Za-z]{0,2})$`)
)

// quantity is a length with its unit, or what is counted: 13.50m, 50TH, 2e.
var quantity = regexp.MustCompile(`^(?:[0-9]+(?:[.,][0-9]+)?(?:m|M|MM|CM|KG|KV|KW)|[0-9]*(?:1ST|2ND|3RD|[0-9]TH)|[0-9]{1,2}e)$`)

// trades are the letters that drawings of a discipline begin with, by the customs of North American offices.
var trades = strings.Fields("G H V B C L S A I Q F P D M E W T R X Z O N K U J Y " +
	"GI GC CS TS LS CV CG CU CD CE LA LI LP LD AD AE AI AF AG AS AR ID IN SB SF SD SE ST FP FA FS PD PL MD MH MP ME MI ED EL EP ES EY EA TN TY TC AV SK QF EX DM FX")

// counting are short words that a number follows without being a sheet's.
var counting = labels("REV", "NO", "NR", "OF", "LOT", "BID", "ALT", "VOL", "BOX", "TEL", "FAX", "TYP")

// isNumber is whether a text could be the number of some sheet: it has letters and digits, and not too many of either
// in a row.
func isNumber(s string) bool {
	if head, _, cut := strings.Cut(s, " "); cut {
		return parted.MatchString(s) && !counting[head]
	}
	if len(s) < 2 || len(s) > 32 || !code.MatchString(s) || quantity.MatchString(s) {
		return false
	}
	// Where groups are parted they may be longer: SMATV-108, 12-A-131002.
	mostLetters, mostDigits := 4, 4
	if strings.ContainsAny(s, "-–.") {
		mostLetters, mostDigits = 5, 6
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
		if inRow++; digit && inRow > mostDigits || !digit && inRow > mostLetters {
			return false
		}
	}
	return letters > 0 && digits > 0
}

// isWide is whether a text could be a number where a label, or a name from outside of the page, says that it is one.
func isWide(s string) bool {
	if len(s) < 2 || len(s) > 40 || !wide.MatchString(s) || !strings.ContainsAny(s, "0123456789") ||
		ratio.MatchString(s) || files.MatchString(s) || quantity.MatchString(s) {
		return false
	}
	inRow := 0
	for _, r := range s {
		if inRow++; !unicode.IsDigit(r) {
			inRow = 0
		}
		if inRow > 8 { // telephones have more
			return false
		}
	}
	_, isDate := parseDate(s)
	return !isDate || chapters.MatchString(s)
}

var (
	// chapters are numbers like those of chapters, some of which are also days.
	chapters = regexp.MustCompile(`^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2}$`)
	ratio    = regexp.MustCompile(`^1[/.][0-9]+$`)
	// paper is a size of paper that is also how small sets number their sheets.
	paper = regexp.MustCompile(`^[AB][0-5]$`)
)

// digitsOnly is whether a number has no letters.
func digitsOnly(s string) bool { return !strings.ContainsFunc(s, unicode.IsLetter) }

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
	// odd is one that is a number only where a label or a name from outside says so; doubtful only where a name does.
	odd, doubtful bool
	// claimed is one that a name from outside of the page agrees with.
	claimed bool
	// mark is one that stands on its page again and again, or among others of its kind: what names doors or rooms.
	mark bool
	// doubt is how unsure its letters are, where they were recognised; respelled is one that is written as others are.
	doubt     float64
	respelled bool
}

// oddity finds what speaks against a text that stands alone: it may be the size of the paper, a revision, or anything
// with a digit in it.
func (c *candidate) oddity(l Line, around *labelling) {
	switch {
	case paper.MatchString(c.text):
		c.odd = true
		c.doubtful = labelled(l, around.formats, around.lines) > 0
	case !isNumber(c.text):
		c.odd = true
		if digitsOnly(c.text) && labelled(l, around.sheets, around.lines) < 1 {
			c.doubtful = true
		}
	}
	// A revision is short: a longer number beside that label is in the next cell.
	if c.label < 1 && len(c.text) <= longestRevision && labelled(l, around.revisions, around.lines) == 1 {
		c.doubtful = true
	}
}

// longestRevision is how many letters and digits the name of a revision has at most: P01, R12.
const longestRevision = 3

// labelling is the labels of a page that tell what a number is about.
type labelling struct {
	lines                               []Line
	numbers, sheets, formats, revisions []*Line
}

func labelsOf(lines []Line) *labelling {
	return &labelling{
		lines, marked(lines, isNumberLabel), marked(lines, isSheetLabel), marked(lines, in(formatLabels)),
		marked(lines, in(revisionLabels)),
	}
}

// stays is whether a candidate may be the number of a page; on paper whose sizes are called so, A1 needs a label.
func (c *candidate) stays(leaf *Leaf) bool {
	switch {
	case c.claimed:
		return true
	case c.doubtful:
		return false
	case paper.MatchString(c.text):
		return !international(leaf) || c.label >= 1
	}
	return !c.odd || c.label >= 1
}

// candidates are the numbers that stand alone, behind their label, or at an end of a line.
func candidates(lines []Line) []candidate {
	var out []candidate
	largest := 1.0 // of those that stand alone
	around := labelsOf(lines)
	for _, l := range lines {
		if text, box, label, ok := alone(l); ok {
			c := candidate{
				text: text, box: box, angle: l.Angle,
				label: max(label, labelled(l, around.numbers, lines)), size: l.Size, doubt: l.doubt(box),
			}
			if c.oddity(l, around); label == 1 {
				c.doubtful = false
			}
			if isNumber(text) {
				largest = max(largest, l.Size)
			}
			out = append(out, c)
			continue
		}
		if w := underLabel(l, around); w != nil {
			out = append(out, candidate{
				text: w.Text, box: w.Box, angle: l.Angle, size: l.Size, label: 1, odd: !isNumber(w.Text),
				doubt: w.Doubt,
			})
			continue
		}
		for _, w := range ends(l) {
			if isNumber(w.Text) {
				out = append(out, candidate{
					text: w.Text, box: w.Box, angle: l.Angle, size: l.Size, joined: true, doubt: w.Doubt,
				})
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
	out = slices.DeleteFunc(out, func(c candidate) bool {
		k := skeleton(c.text)
		made[k]++
		return made[k] > kept
	})
	return out[:min(len(out), mostNumbers)]
}

// stand adds to a score what its place on the page is worth: most numbers stand at an edge, and many at the lower
// right.
func (c *candidate) stand(w, h float64) {
	x, y := c.box.mid()
	corner := math.Hypot((w-x)/w, (h-y)/h)
	edge := min(x/w, y/h, (w-x)/w, (h-y)/h)
	c.score += 1.6*max(0, 1-corner*1.6) + max(0, 1-edge*6)
	if c.joined {
		c.score *= 0.5
	}
}

// underLabel is the word of a line that stands right below the label of a sheet's number: values of a row of small
// cells may be so close that they are one line.
func underLabel(l Line, around *labelling) *Word {
	if n := len(l.Words); n < 2 || n > 12 {
		return nil
	}
	for i := range l.Words {
		w := &l.Words[i]
		if !isNumber(w.Text) && !isWide(w.Text) {
			continue
		}
		one := Line{Text: w.Text, Box: w.Box, Size: l.Size, Angle: l.Angle, Words: l.Words[i : i+1]}
		one.place()
		for _, o := range around.sheets {
			gap := one.v - o.v
			if o.Angle == l.Angle && o.Size < 1.15*l.Size && gap > 0.6*o.Size && gap < 2.2*l.Size &&
				math.Abs(o.u0-one.u0) < 1.5*l.Size {
				return w
			}
		}
	}
	return nil
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
	if isNumber(l.Text) || isWide(l.Text) {
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
	if (isNumber(last.Text) || isWide(last.Text) && isSheetLabel(strings.Join(rest, " "))) &&
		isNumberLabel(strings.Join(rest, " ")) {
		return last.Text, last.Box, 1, true
	}
	return "", Box{}, 0, false
}

// doubt is that of the least sure of a line's words that stand in a box.
func (l *Line) doubt(b Box) (doubt float64) {
	for i := range l.Words {
		if x, y := l.Words[i].Box.mid(); inside(x, y, b) {
			doubt = max(doubt, l.Words[i].Doubt)
		}
	}
	return doubt
}

// marked are the lines that are labels of a kind, in their order: few, even where lines are many.
func marked(lines []Line, label func(string) bool) (out []*Line) {
	for i := range lines {
		if label(lines[i].Text) {
			out = append(out, &lines[i])
		}
	}
	return out
}

// labelled is how surely one of some labels belongs to a line: 1 where it stands above or before it, less where it
// stands below, since it may belong to what is there.
func labelled(l Line, labels []*Line, lines []Line) float64 {
	sure, heading := 0.0, 0
	for _, o := range labels {
		switch {
		case o.Angle != l.Angle:
		case above(o, &l) || before(o, &l):
			return 1
		case heading < mostHeads && heads(o, &l):
			if heading++; nothingBetween(o, &l, lines) {
				return 1
			}
		case below(o, &l):
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
		return m.Angle == l.Angle && m.v > o.v+0.5*o.Size && m.v < l.v-0.5*l.Size && m.u0 < max(l.u1, o.u1) &&
			m.u1 > min(l.u0, o.u0)
	})
}

// above is whether label o stands over line l: not far, and over some part of its cell.
func above(o, l *Line) bool {
	gap := l.v - o.v
	reach := 2.2*l.Size + 30
	if o.Size > l.Size*1.15 { // a large label stands close over its value, and begins with it
		return o.Size < l.Size*1.6 && gap > 0.4*o.Size && gap < 1.5*o.Size && math.Abs(o.u0-l.u0) < o.Size
	}
	return gap > 0.4*o.Size && gap < reach && o.u0 < l.u1+0.5*l.Size && o.u1 > l.u0-max(4*l.Size, 90)
}

// before is whether label o stands on the base line of l, to its left.
func before(o, l *Line) bool {
	return math.Abs(o.v-l.v) < 0.45*max(l.Size, o.Size) && o.u1 <= l.u0+1 && l.u0-o.u1 < 130
}

// below is whether label o stands under line l, smaller than it.
func below(o, l *Line) bool {
	gap := o.v - l.v
	return o.Size < l.Size*0.9 && gap > 0.4*l.Size && gap < 1.6*l.Size+12 && o.u0 < l.u1+0.5*l.Size &&
		o.u1 > l.u0-max(4*l.Size, 90)
}

// settle decides whether the blanks in a set's numbers are meant, or come from letters set apart: by how the sheets
// write each other's numbers.
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
