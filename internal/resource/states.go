package resource

import (
	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/document"
	"groundwork/internal/store"
)

// statesKey is the key of the memo.
type statesKey struct{ kind store.Kind }

// statesOf gives the states that a kind's records are in; nil where they are in none.
func statesOf(c *api.Call, p *store.Project, kind store.Kind) (*document.States, error) {
	if kind == 0 {
		return nil, nil //nolint:nilnil // most kinds have none
	}
	v, err := p.Memo(statesKey{kind}, func() (any, error) {
		all := &document.States{}
		err := c.Store.Each(c.Context(), p, kind, func(row store.Row) error {
			v, err := decode(row, new(document.ShownState))
			if err != nil {
				return err
			}
			shown, err := json.Marshal(v)
			all.Shown, all.UIDs = append(all.Shown, shown), append(all.UIDs, document.AppendText(nil, v.UID))
			return err
		})
		return all, err
	}, kind)
	if err != nil {
		return nil, err
	}
	return v.(*document.States), nil
}

// Ensure makes the records that the project should have been born with, where it is older than the kind.
func (k *Kind[T]) Ensure(tx *Tx) error {
	next, err := tx.Next(k.Number)
	if err != nil || next > 1 {
		return err
	}
	return k.seed(tx)
}

// ensure is Ensure for a reader: it is the service that makes them.
func (k *Kind[T]) ensure(c *api.Call) error {
	return c.Store.Edit(c.Context(), c.Scope.Project(), 0, func(tx *store.Tx) error {
		return k.Ensure(&Tx{Tx: tx, Scope: c.Scope, Auth: c.Auth, Jobs: c.Jobs, kinds: k.all})
	})
}
