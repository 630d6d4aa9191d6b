package store_test

import (
	"context"
	"testing"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// A page whose rows stay newer than the clock that it stands for is refused as busy: shown, a reader that goes on from
// that clock would be told of the same changes again, and an entity tag would stand for what it does not have.
func TestPagesThatMove(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		const kind store.Kind = 5
		row := store.Row{UID: store.NewUID(), Version: 1, Doc: []byte(`{}`)}
		if err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error { return tx.Insert(kind, &row) }); err != nil {
			t.Fatal(err)
		}
		// As if somebody else had changed the record, again, before each read.
		ahead := func(tx *store.Tx) error {
			return tx.Exec("UPDATE records SET clock = clock + 60000000 WHERE uid = $1", row.UID)
		}
		if err := s.Edit(t.Context(), p, 1, ahead); err != nil {
			t.Fatal(err)
		}
		// On SQLite it waits for the memory to catch up, as long as the request lasts.
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if page, _, err := s.Get(ctx, p, kind, row.UID); !fault.Is(err, fault.Unavailable) {
			t.Errorf("the record is shown: %v, %v", page, err)
		}
		if page, err := s.List(ctx, p, store.Select{Kind: kind, After: store.Always, Limit: 10}); !fault.Is(err,
			fault.Unavailable) {
			t.Errorf("the list is shown: %v, %v", page, err)
		}
	})
}
