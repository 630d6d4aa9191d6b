package resource

import (
	"slices"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Attach is a kind whose records are each attached to one record of another kind, or to the project: comments are.
// Owner is that other kind by its plural; its records show how many are attached where the table of kinds has a
// collection of that name.
type Attach[T any] struct {
	Kind *Kind[T]
	// To notes in a new record what it is attached to.
	To func(v *T, plural string, owner document.Ref)
	// Terms are the filter terms that exactly the records attached to an owner have.
	Terms func(plural, uid string) [][]string
}

// Create is the route that makes a record attached to one of the kind owner, or to the project: 400 where that is
// deleted.
func (a *Attach[T]) Create(owner string, right auth.Right) api.Route {
	k := a.Kind
	k.mounted()
	to := k.all.mustEntry(owner)
	r := a.route("POST", to, right, func(c *api.Call) error {
		// The body comes last in the order of refusals.
		body, in, bodyErr := k.body(c, true)
		return k.Write(c, body, func(tx *Tx) (int, store.Row, error) {
			row, err := tx.Find(owner, to.uid(c))
			switch {
			case err != nil:
				return 0, row, err
			case bodyErr != nil:
				return 0, row, bodyErr
			case row.Deleted:
				return 0, row, fault.New(fault.Invalid, "%s %s is deleted. Restore it first.", to.name, row.UID)
			}
			if err := k.Claim(c, tx, in.UID); err != nil {
				return 0, row, err
			}
			v := k.newDocument()
			tx.in = in
			if err := in.Apply(tx, v); err != nil {
				return 0, row, err
			}
			a.To(v, owner, document.RefTo(owner, row.UID, to.self))
			made, err := k.Insert(tx, in.UID, v)
			if err == nil {
				err = tx.Count(&row, k.Plural, 1)
			}
			return 201, made, err
		})
	})
	r.Summary, r.Status, r.Extension = "Add "+k.one()+" to "+to.one(), 201, true
	r.In, r.Out, r.Components = CreateSchemas(k)
	r.Errors = []int{409}
	return r
}

// List is the route that lists what is attached to one record of the kind owner.
func (a *Attach[T]) List(owner string, right auth.Right) api.Route {
	k := a.Kind
	k.mounted()
	to := k.all.mustEntry(owner)
	r := a.route("GET", to, right, func(c *api.Call) error {
		uid := to.uid(c)
		page, ok, err := c.Store.Get(c.Context(), c.Scope.Project(), to.number, uid)
		if err != nil {
			return err
		}
		if page.Release(); !ok {
			return fault.Missing(to.name, uid)
		}
		return k.list(c, a.Terms(owner, uid)...)
	})
	r.Summary, r.Status, r.Query = "List "+k.title()+" of "+to.one(), 200, k.params()
	r.Out, r.Components = k.pageOut()
	return r
}

func (a *Attach[T]) route(method string, to *entry, right auth.Right, do func(*api.Call) error) api.Route {
	pattern := "/projects/{project}/"
	if !to.self {
		pattern += to.plural + "/{uid}/"
	}
	if slices.Contains([]auth.Level{right.Admin, right.Power, right.Collaborator}, auth.Own) {
		panic("resource: " + method + " " + pattern + a.Kind.Plural +
			" is for own records, but does not look whose they are")
	}
	return api.Route{
		Method: method, Pattern: pattern + a.Kind.Plural, Access: api.Member, Right: right, Do: do, Tag: a.Kind.title(),
		Keyed: method == "POST",
	}
}

// Count adds to how many records of a collection a row shows, and stores it: what is shown changes, the record does
// not. A kind that shows no such collection is left alone.
func (tx *Tx) Count(row *store.Row, collection string, by int) error {
	slot := slices.Index(tx.kinds.numbered(row.ID.Kind()).collections, collection)
	if slot < 0 {
		return nil
	}
	row.Tally = document.AddToCounter(row.Tally, slot, by)
	return tx.Show(row)
}
