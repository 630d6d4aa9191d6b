package store

import "github.com/RoaringBitmap/roaring/v2"

// matching gives the ordinals that a list selects; nil means all.
func (x *index) matching(sel *Select) *roaring.Bitmap {
	all := x.having(sel.Terms, sel.Not)
	if sel.Only > 0 && (all == nil || all.Contains(sel.Only)) {
		all = roaring.BitmapOf(sel.Only)
	} else if sel.Only > 0 {
		all = roaring.New()
	}
	for _, r := range sel.Ranges {
		if inside := x.within(r); all == nil {
			all = inside
		} else {
			all = roaring.And(all, inside)
		}
	}
	if sel.found != nil {
		known := sel.found.Clone()
		known.RemoveRange(uint64(len(x.clocks))+1, 1<<32)
		if all != nil {
			known.And(all)
		}
		return known
	}
	return all
}

// having gives the ordinals that have, of every group, at least one term, and none of not; nil means all.
func (x *index) having(groups [][]string, not []string) *roaring.Bitmap {
	var all *roaring.Bitmap
	for _, group := range groups {
		var any *roaring.Bitmap
		if len(group) == 1 {
			if any = x.terms[group[0]]; any == nil {
				return roaring.New()
			}
		} else {
			any = roaring.New()
			for _, term := range group {
				if set := x.terms[term]; set != nil {
					any.Or(set)
				}
			}
		}
		if all == nil {
			all = any
		} else {
			all = roaring.And(all, any)
		}
	}
	for _, term := range not {
		if all == nil {
			all = roaring.New()
			all.AddRange(1, uint64(x.n)+1)
		}
		if set := x.terms[term]; set != nil {
			all = roaring.AndNot(all, set)
		}
	}
	return all
}

// mostRanges is how many ranges a kind remembers.
const mostRanges = 16

// within gives the records inside a range.
func (x *index) within(r Range) *roaring.Bitmap {
	x.mu.Lock()
	defer x.mu.Unlock()
	if set := x.ranges[r]; set != nil {
		return set
	}
	keys := x.keys[r.Key]
	dense := make([]uint64, len(keys)/64+1)
	for i, k := range keys {
		if k >= r.From && k < r.To && k != blank {
			dense[(i+1)/64] |= 1 << ((i + 1) % 64)
		}
	}
	set := roaring.FromDense(dense, true)
	if len(x.ranges) >= mostRanges || x.ranges == nil {
		x.ranges = map[Range]*roaring.Bitmap{}
	}
	x.ranges[r] = set
	return set
}

// sparse tells whether a set is so small that walking it costs less than walking the blocks: the comments of one record
// are.
func (x *index) sparse(set *roaring.Bitmap) bool {
	return set != nil && set.GetCardinality()*16 < uint64(len(x.clocks))
}

// after counts the records with a clock after the moment, among set when it is not nil.
func (x *index) after(moment int64, set *roaring.Bitmap) int {
	n := 0
	if x.sparse(set) {
		for it := set.Iterator(); it.HasNext(); {
			if x.clocks[it.Next()-1] > moment {
				n++
			}
		}
		return n
	}
	for i, b := range x.blocks {
		if b.max <= moment {
			continue
		}
		from, to := i*blockSize, min(len(x.clocks), (i+1)*blockSize)
		if b.min > moment && set == nil {
			n += to - from
			continue
		}
		for at, c := range x.clocks[from:to] {
			if c > moment && (set == nil || set.Contains(uint32(from+at+1))) {
				n++
			}
		}
	}
	return n
}

// window walks the records with after < clock ≤ bound, in list order and beyond the ordinal from, passes over skip of
// them and gives up to limit; more tells whether others follow.
func (x *index) window(sel *Select, set *roaring.Bitmap, bound int64) (ordinals []uint32, more bool) {
	skip := sel.Skip
	if sel.From > 0 {
		skip = 0
	}
	visit := func(ordinal uint32) bool {
		c := x.clocks[ordinal-1]
		if c <= sel.After || c > bound || (set != nil && !set.Contains(ordinal)) {
			return true
		}
		if skip > 0 {
			skip--
			return true
		}
		if len(ordinals) == sel.Limit {
			more = true
			return false
		}
		ordinals = append(ordinals, ordinal)
		return true
	}
	// A block with no clock in (after, bound] is passed over whole; one that lies in it whole and is to be skipped,
	// too.
	pass := func(at int) bool {
		b := x.blocks[at]
		if b.max <= sel.After || b.min > bound {
			return true
		}
		size := min(len(x.clocks), (at+1)*blockSize) - at*blockSize
		if set == nil && b.min > sel.After && b.max <= bound && skip >= size {
			skip -= size
			return true
		}
		return false
	}
	n := len(x.clocks)
	if x.sparse(set) {
		walk(set, sel, visit)
		return ordinals, more
	}
	if sel.Newest {
		for i := n; i > 0; i-- {
			if sel.From > 0 && i >= int(sel.From) {
				i = int(sel.From)
				continue
			}
			if i%blockSize == 0 || i == n {
				if at := (i - 1) / blockSize; pass(at) {
					i = at*blockSize + 1
					continue
				}
			}
			if !visit(uint32(i)) {
				break
			}
		}
		return ordinals, more
	}
	for i := int(sel.From) + 1; i <= n; i++ {
		if (i-1)%blockSize == 0 && pass((i-1)/blockSize) {
			i += blockSize - 1
			continue
		}
		if !visit(uint32(i)) {
			break
		}
	}
	return ordinals, more
}

// walk visits the members of a set beyond the ordinal from, in list order, until visit has enough.
func walk(set *roaring.Bitmap, sel *Select, visit func(uint32) bool) {
	if sel.Newest {
		for it := set.ReverseIterator(); it.HasNext(); {
			if i := it.Next(); (sel.From == 0 || i < sel.From) && !visit(i) {
				return
			}
		}
		return
	}
	it := set.Iterator()
	for it.AdvanceIfNeeded(sel.From + 1); it.HasNext(); {
		if !visit(it.Next()) {
			return
		}
	}
}

// pick gives the window of a set, in ascending order.
func pick(set *roaring.Bitmap, sel *Select, total int) []uint32 {
	lo, hi := min(sel.Skip, total), min(sel.Skip+sel.Limit, total)
	if sel.Newest {
		lo, hi = max(total-sel.Skip-sel.Limit, 0), max(total-sel.Skip, 0)
	}
	if lo >= hi {
		return nil
	}
	out := make([]uint32, 0, hi-lo)
	first, err := set.Select(uint32(lo))
	if err != nil {
		return nil
	}
	it := set.Iterator()
	it.AdvanceIfNeeded(first)
	for len(out) < hi-lo && it.HasNext() {
		out = append(out, it.Next())
	}
	return out
}
