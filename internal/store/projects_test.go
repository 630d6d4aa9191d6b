package store_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/store"
)

const (
	putInstance = "INSERT INTO instance (name, value) VALUES ($1, $2)"
	getInstance = "SELECT value FROM instance WHERE name = $1"
)

// shows tells whether a reader sees what was written under a name.
func shows(ctx context.Context, s *store.Store, name string) (seen bool, err error) {
	err = s.Query(ctx, getInstance, []any{name}, func(*store.Cols) error { seen = true; return nil })
	return seen, err
}

// TestOwnWrites has many writers look at once, through whichever connection is free, for what they were just told is
// stored, while the log grows and is copied back beside them.
func TestOwnWrites(t *testing.T) {
	const hammers, within = 32, time.Second
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		filler := strings.Repeat("x", 4000)
		var n, missed atomic.Int64
		var wg sync.WaitGroup
		end := time.Now().Add(within)
		for i := range hammers {
			wg.Go(func() {
				for j := 0; time.Now().Before(end); j++ {
					name := fmt.Sprintf("%d.%d", i, j)
					write := func(tx *store.Tx) error { return tx.Exec(putInstance, name, filler) }
					var err error
					if j%2 == 0 {
						err = s.Edit(t.Context(), p, 1, write)
					} else {
						err = s.Write(t.Context(), write)
					}
					if err != nil {
						t.Error(err)
						return
					}
					seen, err := shows(t.Context(), s, name)
					if err != nil {
						t.Error(err)
						return
					}
					n.Add(1)
					if !seen {
						missed.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if missed.Load() > 0 || n.Load() == 0 {
			t.Errorf("%d of %d writers did not see what they had been told is stored", missed.Load(), n.Load())
		}
	})
}

// TestBrokenReaders leaves reads in their middle by a panic: whoever reads later over the same connections sees what
// was written since.
func TestBrokenReaders(t *testing.T) {
	const readers = 64 // more than there are connections
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		put := func(name string) {
			t.Helper()
			if err := s.Write(t.Context(), func(tx *store.Tx) error {
				return tx.Exec(putInstance, name, "v")
			}); err != nil {
				t.Fatal(err)
			}
		}
		put("before")
		var wg sync.WaitGroup
		together := make(chan struct{})
		var inside sync.WaitGroup
		inside.Add(2)
		for range 2 {
			wg.Go(func() {
				defer func() { _ = recover() }()
				_ = s.Query(t.Context(), "SELECT value FROM instance", nil, func(*store.Cols) error {
					inside.Done()
					<-together
					panic("a reader that breaks")
				})
			})
		}
		inside.Wait()
		close(together)
		wg.Wait()
		put("after")
		for range readers {
			wg.Go(func() {
				if seen, err := shows(t.Context(), s, "after"); err != nil || !seen {
					t.Errorf("after a reader broke, another sees %v, %v", seen, err)
				}
			})
		}
		wg.Wait()
	})
}
