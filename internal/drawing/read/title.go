package read

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// blocks is the title blocks of a set, once their numbers are known.
type blocks struct {
	leaves []*Leaf
	sheets []Sheet
	listed map[string]map[string]bool // what an index of sheets has behind a number
}

func newBlocks(leaves []*Leaf, sheets []Sheet) *blocks {
	b := &blocks{leaves, sheets, map[string]map[string]bool{}}
	for _, s := range sheets {
		b.listed[same(s.Number.Text)] = map[string]bool{}
	}
	for _, leaf := range leaves {
		for _, m := range leaf.mentions {
			if titles := b.listed[same(m.number)]; titles != nil && m.follows != "" {
				titles[plain(m.follows)] = true
			}
		}
	}
	return b
}

// paragraph is lines of one size below each other.
type paragraph struct {
	text     string
	box      Box
	size     float64
	lines    int
	score    float64
	labelled bool
}

var (
	titleLabels = labels("TITLE", "SHEET TITLE", "DRAWING TITLE", "DWG TITLE", "SHEET NAME", "DRAWING NAME", "SHEET CONTENTS", "CONTENTS", "DRAWING CONTENTS", "SHEET DESCRIPTION", "DRAWING DESCRIPTION", "SUBJECT", "DRAWING", "SHEET SUBJECT")
	titleWords  = labels("PLAN", "PLANS", "ELEVATION", "ELEVATIONS", "SECTION", "SECTIONS", "DETAIL", "DETAILS", "SCHEDULE", "SCHEDULES", "NOTES", "DIAGRAM", "DIAGRAMS", "COVER", "INDEX", "LEGEND", "LEGENDS", "TYPES", "SYMBOLS", "SHEET", "RISER", "LAYOUT", "ABBREVIATIONS", "SPECIFICATIONS", "ISOMETRIC", "AXONOMETRIC", "FRAMING", "FOUNDATION", "DEMOLITION", "LIGHTING", "POWER", "GRADING", "SURVEY", "PROFILE", "ENLARGED")
	// values are what stands in the small fields of a title block.
	values = regexp.MustCompile(`(?i)^(AS (NOTED|SHOWN|INDICATED)|NONE|NO SCALE|N\.?T\.?S\.?|NOT TO SCALE|(SHEET |PAGE )?\d+ ?(OF|/) ?\d+|.*\d/\d+" ?= ?1.*|1 ?: ?\d+)$`)
)

// constant finds lines that most pages of a group have at the same place.
func constant(leaves []*Leaf, group []int) func(l *Line, leaf *Leaf) bool {
	type key struct {
		at   place
		text string
	}
	count := map[key]int{}
	for _, i := range group {
		for j := range leaves[i].edge {
			l := &leaves[i].edge[j]
			count[key{placeOf(l.Box, l.Angle, leaves[i]), l.Text}]++
		}
	}
	return func(l *Line, leaf *Leaf) bool {
		return len(group) > 2 && count[key{placeOf(l.Box, l.Angle, leaf), l.Text}]*2 > len(group)
	}
}

// titles reads the titles: pages vote for the place where something like a title stands that differs from page to page.
func (b *blocks) titles() {
	for _, group := range sizes(b.leaves) {
		fixed := constant(b.leaves, group)
		found := make([][]paragraph, len(b.leaves))
		type cell struct{ x, y int }
		best := map[cell]map[int]int{} // the best paragraph of each page over a cell
		for _, i := range group {
			leaf := b.leaves[i]
			if b.sheets[i].Number.Text == "" {
				continue
			}
			found[i] = b.paragraphs(i, fixed)
			for n, p := range found[i] {
				for x := int(p.box.X0 / leaf.width * 50); x <= int(p.box.X1/leaf.width*50); x++ {
					for y := int(p.box.Y0 / leaf.height * 50); y <= int(p.box.Y1/leaf.height*50); y++ {
						c := cell{x, y}
						if best[c] == nil {
							best[c] = map[int]int{}
						}
						if old, is := best[c][i]; !is || found[i][old].score < p.score {
							best[c][i] = n
						}
					}
				}
			}
		}
		var cells []cell
		for c := range best {
			cells = append(cells, c)
		}
		slices.SortFunc(cells, func(a, b cell) int { return (b.y-a.y)*1000 + b.x - a.x })
		var winner map[int]int
		most, support := 0.0, 0.0
		for _, c := range cells {
			sum := 0.0
			texts := map[string]bool{}
			for _, i := range group {
				if n, is := best[c][i]; is {
					sum += found[i][n].score
					texts[found[i][n].text] = true
				}
			}
			if pages := len(best[c]); pages > 1 {
				sum *= math.Sqrt(float64(len(texts)) / float64(pages))
			}
			if sum > most {
				winner, most, support = best[c], sum, float64(len(best[c]))/float64(len(group))
			}
		}
		for _, i := range group {
			b.choose(i, found[i], winner, support)
		}
	}
}

func (b *blocks) choose(i int, found []paragraph, winner map[int]int, support float64) {
	n, voted := winner[i]
	if !voted {
		for k := range found {
			if found[k].score > found[n].score {
				n = k
			}
		}
		if len(found) == 0 || found[n].score < 3 {
			return
		}
	}
	p := found[n]
	sure := 0.3 + 0.06*min(p.score, 6) + 0.25*support
	if !voted {
		sure *= 0.6
	}
	if p.labelled {
		sure += 0.1
	}
	b.sheets[i].Title = Value{p.text, min(sure, 0.98), p.box}
}

// paragraphs joins the lines of a page that may be a title, and scores them.
func (b *blocks) paragraphs(i int, fixed func(*Line, *Leaf) bool) []paragraph {
	leaf := b.leaves[i]
	var lines []*Line
	var same []Box
	for j := range leaf.edge {
		l := without(&leaf.edge[j], b.sheets[i].Number.Box)
		if fixed(l, leaf) {
			same = append(same, l.Box)
		} else if !isNumber(l.Text) && !values.MatchString(l.Text) {
			lines = append(lines, l)
		}
	}
	slices.SortStableFunc(lines, func(a, b *Line) int {
		if a.Angle != b.Angle {
			return a.Angle - b.Angle
		}
		if a.v < b.v {
			return -1
		}
		return 1
	})
	used := make([]bool, len(lines))
	var out []paragraph
	for j, first := range lines {
		if used[j] || !wordy(first.Text) {
			continue
		}
		p := paragraph{text: first.Text, box: first.Box, size: first.Size, lines: 1}
		last := first
		for k := j + 1; k < len(lines); k++ {
			l := lines[k]
			gap := (l.v - last.v) / last.Size
			if l.Angle != first.Angle || gap > 1.9 {
				break
			}
			if used[k] || gap < 0.7 || !(l.Size < first.Size*1.07 && first.Size < l.Size*1.07) || l.u0 > last.u1 || l.u1 < last.u0 {
				continue
			}
			used[k] = true
			p.text, p.box, last = p.text+" "+l.Text, p.box.join(l.Box), l
			p.lines++
		}
		p.labelled = labelled(*first, leaf.edge, in(titleLabels))
		p.score = b.weigh(p, i) + 1.5*among(p.box, same, leaf)
		if p.lines <= 5 {
			out = append(out, p)
		}
	}
	return out
}

// without is a line without the word that is the sheet's number, where the two stand so close that they were read as one line.
func without(l *Line, number Box) *Line {
	at := slices.IndexFunc(l.Words, func(w Word) bool { return w.Box == number })
	if at < 0 || len(l.Words) == 1 {
		return l
	}
	words := slices.Delete(slices.Clone(l.Words), at, at+1)
	rest := Line{Size: l.Size, Angle: l.Angle, Words: words, Box: words[0].Box}
	var text []string
	for _, w := range words {
		text, rest.Box = append(text, w.Text), rest.Box.join(w.Box)
	}
	rest.Text = strings.Join(text, " ")
	rest.place()
	return &rest
}

// among is how much of what all pages share stands around a box, from 0 to 1: a title block is full of it, a drawing is not.
func among(box Box, same []Box, leaf *Leaf) float64 {
	n := 0
	for _, s := range same {
		dx := max(0, s.X0-box.X1, box.X0-s.X1)
		dy := max(0, s.Y0-box.Y1, box.Y0-s.Y1)
		if math.Hypot(dx/leaf.width, dy/leaf.height) < 0.06 {
			n++
		}
	}
	return min(1, float64(n)/6)
}

// weigh scores a paragraph as a title: near the number, large, labelled, in words that titles use.
func (b *blocks) weigh(p paragraph, i int) float64 {
	n, leaf := b.sheets[i].Number.Box, b.leaves[i]
	dx := max(0, p.box.X0-n.X1, n.X0-p.box.X1)
	dy := max(0, p.box.Y0-n.Y1, n.Y0-p.box.Y1)
	far := math.Hypot(dx, dy) / math.Hypot(leaf.width, leaf.height)
	score := 3 * math.Exp(-far/0.07)
	score += 1.2 * min(1, p.size/16)
	if p.labelled {
		score += 2.5
	}
	if b.listed[same(b.sheets[i].Number.Text)][plain(p.text)] {
		score += 3
	}
	for _, w := range strings.Fields(strings.ToUpper(p.text)) {
		if titleWords[strings.Trim(w, ",.-&")] {
			score += 1.2
			break
		}
	}
	return score
}

// wordy is whether a text could be a title at all.
func wordy(s string) bool {
	letters, longest, run := 0, 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	if letters < 4 || longest < 3 || isNumber(s) || values.MatchString(s) || strings.ContainsAny(s, `\@`) {
		return false
	}
	if titleLabels[bare(s)] || isNumberLabel(s) || dateLabels[bare(s)] {
		return false
	}
	_, isDate := parseDate(s)
	return !isDate
}
