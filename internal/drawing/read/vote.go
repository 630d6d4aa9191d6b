package read

import (
	"cmp"
	"fmt"
	"maps"
	"math"
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

// spot is a place that pages vote for, and which part of a number stands there: numbers of unlike length begin, end, or have their middle in one place.
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

// support is how much the numbers that stand at each spot score together.
func support(leaves []*Leaf, group []int) map[spot]float64 {
	sums := map[spot]float64{}
	for _, i := range group {
		seen := map[spot]bool{}
		for k := range leaves[i].numbers { // the strongest come first
			c := &leaves[i].numbers[k]
			for part := range parts {
				p := c.at(part, leaves[i])
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

// weight is how much speaks for a spot: the support counts by how different the numbers are from page to page, since one that all pages share is not a
// sheet's, and by how alike they are made.
func (s spot) weight(leaves []*Leaf, group []int, support float64) (weight, pages float64) {
	texts, skeletons, alike := map[string]bool{}, map[string]int{}, 0
	for _, i := range group {
		if c := strongest(leaves[i], s); c != nil {
			pages++
			texts[c.text] = true
			k := skeleton(c.text)
			skeletons[k]++
			alike = max(alike, skeletons[k])
		}
	}
	if pages > 3 && len(texts) == 1 {
		return 0, pages
	}
	return support * float64(len(texts)) / pages * (0.5 + 0.5*float64(alike)/pages), pages
}

// strongest is the best candidate of a page at a spot, or nil.
func strongest(leaf *Leaf, s spot) *candidate {
	for i := range leaf.numbers {
		if c := &leaf.numbers[i]; c.at(s.part, leaf).near(s.place) {
			return c
		}
	}
	return nil
}

// elect finds the spot for which most speaks, and on what part of the pages something stands there.
func elect(leaves []*Leaf, group []int) (best spot, share float64, ok bool) {
	sums := support(leaves, group)
	spots := slices.SortedFunc(maps.Keys(sums), func(a, b spot) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), a.part-b.part, b.angle-a.angle, b.y-a.y, b.x-a.x)
	})
	most := 0.0
	for _, s := range spots {
		if sums[s] <= most { // no weight is more than its support
			break
		}
		if w, pages := s.weight(leaves, group, sums[s]); w > most {
			best, most, share = s, w, pages/float64(len(group))
		}
	}
	return best, share, most > 0
}

// readNumbers lets the pages vote for the place of the number, then takes the number of each page from there.
func readNumbers(leaves []*Leaf, group []int, sheets []Sheet) {
	best, share, ok := elect(leaves, group)
	if !ok {
		return
	}
	for _, i := range group {
		leaf := leaves[i]
		if len(leaf.numbers) == 0 {
			continue
		}
		c := strongest(leaf, best)
		voted := c != nil
		if !voted {
			if c = &leaf.numbers[0]; c.score < 3 {
				continue
			}
		}
		sheets[i].Number = Value{c.text, certainty(c, voted, share, len(group)), c.box}
	}
	doubt(sheets, group)
}

func certainty(c *candidate, voted bool, support float64, pages int) float64 {
	sure := 0.35 + 0.05*min(c.score, 6)
	if c.label {
		sure += 0.1
	}
	if voted && pages > 2 {
		sure += 0.3 * support
	}
	if !voted {
		sure *= 0.6
	}
	return min(sure, 0.99)
}

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
