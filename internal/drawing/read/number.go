package read

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// shape is how sheet numbers look: letters of a discipline, digits, perhaps a second group, perhaps a letter.
var shape = regexp.MustCompile(`^([A-Z]{1,3})[-–. ]?([0-9]{1,4})(?:[.\-–]([0-9]{1,3}))?([A-Z]{0,2})$`)

// trades are the letters that drawings of a discipline begin with, by the customs of North American offices.
var trades = strings.Fields("G H V B C L S A I Q F P D M E W T R X Z O N K U J Y " +
	"GI GC CS TS LS CV CG CU CD CE LA LI LP LD AD AE AI AF AG AS AR ID IN SB SF SD SE ST FP FA FS PD PL MD MH MP ME MI ED EL EP ES EY EA TN TY TC AV SK QF EX DM FX")

func isNumber(s string) bool {
	m := shape.FindStringSubmatch(s)
	return m != nil && slices.Contains(trades, m[1])
}

// candidate is a number that may be the sheet's own.
type candidate struct {
	text  string
	box   Box
	angle int
	score float64
	label bool
}

var numberLabels = labels("SHEET", "SHEET NO", "SHEET NUMBER", "SHEET NUM", "SHT", "SHT NO", "SHEET #", "SHEET ID", "DRAWING NO", "DRAWING NUMBER", "DRAWING #", "DRAWING", "DWG", "DWG NO", "DWG #", "DWG NUMBER", "NUMBER", "PLAN NO", "PAGE", "PAGE NO")

func labels(words ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		m[w] = true
	}
	return m
}

// bare is a label without what surrounds it: capitals, no colon, no full stops.
func bare(s string) string {
	return strings.TrimSpace(strings.Trim(strings.ReplaceAll(strings.ToUpper(s), ".", ""), " :-–"))
}

// candidates scores every number that stands alone, or behind its label, on a page.
func candidates(lines []Line, w, h float64) []candidate {
	var out []candidate
	largest := 1.0
	for _, l := range lines {
		if text, box, label, ok := alone(l); ok {
			out = append(out, candidate{text: text, box: box, angle: l.Angle, label: label || labelled(l, lines, numberLabels), score: l.Size})
			largest = max(largest, l.Size)
		}
	}
	for i := range out {
		c := &out[i]
		x, y := c.box.mid()
		corner := math.Hypot((w-x)/w, (h-y)/h)
		edge := min(x/w, y/h, (w-x)/w, (h-y)/h)
		c.score = 2.5*c.score/largest + 1.6*max(0, 1-corner*1.6) + 1*max(0, 1-edge*6)
		if c.label {
			c.score += 2
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		if a.score > b.score {
			return -1
		}
		return 1
	})
	const kept = 60
	return out[:min(len(out), kept)]
}

// alone is whether a line is nothing but a number, or its label and the number.
func alone(l Line) (text string, box Box, label, ok bool) {
	if isNumber(l.Text) {
		return strings.ReplaceAll(l.Text, " ", ""), l.Box, false, true
	}
	n := len(l.Words)
	if n < 2 || n > 4 {
		return "", Box{}, false, false
	}
	last := l.Words[n-1]
	rest := make([]string, 0, 3)
	for _, w := range l.Words[:n-1] {
		rest = append(rest, w.Text)
	}
	if isNumber(last.Text) && numberLabels[bare(strings.Join(rest, " "))] {
		return last.Text, last.Box, true, true
	}
	return "", Box{}, false, false
}

// labelled is whether a label stands above a line or before it.
func labelled(l Line, lines []Line, words map[string]bool) bool {
	for i := range lines {
		o := &lines[i]
		if o.Angle == l.Angle && words[bare(o.Text)] && (above(o, &l) || before(o, &l)) {
			return true
		}
	}
	return false
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
