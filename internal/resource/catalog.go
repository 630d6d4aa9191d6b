package resource

import (
	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/store"
)

// AnyKind is a kind whose type is not at hand.
type AnyKind interface {
	verify(row store.Row) []string
	stored() (store.Kind, string)
	slots() []string
	links() []string
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

// find finds the kind of a number; nil where none is mounted.
func (c *Catalog) find(number store.Kind) AnyKind {
	for _, k := range c.kinds {
		if n, _ := k.stored(); n == number {
			return k
		}
	}
	return nil
}
