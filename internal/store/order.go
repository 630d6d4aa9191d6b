package store

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// blank is the key of a record that has none. It comes last, whichever way a list is sorted.
const blank = math.MaxInt64

// entry is a record in an order: by key, and by ordinal where keys are equal.
type entry struct {
	key     int64
	ordinal uint32
}

func (a entry) compare(b entry) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.ordinal, b.ordinal))
}

// order is the records of a kind sorted by a key. They stand in blocks, so that a change moves few of them.
type order struct {
	blocks [][]entry // none is empty
	n      int
	blanks int
}

// mostInBlock is the size at which a block becomes two.
const mostInBlock = 1024

// newOrder sorts the entries, which become its own.
func newOrder(all []entry) *order {
	slices.SortFunc(all, entry.compare)
	o := &order{n: len(all)}
	for _, e := range slices.Backward(all) {
		if e.key != blank {
			break
		}
		o.blanks++
	}
	for chunk := range slices.Chunk(all, mostInBlock/2) {
		o.blocks = append(o.blocks, slices.Clip(chunk))
	}
	return o
}

// find gives the block and the place in it where e stands or would stand.
func (o *order) find(e entry) (block, at int) {
	block = sort.Search(len(o.blocks), func(i int) bool { return o.blocks[i][len(o.blocks[i])-1].compare(e) >= 0 })
	if block == len(o.blocks) {
		return block, 0
	}
	at, _ = slices.BinarySearchFunc(o.blocks[block], e, entry.compare)
	return block, at
}

func (o *order) insert(e entry) {
	o.n++
	if e.key == blank {
		o.blanks++
	}
	block, at := o.find(e)
	if block == len(o.blocks) {
		if block == 0 {
			o.blocks = [][]entry{{e}}
			return
		}
		block, at = block-1, len(o.blocks[block-1])
	}
	b := slices.Insert(o.blocks[block], at, e)
	o.blocks[block] = b
	if half := len(b) / 2; len(b) >= mostInBlock {
		o.blocks[block] = b[:half:half]
		o.blocks = slices.Insert(o.blocks, block+1, slices.Clone(b[half:]))
	}
}

func (o *order) remove(e entry) {
	block, at := o.find(e)
	if block == len(o.blocks) || at == len(o.blocks[block]) || o.blocks[block][at] != e {
		return
	}
	o.n--
	if e.key == blank {
		o.blanks--
	}
	b := slices.Delete(o.blocks[block], at, at+1)
	o.blocks[block] = b
	switch next := block + 1; {
	case len(b) == 0:
		o.blocks = slices.Delete(o.blocks, block, next)
	case next < len(o.blocks) && len(b)+len(o.blocks[next]) < mostInBlock/4:
		o.blocks[block] = append(b, o.blocks[next]...)
		o.blocks = slices.Delete(o.blocks, next, next+1)
	}
}

// walk visits the ordinals from a position on, in the order or against it, until visit has enough.
func (o *order) walk(from int, desc bool, visit func(uint32) bool) {
	keyed := o.n - o.blanks
	if !desc {
		o.ascend(from, o.n, visit)
		return
	}
	if from < keyed && !o.descend(keyed-1-from, visit) {
		return
	}
	o.ascend(max(from, keyed), o.n, visit)
}

// ascend visits the positions from…to-1.
func (o *order) ascend(from, to int, visit func(uint32) bool) {
	at := 0
	for _, b := range o.blocks {
		if at+len(b) <= from {
			at += len(b)
			continue
		}
		for _, e := range b[max(from-at, 0):min(len(b), to-at)] {
			if !visit(e.ordinal) {
				return
			}
		}
		if at += len(b); at >= to {
			return
		}
	}
}

// descend visits the positions from…0; it is false when visit had enough.
func (o *order) descend(from int, visit func(uint32) bool) bool {
	at := o.n // the position after the block
	for _, b := range slices.Backward(o.blocks) {
		at -= len(b)
		if at > from {
			continue
		}
		for _, e := range slices.Backward(b[:min(len(b), from-at+1)]) {
			if !visit(e.ordinal) {
				return false
			}
		}
	}
	return true
}
