package store

import (
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// A term name:number is a key: lists can be sorted by it and bounded. All others are name=value and can be filtered by.

// Key is the term that gives a record a key.
func Key(name string, value int64) string { return name + ":" + strconv.FormatInt(value, 10) }

// keyOf reads a term that is a key.
func keyOf(term string) (name string, value int64, ok bool) {
	i := strings.IndexAny(term, "=:")
	if i < 0 || term[i] != ':' {
		return "", 0, false
	}
	value, err := strconv.ParseInt(term[i+1:], 10, 64)
	return term[:i], value, err == nil
}

// ByClock is the key that every record has: when it was changed.
const ByClock = "updated_at"

// Range bounds a key: From ≤ key < To. A record without the key is outside.
type Range struct {
	Key      string
	From, To int64
}

// mostRanges is how many ranges a kind remembers.
const mostRanges = 16

// key is a record's key of a name.
func (x *index) key(name string, ordinal uint32) int64 {
	keys := x.keys[name]
	if name == ByClock {
		keys = x.clocks
	}
	if int(ordinal) > len(keys) {
		return blank
	}
	return keys[ordinal-1]
}

func (x *index) setKey(name string, ordinal uint32, value int64) {
	keys := x.keys[name]
	for len(keys) < int(ordinal) {
		keys = append(keys, blank)
	}
	keys[ordinal-1] = value
	if x.keys == nil {
		x.keys = map[string][]int64{}
	}
	x.keys[name] = keys
}

// leave takes a record out of the orders and takes its keys; enter puts it back with those it has then.
func (x *index) leave(ordinal uint32) {
	for name, o := range x.orders {
		o.remove(entry{x.key(name, ordinal), ordinal})
	}
	for _, keys := range x.keys {
		if int(ordinal) <= len(keys) {
			keys[ordinal-1] = blank
		}
	}
}

func (x *index) enter(ordinal uint32) {
	for name, o := range x.orders {
		o.insert(entry{x.key(name, ordinal), ordinal})
	}
	clear(x.ranges)
}

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
