package read

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
)

// sizes groups the pages of a set that have one size: they share a title block.
func sizes(leaves []*Leaf) [][]int {
	groups := map[string][]int{}
	var order []string
	for i, l := range leaves {
		key := fmt.Sprintf("%.0f %.0f", l.width/6, l.height/6)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], i)
	}
	var out [][]int
	for _, k := range order {
		out = append(out, groups[k])
	}
	return out
}

// place is where something stands on its page, in hundredths of the page, and in which direction it is written.
type place struct{ x, y, angle int }

func placeOf(b Box, angle int, leaf *Leaf) place {
	x, y := b.mid()
	return place{int(math.Round(x / leaf.width * 100)), int(math.Round(y / leaf.height * 100)), angle}
}

func (p place) near(o place) bool {
	return p.angle == o.angle && abs(p.x-o.x) <= nearby && abs(p.y-o.y) <= nearby
}

func abs(n int) int { return max(n, -n) }

// nearby is how many hundredths of a page a number may wander with its length.
const nearby = 2

// spot is a place that pages vote for, and which part of a number stands there: numbers of unlike length begin, end, or
// have their middle in one place.
type spot struct {
	place
	part int
}

// at is where a part of a candidate stands.
func (c *candidate) at(part int, leaf *Leaf) place {
	b := c.box
	switch {
	case part == 1 && c.angle%180 == 0:
		b.X1 = b.X0
	case part == 2 && c.angle%180 == 0:
		b.X0 = b.X1
	case part == 1:
		b.Y1 = b.Y0
	case part == 2:
		b.Y0 = b.Y1
	}
	return placeOf(b, c.angle, leaf)
}

const parts = 3

// ballot is the pages that vote together, each with its candidates, the strongest first.
type ballot struct {
	leaves  []*Leaf
	pages   []int
	numbers map[int][]candidate
}

// support is how much the numbers that stand at each spot score together.
func (b *ballot) support() map[spot]float64 {
	sums := map[spot]float64{}
	for _, i := range b.pages {
		seen := map[spot]bool{}
		for k := range b.numbers[i] {
			c := &b.numbers[i][k]
			for part := range parts {
				p := c.at(part, b.leaves[i])
				for x := p.x - nearby; x <= p.x+nearby; x++ {
					for y := p.y - nearby; y <= p.y+nearby; y++ {
						s := spot{place{x, y, p.angle}, part}
						if !seen[s] {
							seen[s] = true
							sums[s] += c.score
						}
					}
				}
			}
		}
	}
	return sums
}

// strongest is the best candidate of a page at a spot, or nil.
func (b *ballot) strongest(i int, s spot) *candidate {
	for k := range b.numbers[i] {
		if c := &b.numbers[i][k]; c.at(s.part, b.leaves[i]).near(s.place) {
			return c
		}
	}
	return nil
}

// weight is how much speaks for a spot: its support counts by how different the numbers are from page to page, since
// one that all pages share is not a sheet's, and by how alike they are made.
func (b *ballot) weight(s spot, support float64) float64 {
	texts, skeletons, pages, alike := map[string]bool{}, map[string]int{}, 0, 0
	for _, i := range b.pages {
		if c := b.strongest(i, s); c != nil {
			pages++
			texts[c.text] = true
			k := skeleton(c.text)
			skeletons[k]++
			alike = max(alike, skeletons[k])
		}
	}
	if pages > 3 && len(texts) == 1 {
		return 0
	}
	return support * part(len(texts), pages) * (0.5 + 0.5*part(alike, pages))
}

func part(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// elect finds the spot for which most speaks.
func (b *ballot) elect() (best spot, ok bool) {
	sums := b.support()
	spots := slices.SortedFunc(maps.Keys(sums), func(a, b spot) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), a.part-b.part, b.angle-a.angle, b.y-a.y, b.x-a.x)
	})
	most := 0.0
	for _, s := range spots[:min(len(spots), mostSpots)] {
		if sums[s] <= most { // no weight is more than its support
			break
		}
		if w := b.weight(s, sums[s]); w > most {
			best, most = s, w
		}
	}
	return best, most > 0
}

// family is the pages whose numbers stand at one spot: they have one title block.
func (b *ballot) family(s spot) (members []int) {
	texts, skeletons := map[string]int{}, map[string]int{}
	var scores, sizes []float64
	for _, i := range b.pages {
		if c := b.strongest(i, s); c != nil {
			texts[c.text]++
			skeletons[skeleton(c.text)]++
			scores, sizes = append(scores, c.score), append(sizes, c.size)
		}
	}
	usual, high := median(scores), median(sizes)
	for _, i := range b.pages {
		c := b.strongest(i, s)
		if c == nil || texts[c.text] > 2 && len(texts) > 1 {
			continue
		}
		if slices.ContainsFunc(b.numbers[i], func(o candidate) bool {
			switch { // what stands here may be about another sheet
			case texts[o.text] > 0 || o.joined:
				return false
			case c.size < 0.65*high && o.size > c.size:
				return true
			case o.score <= c.score:
				return false
			}
			return c.joined || c.score < 0.6*usual || skeletons[skeleton(o.text)] > skeletons[skeleton(c.text)]
		}) {
			continue
		}
		members = append(members, i)
	}
	return members
}

func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[len(of)/2]
}

// leave takes out the pages whose numbers were found, and remembers what they teach about the rest: how numbers are
// made, and which are taken.
func (b *ballot) leave(members []int, sheets []Sheet) {
	gone := map[int]bool{}
	for _, i := range members {
		gone[i] = true
	}
	b.pages = slices.DeleteFunc(b.pages, func(i int) bool { return gone[i] })
	taken, skeletons := map[string]bool{}, map[string]bool{}
	for _, i := range members {
		taken[sheets[i].Number.Text] = true
		skeletons[skeleton(sheets[i].Number.Text)] = true
	}
	for _, i := range b.pages {
		numbers := slices.Clone(b.numbers[i])
		for k := range numbers {
			if c := &numbers[k]; taken[c.text] {
				c.score *= 0.4
			} else if skeletons[skeleton(c.text)] {
				c.score += 2
			}
		}
		slices.SortStableFunc(numbers, strongestFirst)
		b.numbers[i] = numbers
	}
}

// readNumbers lets the pages vote for the place of the number, takes the number of each page from there, and lets those
// where it is not vote again: some sheets of a set may have another title block. It answers with the pages of each.
func readNumbers(leaves []*Leaf, group []int, sheets []Sheet) (families [][]int) {
	b := &ballot{leaves, slices.Clone(group), map[int][]candidate{}}
	for _, i := range group {
		b.numbers[i] = leaves[i].numbers
	}
	for round := 0; len(b.pages) > 0 && round < mostRounds; round++ {
		best, ok := b.elect()
		if !ok {
			break
		}
		members := b.family(best)
		if len(members) == 0 {
			break
		}
		voted := len(families) == 0 || len(members) > 1
		var own []*candidate
		for _, i := range members {
			own = append(own, b.strongest(i, best))
		}
		spellAlike(own)
		alike, marked := map[string]int{}, 0
		for _, i := range members {
			c := b.strongest(i, best)
			if alike[skeleton(c.text)]++; c.mark {
				marked++
			}
		}
		if 3*marked >= len(members) { // then the others are marks too, that happen to stand there once
			for _, i := range members {
				c := b.strongest(i, best)
				c.mark = c.mark || c.label < 1
			}
		}
		for _, i := range members {
			if c := b.strongest(i, best); voted || c.score >= 3 {
				sheets[i].angle, sheets[i].claimed = c.angle, c.claimed
				sheets[i].heard = testify(c, leaves[i], len(members), alike[skeleton(c.text)])
				sheets[i].Number = Value{c.text, certainty(c, voted, part(len(members), len(group)), len(group)), c.box}
			}
		}
		families = append(families, members)
		b.leave(members, sheets)
	}
	doubt(sheets, group)
	return families
}

func certainty(c *candidate, voted bool, support float64, pages int) float64 {
	sure := 0.35 + 0.05*min(c.score, 6)
	sure += 0.1 * c.label
	if voted && pages > 2 {
		sure += 0.3 * support
	}
	if !voted {
		sure *= 0.6
	}
	// One or two sheets cannot agree on a place: without a label, only what looks like a number everywhere is one.
	if pages <= 2 && c.label < 1 && !c.claimed && (!isUsual(c.text) || len(c.text) < 4) {
		sure = min(sure, lonely)
	}
	if c.mark && !c.claimed || c.respelled {
		sure = min(sure, lonely)
	}
	// Letters that were recognised may be others that look like them. A name from outside that agrees is heard later.
	if c.doubt > 0 {
		sure = min(sure, surestSeen) * (1 - c.doubt)
	}
	return min(sure, 0.99)
}

// ofAll is how sheets are counted: 3/10, 3 de 10, 3 of 10.
var ofAll = regexp.MustCompile(`^([0-9]{1,3}) ?(?:/|OF|DE|DI|VON|VAN|SUR) ?([0-9]{1,3})$`)

// counted gives pages that have no number the one by which a label says that they are counted. A person confirms it:
// every set has a first sheet.
func counted(leaves []*Leaf, sheets []Sheet) {
	for i, leaf := range leaves {
		if sheets[i].Number.Confidence > 0.9*lonely {
			continue
		}
		around := labelsOf(leaf.edge)
		for _, l := range leaf.edge {
			m := ofAll.FindStringSubmatch(folded(l.Text))
			if m != nil && number(m[1]) <= number(m[2]) && labelled(l, around.sheets, leaf.edge) == 1 {
				sheets[i].Number, sheets[i].angle = Value{m[1], lonely, l.Box}, l.Angle
				break
			}
		}
	}
}

// surestSeen is how sure a number is at most whose letters were recognised in a picture.
const surestSeen = 0.9

// lonely is how sure a number of a single sheet is at most that nothing speaks for.
const lonely = 0.5

// doubt lowers the confidence of a number that several pages claim.
func doubt(sheets []Sheet, group []int) {
	count := map[string]int{}
	for _, i := range group {
		count[sheets[i].Number.Text]++
	}
	for _, i := range group {
		if count[sheets[i].Number.Text] > 1 {
			sheets[i].Number.Confidence *= 0.7
		}
	}
}
