package store

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

// TestSorted changes keys, clocks and terms of records in every way and holds sorted and bounded lists against a plain
// look at every record.
func TestSorted(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 3))
	x := &index{full: true, terms: map[string]*roaring.Bitmap{}}
	type record struct {
		due   int64 // blank for none
		clock int64
		odd   bool
	}
	var all []record
	clock := int64(0)
	put := func(ordinal int) {
		clock++
		r := record{blank, clock, random.IntN(2) == 0}
		if random.IntN(4) > 0 {
			r.due = int64(random.IntN(300)) - 100
		}
		terms := fmt.Sprintf("odd=%v", r.odd)
		if r.due != blank {
			terms += "\t" + Key("due", r.due)
		}
		x.set(&effect{id: MakeID(1, 5, uint32(ordinal)), clock: clock, terms: terms})
		if ordinal > len(all) {
			all = append(all, r)
		} else {
			all[ordinal-1] = r
		}
	}
	for i := range 3000 {
		put(i + 1)
	}
	for step := range 1500 {
		for range random.IntN(40) {
			put(random.IntN(len(all)) + 1)
		}
		put(len(all) + 1)
		sel := &Select{
			Kind: 5, After: Always, Sort: []string{"due", ByClock}[step%2], Desc: random.IntN(2) == 0,
			Skip: random.IntN([]int{5, 4000}[random.IntN(2)]), Limit: random.IntN(60),
		}
		if random.IntN(2) == 0 {
			sel.Terms = [][]string{{"odd=true"}}
		}
		if random.IntN(3) == 0 {
			sel.After = clock - int64(random.IntN(2000))
		}
		for range random.IntN(3) {
			from := int64(random.IntN(300)) - 100
			sel.Ranges = append(sel.Ranges, Range{"due", from, from + []int64{1, 20, 400}[random.IntN(3)]})
		}
		var want []uint32
		for i, r := range all {
			inside := !slices.ContainsFunc(sel.Ranges, func(b Range) bool {
				return r.due == blank || r.due < b.From || r.due >= b.To
			})
			if inside && r.clock > sel.After && (sel.Terms == nil || r.odd) {
				want = append(want, uint32(i+1))
			}
		}
		slices.SortFunc(want, func(a, b uint32) int {
			x, y := all[a-1], all[b-1]
			if sel.Sort == ByClock {
				return cmp.Compare(x.clock, y.clock) * map[bool]int{false: 1, true: -1}[sel.Desc]
			}
			if x.due == blank || y.due == blank {
				return cmp.Or(cmp.Compare(x.due, y.due), cmp.Compare(a, b))
			}
			return cmp.Or(cmp.Compare(x.due, y.due), cmp.Compare(a, b)) * map[bool]int{false: 1, true: -1}[sel.Desc]
		})
		total, got := x.sorted(sel, x.matching(sel))
		page := want[min(sel.Skip, len(want)):]
		page = page[:min(sel.Limit, len(page))]
		if total != len(want) || !slices.Equal(got, page) {
			t.Fatalf("step %d, %+v: %v of %d, want %v of %d", step, sel, got, total, page, len(want))
		}
		for name, o := range x.orders {
			if o.n != len(all) || len(o.blocks) > 4*len(all)/(mostInBlock/4) {
				t.Fatalf("%s has %d of %d records in %d blocks", name, o.n, len(all), len(o.blocks))
			}
		}
	}
}

func TestKeys(t *testing.T) {
	for term, want := range map[string]string{
		"due:5": "due 5 true", "due:-5": "due -5 true", "due=5": " 0 false", "status=a:5": " 0 false",
		"due:x": "due 0 false", "due": " 0 false", "": " 0 false",
	} {
		name, value, ok := keyOf(term)
		if got := fmt.Sprint(name, " ", value, " ", ok); got != want {
			t.Errorf("%q: %s, want %s", term, got, want)
		}
	}
}
