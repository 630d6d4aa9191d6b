package store

import (
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// TestKeptTransactions has every connection keep its transaction, and see all the same what is committed next.
func TestKeptTransactions(t *testing.T) {
	s, err := Open(t.Context(), Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "kept.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	readers := s.engine.(*lite).readers
	all := cap(readers.free)
	put := func(value string) {
		t.Helper()
		if err := s.SetNote(t.Context(), "x", value); err != nil {
			t.Fatal(err)
		}
	}
	// look reads with all connections at once and tells how many see a value.
	look := func(value string) (seen int) {
		var mu sync.Mutex
		var wg, inside sync.WaitGroup
		inside.Add(all)
		for range all {
			wg.Go(func() {
				err := s.Query(t.Context(), readNote, []any{"x"}, func(c *Cols) error {
					inside.Done()
					inside.Wait()
					mu.Lock()
					defer mu.Unlock()
					if c.Text(0) == value {
						seen++
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		return seen
	}
	keeping := func() (n int) {
		readers.mu.Lock()
		defer readers.mu.Unlock()
		for _, c := range readers.stack {
			if !c.conn.AutocommitEnabled() {
				n++
			}
		}
		return n
	}
	// settle reads until all keep: now and then the checkpointer ends what is kept.
	settle := func(value string) {
		t.Helper()
		for tries := 0; keeping() < all; tries++ {
			if seen := look(value); seen != all || tries == 100 {
				t.Fatalf("of %d connections %d see what was committed, %d keep their transaction", all, seen, keeping())
			}
		}
	}
	for i := range 20 {
		value := strconv.Itoa(i)
		put(value)
		if seen := look(value); seen != all {
			t.Fatalf("%d of %d connections see what was committed", seen, all)
		}
		settle(value)
	}
	readers.clear()
	look("19")
	look("19")
	if n := keeping(); n != 0 {
		t.Errorf("%d connections keep a transaction while the log is emptied", n)
	}
	readers.resume()
	settle("19")
}
