package read

import (
	"cmp"
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
	// families are the pages that have one title block.
	families [][]int
	listed   map[string]map[string]bool // what an index of sheets has behind a number
	common   map[string]int             // on how many pages a line stands
}

func newBlocks(leaves []*Leaf, sheets []Sheet, families [][]int) *blocks {
	b := &blocks{leaves, sheets, families, map[string]map[string]bool{}, map[string]int{}}
	for _, leaf := range leaves {
		seen := map[string]bool{}
		for _, l := range leaf.edge {
			if !seen[l.Text] {
				seen[l.Text] = true
				b.common[l.Text]++
			}
		}
	}
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
	angle    int
	lines    int
	score    float64
	labelled float64
	seen     bool // in a picture
	around   surroundings
}

var (
	firmWords = labels("ENGINEERS", "ENGINEERING", "ARCHITECTS", "ARCHITECTURE", "CONSULTANTS", "ASSOCIATES", "INC",
		"LLC", "LTD", "PC", "LLP")
	// scales are what stands below the name of a view.
	scales = regexp.MustCompile(`(?i)^(SCALE\W*)?(\d.*=.*|1 ?: ?\d+.*|N\.?T\.?S\.?|NONE|NOT TO SCALE)$`)
	// values are what stands in the small fields of a title block.
	values = regexp.MustCompile(
		`(?i)^(AS (NOTED|SHOWN|INDICATED)|NONE|NO SCALE|N\.?T\.?S\.?|NOT TO SCALE|(SHEET |PAGE )?\d+ ?(OF|/) ?\d+|.*\d/\d+" ?= ?1.*|1 ?: ?\d+)$`)
)

// constant finds lines that most pages of a family have at the same place.
func (b *blocks) constant(family []int) func(l *Line, leaf *Leaf) bool {
	type key struct {
		at   place
		text string
	}
	count := map[key]int{}
	for _, i := range family {
		for j := range b.leaves[i].edge {
			l := &b.leaves[i].edge[j]
			count[key{placeOf(l.Box, l.Angle, b.leaves[i]), l.Text}]++
		}
	}
	return func(l *Line, leaf *Leaf) bool {
		n := count[key{placeOf(l.Box, l.Angle, leaf), l.Text}]
		return n > 2 && n*2 > len(family)
	}
}

// titles reads the titles. Pages of a family whose numbers stand in one place may still have their titles in several.
func (b *blocks) titles() {
	for _, family := range b.families {
		rest := slices.DeleteFunc(slices.Clone(family), func(i int) bool { return b.sheets[i].Number.Text == "" })
		for round := 0; len(rest) > 0 && round < mostRounds; round++ {
			left := b.voteTitles(rest)
			if len(left) == len(rest) {
				break
			}
			rest = left
		}
	}
	b.ownTitles()
}

// ownTitles gives pages without a number the title that a label of their own says: nothing else tells where to look.
func (b *blocks) ownTitles() {
	var rest []int
	for i := range b.sheets {
		if b.sheets[i].Number.Text == "" {
			rest = append(rest, i)
		}
	}
	fixed := b.constant(rest)
	for _, i := range rest {
		best := paragraph{}
		for _, p := range b.paragraphs(i, fixed) {
			if p.labelled == 1 && p.score > best.score {
				best = p
			}
		}
		if best.text != "" {
			b.sheets[i].Title = Value{best.text, labelledTitle, best.box}
			b.sheets[i].titled = titleWitnesses{labelled: true}
		}
	}
}

// labelledTitle is how sure a title is that only its label speaks for.
const labelledTitle = 0.65

// voteTitles lets pages vote for the place where something like a title stands that differs from page to page, and
// answers with those that have nothing good there.
func (b *blocks) voteTitles(group []int) (left []int) {
	fixed := b.constant(group)
	found := make([][]paragraph, len(b.leaves))
	best := map[int][]int16{} // of each page, the best paragraph over each cell, counted from 1
	for _, i := range group {
		found[i] = b.paragraphs(i, fixed)
		best[i] = b.cover(found[i], b.leaves[i])
	}
	winner, place := map[int]int{}, 0
	most := 0.0
	for y := grid; y >= 0; y-- { // from the lower left corner on
		for x := range grid + 1 {
			at := cell(x, y)
			sum, over := 0.0, 0
			texts := map[string]bool{}
			for _, i := range group {
				if n := best[i][at]; n > 0 {
					sum += found[i][n-1].score
					texts[found[i][n-1].text] = true
					over++
				}
			}
			if sum *= math.Sqrt(part(len(texts), over)); sum > most {
				most, place = sum, at
				clear(winner)
				for _, i := range group {
					if n := best[i][at]; n > 0 {
						winner[i] = int(n - 1)
					}
				}
			}
		}
	}
	usual, region := spread(found, winner)
	good, pages := map[int]bool{}, map[string]int{}
	for _, i := range group {
		good[i] = b.choose(i, found[i], winner, usual, region, part(len(winner), len(group)))
		pages[b.sheets[i].Title.Text]++
	}
	b.agree(group, good, place)
	for _, i := range group {
		if !good[i] || pages[b.sheets[i].Title.Text] > 2 { // what several pages have is hardly a title
			left = append(left, i)
		}
	}
	return left
}

// cover finds the best paragraph over each cell of a page. One that covers a quarter of the page is no title.
func (b *blocks) cover(found []paragraph, leaf *Leaf) []int16 {
	best := make([]int16, (grid+1)*(grid+1))
	for n, p := range found {
		x0, y0, x1, y1 := cells(p.box, leaf)
		if (x1-x0+1)*(y1-y0+1) > widestTitle {
			continue
		}
		for y := max(y0, 0); y <= min(y1, grid); y++ {
			for x := max(x0, 0); x <= min(x1, grid); x++ {
				if old := best[cell(x, y)]; old == 0 || found[old-1].score < p.score {
					best[cell(x, y)] = int16(n + 1)
				}
			}
		}
	}
	return best
}

// spread is where titles stand that pages agree on, around those that score at least as usual, and how much is usual.
func spread(found [][]paragraph, winner map[int]int) (usual float64, all Box) {
	var scores []float64
	for i, n := range winner {
		scores = append(scores, found[i][n].score)
	}
	usual = median(scores)
	for i, n := range winner {
		switch p := found[i][n]; {
		case p.score < usual:
		case all == Box{}:
			all = p.box
		default:
			all = all.join(p.box)
		}
	}
	return usual, all
}

// choose takes the best paragraph of a page from the region of titles, or, where nothing stands there, the best of all;
// it answers whether the choice is as good as that of other pages.
func (b *blocks) choose(i int, found []paragraph, winner map[int]int, usual float64, region Box, support float64) bool {
	n, voted := winner[i]
	for k, p := range found {
		x, y := p.box.mid()
		if inside := x > region.X0 && x < region.X1 && y > region.Y0 && y < region.Y1; inside && (!voted ||
			p.score > found[n].score) {
			n, voted = k, true
		}
	}
	if !voted {
		for k := range found {
			if found[k].score > found[n].score {
				n = k
			}
		}
		if len(found) == 0 || found[n].score < 3 {
			b.sheets[i].titled = titleWitnesses{} // of an earlier round, whose place this page left
			return false
		}
	}
	p := found[n]
	sure := 0.3 + 0.06*max(0, min(p.score, 6)) + 0.25*support
	if !voted {
		sure *= 0.6
	}
	sure = min(sure+0.1*p.labelled, 0.98)
	if p.seen { // a line of it may be missing
		sure = min(sure, surestAlone)
	}
	b.sheets[i].Title = Value{p.text, sure, p.box}
	b.sheets[i].titled = titleWitnesses{p.labelled == 1, false, false, p.size, p.around}
	return voted && p.score > 0.5*usual
}

// paragraphs joins the lines of a page that may be a title, and scores them.
func (b *blocks) paragraphs(i int, fixed func(*Line, *Leaf) bool) []paragraph {
	leaf := b.leaves[i]
	named := marked(leaf.edge, in(titleLabels))
	var lines, drawnAt []*Line
	weak := map[*Line]bool{} // lines that are no title, but may belong to one: many have the same first or last line
	var same []Box
	for j := range leaf.edge {
		l := without(&leaf.edge[j], b.sheets[i].Number.Box)
		if scales.MatchString(l.Text) {
			drawnAt = append(drawnAt, l)
		}
		if fixed(l, leaf) {
			same = append(same, l.Box)
		}
		if !values.MatchString(l.Text) {
			lines = append(lines, l)
			weak[l] = fixed(l, leaf) || isNumber(l.Text)
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
		common, own := b.isCommon(first), !weak[first]
		p := paragraph{text: first.Text, box: first.Box, size: first.Size, angle: first.Angle, lines: 1}
		p.seen = recognised(first)
		last := first
		for k := j + 1; k < len(lines); k++ {
			l := lines[k]
			gap := (l.v - last.v) / last.Size
			if l.Angle != first.Angle || gap > 1.9 {
				break
			}
			if used[k] || gap < 0.7 || !oneSize(l, first) || l.u0 > last.u1 || l.u1 < last.u0 {
				continue
			}
			if (weak[l] || weak[last]) && !continues(l, last) || isLabel(l.Text) && !titleWords[bare(l.Text)] {
				continue
			}
			own = own || !weak[l]
			used[k], common = true, common && b.isCommon(l)
			p.text, p.box, last = p.text+" "+l.Text, p.box.join(l.Box), l
			p.lines++
		}
		p.labelled = labelled(*first, named, leaf.edge)
		if o := stacked(named, first, lines[j+1:], used[j+1:]); o != nil {
			used[j+1+slices.Index(lines[j+1:], o)] = true
			own, common = own || !weak[o], common && b.isCommon(o)
			p.text, p.box, last, p.labelled = p.text+" "+o.Text, p.box.join(o.Box), o, 1
			p.lines++
		}
		p.score = b.weigh(p, i) + 2*among(p.box, same, leaf)
		if slices.ContainsFunc(drawnAt, func(l *Line) bool { return beneath(l, last) }) {
			p.score -= 2 // the caption of a view
			if slices.ContainsFunc(leaf.edge, func(l Line) bool {
				return leads(&l, first) && viewNumber.MatchString(l.Text)
			}) {
				p.score -= 2
			}
		}
		if shared := common || !own; shared && p.labelled == 1 {
			p.score -= 2.5 // several sheets may have one title, where a label says that it is one
		} else if shared {
			continue
		}
		if p.lines <= 5 {
			p.around = look(lines, weak, first, last)
			out = append(out, p)
		}
	}
	if len(out) > mostParagraphs {
		slices.SortStableFunc(out, func(a, b paragraph) int { return cmp.Compare(b.score, a.score) })
		out = out[:mostParagraphs]
	}
	return out
}

// stacked is the second line of a title in two sizes: a label stands before both, between their heights, and both begin
// at one place.
func stacked(labels []*Line, first *Line, below []*Line, used []bool) *Line {
	for k, l := range below {
		gap := (l.v - first.v) / first.Size
		if l.Angle != first.Angle || gap > 1.9 {
			return nil
		}
		if used[k] || gap < 0.7 || l.Size > first.Size || l.Size < 0.6*first.Size || !wordy(l.Text) ||
			math.Abs(l.u0-first.u0) > 0.4*first.Size || l.Size > first.Size/1.07 {
			continue
		}
		if slices.ContainsFunc(labels, func(o *Line) bool {
			return o.Angle == first.Angle && o.v > first.v && o.v < l.v && o.u1 <= first.u0+1 &&
				first.u0-o.u1 < 130
		}) {
			return l
		}
	}
	return nil
}

// continues is whether a line belongs to the one above it though many pages have one of them: it is a word of titles,
// or set as closely and exactly below as one text is.
func continues(l, upper *Line) bool {
	if titleWords[bare(l.Text)] {
		return true
	}
	return closely(l, upper)
}

// closely is whether a line is set below another as one text is.
func closely(l, upper *Line) bool {
	near := 0.35 * upper.Size
	aligned := math.Abs(l.u0-upper.u0) < near || math.Abs(l.u1-upper.u1) < near ||
		math.Abs(l.u0+l.u1-upper.u0-upper.u1) < 2*near
	return aligned && math.Abs(l.Size-upper.Size) < 0.015*upper.Size && l.v-upper.v < 1.45*upper.Size
}

// without is a line without the word that is the sheet's number, where the two stand so close that they were read as
// one line.
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

// beneath is whether a line begins right below the beginning of another.
func beneath(l, upper *Line) bool {
	gap := (l.v - upper.v) / upper.Size
	return l.Angle == upper.Angle && gap > 0.5 && gap < 2.2 && math.Abs(l.u0-upper.u0) < upper.Size
}

// leads is whether a short text stands close before a line, and not far above or below: the number of a view before its
// name.
func leads(o, l *Line) bool {
	return o.Angle == l.Angle && o.u1 <= l.u0 && l.u0-o.u1 < 3*l.Size && math.Abs(o.v-l.v) < 2*l.Size
}

// isCommon is whether a line stands on most pages of a set, somewhere.
func (b *blocks) isCommon(l *Line) bool {
	return len(b.leaves) > 4 && b.common[l.Text]*2 > len(b.leaves)
}

// among is how much of what all pages share stands around a box, from 0 to 1: a title block is full of it, a drawing is
// not.
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
	// What is near a number that is hardly one may be anywhere.
	score := 3 * math.Exp(-far/0.07) * min(1, b.sheets[i].Number.Confidence/sureNumber)
	score += 1.2 * min(1, p.size/(0.006*max(leaf.width, leaf.height)))
	if p.angle == b.sheets[i].angle {
		score += 0.7
	}
	score += 2.5 * p.labelled
	if b.listed[same(b.sheets[i].Number.Text)][plain(p.text)] {
		score += 3
	}
	if isField(p.text) {
		score -= 1.5
	}
	if strings.HasSuffix(p.text, ".") ||
		slices.ContainsFunc(strings.Fields(p.text), func(w string) bool { return firmWords[bare(w)] }) {
		score -= 2 // a sentence, or a firm
	}
	for _, w := range strings.Fields(folded(p.text)) {
		if titleWords[strings.Trim(w, ",.-&")] {
			score += 1.2
			break
		}
	}
	return score
}

// wordy is whether a text could be a title at all: it has a word, and is neither a label, nor a date, nor what small
// fields say, nor the name of a file.
func wordy(s string) bool {
	if !slices.ContainsFunc(strings.Fields(s), isWord) || isNumber(s) || values.MatchString(s) ||
		scales.MatchString(s) || strings.ContainsAny(s, `\@©`) || strings.HasSuffix(s, ":") {
		return false
	}
	if isLabel(s) || isPhase(s) || files.MatchString(s) {
		return false
	}
	if head, _, cut := strings.Cut(s, ":"); cut && (fieldLabels[bare(head)] || dateLabels[bare(head)]) {
		return false // another field, with what it says
	}
	_, isDate := parseDate(s)
	return !isDate
}

// isWord is whether a text is four letters or more, perhaps with marks between or around them.
func isWord(s string) bool {
	letters := 0
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r) || r == '_':
			return false
		}
	}
	return letters > 3
}
