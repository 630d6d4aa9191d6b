package resource

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Amend changes one field of a record whose noun is known only by its plural: change is given the field as it is stored and gives it anew, or nil to leave it.
// It is a change of that record like any other, by the right that the caller of a route would need: fault.NotFound, fault.Forbidden, and what its Check says.
func (c *Catalog) Amend(tx *Tx, right auth.Right, plural, uid, field string, change func(was []byte) ([]byte, error)) error {
	row, err := tx.Find(plural, uid)
	if err != nil {
		return err
	}
	return c.kind(plural).amend(tx, right, row, field, change)
}

func (k *Kind[T]) amend(tx *Tx, right auth.Right, row store.Row, name string, change func(was []byte) ([]byte, error)) error {
	old, err := k.ready().load(row)
	if err != nil {
		return err
	}
	if right.For(tx.Scope.Role()) == auth.Own && !k.owns(tx.Scope, old) {
		return fault.New(fault.Forbidden, "As %s you may do this only with your own records; %s %s is not yours.", tx.Scope.Role(), strings.ToLower(k.name), row.UID)
	}
	i := slices.IndexFunc(k.plan.fields, func(f *field) bool { return f.name == name })
	if i < 0 {
		return fmt.Errorf("resource: %s have no field %s", k.Plural, name)
	}
	now := *old
	at := reflect.ValueOf(&now).Elem().FieldByIndex(k.plan.fields[i].index)
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
