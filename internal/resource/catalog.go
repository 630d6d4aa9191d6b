package resource

import (
	"bytes"
	"context"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// AnyKind is a kind whose type is not at hand.
type AnyKind interface {
	verify(row store.Row) []string
	stored() (store.Kind, string)
	slots() []string
	links() []string
	attaches() bool
	on(row store.Row) (Ref, error)
	version() int
	rewrite(row *store.Row) error
	seed(tx *Tx) error
	amend(tx *Tx, row store.Row, field string, change func(was []byte) ([]byte, error)) error
	sees(s auth.Scope) [][]string
	sought() string
	reword(tx *store.Tx, row store.Row) error
	filler(c *api.Call, p *store.Project) (*filler, error)
	has(c *api.Call, p *store.Project) (bool, error)
	view(c *api.Call, seq int64) string
	answer(c *api.Call, out outcome) error
}

func (k *Kind[T]) stored() (store.Kind, string) {
	k.ready()
	return k.number, k.Plural
}

func (k *Kind[T]) slots() []string { return k.ready().collections }

func (k *Kind[T]) links() []string { return k.Links }

func (k *Kind[T]) seed(tx *Tx) error {
	if k.Seed == nil {
		return nil
	}
	for _, v := range k.Seed() {
		if _, err := k.Insert(tx, any(&v).(hasCore).core().UID, &v); err != nil {
			return err
		}
	}
	return nil
}

// Catalog is all kinds. A noun that shows records of other nouns, which it knows only by their plurals, is given it; it is read when
// requests are served, when it is complete.
type Catalog struct{ kinds []AnyKind }

// Add puts kinds into the catalog.
func (c *Catalog) Add(kinds ...AnyKind) { c.kinds = append(c.kinds, kinds...) }

// Seed makes the records that a new project is born with.
func (c *Catalog) Seed(tx *Tx) error {
	for _, k := range c.kinds {
		if err := k.seed(tx); err != nil {
			return err
		}
	}
	return nil
}

// kind finds the kind of a plural; that it is there the route table's schemas have shown at start.
func (c *Catalog) kind(plural string) AnyKind {
	for _, k := range c.kinds {
		if _, name := k.stored(); name == plural {
			return k
		}
	}
	panic("resource: no kind " + plural + " is mounted")
}

// Get reads a record of a noun that is known only by its plural, for somebody: fault.NotFound where there is none that they see. Load decodes it.
func (c *Catalog) Get(ctx context.Context, s *store.Store, who auth.Scope, plural, uid string) (store.Row, error) {
	number, name := named(plural)
	p := who.Project()
	if groups := c.kind(plural).sees(who); groups != nil {
		terms, ok, err := s.Terms(ctx, p, number, uid)
		if err == nil && (!ok || !visible(terms, groups)) {
			err = fault.Missing(name, uid)
		}
		if err != nil {
			return store.Row{}, err
		}
	}
	page, ok, err := s.Get(ctx, p, number, uid)
	if err != nil {
		return store.Row{}, err
	}
	defer page.Release()
	if !ok {
		return store.Row{}, fault.Missing(name, uid)
	}
	l := &page.Rows[0]
	return store.Row{ID: l.ID, UID: uid, Clock: l.Clock, Version: l.Version, Tally: string(l.Tally), Doc: bytes.Clone(l.Doc)}, nil
}

// Each reads the records of such a noun that somebody sees, in order of creation. It passes over all records of the kind: it is for rare work.
func (c *Catalog) Each(ctx context.Context, s *store.Store, who auth.Scope, plural string, each func(store.Row) error) error {
	number, _ := named(plural)
	groups := c.kind(plural).sees(who)
	return s.Each(ctx, who.Project(), number, func(row store.Row) error {
		if !visible(row.Terms, groups) {
			return nil
		}
		return each(row)
	})
}

// find finds the kind of a number; nil where none is mounted.
func (c *Catalog) find(number store.Kind) AnyKind {
	for _, k := range c.kinds {
		if n, _ := k.stored(); n == number {
			return k
		}
	}
	return nil
}
