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
