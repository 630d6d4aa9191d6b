package resource

import (
	"reflect"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/store"
)

// State is a record of a small kind, which its ref tag names, by ordinal. It shows that record's uid, label and color as they are now: to
// rename a state rewrites nothing that is in it. A body gives its uid.
type State uint32

// MarshalJSON gives the hole.
func (s State) MarshalJSON() ([]byte, error) { return hole("s", uint64(s)) }

// UnmarshalJSON reads the hole.
func (s *State) UnmarshalJSON(text []byte) error { return readHole(text, "s", s) }

var stateType = reflect.TypeFor[State]()

// shownState is what a state shows.
type shownState struct {
	UID   string `json:"uid"`
	Label string `json:"label"`
	Color string `json:"color"`
}

// states are the states of a project, ready to be copied, by ordinal - 1. They are kept with the project until one changes.
type states struct{ shown, uids [][]byte }

// statesKey is the key of the memo.
type statesKey struct{ kind store.Kind }

// statesOf gives the states that a kind's records are in; nil where they are in none.
func statesOf(c *api.Call, p *store.Project, plural string) (*states, error) {
	if plural == "" {
		return nil, nil //nolint:nilnil // most kinds have none
	}
	kind, _ := named(plural)
	v, err := p.Memo(statesKey{kind}, func() (any, error) {
		all := &states{}
		err := c.Store.Each(c.Context(), p, kind, func(row store.Row) error {
			v, err := Load[shownState](row)
			if err != nil {
				return err
			}
			shown, err := json.Marshal(v)
			all.shown, all.uids = append(all.shown, shown), append(all.uids, appendText(nil, v.UID))
			return err
		})
		return all, err
	}, kind)
	if err != nil {
		return nil, err
	}
	return v.(*states), nil
}

// ordinal finds a state by its uid; 0 where there is none.
func (s *states) ordinal(uid string) uint32 {
	quoted := string(appendText(nil, uid))
	for i := range s.uids {
		if string(s.uids[i]) == quoted {
			return uint32(i + 1)
		}
	}
	return 0
}

// setState puts a record in the state of a uid: fault.NotFound for an unknown one.
func setState(tx *Tx, f *field, dst reflect.Value, value any) error {
	row, err := tx.Find(f.ref, value.(string))
	if err == nil {
		dst.SetUint(uint64(row.ID.Ordinal()))
	}
	return err
}

// Ensure makes the records that the project should have been born with, where it is older than the kind.
func (k *Kind[T]) Ensure(tx *Tx) error {
	next, err := tx.Next(k.ready().number)
	if err != nil || next > 1 {
		return err
	}
	return k.seed(tx)
}

// ensure is Ensure for a reader: it is the service that makes them.
func (k *Kind[T]) ensure(c *api.Call) error {
	return c.Store.Edit(c.Context(), c.Scope.Project(), 0, func(tx *store.Tx) error {
		return k.Ensure(&Tx{Tx: tx, Scope: c.Scope, Auth: c.Auth, Jobs: c.Jobs})
	})
}
