package resource

import (
	"slices"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Attach is a kind whose records are each attached to one record of another kind, or to the project: comments are. Owner is that other kind
// by its plural; its records show how many are attached where the table of kinds has a collection of that name.
type Attach[T any] struct {
	Kind *Kind[T]
	// To notes in a new record what it is attached to.
	To func(v *T, plural string, owner Ref)
	// Terms are the filter terms that exactly the records attached to an owner have.
	Terms func(plural, uid string) [][]string
}

// self is the plural of the kind that stands for the project.
const self = "projects"

// Create is the route that makes a record attached to one of the kind owner, or to the project: 400 where that is deleted.
func (a *Attach[T]) Create(owner string, right auth.Right) api.Route {
	k := a.Kind.ready()
	r := a.route("POST", owner, right, func(c *api.Call) error {
		// The body comes last in the order of refusals.
		body, in, bodyErr := k.body(c)
		return k.Write(c, body, func(tx *Tx) (int, store.Row, error) {
			to, err := tx.Find(owner, ownerUID(c, owner))
			switch {
			case err != nil:
				return 0, to, err
			case bodyErr != nil:
				return 0, to, bodyErr
			case to.Deleted:
				_, name := named(owner)
				return 0, to, fault.New(fault.Invalid, "%s %s is deleted. Restore it first.", name, to.UID)
			}
			v := k.fresh()
			tx.in = in
			if err := in.apply(tx, v); err != nil {
				return 0, to, err
			}
			a.To(v, owner, refTo(owner, to.UID, owner == self))
			row, err := k.Insert(tx, "", v)
			if err == nil {
				err = tx.Count(&to, k.Plural, 1)
			}
			return 201, row, err
		})
	})
	r.Summary, r.Status, r.Extension = "Add "+k.one()+" to "+oneOf(owner), 201, true
	r.In, r.Out, r.Components = CreateSchemas(k)
	return r
}

// List is the route that lists what is attached to one record of the kind owner.
func (a *Attach[T]) List(owner string, right auth.Right) api.Route {
	k := a.Kind.ready()
	number, name := named(owner)
	r := a.route("GET", owner, right, func(c *api.Call) error {
		uid := ownerUID(c, owner)
		page, ok, err := c.Store.Get(c.Context(), c.Scope.Project(), number, uid)
		if err != nil {
			return err
		}
		if page.Release(); !ok {
			return fault.Missing(name, uid)
		}
		return k.list(c, a.Terms(owner, uid)...)
	})
	r.Summary, r.Status, r.Query = "List "+k.title()+" of "+oneOf(owner), 200, k.params()
	r.Out, r.Components = k.pageOut()
	return r
}

func (a *Attach[T]) route(method, owner string, right auth.Right, do func(*api.Call) error) api.Route {
	pattern := "/projects/{project}/"
	if owner != self {
		pattern += owner + "/{uid}/"
	}
	if slices.Contains([]auth.Level{right.Admin, right.Power, right.Collaborator}, auth.Own) {
		panic("resource: " + method + " " + pattern + a.Kind.Plural + " is for own records, but does not look whose they are")
	}
	return api.Route{
		Method: method, Pattern: pattern + a.Kind.Plural, Access: api.Member, Right: right, Do: do, Tag: a.Kind.title(), Keyed: method == "POST",
	}
}

func ownerUID(c *api.Call, owner string) string {
	if owner == self {
		return c.Param("project")
	}
	return c.Param("uid")
}

// oneOf is a record of a kind for people: "an issue".
func oneOf(plural string) string {
	_, name := named(plural)
	return article(name) + lower(name)
}

// Count adds to how many records of a collection a row shows, and stores it: what is shown changes, the record does not. A kind that shows
// no such collection is left alone.
func (tx *Tx) Count(row *store.Row, collection string, by int) error {
	slot := slices.Index(kinds[factOf(row.ID.Kind())].collections, collection)
	if slot < 0 {
		return nil
	}
	row.Tally = tallied(row.Tally, slot, by)
	return tx.Show(row)
}
