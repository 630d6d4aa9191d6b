package resource

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// AnyKind is a kind whose type is not at hand.
type AnyKind interface {
	compile(all *Catalog)
	link(all *Catalog) error
	entry() entry
	verify(row store.Row) []string
	attachedTo(row store.Row) (document.Ref, error)
	rewrite(row *store.Row) error
	wipe(tx *store.Tx, row *store.Row) error
	veil(row *store.Row) error
	admit(row *store.Row) error
	adopt(shown map[string]jsontext.Value, now *store.Row, n document.Naming) (store.Row, error)
	seeded() bool
	seed(tx *Tx) error
	bring(tx *Tx, b Brought) (Outcome, error)
	amend(tx *Tx, row store.Row, field string, change func(was []byte) ([]byte, error)) error
	visibleTo(s auth.Scope) [][]string
	searchedFields() string
	reindex(tx *store.Tx, row store.Row) error
	expander(c *api.Call, p *store.Project) (*document.Expander, error)
	shower(c *api.Call, p *store.Project) (*document.Expander, error)
	out() (api.Schema, map[string]api.Schema)
	notModified(c *api.Call, p *store.Project) (bool, error)
	entityTag(c *api.Call, seq int64) string
	answer(c *api.Call, out outcome) error
}

// entry is what the catalogue says of a kind.
type entry struct {
	AnyKind
	number      store.Kind
	plural      string // in paths and references
	name        string // of one record, for people
	self        bool   // its record is the project itself
	version     int
	collections []string // that its records show, by slot
	links       []string // those of them that are linked
	attaches    bool     // each of its records is attached to another
	plan        *document.Plan
	path        string // of its list
	newest      bool   // the newest come first there
}

func (k *Kind[T]) entry() entry {
	return entry{
		k, k.Number, k.Plural, k.Name, k.Self, k.Version, k.collections, k.Links, k.plan.Attached != nil, k.plan,
		k.Path, k.Newest,
	}
}

// one is a record of the kind for people: "an issue".
func (e *entry) one() string { return article(e.name) + lower(e.name) }

// uid is the uid of such a record in a request's path.
func (e *entry) uid(c *api.Call) string {
	if e.self {
		return c.Param("project")
	}
	return c.Param("uid")
}

func (k *Kind[T]) seed(tx *Tx) error {
	if k.Seed == nil {
		return nil
	}
	for _, v := range k.Seed() {
		if _, err := k.Insert(tx, document.CoreOf(&v).UID, &v); err != nil {
			return err
		}
	}
	return nil
}

// Catalog is all kinds, compiled. A noun that reads records of other nouns, which it knows only by their plurals, asks
// it.
type Catalog struct {
	entries   []entry
	followers []Follower
}

// NewCatalog compiles kinds. Its error says which of them do not fit together: two have one number or plural, or one
// refers to a kind that is not there.
func NewCatalog(kinds ...AnyKind) (*Catalog, error) {
	all := &Catalog{}
	for _, k := range kinds {
		k.compile(all)
		e := k.entry()
		if other := all.numbered(e.number); other != nil || e.number == 0 {
			return nil, fmt.Errorf("resource: %s have the number %d, which is another kind's or none", e.plural, e.number)
		}
		if all.entry(e.plural) != nil {
			return nil, fmt.Errorf("resource: two kinds are called %s", e.plural)
		}
		all.entries = append(all.entries, e)
	}
	for _, k := range kinds {
		if err := k.link(all); err != nil {
			return nil, fmt.Errorf("resource: %w", err)
		}
	}
	return all, nil
}

// Seed makes the records that a new project is born with.
func (c *Catalog) Seed(tx *Tx) error {
	for i := range c.entries {
		if err := c.entries[i].seed(tx); err != nil {
			return err
		}
	}
	return nil
}

// entry finds a kind by its plural; nil where there is none.
func (c *Catalog) entry(plural string) *entry {
	for i := range c.entries {
		if c.entries[i].plural == plural {
			return &c.entries[i]
		}
	}
	return nil
}

// mustEntry finds a kind that must be there.
func (c *Catalog) mustEntry(plural string) *entry {
	if e := c.entry(plural); e != nil {
		return e
	}
	panic("resource: no family declares " + plural)
}

// numbered finds a kind by its number; nil where there is none.
func (c *Catalog) numbered(number store.Kind) *entry {
	for i := range c.entries {
		if c.entries[i].number == number {
			return &c.entries[i]
		}
	}
	return nil
}

func (c *Catalog) named(plural string) (number store.Kind, name string) {
	e := c.mustEntry(plural)
	return e.number, e.name
}

func (c *Catalog) kind(plural string) AnyKind { return c.mustEntry(plural).AnyKind }

// slot is where records of a kind show a collection.
func (c *Catalog) slot(plural, collection string) uint8 {
	i := slices.Index(c.mustEntry(plural).collections, collection)
	if i < 0 {
		panic("resource: " + plural + " show no collection " + collection)
	}
	return uint8(i)
}

// Name is what one record of a kind is called, such as Issue.
func (c *Catalog) Name(plural string) string { return c.mustEntry(plural).name }

// Number is the number by which a kind is stored.
func (c *Catalog) Number(plural string) store.Kind { return c.mustEntry(plural).number }

// Plurals are the plurals of kinds.
func Plurals(kinds []AnyKind) []string {
	out := make([]string, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, k.entry().plural)
	}
	return out
}

// Has tells whether documents of a kind have a field.
func (c *Catalog) Has(plural, field string) bool { return c.mustEntry(plural).plan.Find(field) != nil }

// Facts are the numbers by which kinds and their collections are stored, a line each.
func (c *Catalog) Facts() []string {
	var lines []string
	for _, k := range c.entries {
		line := fmt.Sprintf("%3d %s", k.number, k.plural)
		for i, slot := range k.collections {
			line += fmt.Sprintf(" %d:%s", i, slot)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// Get reads a record of a noun that is known only by its plural, for somebody: fault.NotFound where there is none that
// they see. Load decodes it.
func (c *Catalog) Get(ctx context.Context, s *store.Store, who auth.Scope, plural, uid string) (store.Row, error) {
	number, name := c.named(plural)
	p := who.Project()
	if groups := c.kind(plural).visibleTo(who); groups != nil {
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
	return store.Row{
		ID: l.ID, UID: uid, Clock: l.Clock, Version: l.Version, Tally: string(l.Tally), Doc: bytes.Clone(l.Doc),
	}, nil
}

// Each reads the records of such a noun that somebody sees, in order of creation. It passes over all records of the
// kind: it is for rare work.
func (c *Catalog) Each(ctx context.Context, s *store.Store, who auth.Scope, plural string,
	each func(store.Row) error,
) error {
	number, _ := c.named(plural)
	groups := c.kind(plural).visibleTo(who)
	return s.Each(ctx, who.Project(), number, func(row store.Row) error {
		if !visible(row.Terms, groups) {
			return nil
		}
		return each(row)
	})
}
