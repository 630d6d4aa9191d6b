// Package resource owns what all record kinds share: the typed declaration of a kind, its verbs, lists, links, history,
// the change log and idempotency, over the documents of package document. It refuses to know any kind by name: what is
// special to one stands in that noun's own functions. Kind is its entry point.
package resource

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Kind declares a record kind: T is the stored document, the JSON body and the rules in one. It embeds document.Record,
// or Core. NewCatalog compiles it, once; nothing of it works before, and its declaration is not changed after.
type Kind[T any] struct {
	// Number is stored in every id: never change it, and never use it again.
	Number store.Kind
	// Plural is the name in paths and references, Name that of one record for people: "issue_lists", "Issue list".
	Plural, Name string
	// Path is the name in paths where it is not the plural.
	Path string
	// Version is the version of the document, from 1; a document of an earlier one is brought up when it is read.
	Version int
	// Newest lists the newest first.
	Newest bool
	// SortBy says that the list is sorted with sort_by and sort_order; with sort otherwise, where a field has a sort
	// tag.
	SortBy bool
	// Self says that the record is the project itself: it has the project's uid and path.
	Self bool
	// WholeForm names the writable fields that the kind had in version 1 of the API. Programs that send all of them on
	// every PATCH mean null as not given (ruling R26); nil where no such program is known.
	WholeForm []string
	// Revive tells how a deleted record comes back; "Restore it first." when empty.
	Revive string
	// Defaults are the values of a new record before the body is put in, and those of fields that a document of an
	// earlier version does not have. All records begin as copies of it: it leads to nothing that is changed in place.
	Defaults T
	// Links are the collections of linked records; each has the plural of the kind that is linked. Linked gives their
	// routes.
	Links []string
	// Filters are query parameters of the list beyond the fields with a filter tag.
	Filters []Filter

	// The hooks follow, all optional. What does not fit into one is a plain function with a route of its own.

	// Complete gives a document of an earlier version what Defaults cannot: what follows from its other fields.
	Complete func(v *T)
	// Check refuses or completes a write, inside the transaction; old is nil for a new record. tx.Row is the row that
	// is written.
	Check func(tx *Tx, old, now *T) error
	// OwnedBy tells whose own a record is for this kind; who created it when nil.
	OwnedBy func(s auth.Scope, v *T) bool
	// DeletableBy tells whose own a record is where it is deleted or restored; OwnedBy when nil.
	DeletableBy func(s auth.Scope, v *T) bool
	// VisibleTo gives groups of terms; who does not find one of every group on a record does not see it, in lists, by
	// its uid or in the change log. nil: all members see all.
	VisibleTo func(s auth.Scope) [][]string
	// Terms gives further terms of a record, for VisibleTo and Filters.
	Terms func(v *T) []string
	// Seed gives the records, with their uids, that a new project is born with.
	Seed func() []T
	// PrivateText gives further text by which a record is found, of what is kept with it and never shown.
	PrivateText func(private []byte) string

	// What compile makes of the declaration.
	all         *Catalog
	plan        *document.Plan
	collections []string // by slot
	slots       []*document.Field
	states      store.Kind // of the states that its records are in; 0 where they are in none
	ending      document.Ending
	flags       []Filter // its own, and the one that every kind has
	order       []string // what its list can be sorted by
}

// Filter is a query parameter that selects by a term which records carry through a filter tag or the kind's Terms.
type Filter struct {
	Param, Summary string
	// Select gives the terms of which a record must have one, and those it must not have, for a value.
	Select func(value bool) (any, not []string)
}

// compile makes ready what requests need of the declaration; a tag that makes no sense stops the program.
func (k *Kind[T]) compile(all *Catalog) {
	if k.all != nil {
		return // it is in an earlier catalogue, as those of tests are
	}
	k.all, k.plan = all, document.PlanOf(reflect.TypeFor[T]())
	k.collections, k.slots = k.plan.Collections()
	k.Version = max(k.Version, 1)
	k.Path = cmp.Or(k.Path, k.Plural)
	k.Revive = cmp.Or(k.Revive, "Restore it first.")
	k.setSlots(&k.Defaults)
	k.ending = k.endsWith()
	k.flags, k.order = k.filters(), k.sorts()
}

// setSlots gives the collections of a record their slots.
func (k *Kind[T]) setSlots(v *T) {
	for _, f := range k.slots {
		f.SetSlot(reflect.ValueOf(v).Elem())
	}
}

// link resolves what the kind says of others, once all of its catalogue are compiled: the error says what is wrong.
func (k *Kind[T]) link(all *Catalog) error {
	if k.all != all {
		return nil // an earlier catalogue did
	}
	if !document.IsRecord(new(T)) {
		return fmt.Errorf("%s does not embed Core or Record", k.Plural)
	}
	for _, plural := range k.plan.Refs() {
		if k.all.entry(plural) == nil {
			return fmt.Errorf("a field of %s refers to %s, which no family declares", k.Plural, plural)
		}
	}
	for _, collection := range k.Links {
		if k.all.entry(collection) == nil || !slices.Contains(k.collections, collection) {
			return fmt.Errorf("%s have links to %s, which no family declares or no field shows", k.Plural, collection)
		}
	}
	for _, name := range k.WholeForm {
		if !k.plan.Writes(name) {
			return fmt.Errorf("the whole form of %s names %s, which is no field that is written", k.Plural, name)
		}
	}
	if k.plan.States != "" {
		states := k.all.entry(k.plan.States) // refs has shown that it is there
		if err := document.PlanFor[document.ShownState]().CheckView(states.plural, states.plan); err != nil {
			return fmt.Errorf("a state of %s shows %w", k.Plural, err)
		}
		k.states = states.number
	}
	return nil
}

// mounted stops the program where routes are made of a kind that no catalogue has compiled.
func (k *Kind[T]) mounted() {
	if k.all == nil {
		panic("resource: " + k.Plural + " is in no catalogue; NewCatalog comes before routes")
	}
}

// Load decodes a stored record. What a document of an earlier version does not have is as in a new record, so that
// saving it leaves no gap.
func (k *Kind[T]) Load(row store.Row) (*T, error) { return k.load(row) }

// decode reads a stored record as the JSON library does.
func decode[T any](row store.Row, v *T) (*T, error) {
	if err := json.Unmarshal(row.Doc, v); err != nil {
		return nil, fault.Of(err)
	}
	return v, nil
}

// blank is what a stored record is read into: what a document of an earlier version does not have is as in a new
// record.
func (k *Kind[T]) blank(row store.Row) *T {
	if row.Version < k.Version {
		return k.newDocument()
	}
	return new(T)
}

// load decodes a stored record.
func (k *Kind[T]) load(row store.Row) (*T, error) {
	v := k.blank(row)
	if !k.plan.Read(row.Doc, reflect.ValueOf(v).Elem()) {
		if _, err := decode(row, v); err != nil {
			return nil, err
		}
	}
	return k.completed(row, v), nil
}

// completed is a record with what follows from its other fields, where its document is of an earlier version.
func (k *Kind[T]) completed(row store.Row, v *T) *T {
	if k.Complete != nil && row.Version < k.Version {
		k.Complete(v)
	}
	return v
}

// Find reads the record of a uid for a write: fault.NotFound where there is none.
func (k *Kind[T]) Find(tx *Tx, uid string) (store.Row, error) {
	row, ok, err := tx.Get(k.Number, uid)
	if err == nil && !ok {
		err = fault.Missing(k.Name, uid)
	}
	return row, err
}

// At reads the record at a place for a write, if it is of this kind.
func (k *Kind[T]) At(tx *Tx, id store.ID) (row store.Row, v *T, ok bool, err error) {
	if id.Kind() != k.Number {
		return row, nil, false, nil
	}
	if row, ok, err = tx.At(k.Number, id.Ordinal()); err != nil || !ok {
		return row, nil, false, err
	}
	v, err = k.load(row)
	return row, v, err == nil, err
}

// mostDocument is how many bytes a record may have: as many as one body. Several changes, each with a field of its own,
// could otherwise make it many times as large, and a list shows fifty of them.
const mostDocument = 1 << 20

// encode writes v into the row as it is stored: fault.Invalid for a record that became too large.
func (k *Kind[T]) encode(row *store.Row, v *T) error {
	doc, err := k.plan.Write(make([]byte, 0, 1024), reflect.ValueOf(v).Elem())
	if err != nil {
		return fault.Of(err)
	}
	if len(doc) > mostDocument {
		return fault.New(fault.Invalid,
			"The %s would have %d KB; it may have at most %d KB. Put long texts and tables into a document and attach it.",
			lower(k.Name), len(doc)>>10, mostDocument>>10)
	}
	row.UID, row.Deleted = document.CoreOf(v).UID, document.CoreOf(v).Deleted
	terms := k.plan.Terms(reflect.ValueOf(v).Elem())
	if k.Terms != nil {
		terms = append(terms, k.Terms(v)...)
	}
	row.Terms = strings.Join(terms, "\t")
	row.Version, row.Doc, row.Hides = k.Version, doc, k.VisibleTo != nil
	return nil
}

// Insert stores a new record. The caller has filled the fields of its own; uid "" makes a new one.
func (k *Kind[T]) Insert(tx *Tx, uid string, v *T) (store.Row, error) {
	return k.InsertWith(tx, uid, v, nil)
}

// InsertWith is Insert for a record with which something is kept that is never shown.
func (k *Kind[T]) InsertWith(tx *Tx, uid string, v *T, private []byte) (store.Row, error) {
	row := store.Row{Private: private}
	tx.kinds = k.all
	k.setSlots(v)
	if uid == "" && k.VisibleTo != nil {
		// a placed one would tell how many there are between, also of those that its reader does not see
		uid = store.NewUID()
	}
	if uid == "" {
		var err error
		if uid, err = tx.NewUID(k.Number); err != nil {
			return row, err
		}
	}
	if err := k.prepareWords(tx, row, nil, v); err != nil {
		return row, err
	}
	document.StampCreated(v, tx.Tx, uid)
	if tx.Author != 0 {
		document.StampAuthor(v, tx.Author, true)
	}
	if k.Check != nil {
		if err := k.Check(tx, nil, v); err != nil {
			return row, err
		}
	}
	document.CoreOf(v).CreatedAt = document.Stamp(tx.Clock()) // Check may have written something else first
	if err := k.encode(&row, v); err != nil {
		return row, err
	}
	if err := k.wake(tx, nil, v); err != nil {
		return row, err
	}
	if err := tx.Insert(k.Number, &row); err != nil || len(k.plan.Search) == 0 {
		return row, err
	}
	return row, tx.Word(row.ID, k.text(row, v))
}

// Save stores a changed record and logs what differs; where nothing does, nothing is written.
func (k *Kind[T]) Save(tx *Tx, row *store.Row, old, now *T, op store.Op) error {
	if err := k.prepareWords(tx, *row, old, now); err != nil {
		return err
	}
	tx.kinds = k.all
	if k.Check != nil {
		outer := tx.row // a Check may save other records
		tx.row = row
		err := k.Check(tx, old, now)
		if tx.row = outer; err != nil {
			return err
		}
	}
	diff, err := k.plan.Diff(reflect.ValueOf(old).Elem(), reflect.ValueOf(now).Elem())
	if err != nil || diff == nil {
		return err
	}
	if err := k.wake(tx, old, now); err != nil {
		return err
	}
	if err := k.put(tx, row, now, op, diff); err != nil {
		return err
	}
	if k.plan.Searched(now) == k.plan.Searched(old) {
		return nil
	}
	return tx.Word(row.ID, k.text(*row, now))
}

// Each reads the records that have a term, in order of creation, inside the transaction. It passes over all records of
// the kind: it is for kinds of thousands and for rare work.
func (k *Kind[T]) Each(tx *Tx, term string, each func(row store.Row, v *T) error) error {
	return tx.Tx.Each(k.Number, func(row store.Row) error {
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
	document.StampUpdated(now, tx.Tx)
	if tx.Author != 0 {
		document.StampAuthor(now, tx.Author, false)
	}
	if err := k.encode(row, now); err != nil {
		return err
	}
	return tx.Update(row, op, diff)
}

// ownedBy applies the kind's own predicate, or asks who created the record.
func (k *Kind[T]) ownedBy(s auth.Scope, v *T) bool {
	if k.OwnedBy != nil {
		return k.OwnedBy(s, v)
	}
	by := document.Creator(v)
	return by != 0 && by == document.Person(s.Person())
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

// ID is where the kind's first record stands in a project: the record of the project itself.
func (k *Kind[T]) ID(project int64) store.ID { return store.MakeID(project, k.Number, 1) }

// Lines appends the records of a page, separated by commas; for lists of projects, whose records show no people.
func (k *Kind[T]) Lines(page *store.Page) func([]byte) []byte {
	f := k.expanderOver(document.Nobody)
	return func(buf []byte) []byte { return f.Lines(buf, page) }
}
