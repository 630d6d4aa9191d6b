package store

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// order gives the records sorted by a key. It is made when a list first asks for it; the caller holds the project's
// memory for reading.
func (x *index) order(name string) *order {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.orders[name]; o != nil {
		return o
	}
	all := make([]entry, len(x.clocks))
	for i := range all {
		ordinal := uint32(i + 1)
		all[i] = entry{x.key(name, ordinal), ordinal}
	}
	if x.orders == nil {
		x.orders = map[string]*order{}
	}
	o := newOrder(all)
	x.orders[name] = o
	return o
}

// sorted gives the total and the window of a list that is sorted by a key.
func (x *index) sorted(sel *Select, set *roaring.Bitmap) (total int, ordinals []uint32) {
	switch {
	case sel.After != Always:
		total = x.after(sel.After, set)
	case set != nil:
		total = int(set.GetCardinality())
	default:
		total = len(x.clocks)
	}
	if sel.Skip >= total || sel.Limit == 0 {
		return total, nil
	}
	skip := sel.Skip
	var members []uint64 // of the set, a bit each: nearly all of them are asked for
	if set != nil && !x.sparse(set) {
		members = make([]uint64, len(x.clocks)/64+1)
		set.WriteDenseTo(members)
	}
	visit := func(ordinal uint32) bool {
		if (members != nil && members[ordinal/64]&(1<<(ordinal%64)) == 0) || x.clocks[ordinal-1] <= sel.After {
			return true
		}
		if skip > 0 {
			skip--
			return true
		}
		ordinals = append(ordinals, ordinal)
		return len(ordinals) < sel.Limit
	}
	switch {
	case x.sparse(set):
		o := newOrder(x.entries(sel.Sort, set))
		o.walk(0, sel.Desc, visit)
	case set == nil && sel.After == Always:
		from := skip
		skip = 0
		x.order(sel.Sort).walk(from, sel.Desc, visit)
	default:
		x.order(sel.Sort).walk(0, sel.Desc, visit)
	}
	return total, ordinals
}

func (x *index) entries(name string, set *roaring.Bitmap) []entry {
	all := make([]entry, 0, set.GetCardinality())
	for it := set.Iterator(); it.HasNext(); {
		ordinal := it.Next()
		all = append(all, entry{x.key(name, ordinal), ordinal})
	}
	return all
}

// arranged puts the lines of a page in the order of the ordinals.
func arranged(rows []Line, ordinals []uint32) {
	at := make(map[uint32]int, len(ordinals))
	for i, ordinal := range ordinals {
		at[ordinal] = i
	}
	slices.SortFunc(rows, func(a, b Line) int { return at[a.ID.Ordinal()] - at[b.ID.Ordinal()] })
}
