package store_test

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/pgtest"
	"groundwork/internal/store"
)

// TestRefreshAfterTheClockWentBack: what another process wrote is seen within the age asked for, however the clock of
// this one jumps.
func TestRefreshAfterTheClockWentBack(t *testing.T) {
	for name, url := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "a.db") },
		"postgres": func() string { return pgtest.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			var offset atomic.Int64
			at := url()
			open := func(now func() time.Time) *store.Store {
				s, err := store.Open(t.Context(), store.Config{URL: at, Now: now})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				return s
			}
			here := open(func() time.Time { return time.Now().Add(time.Duration(offset.Load())) })
			there := here // one process owns a file
			if name == "postgres" {
				there = open(time.Now)
			}
			p := found(t, here)
			if err := here.Refresh(t.Context(), p, 0); err != nil {
				t.Fatal(err)
			}
			for _, jump := range []time.Duration{-time.Hour, time.Hour} {
				offset.Store(int64(jump))
				other, err := there.Project(t.Context(), p.UID)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := insert(t.Context(), there, other, ""); err != nil {
					t.Fatal(err)
				}
				if err := here.Refresh(t.Context(), p, time.Second); err != nil {
					t.Fatal(err)
				}
				_, want := other.Stamp()
				if _, seq := p.Stamp(); seq != want {
					t.Errorf("after a jump of %s the memory stands at %d, the database at %d", jump, seq, want)
				}
			}
		})
	}
}
