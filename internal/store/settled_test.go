package store_test

import (
	"testing"

	"groundwork/internal/store"
)

// TestSettled asks in a transaction whether memory can stand for the database: not for a kind that the group changed,
// and not while another process is ahead.
func TestSettled(t *testing.T) {
	engines(t, func(t *testing.T, open func() *store.Store) {
		s := open()
		p := found(t, s)
		ask := func(s *store.Store, p *store.Project, change bool) (before, after, others bool) {
			t.Helper()
			err := s.Edit(t.Context(), p, 1, func(tx *store.Tx) error {
				before = tx.Settled(kind)
				if change {
					if err := tx.Insert(kind,
						&store.Row{UID: store.NewUID(), Version: 1, Doc: []byte(`{}`)}); err != nil {
						return err
					}
				}
				after, others = tx.Settled(kind), tx.Settled(kind+1)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return before, after, others
		}
		if before, after, others := ask(s, p, true); !before || after || !others {
			t.Errorf("settled before %v, after the change %v, for other kinds %v", before, after, others)
		}
		if before, _, _ := ask(s, p, false); !before {
			t.Error("not settled in the next transaction")
		}
		if s.Engine() == "sqlite" {
			return // one process
		}
		other := open()
		theirs, err := other.Project(t.Context(), p.UID)
		if err != nil {
			t.Fatal(err)
		}
		ask(other, theirs, true)
		if before, _, _ := ask(s, p, false); before {
			t.Error("settled while another process is ahead")
		}
	})
}
