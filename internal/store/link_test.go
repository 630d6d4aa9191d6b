package store_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"groundwork/internal/store"
)

const (
	ownerKind store.Kind = 10
	slot      uint8      = 1
)

// link links or unlinks a target as the engine above does: the owner's clock moves, and its tally counts.
func link(t testing.TB, s *store.Store, p *store.Project, owner string, target store.ID, on bool) {
	t.Helper()
	err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
		row, _, err := tx.Get(ownerKind, owner)
		if err != nil {
			return err
		}
		place, linked, err := tx.LinkPlace(row.ID, slot, target)
		if err != nil || linked == on {
			return err
		}
		n, _ := strconv.Atoi(row.Tally)
		if on {
			row.Tally = strconv.Itoa(n + 1)
		} else {
			row.Tally = strconv.Itoa(n - 1)
		}
		if err := tx.Update(&row, store.Linked, nil); err != nil {
			return err
		}
		if on {
			return tx.Link(&row, slot, target)
		}
		return tx.Unlink(row.ID, slot, place)
	})
	if err != nil {
		t.Error(err)
	}
}

func owner(t testing.TB, s *store.Store, p *store.Project) string {
	t.Helper()
	row := store.Row{UID: store.NewUID(), Version: 1, Tally: "0", Doc: []byte(`{}`)}
	if err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error { return tx.Insert(ownerKind, &row) }); err != nil {
		t.Fatal(err)
	}
	return row.UID
}

func linked(t *testing.T, s *store.Store, p *store.Project, sel store.Links) (ordinals []int, tally string,
	page store.Page,
) {
	t.Helper()
	sel.Kind, sel.Field = ownerKind, slot
	got, tally, ok, err := s.Linked(t.Context(), p, sel)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	for _, l := range got.Rows {
		ordinals = append(ordinals, int(l.ID.Ordinal()))
		if string(l.Doc) != `{"x":1}` {
			t.Errorf("line %d holds %q", l.ID.Ordinal(), l.Doc)
		}
	}
	return ordinals, tally, *got
}

func TestLinks(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p, other := found(t, s), found(t, s)
		var rows []store.Row
		for range 5 {
			row, err := insert(t.Context(), s, p, "")
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
		own, empty := owner(t, s, p), owner(t, s, p)
		for _, i := range []int{4, 0, 3, 1, 2} {
			link(t, s, p, own, rows[i].ID, true)
			link(t, s, p, own, rows[i].ID, true)
		}
		all := store.Links{Owner: own, After: store.Always, Limit: 50}
		same := func(what string, got, want []int) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
		got, tally, _ := linked(t, s, p, all)
		same("in order of linking", got, []int{5, 1, 4, 2, 3})
		if tally != "5" {
			t.Errorf("the tally is %q", tally)
		}
		window := all
		window.Skip, window.Limit = 1, 2
		got, _, _ = linked(t, s, p, window)
		same("a window", got, []int{1, 4})
		got, tally, _ = linked(t, s, p, store.Links{Owner: empty, After: store.Always, Limit: 50})
		if same("no links", got, nil); tally != "0" {
			t.Errorf("without links the tally is %q", tally)
		}

		link(t, s, p, own, rows[0].ID, false)
		link(t, s, p, own, rows[0].ID, true)
		got, _, _ = linked(t, s, p, all)
		same("linked again", got, []int{5, 4, 2, 3, 1})

		// After the third link: what was linked since, and what changed since.
		moment, _ := p.Stamp()
		if err := touch(t.Context(), s, p, rows[4].UID, "", false); err != nil {
			t.Fatal(err)
		}
		link(t, s, p, own, rows[3].ID, false)
		link(t, s, p, own, rows[3].ID, true)
		since := all
		since.After, since.Limit = moment, 1
		got, _, page := linked(t, s, p, since)
		same("changed or linked since", got, []int{5})
		if page.Total != 2 || !page.More {
			t.Errorf("total %d, more %v", page.Total, page.More)
		}
		// A change after the first page waits for the next walk.
		if err := touch(t.Context(), s, p, rows[1].UID, "", false); err != nil {
			t.Fatal(err)
		}
		since.From, since.Bound, since.Limit = page.Last, page.Bound, 50
		got, _, page = linked(t, s, p, since)
		same("the next page", got, []int{4})
		if page.More || page.Total != 3 {
			t.Errorf("total %d, more %v", page.Total, page.More)
		}

		for _, sel := range []store.Links{{Owner: "nobody"}, {Owner: "a\x00"}, {Owner: rows[0].UID}} {
			sel.Kind = ownerKind
			if _, _, ok, err := s.Linked(t.Context(), p, sel); ok || err != nil {
				t.Errorf("%q: %v, %v", sel.Owner, ok, err)
			}
		}
		if _, _, ok, err := s.Linked(t.Context(), other, store.Links{Kind: ownerKind, Owner: own}); ok || err != nil {
			t.Errorf("from another project: %v, %v", ok, err)
		}
	})
}

// TestLinkListAgrees reads a collection while others change it: the tally always counts the links of the same moment.
func TestLinkListAgrees(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		own := owner(t, s, p)
		var rows []store.Row
		for range 6 {
			row, err := insert(t.Context(), s, p, "")
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
		var wg sync.WaitGroup
		for w := range 3 {
			random := rand.New(rand.NewPCG(uint64(w), 1))
			wg.Go(func() {
				for range 80 {
					link(t, s, p, own, rows[random.IntN(len(rows))].ID, random.IntN(2) == 0)
				}
			})
		}
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		for running := true; running; {
			select {
			case <-done:
				running = false
			default:
			}
			got, tally, _ := linked(t, s, p, store.Links{Owner: own, After: store.Always, Limit: 50})
			if tally != strconv.Itoa(len(got)) {
				t.Fatalf("the tally is %s beside %d links", tally, len(got))
			}
		}
	})
}
