package resource

import (
	"context"
	"strings"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// text is everything by which a record is found.
func (k *Kind[T]) text(row store.Row, v *T) string {
	text := k.plan.Searched(v)
	if k.PrivateText != nil && len(row.Private) > 0 {
		text += k.PrivateText(row.Private)
	}
	return text
}

// prepareWords has the words of a long text found before anything is written, unless they are the old record's.
func (k *Kind[T]) prepareWords(tx *Tx, row store.Row, old, now *T) error {
	if len(k.plan.Search) == 0 || k.plan.Searchable(now)+len(row.Private) < store.LongText ||
		old != nil && k.plan.Searched(now) == k.plan.Searched(old) {
		return nil
	}
	return tx.Ready(k.Number, k.text(row, now))
}

// searchedFields names the fields by which a kind is found; what is indexed by others must be indexed again.
func (k *Kind[T]) searchedFields() string {
	var names []string
	for _, f := range k.plan.Search {
		names = append(names, f.Name)
	}
	if k.PrivateText != nil {
		names = append(names, "text")
	}
	return strings.Join(names, ",")
}

// selectWords reads the words of the query: fault.Unavailable while the kind is being indexed.
func (k *Kind[T]) selectWords(c *api.Call, sel *store.Select) error {
	if len(k.plan.Search) == 0 || !c.Query().Has("q") {
		return nil
	}
	if sel.Words = store.Asked(c.Query().Get("q")); len(sel.Words) == 0 {
		return nil
	}
	sel.Account = c.Scope.Account().Payer()
	ready, err := c.Store.Worded(c.Context(), k.Number, k.searchedFields())
	if err == nil && !ready {
		return &fault.Error{
			Kind: fault.Unavailable, Message: "What can be searched is being indexed. Please try again in a moment.",
			RetryAfter: 5 * time.Second,
		}
	}
	return err
}

// truncated is what the envelope of a list says where a search was cut short; truncatedSchema is its schema, for kinds
// that are searched.
const truncated = `,"search_truncated":true`

func truncatedSchema() api.Schema {
	return api.Schema{
		"type":        "boolean",
		"description": "Present, and true, where q met too much to look through: only whole words were compared, or not the newest texts, so that further records may match. Longer words find more.",
	}
}

// searchParams is the parameter of a search, for kinds that have one.
func (k *Kind[T]) searchParams() []api.Param {
	if len(k.plan.Search) == 0 {
		return nil
	}
	fields := strings.ReplaceAll(k.searchedFields(), ",", ", ")
	return []api.Param{{
		Name: "q", Schema: api.Schema{"type": "string"},
		Summary: "Only records in which every word of this text begins a word of " + fields +
			"; a single letter or digit must be one. Case and accents do not matter.",
	}}
}

// reindex indexes a stored record again.
func (k *Kind[T]) reindex(tx *store.Tx, row store.Row) error {
	v, err := k.load(row)
	if err != nil {
		return err
	}
	return tx.Word(row.ID, k.text(row, v))
}

// Indexed tells whether every kind is found by the fields that this release says.
func (c *Catalog) Indexed(ctx context.Context, s *store.Store) (bool, error) {
	for _, k := range c.entries {
		number := k.number
		if fields := k.searchedFields(); fields != "" {
			if ready, err := s.Worded(ctx, number, fields); err != nil || !ready {
				return false, err
			}
		}
	}
	return true, nil
}

// Index makes sure that every kind is found by the fields that this release says, indexing its records again where they
// were indexed by others, or not at all. It may be repeated, and cut short.
func (c *Catalog) Index(ctx context.Context, s *store.Store) error {
	for _, k := range c.entries {
		number := k.number
		fields := k.searchedFields()
		if fields == "" {
			continue
		}
		ready, err := s.Worded(ctx, number, fields)
		if ready {
			continue
		}
		if err == nil {
			err = s.Projects(ctx, func(p *store.Project) error { return index(ctx, s, p, number, k) })
		}
		if err == nil {
			err = s.SetWorded(ctx, number, fields)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// atOnce is how many records are indexed in one write, which others wait for.
const atOnce = 100

func index(ctx context.Context, s *store.Store, p *store.Project, number store.Kind, k AnyKind) error {
	for next, more := uint32(1), true; more; next += atOnce {
		err := s.Edit(ctx, p, 0, func(tx *store.Tx) error {
			for ordinal := next; ordinal < next+atOnce; ordinal++ {
				row, ok, err := tx.At(number, ordinal)
				if err != nil {
					return err
				}
				if more = ok; !ok {
					return nil
				}
				if err := k.reindex(tx, row); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
