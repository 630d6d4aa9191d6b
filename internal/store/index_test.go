package store

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

// TestSparseSets holds what is answered for sets of all sizes, walked one way or the other, against a plain look at
// every record.
func TestSparseSets(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 9))
	const n = 3 * blockSize
	x := &index{full: true, terms: map[string]*roaring.Bitmap{}}
	for i := range n {
		x.set(&effect{id: MakeID(1, 5, uint32(i+1)), clock: int64(random.IntN(1000)) + 1})
	}
	for round := range 400 {
		set := roaring.New()
		for range random.IntN([]int{3, 60, n}[round%3]) + 1 {
			set.Add(uint32(random.IntN(n) + 1))
		}
		sel := &Select{
			After: int64(random.IntN(1000)), Newest: round%2 == 0, Skip: random.IntN(4), Limit: random.IntN(5) + 1,
		}
		if random.IntN(2) == 0 {
			sel.From = uint32(random.IntN(n) + 1)
		}
		bound := int64(random.IntN(1000)) + 1
		var all []uint32
		total := 0
		for i := uint32(1); i <= n; i++ {
			c := x.clocks[i-1]
			if !set.Contains(i) || c <= sel.After {
				continue
			}
			total++
			if c <= bound && (sel.From == 0 || (sel.Newest && i < sel.From) || (!sel.Newest && i > sel.From)) {
				all = append(all, i)
			}
		}
		if sel.Newest {
			slices.Reverse(all)
		}
		if sel.From == 0 {
			all = all[min(sel.Skip, len(all)):]
		}
		want := all[:min(sel.Limit, len(all))]
		got, more := x.window(sel, set, bound)
		if !slices.Equal(got, want) || more != (len(all) > len(want)) || x.after(sel.After, set) != total {
			t.Fatalf("%d of %d, %+v, up to %d: %v and more %v of %d, want %v of %d", set.GetCardinality(), n, sel,
				bound, got, more, x.after(sel.After, set), want, total)
		}
	}
}
