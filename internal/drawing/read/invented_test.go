package read

import (
	"flag"
	"fmt"
	"testing"

	"groundwork/internal/draft"
)

var (
	from    = flag.Uint64("from", 0, "measure invented layouts beginning with this seed")
	layouts = flag.Uint64("layouts", 100, "how many of them")
	unseen  = flag.Bool("unseen", false, "with words, patterns and forms that are kept from development")
)

// TestInvented measures layouts that a seed invents, and names the worst.
func TestInvented(t *testing.T) {
	var all tally
	type low struct {
		share float64
		where string
	}
	worst := map[string]low{}
	if *from == 0 {
		t.Skip()
	}
	for seed := *from; seed < *from+*layouts; seed++ {
		one, name := measured(t, draft.Options{Seed: seed, Sheets: 24, Layout: draft.Invented, Unseen: *unseen}, Set)
		where := fmt.Sprintf("%d %s", seed, name)
		t.Logf("%-72s %s", where, one)
		for what, share := range one.shares() {
			if w, is := worst[what]; !is || share < w.share {
				worst[what] = low{share, where}
			}
		}
		all.add(one)
	}
	t.Logf("%-72s %s", "all", all)
	for what, w := range worst {
		t.Logf("worst %s: %.3f in %s", what, w.share, w.where)
	}
}
