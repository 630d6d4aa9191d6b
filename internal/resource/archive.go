package resource

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/store"
)

// Declared is what a catalogue says of a kind to whoever works on all of them alike.
type Declared struct {
	Number store.Kind
	// Plural and Name are what its records, and one of them, are called.
	Plural, Name string
	// Version is that of the documents that this release writes.
	Version int
	// Self says that its only record is the project itself.
	Self bool
	// Seeded says that each project is born with records of it, under the same uids everywhere.
	Seeded bool
	// Collections are what its records show counts of, by slot; Links those of them that are linked.
	Collections, Links []string
	// States is the plural of the states that its records are in; "" where they are in none.
	States string
	// Linked says that its documents show files.
	Linked bool
	// Attaches says that each of its records is attached to another, or to the project.
	Attaches bool
	// Placeholders are the nouns' own.
	Placeholders []document.Placeholder
	// Path is where its records are listed, below the project's, and Newest says that the newest come first there.
	Path   string
	Newest bool
	// Files are the fields that show links to files.
	Files []string

	kind *entry
}

// Kinds are all kinds, in order of their numbers.
func (c *Catalog) Kinds() (all []Declared) {
	for i := range c.entries {
		e := &c.entries[i]
		all = append(all, Declared{
			e.number, e.plural, e.name, e.version, e.self, e.seeded(), e.collections, e.links, e.plan.States,
			e.plan.Linked, e.attaches, e.plan.Declared, e.path, e.newest, e.plan.Files(), e,
		})
	}
	slices.SortFunc(all, func(a, b Declared) int { return int(a.Number) - int(b.Number) })
	return all
}

func (k *Kind[T]) seeded() bool { return k.Seed != nil }

// Admit takes a document that comes from elsewhere: it refuses what is none of this kind, or is not as this release
// would write it, and fills in what follows from it: uid, deleted mark and terms.
func (d *Declared) Admit(row *store.Row) error { return d.kind.admit(row) }

// Take makes the row of a record from what another server shows of it. now is the row that is here, whose values stay
// where nothing is shown; nil where there is none. Its clock, uid, and what is kept with it are the caller's.
func (d *Declared) Take(shown map[string]jsontext.Value, now *store.Row, n document.Naming) (store.Row, error) {
	return d.kind.adopt(shown, now, n)
}

func (k *Kind[T]) adopt(shown map[string]jsontext.Value, now *store.Row, n document.Naming) (row store.Row, err error) {
	var kept map[string]jsontext.Value
	if now != nil {
		doc := now.Doc
		if now.Version < k.Version {
			doc = k.upgraded(doc)
		}
		if err := json.Unmarshal(doc, &kept); err != nil {
			return row, err
		}
	}
	missing := false
	row.Doc, missing = k.plan.FromShown(shown, kept, reflect.ValueOf(k.newDocument()).Elem(), n)
	v := k.newDocument()
	if _, err := decode(row, v); err != nil {
		return row, err
	}
	if missing && now == nil && k.Complete != nil {
		k.Complete(v)
	}
	row.Version = k.Version
	return row, k.encode(&row, v)
}

// SeenBy gives a record as somebody may have it in an archive. Of one that they do not see, veiled, nothing is left but
// that it was there, and when: it reads as one that was deleted long ago.
func (d *Declared) SeenBy(who auth.Scope, row store.Row) (as store.Row, veiled bool, err error) {
	if visible(row.Terms, d.kind.visibleTo(who)) {
		return row, false, nil
	}
	err = d.kind.veil(&row)
	return row, true, err
}

func (k *Kind[T]) veil(row *store.Row) error {
	was, err := k.load(*row)
	if err != nil {
		return err
	}
	bare := k.newDocument()
	core := document.CoreOf(bare)
	core.UID, core.CreatedAt, core.Deleted = document.CoreOf(was).UID, document.CoreOf(was).CreatedAt, true
	row.Private, row.Wiped = []byte(WipedMark), true
	return k.encode(row, bare)
}

// Writable tells whether clients write a field.
func (d *Declared) Writable(field string) bool {
	f := d.kind.plan.Find(field)
	return f != nil && f.Writable()
}

// IsState tells whether a field is a state.
func (d *Declared) IsState(field string) bool {
	f := d.kind.plan.Find(field)
	return f != nil && f.IsState()
}

// IsPeople tells whether a field names members of the team.
func (d *Declared) IsPeople(field string) bool {
	f := d.kind.plan.Find(field)
	return f != nil && f.IsPeople()
}

// AttachedTo is what a record is attached to, which shows how many are; "" where the kind attaches to nothing.
func (d *Declared) AttachedTo(row store.Row) (document.Ref, error) {
	if !d.Attaches {
		return "", nil
	}
	return d.kind.attachedTo(row)
}

func (k *Kind[T]) admit(row *store.Row) error {
	if row.Version > k.Version {
		return fmt.Errorf("its version is %d, and this release knows %d", row.Version, k.Version)
	}
	if row.Version < 1 {
		return errors.New("it has no version")
	}
	v, err := k.load(*row)
	if err != nil {
		return fmt.Errorf("it is not of the form of %s", k.Plural)
	}
	again := *row
	if err := k.encode(&again, v); err != nil {
		return errors.New("it is larger than a record may be")
	}
	if row.Version == k.Version && string(again.Doc) != string(row.Doc) {
		return fmt.Errorf("it is not of the form of %s", k.Plural)
	}
	row.UID, row.Deleted, row.Terms, row.Hides = again.UID, again.Deleted, again.Terms, again.Hides
	return nil
}

// IndexProject has the records of a project found by their words. It may be repeated, and cut short.
func (c *Catalog) IndexProject(ctx context.Context, s *store.Store, p *store.Project) error {
	for _, k := range c.entries {
		if k.searchedFields() == "" {
			continue
		}
		if err := index(ctx, s, p, k.number, k); err != nil {
			return err
		}
	}
	return nil
}
