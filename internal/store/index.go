package store

import (
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// index is the memory of one kind in one project. Ordinals are dense, so n is both the last ordinal and the number of
// records. The clocks and terms are loaded when a list first asks for them.
type index struct {
	n      uint32
	full   bool
	clocks []int64 // by ordinal - 1
	blocks []block
	terms  map[string]*roaring.Bitmap
	keys   map[string][]int64 // by name, then by ordinal - 1

	mu     sync.Mutex // of what readers make
	orders map[string]*order
	ranges map[Range]*roaring.Bitmap
}

// block sums up 1,024 clocks: which of them are after a moment can mostly be told without looking at each.
type block struct{ min, max int64 }

const blockSize = 1024

// DeletedTerm is the term every deleted record has beside its own.
const DeletedTerm = "deleted=true"

func (x *index) set(e *effect) {
	ordinal := e.id.Ordinal()
	x.n = max(x.n, ordinal)
	if !x.full {
		return
	}
	known := int(ordinal) <= len(x.clocks)
	if known && x.clocks[ordinal-1] > e.clock {
		return // an older effect applied again
	}
	if known {
		x.leave(ordinal)
	} else if len(x.clocks)+1 < int(ordinal) {
		clear(x.orders) // those in between are not known yet
	}
	for len(x.clocks) < int(ordinal) {
		if len(x.clocks)%blockSize == 0 {
			x.blocks = append(x.blocks, block{e.clock, e.clock})
		}
		x.clocks = append(x.clocks, e.clock)
	}
	old := x.clocks[ordinal-1]
	x.clocks[ordinal-1] = e.clock
	at := int(ordinal-1) / blockSize
	b := &x.blocks[at]
	b.max = max(b.max, e.clock)
	if b.min = min(b.min, e.clock); known && old == b.min && old < e.clock {
		b.min = e.clock
		for _, c := range x.clocks[at*blockSize : min(len(x.clocks), (at+1)*blockSize)] {
			b.min = min(b.min, c)
		}
	}
	if known {
		x.unmark(ordinal, e.was)
	}
	x.mark(ordinal, e.terms, e.deleted)
	x.enter(ordinal)
}

// unmark takes a record out of the terms that it had; out of all when these are not known.
func (x *index) unmark(ordinal uint32, was *string) {
	if was == nil {
		for _, set := range x.terms {
			set.Remove(ordinal)
		}
		return
	}
	for term := range strings.SplitSeq(*was+"\t"+DeletedTerm, "\t") {
		if set := x.terms[term]; set != nil {
			set.Remove(ordinal)
		}
	}
}

func (x *index) mark(ordinal uint32, terms string, deleted bool) {
	for terms != "" {
		var term string
		term, terms, _ = strings.Cut(terms, "\t")
		if name, value, ok := keyOf(term); ok {
			x.setKey(name, ordinal, value)
			continue
		}
		x.bitmap(term).Add(ordinal)
	}
	if deleted {
		x.bitmap(DeletedTerm).Add(ordinal)
	}
}

func (x *index) bitmap(term string) *roaring.Bitmap {
	set := x.terms[term]
	if set == nil {
		set = roaring.New()
		x.terms[strings.Clone(term)] = set
	}
	return set
}

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
