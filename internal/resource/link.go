package resource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// linked is one collection of linked records.
type linked[T any] struct {
	*Kind[T]
	collection string // its name, and the plural of the kind that is linked
	slot       uint8
	target     string // the name of one, for people
	find       AnyKind
	body       *document.Plan
	field      string // what the body calls the uid: photo_uid
}

// Linked are the routes of a collection that the kind declares in Links: list, link, and unlink. The change is one of
// the owner: its updated_at moves, its Check is asked with nothing changed, and Own of the right means the owner.
func Linked[T any](k *Kind[T], collection string, view, edit auth.Right) []api.Route {
	k.mounted()
	if !slices.Contains(k.Links, collection) {
		panic("resource: " + k.Plural + " have no links to " + collection)
	}
	_, name := k.all.named(collection)
	l := &linked[T]{
		Kind: k, collection: collection, slot: k.all.slot(k.Plural, collection), target: name,
		field: strings.TrimSuffix(collection, "s") + "_uid",
		find:  k.all.kind(collection),
	}
	l.body = document.OneText(l.field)

	of := strings.ReplaceAll(collection, "_", " ") + " of " + k.one()
	list := k.route("GET", "{uid}/"+collection, view, l.list)
	list.Summary, list.Status, list.Query, list.Out = "List "+of, 200, WindowParams(), document.SchemaRef(camel(name)+"Page")
	link := k.route("POST", "{uid}/"+collection, edit, l.link)
	link.Summary, link.Status, link.Also, link.Guarded = "Link "+article(name)+lower(name)+" to "+
		k.one(), 201, []int{200}, true
	link.In, link.Out = l.body.BodySchema(true), document.SchemaRef(camel(name))
	unlink := k.route("DELETE", "{uid}/"+collection+"/{target}", edit, l.unlink)
	unlink.Summary, unlink.Status = "Unlink "+article(name)+lower(name)+" from "+k.one(), 204
	return []api.Route{list, link, unlink}
}

// list answers with a window of the linked records, in order of linking.
func (l *linked[T]) list(c *api.Call) error {
	w, err := ReadWindow(c)
	if err != nil {
		return err
	}
	p := c.Scope.Project()
	if had, err := l.find.notModified(c, p); had || err != nil {
		return err
	}
	page, tally, ok, err := c.Store.Linked(c.Context(), p, store.Links{
		Kind: l.Number, Owner: l.uid(c), Field: l.slot, After: w.After, Bound: w.Bound, From: w.From, Skip: w.Skip,
		Limit: w.Limit,
	})
	if err != nil {
		return err
	}
	defer page.Release()
	if !ok {
		return fault.Missing(l.Name, l.uid(c))
	}
	if w.After == store.Always {
		page.Total = int(document.Counter([]byte(tally), int(l.slot)))
	}
	f, err := l.find.expander(c, p)
	if err != nil {
		return err
	}
	c.SetHeader("X-Clock", document.StampText(page.Clock))
	if c.Fresh(l.find.entityTag(c, page.Seq)) {
		return nil
	}
	next := w.Next(c, page.Total, len(page.Rows), page.More, page.Bound, page.Last)
	return SendList(c, page.Total, next, func(buf []byte) []byte { return f.Lines(buf, page) })
}

// link links the record that the body names: 201 with that record, 200 when it was linked already.
func (l *linked[T]) link(c *api.Call) error {
	body, bodyErr := c.Fields()
	var in *document.Input
	if bodyErr == nil {
		in, bodyErr = l.body.Parse(members(body), document.Reading{Create: true})
	}
	return write(c, l.all, l.find, body, func(tx *Tx) (int, store.Row, error) {
		owner, now, err := l.own(tx, c)
		switch {
		case err != nil:
			return 0, owner, err
		case bodyErr != nil:
			return 0, owner, bodyErr
		}
		target, err := tx.Find(l.collection, store.FoldUID(in.Text()))
		if err != nil {
			return 0, target, err
		}
		_, already, err := tx.LinkPlace(owner.ID, l.slot, target.ID)
		switch {
		case err != nil || already:
			return 200, target, err
		case target.Deleted:
			return 0, target, fault.Field(l.field, "%s %s is deleted. Restore it first.", l.target, target.UID)
		}
		if err := l.change(tx, &owner, now, 1, store.Linked, target.UID); err != nil {
			return 0, target, err
		}
		return 201, target, tx.Link(&owner, l.slot, target.ID)
	}, nil)
}

// unlink takes a record out of the collection, which it may not be in.
func (l *linked[T]) unlink(c *api.Call) error {
	err := Edit(c, func(tx *Tx) error {
		tx.kinds = l.all
		owner, now, err := l.own(tx, c)
		if err != nil {
			return err
		}
		target, err := tx.Find(l.collection, c.Param("target"))
		if err != nil {
			return err
		}
		place, ok, err := tx.LinkPlace(owner.ID, l.slot, target.ID)
		if err != nil || !ok {
			return err
		}
		if err := l.change(tx, &owner, now, -1, store.Unlinked, target.UID); err != nil {
			return err
		}
		return tx.Unlink(owner.ID, l.slot, place)
	})
	if err != nil {
		return err
	}
	return c.Send(204, nil)
}

// own takes the owner for a change of its links: what would refuse a change of it refuses this one.
func (l *linked[T]) own(tx *Tx, c *api.Call) (row store.Row, now *T, err error) {
	row, old, now, err := l.take(tx, c)
	switch {
	case err != nil:
		return row, nil, err
	case row.Deleted:
		return row, nil, fault.New(fault.Invalid, "%s %s is deleted. %s", l.Name, row.UID, l.Revive)
	case l.Check != nil:
		err = l.Check(tx, old, now)
	}
	return row, now, err
}

// change stores the owner with one link more or less, and logs the link as a change of the field: [null, uid] or [uid,
// null].
func (l *linked[T]) change(tx *Tx, owner *store.Row, now *T, by int, op store.Op, uid string) error {
	values := [2]*string{nil, &uid}
	if by < 0 {
		values = [2]*string{&uid, nil}
	}
	diff, err := json.Marshal(map[string][2]*string{l.collection: values})
	if err != nil {
		return fault.Of(fmt.Errorf("resource: a link: %w", err))
	}
	owner.Tally = document.AddToCounter(owner.Tally, int(l.slot), by)
	return l.put(tx, owner, now, op, diff)
}
