package resource

import (
	"context"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Get is the route that gives one record.
func Get[T any](k *Kind[T], right auth.Right) api.Route {
	k.mounted()
	r := k.route("GET", "{uid}", right, func(c *api.Call) error { return k.Show(c, k.uid(c)) })
	r.Summary, r.Status = "Get "+k.one(), 200
	r.Out, r.Components = k.out()
	return r
}

// Show answers with the record of a uid in the caller's project, or with 304 when the caller has it: fault.NotFound
// where there is none.
func (k *Kind[T]) Show(c *api.Call, uid string) error {
	p := c.Scope.Project()
	if err := k.requireVisible(c, uid); err != nil {
		return err
	}
	if had, err := k.notModified(c, p); had || err != nil {
		return err
	}
	page, ok, err := c.Store.Get(c.Context(), p, k.Number, uid)
	if err != nil {
		return err
	}
	defer page.Release()
	if !ok {
		return fault.Missing(k.Name, uid)
	}
	if c.Fresh(recordTag(page.Rows[0].Clock) + "." + k.entityTag(c, page.Seq)) {
		return nil
	}
	if err := c.Hold(len(page.Rows[0].Doc)); err != nil {
		return err
	}
	return k.send(c, 200, &page.Rows[0])
}

// Read gives a record of the caller's project and its place: fault.NotFound where there is none.
func (k *Kind[T]) Read(c *api.Call, uid string) (*T, store.ID, error) {
	return k.Stored(c.Context(), c.Store, c.Scope.Project(), uid)
}

// Stored gives a record of a project and its place to who is nobody's caller, such as a job: fault.NotFound where there
// is none.
func (k *Kind[T]) Stored(ctx context.Context, s *store.Store, p *store.Project, uid string) (*T, store.ID, error) {
	page, ok, err := s.Get(ctx, p, k.Number, uid)
	if err != nil {
		return nil, 0, err
	}
	defer page.Release()
	if !ok {
		return nil, 0, fault.Missing(k.Name, uid)
	}
	v, err := k.load(store.Row{Version: page.Rows[0].Version, Doc: page.Rows[0].Doc})
	return v, page.Rows[0].ID, err
}

// Create is the route that makes a record.
func Create[T any](k *Kind[T], right auth.Right) api.Route {
	k.mounted()
	r := k.route("POST", "", right, func(c *api.Call) error {
		body, in, err := k.body(c, true)
		if err != nil {
			return err
		}
		return k.Write(c, body, func(tx *Tx) (int, store.Row, error) {
			if err := k.Claim(c, tx, in.UID); err != nil {
				return 0, store.Row{}, err
			}
			row, err := k.make(tx, in.UID, in)
			return 201, row, err
		})
	})
	r.Summary, r.Status, r.Errors = "Create "+k.one(), 201, []int{409}
	r.In, r.Out, r.Components = CreateSchemas(k)
	return r
}

// Found answers a request that makes a project: the project's own record from the body, then what also adds to it. may
// refuses before anything is written.
func (k *Kind[T]) Found(c *api.Call, may func(*store.Tx) error, also func(*Tx) error) error {
	body, in, err := k.body(c, false)
	if err != nil {
		return err
	}
	var out outcome
	uid := store.NewUID()
	err = c.Store.Write(c.Context(), func(tx *store.Tx) (err error) {
		out, err = runOnce(tx, c, body, func() (int, store.Row, error) {
			if err := may(tx); err != nil {
				return 0, store.Row{}, err
			}
			scope, err := auth.Found(tx, c.Credential.Account, uid)
			if err != nil {
				return 0, store.Row{}, err
			}
			first := &Tx{Tx: tx, Scope: scope, Auth: c.Auth, Jobs: c.Jobs, kinds: k.all}
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

// body reads the body of a create, which may choose the record's uid.
func (k *Kind[T]) body(c *api.Call, choose bool) (api.Object, *document.Input, error) {
	body, err := c.Fields()
	if err != nil {
		return nil, nil, err
	}
	in, err := k.plan.Parse(members(body), document.Reading{Create: true, Choose: choose})
	return body, in, err
}

// Claim refuses the uid that a client chose for a new record where one of the kind has it in the caller's project,
// deleted ones included: fault.Conflict. Who made that record is told where it is. "" is no choice.
func (k *Kind[T]) Claim(c *api.Call, tx *Tx, uid string) error {
	if uid == "" {
		return nil
	}
	row, taken, err := tx.Get(k.Number, uid)
	if err != nil || !taken {
		return err
	}
	v, err := k.load(row)
	if err != nil {
		return err
	}
	made, url := document.Creator(v), ""
	if made == document.Person(c.Scope.Person()) && visible(row.Terms, k.visibleTo(c.Scope)) {
		url = c.Base + "/projects/" + c.Scope.Project().UID + "/" + k.Path + "/" + uid
	}
	return fault.Taken(uid, url)
}

// Claim is the method of that name of a kind.
type Claim func(c *api.Call, tx *Tx, uid string) error

func (k *Kind[T]) make(tx *Tx, uid string, in *document.Input) (store.Row, error) {
	v := k.newDocument()
	tx.in = in
	if err := in.Apply(tx, v); err != nil {
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
	k.mounted()
	r := k.route(method, "{uid}", right, func(c *api.Call) error { return k.change(c, whole) })
	r.Summary, r.Status = "Change "+k.one(), 200
	if whole {
		r.Summary = "Replace " + k.one()
	}
	r.In, r.Components = k.in(alteration)
	if whole {
		r.In, r.Components = k.in(replacement)
	}
	out, more := k.out()
	r.Out, r.Components = out, joined(r.Components, more)
	return r
}

// change applies the body to the record that the path names.
func (k *Kind[T]) change(c *api.Call, whole bool) error {
	// The body comes last in the order of refusals: what is wrong with it is told only to who may write the record.
	body, bodyErr := c.Fields()
	var in *document.Input
	if bodyErr == nil {
		how := document.Reading{Create: true} // all that is given is taken, and a uid is not
		if !whole {
			how = document.Reading{Own: k.uid(c), Form: k.WholeForm}
		}
		in, bodyErr = k.plan.Parse(members(body), how)
	}
	return k.Write(c, body, func(tx *Tx) (int, store.Row, error) {
		row, old, now, err := k.take(tx, c)
		switch {
		case err != nil:
			return 0, row, err
		case bodyErr != nil:
			return 0, row, bodyErr
		case row.Deleted:
			return 0, row, fault.New(fault.Invalid, "%s %s is deleted. %s", k.Name, row.UID, k.Revive)
		}
		tx.in = in
		if err := in.Apply(tx, now); err != nil {
			return 0, row, err
		}
		return 200, row, k.Save(tx, &row, old, now, store.Updated)
	})
}

// take reads the record that the path names for a write: fault.NotFound, or fault.Forbidden when the caller's level
// reaches only own ones. now is a copy to change: what its pointers and slices lead to is old's too, to be replaced and
// never changed.
func (k *Kind[T]) take(tx *Tx, c *api.Call) (row store.Row, old, now *T, err error) {
	return k.takeIf(tx, c, k.ownedBy)
}

func (k *Kind[T]) takeIf(tx *Tx, c *api.Call, owns func(auth.Scope, *T) bool) (row store.Row, old, now *T, err error) {
	if row, err = k.Find(tx, k.uid(c)); err != nil {
		return row, nil, nil, err
	}
	if !visible(row.Terms, k.visibleTo(c.Scope)) {
		return row, nil, nil, fault.Missing(k.Name, row.UID)
	}
	if old, err = k.load(row); err != nil {
		return row, nil, nil, err
	}
	if c.Level == auth.Own && !owns(c.Scope, old) {
		return row, nil, nil, fault.New(fault.Forbidden,
			"As %s you may do this only with your own records; %s %s is not yours.",
			c.Scope.Role(), lower(k.Name), row.UID)
	}
	if !c.IfMatch(recordTag(row.Clock)) {
		return row, nil, nil, fault.New(fault.Precondition,
			"%s %s has changed since the version that If-Match names. Get it again.", k.Name, row.UID)
	}
	changed := *old
	return row, old, &changed, nil
}

// Delete is the route that deletes a record: it stays readable and referenced, with deleted true. It may be repeated.
func Delete[T any](k *Kind[T], right auth.Right) api.Route {
	k.mounted()
	r := k.route("DELETE", "{uid}", right, func(c *api.Call) error {
		err := Edit(c, func(tx *Tx) error {
			tx.kinds = k.all
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
	k.mounted()
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
	owns := k.ownedBy
	if k.DeletableBy != nil {
		owns = k.DeletableBy
	}
	row, old, now, err := k.takeIf(tx, c, owns)
	if err == nil {
		err = bodyErr
	}
	if err != nil {
		return row, err
	}
	if row.Wiped && !deleted {
		return row, fault.New(fault.Invalid,
			"%s %s was deleted longer ago than this installation keeps deleted records. Nothing is left that could be restored.",
			k.Name, row.UID)
	}
	document.CoreOf(now).Deleted = deleted
	return row, k.Save(tx, &row, old, now, op)
}

// Write runs do as a write of the caller, once for each Idempotency-Key, and answers with the status and the record it
// gives.
func (k *Kind[T]) Write(c *api.Call, body api.Object, do func(*Tx) (int, store.Row, error)) error {
	return write(c, k.all, k, body, do, nil)
}

// WriteBeside is Write that shows something beside the record: beside gives members of the object, as JSON. They are
// not part of the record, and a repetition of the request does not find them again: it runs nothing that could give
// them.
func (k *Kind[T]) WriteBeside(c *api.Call, body api.Object, do func(*Tx) (int, store.Row, error),
	beside func() string,
) error {
	return write(c, k.all, k, body, do, beside)
}

func write(c *api.Call, all *Catalog, k AnyKind, body api.Object, do func(*Tx) (int, store.Row, error),
	beside func() string,
) error {
	var out outcome
	err := Edit(c, func(tx *Tx) (err error) {
		tx.kinds = all
		out, err = runOnce(tx.Tx, c, body, func() (int, store.Row, error) { return do(tx) })
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

// answer sends the record of a write as it was stored. Its tag is good for If-Match; what else the answer shows may
// already have moved.
func (k *Kind[T]) answer(c *api.Call, out outcome) error {
	if out.again {
		c.SetHeader("Idempotent-Replayed", "true")
	}
	c.SetHeader("ETag", `"`+recordTag(out.row.Clock)+`.w"`)
	r := out.row
	return k.sendBeside(c, out.status, &store.Line{
		ID: r.ID, Clock: r.Clock, Version: r.Version, Tally: []byte(r.Tally), Doc: r.Doc,
	}, out.beside)
}

func (k *Kind[T]) send(c *api.Call, status int, l *store.Line) error {
	return k.sendBeside(c, status, l, "")
}

func (k *Kind[T]) sendBeside(c *api.Call, status int, l *store.Line, beside string) error {
	f := k.expanderOver(document.Nobody)
	if !k.Self {
		var err error
		if f, err = k.expander(c, c.Scope.Project()); err != nil {
			return err
		}
	}
	return send(c, status, func(buf []byte) []byte {
		buf = f.Append(buf, l)
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

func (k *Kind[T]) newDocument() *T {
	v := k.Defaults
	return &v
}
