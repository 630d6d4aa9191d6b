package resource

import (
	"context"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Get is the route that gives one record.
func Get[T any](k *Kind[T], right auth.Right) api.Route {
	k.ready()
	r := k.route("GET", "{uid}", right, func(c *api.Call) error { return k.Show(c, k.uid(c)) })
	r.Summary, r.Status = "Get "+k.one(), 200
	r.Out, r.Components = k.out()
	return r
}

// Show answers with the record of a uid in the caller's project, or with 304 when the caller has it: fault.NotFound where there is none.
func (k *Kind[T]) Show(c *api.Call, uid string) error {
	p := c.Scope.Project()
	if err := k.ready().look(c, uid); err != nil {
		return err
	}
	if had, err := k.has(c, p); had || err != nil {
		return err
	}
	page, ok, err := c.Store.Get(c.Context(), p, k.number, uid)
	if err != nil {
		return err
	}
	defer page.Release()
	if !ok {
		return fault.Missing(k.name, uid)
	}
	if c.Fresh(recordTag(page.Rows[0].Clock) + "." + k.view(c, page.Seq)) {
		return nil
	}
	return k.send(c, 200, &page.Rows[0])
}

// Read gives a record of the caller's project and its place: fault.NotFound where there is none.
func (k *Kind[T]) Read(c *api.Call, uid string) (*T, store.ID, error) {
	return k.Stored(c.Context(), c.Store, c.Scope.Project(), uid)
}

// Stored gives a record of a project and its place to who is nobody's caller, such as a job: fault.NotFound where there is none.
func (k *Kind[T]) Stored(ctx context.Context, s *store.Store, p *store.Project, uid string) (*T, store.ID, error) {
	page, ok, err := s.Get(ctx, p, k.ready().number, uid)
	if err != nil {
		return nil, 0, err
	}
	defer page.Release()
	if !ok {
		return nil, 0, fault.Missing(k.name, uid)
	}
	v, err := Load[T](store.Row{Doc: page.Rows[0].Doc})
	return v, page.Rows[0].ID, err
}

// Create is the route that makes a record.
func Create[T any](k *Kind[T], right auth.Right) api.Route {
	k.ready()
	r := k.route("POST", "", right, func(c *api.Call) error {
		body, in, err := k.body(c)
		if err != nil {
			return err
		}
		return k.Write(c, body, func(tx *Tx) (int, store.Row, error) {
			row, err := k.make(tx, "", in)
			return 201, row, err
		})
	})
	r.Summary, r.Status = "Create "+k.one(), 201
	r.In, r.Out, r.Components = CreateSchemas(k)
	return r
}

// Found answers a request that makes a project: the project's own record from the body, then what also adds to it.
func (k *Kind[T]) Found(c *api.Call, also func(*Tx) error) error {
	body, in, err := k.ready().body(c)
	if err != nil {
		return err
	}
	var out outcome
	uid := store.NewUID()
	err = c.Store.Write(c.Context(), func(tx *store.Tx) (err error) {
		out, err = once(tx, c, body, func() (int, store.Row, error) {
			p, err := tx.Found(uid)
			if err != nil {
				return 0, store.Row{}, err
			}
			first := &Tx{Tx: tx, Scope: auth.Founder(c.Credential.Account, p), Auth: c.Auth, Jobs: c.Jobs}
			row, err := k.make(first, uid, in)
			if err == nil {
				err = also(first)
			}
			return 201, row, err
		})
		return err
	})
	if err != nil {
		return err
	}
	return k.answer(c, out)
}

// body reads the body of a create.
func (k *Kind[T]) body(c *api.Call) (api.Object, *input, error) {
	body, err := c.Fields()
	if err != nil {
		return nil, nil, err
	}
	in, err := k.plan.parse(body, true, "")
	return body, in, err
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
	r.Out, r.Components = out, joined(r.Components, more)
	return r
}

// change applies the body to the record that the path names.
func (k *Kind[T]) change(c *api.Call, whole bool) error {
	// The body comes last in the order of refusals: what is wrong with it is told only to who may write the record.
	body, bodyErr := c.Fields()
	var in *input
	if bodyErr == nil {
		own := k.uid(c)
		if whole {
			own = "" // all that is given is taken, and a uid is not
		}
		in, bodyErr = k.plan.parse(body, whole, own)
	}
	return k.Write(c, body, func(tx *Tx) (int, store.Row, error) {
		row, old, now, err := k.take(tx, c)
		switch {
		case err != nil:
			return 0, row, err
		case bodyErr != nil:
			return 0, row, bodyErr
		case row.Deleted:
			return 0, row, fault.New(fault.Invalid, "%s %s is deleted. %s", k.name, row.UID, k.Revive)
		}
		tx.in = in
		if err := in.apply(tx, now); err != nil {
			return 0, row, err
		}
		return 200, row, k.Save(tx, &row, old, now, store.Updated)
	})
}

// take reads the record that the path names for a write: fault.NotFound, or fault.Forbidden when the caller's level reaches only own ones.
// now is a copy to change: what its pointers and slices lead to is old's too, to be replaced and never changed.
func (k *Kind[T]) take(tx *Tx, c *api.Call) (row store.Row, old, now *T, err error) {
	return k.takeOwn(tx, c, k.owns)
}

func (k *Kind[T]) takeOwn(tx *Tx, c *api.Call, owns func(auth.Scope, *T) bool) (row store.Row, old, now *T, err error) {
	if row, err = tx.Find(k.Plural, k.uid(c)); err != nil {
		return row, nil, nil, err
	}
	if !visible(row.Terms, k.sees(c.Scope)) {
		return row, nil, nil, fault.Missing(k.name, row.UID)
	}
	if old, err = k.load(row); err != nil {
		return row, nil, nil, err
	}
	if c.Level == auth.Own && !owns(c.Scope, old) {
		return row, nil, nil, fault.New(fault.Forbidden, "As %s you may do this only with your own records; %s %s is not yours.",
			c.Scope.Role(), lower(k.name), row.UID)
	}
	if !c.IfMatch(recordTag(row.Clock)) {
		return row, nil, nil, fault.New(fault.Precondition, "%s %s has changed since the version that If-Match names. Get it again.", k.name, row.UID)
	}
	changed := *old
	return row, old, &changed, nil
}

// Delete is the route that deletes a record: it stays readable and referenced, with deleted true. It may be repeated.
func Delete[T any](k *Kind[T], right auth.Right) api.Route {
	k.ready()
	r := k.route("DELETE", "{uid}", right, func(c *api.Call) error {
		err := Edit(c, func(tx *Tx) error {
			_, err := k.mark(tx, c, true, store.Deleted, nil)
			return err
		})
		if err != nil {
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
		body, bodyErr := c.Bare()
		return k.Write(c, body, func(tx *Tx) (int, store.Row, error) {
			row, err := k.mark(tx, c, false, store.Restored, bodyErr)
			return 200, row, err
		})
	})
	r.Summary, r.Status, r.Extension, r.Guarded = "Restore "+k.one(), 200, true, true
	r.In, r.OptionalIn = api.BareSchema(), true
	r.Out, r.Components = k.out()
	return r
}

// mark deletes or restores the record that the path names, unless what is wrong with the body refuses that.
func (k *Kind[T]) mark(tx *Tx, c *api.Call, deleted bool, op store.Op, bodyErr error) (store.Row, error) {
	owns := k.owns
	if k.Deletes != nil {
		owns = k.Deletes
	}
	row, old, now, err := k.takeOwn(tx, c, owns)
	if err == nil {
		err = bodyErr
	}
	if err != nil {
		return row, err
	}
	any(now).(hasCore).core().Deleted = deleted
	return row, k.Save(tx, &row, old, now, op)
}

// Write runs do as a write of the caller, once for each Idempotency-Key, and answers with the status and the record it gives.
func (k *Kind[T]) Write(c *api.Call, body api.Object, do func(*Tx) (int, store.Row, error)) error {
	return write(c, k.ready(), body, do, nil)
}

// WriteBeside is Write that shows something beside the record: beside gives members of the object, as JSON. They are not part of the record, and a
// repetition of the request does not find them again: it runs nothing that could give them.
func (k *Kind[T]) WriteBeside(c *api.Call, body api.Object, do func(*Tx) (int, store.Row, error), beside func() string) error {
	return write(c, k.ready(), body, do, beside)
}

func write(c *api.Call, k AnyKind, body api.Object, do func(*Tx) (int, store.Row, error), beside func() string) error {
	var out outcome
	err := Edit(c, func(tx *Tx) (err error) {
		out, err = once(tx.Tx, c, body, func() (int, store.Row, error) { return do(tx) })
		return err
	})
	if err != nil {
		return err
	}
	if beside != nil {
		out.beside = beside()
	}
	return k.answer(c, out)
}

// answer sends the record of a write as it was stored. Its tag is good for If-Match; what else the answer shows may already have moved.
func (k *Kind[T]) answer(c *api.Call, out outcome) error {
	if out.again {
		c.SetHeader("Idempotent-Replayed", "true")
	}
	c.SetHeader("ETag", `"`+recordTag(out.row.Clock)+`.w"`)
	r := out.row
	return k.sendBeside(c, out.status, &store.Line{ID: r.ID, Clock: r.Clock, Version: r.Version, Tally: []byte(r.Tally), Doc: r.Doc}, out.beside)
}

func (k *Kind[T]) send(c *api.Call, status int, l *store.Line) error {
	return k.sendBeside(c, status, l, "")
}

func (k *Kind[T]) sendBeside(c *api.Call, status int, l *store.Line, beside string) error {
	f := k.with(nobody)
	if !k.Self {
		var err error
		if f, err = k.filler(c, c.Scope.Project()); err != nil {
			return err
		}
	}
	return send(c, status, func(buf []byte) []byte {
		buf = f.append(buf, l)
		if beside != "" {
			buf = append(append(buf[:len(buf)-1], ","+beside...), '}')
		}
		return buf
	})
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
