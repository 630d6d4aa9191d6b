package store_test

import (
	"slices"
	"testing"

	"groundwork/internal/store"
)

// A uid tells where its record stands, but is believed only when the record there has it.
func TestUIDsTellWhere(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		var uids []string
		add := func(uid string) {
			err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) (err error) {
				if uid == "" {
					if uid, err = tx.NewUID(kind); err != nil {
						return err
					}
				}
				return tx.Insert(kind, &store.Row{UID: uid, Version: 1, Tally: "0 3", Doc: []byte(`{"x":1}`)})
			})
			if err != nil {
				t.Fatal(err)
			}
			uids = append(uids, uid)
		}
		add("")
		add("01a1de44-78e2-7b6a-b2c4-86b800000001") // says 1 and stands at 2
		add("01a1de44-78e2-7b6a-b2c4-86b8ffffffff") // says what nobody has
		add("01a1de44-78e2-7b6a-b2c4-86b8NNNNNNNN")
		add("x")
		add("")
		for loaded := range 2 {
			for i, uid := range uids {
				page, ok, err := s.Get(t.Context(), p, kind, uid)
				if err != nil || !ok || page.Rows[0].ID.Ordinal() != uint32(i+1) {
					t.Errorf("loaded %d: %s is %v, %v, %v", loaded, uid, page, ok, err)
				}
				err = s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
					if row, ok, err := tx.Get(kind, uid); err != nil || !ok || row.ID.Ordinal() != uint32(i+1) {
						t.Errorf("loaded %d: %s is %v, %v, %v in a write", loaded, uid, row, ok, err)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, uid := range []string{
				"01a1de44-78e2-7b6a-b2c4-86b800000002",
				"01a1de44-78e2-7b6a-b2c4-86b8fffffffe",
			} {
				if _, ok, err := s.Get(t.Context(), p, kind, uid); ok || err != nil {
					t.Errorf("%s: %v, %v", uid, ok, err)
				}
			}
			if uids[0][28:] != "00000001" || uids[5][28:] != "00000006" {
				t.Errorf("the uids made are %s and %s", uids[0], uids[5])
			}
			// from now on memory knows how many there are
			list(t, s, p, store.Select{Kind: kind, After: store.Always, Limit: 50})
		}
	})
}

// The rows of a page follow on each other and are read without their ids. Where one is missing, as nothing in the
// service makes it, no other takes its number.
func TestMissingRow(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		for range 4 {
			err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
				return tx.Insert(kind, &store.Row{
					UID: store.NewUID(), Version: 1, Tally: "0 3", Doc: []byte(`{"x":1}`),
				})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		all := store.Select{After: store.Always, Limit: 50}
		if got, _ := list(t, s, p, all); !slices.Equal(got, []int{1, 2, 3, 4}) {
			t.Errorf("the list has %d", got)
		}
		err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
			// the service may not delete
			return tx.Exec("UPDATE records SET id = $2 WHERE id = $1", store.MakeID(p.ID, kind, 2),
				store.MakeID(p.ID, kind, 9))
		})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := list(t, s, p, all); !slices.Equal(got, []int{1, 3, 4}) {
			t.Errorf("without its second record, the list has %d", got)
		}
	})
}
