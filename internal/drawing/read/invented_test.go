package read

import (
	"flag"
	"fmt"
	"testing"

	"groundwork/internal/draft"
)

var (
	from    = flag.Uint64("from", 0, "measure invented layouts from this seed on, instead of the sample")
	layouts = flag.Uint64("layouts", 100, "how many of them")
	unseen  = flag.Bool("unseen", false, "with the words, patterns and forms that are kept from development")
)

// heldOut is where the seeds begin on which the reader is reported and never developed; ADR 0017 says how they are
// used.
const heldOut = 10_201

// The bars hold for every layout that a seed invents, with words, patterns and forms that the reader was not made with.
func TestInventedLayouts(t *testing.T) {
	first, step, count, kept := uint64(heldOut), uint64(10), uint64(10), true
	if *from > 0 {
		first, step, count, kept = *from, 1, *layouts, *unseen
	}
	var all tally
	worst := map[string]string{}
	least := map[string]float64{}
	for n := range count {
		seed := first + n*step
		one, layout := measured(t, draft.Options{Seed: seed, Sheets: 24, Layout: draft.Invented, Unseen: kept}, Set)
		where := fmt.Sprintf("seed %d: %s", seed, layout)
		t.Logf("%s\n%s", where, one)
		one.hold(t, where, 0.95, 0.90, 0.90, 0.98, 0) // marks of an unknown form are missed, not taken for others
		for what, share := range one.shares() {
			if old, is := least[what]; !is || share < old {
				least[what], worst[what] = share, where
			}
		}
		all.add(one)
	}
	t.Logf("all\n%s", all)
	if all.strange > 0 { // numbers of an office's own may say nothing, but nothing is said wrongly
		t.Errorf("%d disciplines are wrong.", all.strange)
	}
	for what, where := range worst {
		t.Logf("worst %s: %.3f in %s", what, least[what], where)
	}
}
