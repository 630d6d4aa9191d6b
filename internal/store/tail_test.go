package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"groundwork/internal/await"
	"groundwork/internal/pgtest"
	"groundwork/internal/store"
)

// copied is a database as somebody has it who follows it.
type copied struct {
	pages map[uint32][]byte
	size  uint32
}

func (c *copied) add(changes store.Changes) {
	maps.Copy(c.pages, changes.Pages)
	if len(changes.Pages) > 0 {
		c.size = changes.Size
	}
}

// rows writes the copy into a file and gives all of its rows.
func (c *copied) rows(t *testing.T) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.db")
	f, err := os.Create(path)
	for number, page := range c.pages {
		if err == nil && number <= c.size {
			_, err = f.WriteAt(page, int64(number-1)*store.PageSize)
		}
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	snap, err := store.SnapshotFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return rowsOf(t, snap)
}

func rowsOf(t *testing.T, snap *store.Snapshot) (all []string) {
	t.Helper()
	for _, table := range snap.Tables() {
		err := snap.Each(t.Context(), table, func(c *store.Cols) error {
			row := table.Name
			for i := range table.Columns {
				row += "|" + c.Text(i)
			}
			all = append(all, row)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := snap.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// base begins a copy.
func base(t *testing.T, s *store.Store) *copied {
	t.Helper()
	snap, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := &copied{pages: map[uint32][]byte{}}
	err = snap.EachPage(t.Context(), func(number uint32, page []byte) error {
		c.pages[number], c.size = slices.Clone(page), number
		return nil
	})
	if err = errors.Join(err, snap.Close()); err != nil {
		t.Fatal(err)
	}
	return c
}

func openAt(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Config{URL: "sqlite:" + path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// heavy writes documents until the log has begun anew several times.
func heavy(t *testing.T, s *store.Store, writers, each int, ctx context.Context) {
	t.Helper()
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := range each {
				if ctx.Err() != nil {
					return
				}
				note := fmt.Sprintf("note-%d-%d", w, n%40)
				if err := s.SetNote(t.Context(), note, strings.Repeat(fmt.Sprint(n, " "), 4000)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestTail follows a database under load, with checkpoints and a log that begins anew, and has an exact copy whenever
// it looks.
func TestTail(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "a?b.db"))
	heavy(t, s, 1, 50, t.Context())
	tail, err := s.Tail(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	if _, err := s.Tail(t.Context()); err == nil {
		t.Error("two follow the log")
	}
	copy := base(t, s)
	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	writing.Go(func() { heavy(t, s, 4, 100_000, ctx) })
	commits, cuts, began := 0, 0, time.Now()
	for cuts < 12 || store.Restarts(tail) == 0 && time.Since(began) < time.Minute {
		for range 2000 { // also in the middle of commits
			changes, err := tail.Next()
			if err != nil {
				t.Fatal(err)
			}
			commits += changes.Commits
			copy.add(changes)
		}
		snap, changes, err := tail.Cut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		copy.add(changes)
		if live, got := rowsOf(t, snap), copy.rows(t); !slices.Equal(live, got) {
			t.Fatalf("after %d commits the copy has %d rows, want %d", commits, len(got), len(live))
		}
		cuts++
	}
	stop()
	writing.Wait()
	if store.Restarts(tail) == 0 || commits == 0 {
		t.Errorf("%d commits, and the log has begun anew %d times", commits, store.Restarts(tail))
	}
	t.Logf("%d commits, the log began anew %d times", commits, store.Restarts(tail))
}

// TestTailHoldsTheLog: once all of the log is copied back, the next write would begin it anew; not before the tail has
// read it.
func TestTailHoldsTheLog(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "held.db"))
	tail, err := s.Tail(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	copy := base(t, s)
	for round := range 3 {
		for n := range 60 { // more than the checkpointer leaves
			if err := s.SetNote(t.Context(), fmt.Sprint(round, "-", n), strings.Repeat("x", 100_000)); err != nil {
				t.Fatal(err)
			}
		}
		await.Until(t, time.Minute, func() string {
			if log, copied := store.LogCopied(tail); log > 512 && log-copied < 512 {
				return ""
			} else {
				return fmt.Sprintf("%d of %d are copied", copied, log)
			}
		})
		if err := s.SetNote(t.Context(), "last", fmt.Sprint(round)); err != nil {
			t.Fatal(err)
		}
		snap, changes, err := tail.Cut(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		copy.add(changes)
		if live, got := rowsOf(t, snap), copy.rows(t); !slices.Equal(live, got) {
			t.Fatalf("the copy has %d rows, want %d", len(got), len(live))
		}
	}
}

// TestTailBehind: as long as nobody takes the changes, the log grows; beyond its bound the tail is lost, and says so,
// and writers go on.
func TestTailBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "behind.db")
	s := openAt(t, path)
	tail, err := s.Tail(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	copy := base(t, s)
	store.BoundTail(tail, 1<<20, 64<<20)
	longest := int64(0)
	for n := 0; ; n++ {
		// Other pages each time: what is taken has no end.
		if err := s.SetNote(t.Context(), fmt.Sprint("note-", n), strings.Repeat("x", 100_000)); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		longest = max(longest, info.Size())
		if n == 450 { // beyond where it begins anew without a tail
			if longest < 45<<20 {
				t.Errorf("the log has %d bytes, and nobody took them", longest)
			}
			for more := true; more; {
				changes, err := tail.Next()
				if err != nil {
					t.Fatal(err)
				}
				copy.add(changes)
				more = len(changes.Pages) > 0
			}
			snap, changes, err := tail.Cut(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			copy.add(changes)
			if live, got := rowsOf(t, snap), copy.rows(t); !slices.Equal(live, got) {
				t.Errorf("late, the copy has %d rows, want %d", len(got), len(live))
			}
		}
		if n > 450 && store.TailLost(tail) {
			break
		}
		if n > 3000 {
			t.Fatalf("the log has %d bytes and goes on", longest)
		}
	}
	if _, err := tail.Next(); !errors.Is(err, store.ErrTailLost) {
		t.Errorf("what was lost is told as %v", err)
	}
	if _, _, err := tail.Cut(t.Context()); !errors.Is(err, store.ErrTailLost) {
		t.Errorf("what was lost is told as %v", err)
	}
	if err := tail.Close(); err != nil {
		t.Error(err)
	}
	again, err := s.Tail(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestTailOfTheOtherEngine: PostgreSQL ships its log itself.
func TestTailOfTheOtherEngine(t *testing.T) {
	s, err := store.Open(t.Context(), store.Config{URL: pgtest.Database(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Tail(t.Context()); !errors.Is(err, store.ErrNoTail) {
		t.Errorf("got %v", err)
	}
}
