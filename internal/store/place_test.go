package store_test

import (
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
			for _, uid := range []string{"01a1de44-78e2-7b6a-b2c4-86b800000002", "01a1de44-78e2-7b6a-b2c4-86b8fffffffe"} {
				if _, ok, err := s.Get(t.Context(), p, kind, uid); ok || err != nil {
					t.Errorf("%s: %v, %v", uid, ok, err)
				}
			}
			if uids[0][28:] != "00000001" || uids[5][28:] != "00000006" {
				t.Errorf("the uids made are %s and %s", uids[0], uids[5])
			}
			list(t, s, p, store.Select{Kind: kind, After: store.Always, Limit: 50}) // from now on memory knows how many there are
		}
	})
}
