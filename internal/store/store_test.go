package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"groundwork/internal/fault"
	"groundwork/internal/pgtest"
	"groundwork/internal/store"
)

const kind store.Kind = 9

// engines runs a test on each engine.
func engines(t *testing.T, test func(t *testing.T, open func() *store.Store)) {
	t.Helper()
	urls := map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "a?b.db") },
		"postgres": func(t *testing.T) string { return pgtest.Database(t) },
	}
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			url := urls[name](t)
			test(t, func() *store.Store {
				s, err := store.Open(t.Context(), store.Config{URL: url})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				})
				return s
			})
		})
	}
}

func found(t testing.TB, s *store.Store) *store.Project {
	t.Helper()
	var p *store.Project
	err := s.Write(t.Context(), func(tx *store.Tx) (err error) {
		if p, err = tx.Found(store.NewUID()); err != nil {
			return err
		}
		return tx.Insert(1, &store.Row{UID: p.UID, Version: 1, Doc: []byte(`{}`)})
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func insert(ctx context.Context, s *store.Store, p *store.Project, terms string) (store.Row, error) {
	var row store.Row
	err := s.Edit(ctx, p, 1, func(tx *store.Tx) error {
		row = store.Row{UID: store.NewUID(), Version: 1, Terms: terms, Tally: "0 3", Doc: []byte(`{"x":1}`)}
		return tx.Insert(kind, &row)
	})
	return row, err
}

func touch(ctx context.Context, s *store.Store, p *store.Project, uid, terms string, deleted bool) error {
	return s.Edit(ctx, p, 1, func(tx *store.Tx) error {
		row, ok, err := tx.Get(kind, uid)
		if err != nil || !ok {
			return errors.Join(err, fmt.Errorf("%s: found %v", uid, ok))
		}
		row.Terms, row.Deleted = terms, deleted
		return tx.Update(&row, store.Updated, []byte(`{"terms":[0,1]}`))
	})
}

func list(t *testing.T, s *store.Store, p *store.Project, sel store.Select) (ordinals []int, page store.Page) {
	t.Helper()
	sel.Kind = kind
	got, err := s.List(t.Context(), p, sel)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range got.Rows {
		ordinals = append(ordinals, int(l.ID.Ordinal()))
		if string(l.Doc) != `{"x":1}` || string(l.Tally) != "0 3" {
			t.Errorf("line %d holds %q and %q", l.ID.Ordinal(), l.Doc, l.Tally)
		}
	}
	return ordinals, *got
}

func TestWindows(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		other := found(t, s)
		var rows []store.Row
		for i := range 10 {
			row, err := insert(t.Context(), s, p, []string{"a=1", "a=2\tb=1"}[i%2])
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
			if _, err := insert(t.Context(), s, other, "a=1"); err != nil {
				t.Fatal(err)
			}
		}
		middle := rows[9].Clock
		if err := touch(t.Context(), s, p, rows[2].UID, "a=2", true); err != nil {
			t.Fatal(err)
		}
		check := func(s *store.Store, p *store.Project) {
			t.Helper()
			for _, c := range []struct {
				name  string
				sel   store.Select
				want  []int
				total int
			}{
				{"first", store.Select{After: store.Always, Limit: 3}, []int{1, 2, 3}, 10},
				{"third to fifth", store.Select{After: store.Always, Skip: 2, Limit: 3}, []int{3, 4, 5}, 10},
				{"end", store.Select{After: store.Always, Skip: 8, Limit: 5}, []int{9, 10}, 10},
				{"past the end", store.Select{After: store.Always, Skip: 11, Limit: 5}, nil, 10},
				{"no limit", store.Select{After: store.Always, Limit: 0}, nil, 10},
				{"newest", store.Select{After: store.Always, Newest: true, Skip: 1, Limit: 3}, []int{9, 8, 7}, 10},
				{"newest end", store.Select{After: store.Always, Newest: true, Skip: 8, Limit: 5}, []int{2, 1}, 10},
				{
					"term",
					store.Select{After: store.Always, Terms: [][]string{{"a=1"}}, Skip: 1, Limit: 2},
					[]int{5, 7},
					4,
				},
				{
					"term newest",
					store.Select{After: store.Always, Terms: [][]string{{"a=1"}}, Newest: true, Limit: 2},
					[]int{9, 7},
					4,
				},
				{
					"either",
					store.Select{After: store.Always, Terms: [][]string{{"a=1", "b=1"}}, Limit: 50},
					[]int{1, 2, 4, 5, 6, 7, 8, 9, 10},
					9,
				},
				{
					"both",
					store.Select{After: store.Always, Terms: [][]string{{"a=2"}, {"b=1"}}, Limit: 50},
					[]int{2, 4, 6, 8, 10},
					5,
				},
				{"not", store.Select{After: store.Always, Not: []string{"b=1"}, Limit: 50}, []int{1, 3, 5, 7, 9}, 5},
				{
					"deleted",
					store.Select{After: store.Always, Terms: [][]string{{"deleted=true"}}, Limit: 50},
					[]int{3},
					1,
				},
				{"unknown term", store.Select{After: store.Always, Terms: [][]string{{"c=1"}}, Limit: 50}, nil, 0},
				{"after", store.Select{After: middle, Limit: 50}, []int{3}, 1},
				{"after some", store.Select{After: rows[6].Clock, Limit: 2}, []int{3, 8}, 4},
				{"after some, skip", store.Select{After: rows[6].Clock, Skip: 2, Limit: 2}, []int{9, 10}, 4},
				{"after some, newest", store.Select{After: rows[6].Clock, Newest: true, Limit: 2}, []int{10, 9}, 4},
				{"from", store.Select{After: rows[6].Clock, From: 8, Limit: 2}, []int{9, 10}, 4},
				{"from newest", store.Select{After: rows[6].Clock, Newest: true, From: 9, Limit: 5}, []int{8, 3}, 4},
				{"bound", store.Select{After: rows[6].Clock, Bound: rows[8].Clock, Limit: 5}, []int{8, 9}, 4},
				{
					"after and term",
					store.Select{After: rows[6].Clock, Terms: [][]string{{"a=2"}}, Limit: 5},
					[]int{3, 8, 10},
					3,
				},
			} {
				got, page := list(t, s, p, c.sel)
				if !slices.Equal(got, c.want) || page.Total != c.total {
					t.Errorf("%s: got %v of %d, want %v of %d", c.name, got, page.Total, c.want, c.total)
				}
			}
		}
		check(s, p)
		// A second process, or the same after a restart, must see the same.
		if s.Engine() == "sqlite" {
			return
		}
		s2 := open()
		p2, err := s2.Project(t.Context(), p.UID)
		if err != nil {
			t.Fatal(err)
		}
		check(s2, p2)
		if err := touch(t.Context(), s2, p2, rows[4].UID, "a=3", false); err != nil {
			t.Fatal(err)
		}
		if got, _ := list(t, s, p,
			store.Select{After: store.Always, Terms: [][]string{{"a=3"}}, Limit: 5}); !slices.Equal(got, []int{5}) {
			t.Errorf("another process's change is not seen: %v", got)
		}
	})
}

func TestRefusedWriteLeavesNothing(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
					if err := tx.Insert(kind, &store.Row{
						UID: store.NewUID(), Version: 1, Tally: "0 3",
						Doc: []byte(`{"x":1}`),
					}); err != nil {
						return err
					}
					switch i % 4 {
					case 0:
						return fault.New(fault.Invalid, "no")
					case 1: // sent, then refused
						if _, _, err := tx.Get(kind, "x"); err != nil {
							return err
						}
						return fault.New(fault.Invalid, "no")
					case 2:
						if i == 2 {
							panic("one bad write")
						}
						return tx.Exec("INSERT INTO nowhere (a) VALUES ($1)", 1)
					}
					return nil
				})
				if i%4 == 3 && err != nil {
					t.Errorf("write %d: %v", i, err)
				}
				if i%4 < 2 && !fault.Is(err, fault.Invalid) {
					t.Errorf("write %d was refused with %v", i, err)
				}
				if i%4 == 2 && err == nil {
					t.Errorf("write %d was not refused", i)
				}
			})
		}
		wg.Wait()
		got, page := list(t, s, p, store.Select{After: store.Always, Limit: 50})
		if page.Total != 16 || len(got) != 16 || got[15] != 16 {
			t.Errorf("%d records, ordinals %v; want 16, dense", page.Total, got)
		}
	})
}

// TestPollerMissesNothing runs writers on every open store of the database and a poller that follows updated_after.
func TestPollerMissesNothing(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		stores := []*store.Store{s}
		if s.Engine() != "sqlite" {
			stores = append(stores, open())
		}
		const writers, writes = 4, 60
		var wg sync.WaitGroup
		var mu sync.Mutex
		last := map[store.ID]int64{}
		for _, s := range stores {
			p, err := s.Project(t.Context(), p.UID)
			if err != nil {
				t.Fatal(err)
			}
			for w := range writers {
				rnd := rand.New(rand.NewPCG(uint64(w), 7))
				wg.Go(func() {
					var mine []store.Row
					for i := range writes {
						if len(mine) > 0 && rnd.IntN(3) == 0 {
							row := mine[rnd.IntN(len(mine))]
							if err := touch(t.Context(), s, p, row.UID, "a=2", false); err != nil {
								t.Error(err)
							}
							continue
						}
						row, err := insert(t.Context(), s, p, fmt.Sprintf("a=%d", i%5))
						if err != nil {
							t.Error(err)
							return
						}
						mine = append(mine, row)
					}
				})
			}
		}
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		poll := func(after int64) int64 {
			from, bound, greatest := uint32(0), int64(0), after
			for {
				_, page := list(t, s, p, store.Select{After: after, From: from, Bound: bound, Limit: 7})
				mu.Lock()
				for _, l := range page.Rows {
					last[l.ID] = l.Clock
					greatest = max(greatest, l.Clock)
				}
				mu.Unlock()
				if !page.More {
					return greatest
				}
				from, bound = uint32(page.Last), page.Bound
			}
		}
		after := int64(0)
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			after = poll(after)
		}
		poll(after)
		n := 0
		seen := map[int64]bool{}
		err := s.Each(t.Context(), p, kind, func(r store.Row) error {
			if n++; int(r.ID.Ordinal()) != n {
				t.Errorf("ordinal %d at place %d", r.ID.Ordinal(), n)
			}
			if seen[r.Clock] {
				t.Errorf("clock %d twice", r.Clock)
			}
			seen[r.Clock] = true
			if last[r.ID] != r.Clock {
				t.Errorf("record %d: polled at %d, stands at %d", r.ID.Ordinal(), last[r.ID], r.Clock)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(last) != n {
			t.Errorf("polled %d records of %d", len(last), n)
		}
	})
}

func TestWallRefusesOtherProjects(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		a, b := found(t, s), found(t, s)
		row, err := insert(t.Context(), s, b, "")
		if err != nil {
			t.Fatal(err)
		}
		err = s.Edit(t.Context(), a, 1, func(tx *store.Tx) error {
			if _, ok, err := tx.Get(kind, row.UID); err != nil || ok {
				t.Errorf("a record of another project: found %v, %v", ok, err)
			}
			seen := 0
			err := tx.Query("SELECT id FROM records WHERE uid = $1", []any{row.UID},
				func(*store.Cols) error { seen++; return nil })
			if want := strings.Count("sqlite", s.Engine()); seen != want { // only the server has a second wall
				t.Errorf("a query without its project saw %d rows, want %d", seen, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestLogHasAnEnd: the change that a project's log has no number for is refused, and is nobody else's.
func TestLogHasAnEnd(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		found(t, s)
		full := store.NewUID()
		err := s.Bring(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Arrive(full, tx.Now(), store.MostSeq-1, false)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Project(t.Context(), full)
		if err != nil {
			t.Fatal(err)
		}
		if p.ID%2 != 0 {
			t.Fatalf("the project has the number %d; beyond an odd one is itself", p.ID)
		}
		if _, err := insert(t.Context(), s, p, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := insert(t.Context(), s, p, ""); !fault.Is(err, fault.Full) {
			t.Errorf("one more change: %v", err)
		}
		found(t, s) // the next project's log is its own
	})
}
