package resource

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

	kind *entry
}

// Kinds are all kinds, in order of their numbers.
func (c *Catalog) Kinds() (all []Declared) {
	for i := range c.entries {
		e := &c.entries[i]
		all = append(all, Declared{
			e.number, e.plural, e.name, e.version, e.self, e.seeded(), e.collections, e.links, e.plan.States,
			e.plan.Linked, e.attaches, e.plan.Declared, e,
		})
	}
	slices.SortFunc(all, func(a, b Declared) int { return int(a.Number) - int(b.Number) })
	return all
}

func (k *Kind[T]) seeded() bool { return k.Seed != nil }

// Admit takes a document that comes from elsewhere: it refuses what is none of this kind, or is not as this release
// would write it, and fills in what follows from it: uid, deleted mark and terms.
func (d *Declared) Admit(row *store.Row) error { return d.kind.admit(row) }

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
	row.UID, row.Deleted, row.Terms = again.UID, again.Deleted, again.Terms
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
