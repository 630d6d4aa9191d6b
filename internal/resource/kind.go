package resource

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Kind declares a record kind: T is the stored document, the JSON body and the rules in one. It embeds Record, or Core.
type Kind[T any] struct {
	// Plural is the name in paths; the number, the singular and the collections come from the table of kinds.
	Plural string
	// Path is the name in paths where it is not the plural.
	Path string
	// Version is the version of the document, from 1; a document of an earlier one is brought up when it is read.
	Version int
	// Newest lists the newest first.
	Newest bool
	// SortBy says that the list is sorted with sort_by and sort_order; with sort otherwise, where a field has a sort tag.
	SortBy bool
	// Self says that the record is the project itself: it has the project's uid and path.
	Self bool
	// Revive tells how a deleted record comes back; "Restore it first." when empty.
	Revive string
	// Fresh gives the values of a new record before the body is put in, and those of fields that a document of an earlier version does not
	// have; the zero T when nil.
	Fresh func() T
	// Check refuses or completes a write, inside the transaction; old is nil for a new record. It is the engine's only hook.
	Check func(tx *Tx, old, now *T) error
	// Owns tells whose own a record is for this kind; who created it when nil.
	Owns func(s auth.Scope, v *T) bool
	// Deletes tells whose own a record is where it is deleted or restored; Owns when nil.
	Deletes func(s auth.Scope, v *T) bool
	// Sees gives groups of terms; who does not find one of every group on a record does not see it, in lists, by its uid or in the change log. nil: all
	// members see all.
	Sees func(s auth.Scope) [][]string
	// Links are the collections of linked records; each has the plural of the kind that is linked. Linked gives their routes.
	Links []string
	// On gives the record that one is attached to, which shows how many there are; nil for kinds that are attached to nothing.
	On func(v *T) Ref
	// Seed gives the records, with their uids, that a new project is born with.
	Seed func() []T
	// Terms gives further terms of a record, for Sees and Filters.
	Terms func(v *T) []string
	// Words gives further text by which a record is found, of what is kept with it and never shown.
	Words func(private []byte) string
	// Filters are query parameters of the list beyond the fields with a filter tag.
	Filters []Filter

	once        sync.Once
	number      store.Kind
	name        string
	collections []string
	ending      ending
	plan        *plan
	flags       []Filter // its own, and the one that every kind has
	order       []string // what its list can be sorted by
}

// Filter is a query parameter that selects by a term which records carry through a filter tag or the kind's Terms.
type Filter struct {
	Param, Summary string
	// Select gives the terms of which a record must have one, and those it must not have, for a value.
	Select func(value bool) (any, not []string)
}

func (k *Kind[T]) ready() *Kind[T] {
	k.once.Do(func() {
		k.number, k.name = named(k.Plural)
		k.collections = kinds[fact(k.Plural)].collections
		k.plan = makePlan(reflect.TypeFor[T]())
		k.ending = k.endsWith()
		k.flags, k.order = k.filters(), k.sorts()
		k.Version = max(k.Version, 1)
		k.Path = cmp.Or(k.Path, k.Plural)
		k.Revive = cmp.Or(k.Revive, "Restore it first.")
		if _, ok := any(new(T)).(hasCore); !ok {
			panic("resource: " + k.Plural + " does not embed Core or Record")
		}
	})
	return k
}

// Load decodes a stored record of the version that this release writes.
func Load[T any](row store.Row) (*T, error) {
	return decode(row, new(T))
}

// decode reads a stored record as the JSON library does.
func decode[T any](row store.Row, v *T) (*T, error) {
	if err := json.Unmarshal(row.Doc, v); err != nil {
		return nil, fault.Of(err)
	}
	return v, nil
}

// blank is what a stored record is read into: what a document of an earlier version does not have is as in a new record.
func (k *Kind[T]) blank(row store.Row) *T {
	if row.Version < k.Version {
		return k.fresh()
	}
	return new(T)
}

// load decodes a stored record.
func (k *Kind[T]) load(row store.Row) (*T, error) {
	v := k.blank(row)
	if k.plan.read(row.Doc, reflect.ValueOf(v).Elem()) {
		return v, nil
	}
	return decode(row, v)
}

// At reads the record at a place for a write, if it is of this kind.
func (k *Kind[T]) At(tx *Tx, id store.ID) (row store.Row, v *T, ok bool, err error) {
	if id.Kind() != k.ready().number {
		return row, nil, false, nil
	}
	if row, ok, err = tx.At(k.number, id.Ordinal()); err != nil || !ok {
		return row, nil, false, err
	}
	v, err = Load[T](row)
	return row, v, err == nil, err
}

// encode writes v into the row as it is stored.
func (k *Kind[T]) encode(row *store.Row, v *T) error {
	doc, err := k.plan.write(make([]byte, 0, 1024), reflect.ValueOf(v).Elem())
	if err != nil {
		return fault.Of(err)
	}
	row.UID, row.Deleted = any(v).(hasCore).core().UID, any(v).(hasCore).core().Deleted
	terms := k.plan.terms(reflect.ValueOf(v).Elem())
	if k.Terms != nil {
		terms = append(terms, k.Terms(v)...)
	}
	row.Terms = strings.Join(terms, "\t")
	row.Version, row.Doc = k.Version, doc
	return nil
}

// Insert stores a new record. The caller has filled the fields of its own; uid "" makes a new one.
func (k *Kind[T]) Insert(tx *Tx, uid string, v *T) (store.Row, error) {
	return k.InsertWith(tx, uid, v, nil)
}

// InsertWith is Insert for a record with which something is kept that is never shown.
func (k *Kind[T]) InsertWith(tx *Tx, uid string, v *T, private []byte) (store.Row, error) {
	k.ready()
	row := store.Row{Private: private}
	if uid == "" {
		var err error
		if uid, err = tx.NewUID(k.number); err != nil {
			return row, err
		}
	}
	born(v, tx.Tx, uid)
	if k.Check != nil {
		if err := k.Check(tx, nil, v); err != nil {
			return row, err
		}
	}
	any(v).(hasCore).core().CreatedAt = Stamp(tx.Clock()) // Check may have written something else first
	if err := k.encode(&row, v); err != nil {
		return row, err
	}
	if err := tx.Insert(k.number, &row); err != nil || len(k.plan.search) == 0 {
		return row, err
	}
	return row, tx.Word(row.ID, k.text(row, v))
}

// Save stores a changed record and logs what differs; where nothing does, nothing is written.
func (k *Kind[T]) Save(tx *Tx, row *store.Row, old, now *T, op store.Op) error {
	k.ready()
	if k.Check != nil {
		if err := k.Check(tx, old, now); err != nil {
			return err
		}
	}
	diff, err := k.plan.diff(reflect.ValueOf(old).Elem(), reflect.ValueOf(now).Elem())
	if err != nil || diff == nil {
		return err
	}
	if err := k.put(tx, row, now, op, diff); err != nil {
		return err
	}
	if k.plan.searched(now) == k.plan.searched(old) {
		return nil
	}
	return tx.Word(row.ID, k.text(*row, now))
}

// Each reads the records that have a term, in order of creation, inside the transaction. It passes over all records of the kind: it is for kinds of
// thousands and for rare work.
func (k *Kind[T]) Each(tx *Tx, term string, each func(row store.Row, v *T) error) error {
	return tx.Tx.Each(k.ready().number, func(row store.Row) error {
		if !visible(row.Terms, [][]string{{term}}) {
			return nil
		}
		v, err := k.load(row)
		if err != nil {
			return err
		}
		return each(row, v)
	})
}

// put stores a changed record.
func (k *Kind[T]) put(tx *Tx, row *store.Row, now *T, op store.Op, diff []byte) error {
	touched(now, tx.Tx)
	if err := k.encode(row, now); err != nil {
		return err
	}
	return tx.Update(row, op, diff)
}

// owns applies the kind's own predicate, or asks who created the record.
func (k *Kind[T]) owns(s auth.Scope, v *T) bool {
	if k.Owns != nil {
		return k.Owns(s, v)
	}
	r, ok := any(v).(hasRecord)
	return ok && r.record().CreatedBy == Person(s.Person())
}

// upgraded gives a document of an earlier version as this release writes it.
func (k *Kind[T]) upgraded(doc []byte) []byte {
	v, err := k.load(store.Row{Doc: doc})
	if err != nil {
		return doc
	}
	var row store.Row
	if err := k.encode(&row, v); err != nil {
		return doc
	}
	return row.Doc
}

// diff gives the fields that differ as {"field": [old, new]} in their stored forms, in order of their names; nil where none does.
func (p *plan) diff(old, now reflect.Value) (_ []byte, err error) {
	var differ []*field
	for _, f := range p.stored {
		if !same(old.FieldByIndex(f.index), now.FieldByIndex(f.index)) {
			differ = append(differ, f)
		}
	}
	if differ == nil {
		return nil, nil
	}
	slices.SortFunc(differ, func(a, b *field) int { return cmp.Compare(a.name, b.name) })
	buf := make([]byte, 0, 128)
	for i, f := range differ {
		buf = append(append(append(buf, "{,"[min(i, 1)]), f.begins...), '[')
		if buf, err = f.shape.write(buf, old.FieldByIndex(f.index)); err != nil {
			return nil, err
		}
		if buf, err = f.shape.write(append(buf, ','), now.FieldByIndex(f.index)); err != nil {
			return nil, err
		}
		buf = append(buf, ']')
	}
	return append(buf, '}'), nil
}

// same tells whether two values are equal. It needs no memory for what most fields are.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Bool, reflect.String, reflect.Int64, reflect.Uint8, reflect.Uint32:
		return a.Equal(b)
	case reflect.Pointer:
		return a.Pointer() == b.Pointer() || reflect.DeepEqual(a.Interface(), b.Interface())
	default:
		return reflect.DeepEqual(a.Interface(), b.Interface())
	}
}

// Same tells whether two documents have the same fields, closed_at and the like included.
func Same[T any](a, b *T) bool { return reflect.DeepEqual(a, b) }

// ID is where the kind's first record stands in a project: the record of the project itself.
func (k *Kind[T]) ID(project int64) store.ID { return store.MakeID(project, k.ready().number, 1) }

// Lines appends the records of a page, separated by commas; for lists of projects, whose records show no people.
func (k *Kind[T]) Lines(page *store.Page) func([]byte) []byte {
	f := k.with(nobody)
	return func(buf []byte) []byte { return f.lines(buf, page) }
}
