package store

import "github.com/RoaringBitmap/roaring/v2"

// Always is the After of a list without updated_after.
const Always = -1 << 63

// Select says which records of a kind a list shows.
type Select struct {
	Kind   Kind
	Terms  [][]string // of every group, a record has at least one term
	Not    []string   // and none of these
	Only   uint32     // just the record at this ordinal; 0: all
	Ranges []Range    // and every key inside its range
	Words  []string   // and is found by all of these, which come from Asked
	// Account is on whose behalf Words are looked for: each has its share.
	Account string
	Sort    string // the key to sort by; "" for the order of creation
	Desc    bool   // with Sort: against the order
	After   int64  // only records changed after this clock; Always for all
	Bound   int64  // with After: only records changed up to this clock; 0: up to the memory's own
	From    uint32 // with After: only beyond this ordinal, in list order
	Newest  bool   // newest first
	Skip    int
	Limit   int
	// Grow is asked before a page holds more than LargePage bytes, and again whenever what it allowed is used up;
	// an error ends the read. Without it a page may have any size.
	Grow func(bytes int) error

	found *roaring.Bitmap // by Words
}

// full tells whether the list needs to know more of a kind than how many records it has.
func (sel *Select) full() bool { return sel.filtered() || sel.After != Always || sel.Sort != "" }

func (sel *Select) filtered() bool {
	return sel.Terms != nil || sel.Not != nil || sel.Ranges != nil || sel.Only > 0 || len(sel.Words) > 0
}
