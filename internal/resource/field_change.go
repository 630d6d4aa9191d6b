package resource

import (
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Amend changes one field of a record whose noun is known only by its plural: change is given the field as it is stored
// and gives it anew, or nil to leave it. It is a change of that record like any other: fault.NotFound, and what its
// Check says. Whether the caller may, the noun that amends has asked.
func (tx *Tx) Amend(plural, uid, field string, change func(was []byte) ([]byte, error)) error {
	row, err := tx.Find(plural, uid)
	if err != nil {
		return err
	}
	return tx.kinds.kind(plural).amend(tx, row, field, change)
}

func (k *Kind[T]) amend(tx *Tx, row store.Row, name string, change func(was []byte) ([]byte, error)) error {
	old, err := k.load(row)
	if err != nil {
		return err
	}
	f := k.plan.Find(name)
	if f == nil {
		return fmt.Errorf("resource: %s have no field %s", k.Plural, name)
	}
	now := *old
	at := reflect.ValueOf(&now).Elem().FieldByIndex(f.Index)
	was, err := json.Marshal(at.Interface(), json.Deterministic(true))
	if err != nil {
		return fault.Of(err)
	}
	is, err := change(was)
	if err != nil || is == nil {
		return err
	}
	at.SetZero() // what it leads to is old's too
	if err := json.Unmarshal(is, at.Addr().Interface()); err != nil {
		return fault.Of(err)
	}
	return k.Save(tx, &row, old, &now, store.Updated)
}
