package resource

import (
	"reflect"
	"strings"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/store"
)

// WipedMark is what is kept with a record of which nothing else is kept: archives carry it.
const WipedMark = `{"wiped":true}`

// Reword changes texts that are stored with a record: its document, and what is kept with it. edit gets each as JSON.
// Where something changes, the record has a new updated_at, the log says that it changed and not what, and it is found
// by its new words.
func (c *Catalog) Reword(tx *store.Tx, row *store.Row, edit func(json string) string) (changed bool, err error) {
	k := c.numbered(row.ID.Kind())
	doc, private := edit(string(row.Doc)), edit(string(row.Private))
	if k == nil || doc == string(row.Doc) && private == string(row.Private) {
		return false, nil
	}
	row.Doc = []byte(doc)
	if private != string(row.Private) {
		row.Private = []byte(private)
	}
	if err := k.rewrite(row); err != nil {
		return false, err
	}
	if err := tx.Update(row, store.Updated, nil); err != nil || k.searchedFields() == "" {
		return true, err
	}
	return true, k.reindex(tx, *row)
}

// Keeps tells whether deleted records of a kind are kept whatever the rule is: the project itself, people, and what
// others show in their own documents.
func (c *Catalog) Keeps(kind store.Kind) bool {
	k := c.numbered(kind)
	if k == nil || k.self || k.seeded() || kind == auth.KindMember {
		return true
	}
	for i := range c.entries {
		if c.entries[i].plan.States == k.plural {
			return true
		}
	}
	return false
}

// Wipe drops everything of a record but that it was there: its uid, number, times, authors, what it belonged to and
// what it was chosen to be. Who follows the project is told that it changed. It stays deleted for ever.
func (c *Catalog) Wipe(tx *store.Tx, row *store.Row) error {
	return c.numbered(row.ID.Kind()).wipe(tx, row)
}

// Attaching are the kinds whose records are each attached to another.
func (c *Catalog) Attaching() (kinds []store.Kind) {
	for i := range c.entries {
		if c.entries[i].attaches {
			kinds = append(kinds, c.entries[i].number)
		}
	}
	return kinds
}

// AttachedTo gives the kind and the uid of what a record of an attaching kind is attached to.
func (c *Catalog) AttachedTo(row store.Row) (kind store.Kind, uid string, err error) {
	to, err := c.numbered(row.ID.Kind()).attachedTo(row)
	if err != nil {
		return 0, "", err
	}
	plural, uid := to.Split()
	if k := c.entry(plural); k != nil {
		kind = k.number
	}
	return kind, uid, nil
}

func (k *Kind[T]) wipe(tx *store.Tx, row *store.Row) error {
	v, err := k.load(*row)
	if err != nil {
		return err
	}
	now := k.newDocument()
	document.CopyRecord(now, v)
	bare := reflect.ValueOf(now).Elem()
	for i := range bare.NumField() {
		field := bare.Type().Field(i)
		chosen := field.Tag.Get("one") != "" || strings.Contains(field.Tag.Get("write"), "one=")
		if field.Type == reflect.TypeFor[document.Ref]() || chosen {
			bare.Field(i).Set(reflect.ValueOf(v).Elem().Field(i))
		}
	}
	op := store.Updated
	if !row.Deleted {
		op = store.Deleted
	}
	document.CoreOf(now).Deleted = true
	if err := k.encode(row, now); err != nil {
		return err
	}
	row.Private, row.Wiped = []byte(WipedMark), true
	if err := tx.Update(row, op, nil); err != nil || len(k.plan.Search) == 0 {
		return err
	}
	return tx.Word(row.ID, "")
}
