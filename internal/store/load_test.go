package store_test

import (
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"groundwork/internal/pgtest"
	"groundwork/internal/store"
)

// TestLoadOnce has many ask at once for what the memory does not know yet: it is read once for all of them.
func TestLoadOnce(t *testing.T) {
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			url := "sqlite:" + filepath.Join(t.TempDir(), "load.db")
			if engine == "postgres" {
				url = pgtest.Database(t)
			}
			var reads atomic.Int64
			open := func() *store.Store {
				s, err := store.Open(t.Context(), store.Config{URL: url, Trace: func(sql string) {
					if strings.Contains(sql, "deleted, terms FROM records") {
						reads.Add(1)
					}
				}})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			first := open()
			p := found(t, first)
			for range 300 {
				if _, err := insert(t.Context(), first, p, "a=1"); err != nil {
					t.Fatal(err)
				}
			}
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			reads.Store(0)

			s := open()
			defer s.Close()
			p, err := s.Project(t.Context(), p.UID)
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for range 32 {
				all.Go(func() {
					page, err := s.List(t.Context(), p, store.Select{
						Kind: kind, Terms: [][]string{{"a=1"}}, After: store.Always, Limit: 50,
					})
					if err != nil {
						t.Error(err)
						return
					}
					if page.Total != 300 || len(page.Rows) != 50 {
						t.Errorf("%d of %d", len(page.Rows), page.Total)
					}
					page.Release()
				})
			}
			all.Wait()
			if n := reads.Load(); n != 1 {
				t.Errorf("the records were read %d times", n)
			}
		})
	}
}
