package resource

import (
	"fmt"

	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// View reads some fields of records whose kinds are another noun's: T has those fields. It is declared in its family,
// and checked against the plans of the kinds when the program opens, so that a field which is renamed there is missed
// at once. It is for reading only: a record that is saved is read with its kind's Load. Where it is a view of several
// kinds, a field that only some of them have names these: of:"photos|snapshots".
type View[T any] struct {
	// Name is what the view is called where something is wrong with it.
	Name string
	// Of are the plurals of the kinds.
	Of []string

	checked bool
}

// AnyView is a view whose type is not at hand.
type AnyView interface {
	// Kinds are the plurals of the kinds that it reads.
	Kinds() []string
	// Check holds that these kinds have its fields; the error names the view, the field and the kind.
	Check(all *Catalog) error
}

// Kinds are the plurals of the kinds that it reads.
func (v *View[T]) Kinds() []string { return v.Of }

// Check holds that these kinds have its fields.
func (v *View[T]) Check(all *Catalog) error {
	plan := document.PlanFor[T]()
	for _, plural := range v.Of {
		e := all.entry(plural)
		if e == nil {
			return fmt.Errorf("The view %s reads %s, which no family declares.", v.Name, plural)
		}
		if err := plan.CheckView(plural, e.plan); err != nil {
			return fmt.Errorf("The view %s reads %w.", v.Name, err)
		}
	}
	v.checked = true
	return nil
}

// Read reads the view's fields out of a stored record.
func (v *View[T]) Read(row store.Row) (*T, error) {
	if !v.checked {
		return nil, fault.New(fault.Internal, "The view %s is read but not declared in a family.", v.Name)
	}
	return decode(row, new(T))
}
