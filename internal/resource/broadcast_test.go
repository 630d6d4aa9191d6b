package resource

import (
	"testing"
	"time"

	"groundwork/internal/store"
)

// TestBroadcastIsBounded: a broadcast keeps the newest lines, few and small ones; whoever is further behind is sent to
// the log, and whoever is not misses none.
func TestBroadcastIsBounded(t *testing.T) {
	for name, size := range map[string]int{"many lines": 10, "large lines": 20 << 10, "lines larger than all": keptBytes + 1} {
		t.Run(name, func(t *testing.T) {
			b := &broadcast{moved: make(chan struct{})}
			const all = 3 * keptLines
			diff := make([]byte, size)
			for seq := int64(1); seq <= all; seq++ {
				b.add([]*line{{Entry: store.Entry{Seq: seq, Diff: diff}}}, seq, seq)
				if len(b.lines) > keptLines || b.bytes > keptBytes && len(b.lines) > 1 {
					t.Fatalf("after %d lines it keeps %d with %d bytes", seq, len(b.lines), b.bytes)
				}
			}
			if _, _, _, _, ok := b.since(b.from-1, false); ok {
				t.Error("somebody who is behind what is kept is given a part of it")
			}
			lines, _, to, _, ok := b.since(b.from, false)
			if !ok || to != all || int64(len(lines)) != all-b.from || lines[0].Seq != b.from+1 {
				t.Errorf("from %d: %d lines to %d, %v", b.from, len(lines), to, ok)
			}
			was := ""
			b.add([]*line{{Entry: store.Entry{Seq: all + 1, Was: &was}}}, all+1, all+1)
			if _, _, _, _, ok := b.since(all-1, false); ok {
				t.Error("what was read before a record was hidden is told afterwards")
			}
			if lines, _, _, _, ok := b.since(all, false); !ok || len(lines) != 1 {
				t.Errorf("of one line %d are told", len(lines))
			}
			b.drop()
			if len(b.lines) != 0 || b.bytes != 0 || b.from != all+1 {
				t.Errorf("after a rest it keeps %d lines with %d bytes from %d", len(b.lines), b.bytes, b.from)
			}
		})
	}
}

// TestGatherFor: what comes alone is told at once, much is gathered, and what was read in part is read on.
func TestGatherFor(t *testing.T) {
	for _, c := range []struct {
		lines int
		more  bool
		want  time.Duration
	}{
		{0, false, readEvery},
		{1, false, readEvery},
		{5, false, 200 * time.Millisecond},
		{10, false, readAtLeastEvery},
		{keptLines - 1, false, readAtLeastEvery},
		{keptLines, true, readEvery},
		{5, true, readEvery}, // five large ones
	} {
		if got := gatherFor(c.lines, c.more); got != c.want {
			t.Errorf("after %d lines, more %v: %v, not %v", c.lines, c.more, got, c.want)
		}
	}
}
