package read

import (
	"fmt"
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

func (p place) near(o place, by int) bool {
	return p.angle == o.angle && abs(p.x-o.x) <= by && abs(p.y-o.y) <= by
}

func abs(n int) int { return max(n, -n) }

// nearby is how many hundredths of a page a number may wander with its length.
const nearby = 2

// readNumbers lets the pages vote for the place of the number, then takes the number of each page from there. What stands at a place counts
// by its score, and by how different it is from page to page: a number that all pages share is not a sheet's.
func readNumbers(leaves []*Leaf, group []int, sheets []Sheet) {
	votes := map[place]float64{}
	for _, i := range group {
		for _, c := range leaves[i].numbers {
			votes[placeOf(c.box, c.angle, leaves[i])] += 0
		}
	}
	var spots []place
	for p := range votes {
		spots = append(spots, p)
	}
	slices.SortFunc(spots, func(a, b place) int {
		return (b.angle-a.angle)*1_000_000 + (b.y-a.y)*1000 + (b.x - a.x)
	})
	var best place
	most, support := 0.0, 0.0
	for _, p := range spots {
		sum, pages := 0.0, 0
		texts := map[string]bool{}
		for _, i := range group {
			if c, ok := strongest(leaves[i], p); ok {
				sum += c.score
				pages++
				texts[c.text] = true
			}
		}
		if pages > 3 && len(texts) == 1 {
			continue
		}
		if pages > 1 {
			sum *= float64(len(texts)) / float64(pages)
		}
		if sum > most {
			best, most, support = p, sum, float64(pages)/float64(len(group))
		}
	}
	if most == 0 {
		return
	}
	for _, i := range group {
		leaf := leaves[i]
		if len(leaf.numbers) == 0 {
			continue
		}
		c, voted := strongest(leaf, best)
		if !voted {
			if c = leaf.numbers[0]; c.score < 3 {
				continue
			}
		}
		sheets[i].Number = Value{c.text, certainty(c, voted, support, len(group)), c.box}
	}
	doubt(sheets, group)
}

func strongest(leaf *Leaf, p place) (best candidate, ok bool) {
	for _, c := range leaf.numbers {
		if placeOf(c.box, c.angle, leaf).near(p, nearby) && (!ok || c.score > best.score) {
			best, ok = c, true
		}
	}
	return best, ok
}

func certainty(c candidate, voted bool, support float64, pages int) float64 {
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
