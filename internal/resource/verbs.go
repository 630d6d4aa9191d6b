package resource

import (
	"strings"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Get is the route that gives one record.
func Get[T any](k *Kind[T], right auth.Right) api.Route {
	k.ready()
	r := k.route("GET", "{uid}", right, func(c *api.Call) error {
		page, ok, err := c.Store.Get(c.Context(), c.Scope.Project(), k.number, k.uid(c))
		if err != nil {
			return err
		}
		defer page.Release()
		if !ok {
			return fault.Missing(k.name, k.uid(c))
		}
		return k.send(c, 200, &page.Rows[0])
	})
	r.Summary, r.Status = "Get "+k.one(), 200
	r.Out, r.Components = k.out()
	return r
}

// Create is the route that makes a record.
func Create[T any](k *Kind[T], right auth.Right) api.Route {
	k.ready()
	r := k.route("POST", "", right, func(c *api.Call) error {
		body, err := c.Fields()
		if err != nil {
			return err
		}
		in, err := k.plan.parse(body, true, "")
		if err != nil {
			return err
		}
		var row store.Row
		err = Edit(c, func(tx *Tx) (err error) {
			row, err = k.make(tx, "", in)
			return err
		})
		if err != nil {
			return err
		}
		return k.Reply(c, 201, row)
	})
	r.Summary, r.Status = "Create "+k.one(), 201
	r.In, r.Out, r.Components = CreateSchemas(k)
	return r
}

// Body reads the body of a create, for a plain function that makes the record itself.
func (k *Kind[T]) Body(c *api.Call) (func(tx *Tx, uid string) (store.Row, error), error) {
	body, err := c.Fields()
	if err != nil {
		return nil, err
	}
	in, err := k.ready().plan.parse(body, true, "")
	return func(tx *Tx, uid string) (store.Row, error) { return k.make(tx, uid, in) }, err
}

func (k *Kind[T]) make(tx *Tx, uid string, in *input) (store.Row, error) {
	v := k.fresh()
	tx.in = in
	if err := in.apply(tx, v); err != nil {
		return store.Row{}, err
	}
	return k.Insert(tx, uid, v)
}

// Update is the route that changes fields of a record. What the body leaves out stays.
func Update[T any](k *Kind[T], right auth.Right) api.Route {
	return k.changes("PATCH", right, false)
}

// Replace is the route that gives a record all its writable fields anew; the required ones must be there.
func Replace[T any](k *Kind[T], right auth.Right) api.Route {
	return k.changes("PUT", right, true)
}

func (k *Kind[T]) changes(method string, right auth.Right, whole bool) api.Route {
	k.ready()
	r := k.route(method, "{uid}", right, func(c *api.Call) error { return k.change(c, whole) })
	r.Summary, r.Status = "Change "+k.one(), 200
	if whole {
		r.Summary = "Replace " + k.one()
	}
	r.In, r.Components = k.in(whole)
	out, more := k.out()
	r.Out, r.Components = out, merge(r.Components, more)
	return r
}

// change applies the body to the record that the path names.
func (k *Kind[T]) change(c *api.Call, whole bool) error {
	// The body comes last in the order of refusals: what is wrong with it is told only to who may write the record.
	body, bodyErr := c.Fields()
	var in *input
	if bodyErr == nil {
		in, bodyErr = k.plan.parse(body, whole, k.uid(c))
	}
	var row store.Row
	err := Edit(c, func(tx *Tx) (err error) {
		var old, now *T
		if row, old, now, err = k.take(tx, c); err != nil {
			return err
		}
		if bodyErr != nil {
			return bodyErr
		}
		if row.Deleted {
			return fault.New(fault.Invalid, "%s %s is deleted. Restore it first.", k.name, row.UID)
		}
		tx.in = in
		if err := in.apply(tx, now); err != nil {
			return err
		}
		return k.Save(tx, &row, old, now, store.Updated)
	})
	if err != nil {
		return err
	}
	return k.Reply(c, 200, row)
}

// take reads the record that the path names for a write: fault.NotFound, or fault.Forbidden when the caller's level reaches only own ones.
// now is a copy to change.
func (k *Kind[T]) take(tx *Tx, c *api.Call) (row store.Row, old, now *T, err error) {
	if row, err = tx.Find(k.Plural, k.uid(c)); err != nil {
		return row, nil, nil, err
	}
	if old, err = Load[T](row); err != nil {
		return row, nil, nil, err
	}
	if c.Level == auth.Own && !k.owns(c.Scope, old) {
		return row, nil, nil, fault.New(fault.Forbidden, "As %s you may do this only with your own records; %s %s is not yours.",
			c.Scope.Role(), strings.ToLower(k.name), row.UID)
	}
	now, err = Load[T](row)
	return row, old, now, err
}

// Delete is the route that deletes a record: it stays readable and referenced, with deleted true. It may be repeated.
func Delete[T any](k *Kind[T], right auth.Right) api.Route {
	k.ready()
	r := k.route("DELETE", "{uid}", right, func(c *api.Call) error {
		if _, err := k.mark(c, true, store.Deleted); err != nil {
			return err
		}
		return c.Send(204, nil)
	})
	r.Summary, r.Status = "Delete "+k.one(), 204
	return r
}

// Restore is the route that takes a deletion back.
func Restore[T any](k *Kind[T], right auth.Right) api.Route {
	k.ready()
	r := k.route("POST", "{uid}/restore", right, func(c *api.Call) error {
		row, err := k.mark(c, false, store.Restored)
		if err != nil {
			return err
		}
		return k.Reply(c, 200, row)
	})
	r.Summary, r.Status, r.Extension = "Restore "+k.one(), 200, true
	r.Out, r.Components = k.out()
	return r
}

func (k *Kind[T]) mark(c *api.Call, deleted bool, op store.Op) (row store.Row, err error) {
	err = Edit(c, func(tx *Tx) error {
		var old, now *T
		var err error
		if row, old, now, err = k.take(tx, c); err != nil {
			return err
		}
		any(now).(hasCore).core().Deleted = deleted
		return k.Save(tx, &row, old, now, op)
	})
	return row, err
}

// Reply answers with a record as it was just written.
func (k *Kind[T]) Reply(c *api.Call, status int, row store.Row) error {
	return k.send(c, status, &store.Line{ID: row.ID, Clock: row.Clock, Version: row.Version, Tally: []byte(row.Tally), Doc: row.Doc})
}

func (k *Kind[T]) send(c *api.Call, status int, l *store.Line) error {
	f := k.fillerIn(c.Base, "", nil)
	if !k.Self {
		var err error
		if f, err = k.filler(c, c.Scope.Project()); err != nil {
			return err
		}
	}
	return send(c, status, func(buf []byte) []byte { return f.append(buf, l) })
}

// uid is the uid in the request's path.
func (k *Kind[T]) uid(c *api.Call) string {
	if k.Self {
		return c.Param("project")
	}
	return c.Param("uid")
}

func (k *Kind[T]) fresh() *T {
	v := new(T)
	if k.Fresh != nil {
		*v = k.Fresh()
	}
	return v
}
