package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"groundwork/internal/store"
)

// TestTermsFollow changes the terms of records in every way there is and holds the filtered lists, which memory
// answers, against the rows.
func TestTermsFollow(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		const records = 30
		var uids []string
		for range records {
			row, err := insert(t.Context(), s, p, "a=0\tb=0")
			if err != nil {
				t.Fatal(err)
			}
			uids = append(uids, row.UID)
		}
		random := rand.New(rand.NewPCG(3, 5))
		terms := func() string { return fmt.Sprintf("a=%d\tb=%d", random.IntN(3), random.IntN(3)) }
		groups := []string{"a=0", "a=1", "a=2", "b=0", "b=1", "b=2", store.DeletedTerm}
		for step := range 150 {
			err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
				row, _, err := tx.Get(kind, uids[random.IntN(records)])
				if err != nil {
					return err
				}
				stale := row
				for _, r := range []*store.Row{&row, &row, &stale}[:1+random.IntN(3)] {
					r.Terms, r.Deleted = terms(), random.IntN(3) == 0
					if err := tx.Update(r, store.Updated, nil); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if step%10 > 0 {
				continue
			}
			want := map[string][]int{}
			err = s.Each(t.Context(), p, kind, func(r store.Row) error {
				if r.Deleted {
					r.Terms += "\t" + store.DeletedTerm
				}
				for term := range strings.SplitSeq(r.Terms, "\t") {
					want[term] = append(want[term], int(r.ID.Ordinal()))
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, term := range groups {
				if got, page := list(t, s, p, store.Select{
					Terms: [][]string{{term}}, After: store.Always,
					Limit: 50,
				}); !slices.Equal(got, want[term]) || page.Total != len(want[term]) {
					t.Fatalf("step %d, %s: %v, want %v", step, term, got, want[term])
				}
			}
		}
	})
}
