package resource

import (
	"context"
	"reflect"
	"strings"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// searched gives the text by which a document is found: its fields with a search tag.
func (p *plan) searched(v any) string {
	if len(p.search) == 0 {
		return ""
	}
	var b strings.Builder
	doc := reflect.ValueOf(v).Elem()
	for _, f := range p.search {
		switch text := doc.FieldByIndex(f.index).Interface().(type) {
		case string:
			b.WriteString(text)
		case *string:
			if text != nil {
				b.WriteString(*text)
			}
		case []string:
			b.WriteString(strings.Join(text, "\n"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// text is everything by which a record is found.
func (k *Kind[T]) text(row store.Row, v *T) string {
	text := k.plan.searched(v)
	if k.Words != nil && len(row.Private) > 0 {
		text += k.Words(row.Private)
	}
	return text
}

// sought names the fields by which a kind is found; what is indexed by others must be indexed again.
func (k *Kind[T]) sought() string {
	var names []string
	for _, f := range k.ready().plan.search {
		names = append(names, f.name)
	}
	if k.Words != nil {
		names = append(names, "text")
	}
	return strings.Join(names, ",")
}

// ask reads the words of the query: fault.Unavailable while the kind is being indexed.
func (k *Kind[T]) ask(c *api.Call, sel *store.Select) error {
	if len(k.plan.search) == 0 || !c.Query().Has("q") {
		return nil
	}
	if sel.Words = store.Asked(c.Query().Get("q")); len(sel.Words) == 0 {
		return nil
	}
	ready, err := c.Store.Worded(c.Context(), k.number, k.sought())
	if err == nil && !ready {
		return &fault.Error{Kind: fault.Unavailable, Message: "What can be searched is being indexed. Please try again in a moment.", RetryAfter: 5 * time.Second}
	}
	return err
}

// askParams is the parameter of a search, for kinds that have one.
func (k *Kind[T]) askParams() []api.Param {
	if len(k.plan.search) == 0 {
		return nil
	}
	fields := strings.ReplaceAll(k.sought(), ",", ", ")
	return []api.Param{{
		Name: "q", Schema: api.Schema{"type": "string"},
		Summary: "Only records in which every word of this text begins a word of " + fields + ". Case and accents do not matter.",
	}}
}

// reword indexes a stored record again.
func (k *Kind[T]) reword(tx *store.Tx, row store.Row) error {
	v, err := k.load(row)
	if err != nil {
		return err
	}
	return tx.Word(row.ID, k.text(row, v))
}

// Indexed tells whether every kind is found by the fields that this release says.
func Indexed(ctx context.Context, s *store.Store, kinds []AnyKind) (bool, error) {
	for _, k := range kinds {
		number, _ := k.stored()
		if fields := k.sought(); fields != "" {
			if ready, err := s.Worded(ctx, number, fields); err != nil || !ready {
				return false, err
			}
		}
	}
	return true, nil
}

// Index makes sure that every kind is found by the fields that this release says, indexing its records again where they were indexed by others, or not
// at all. It may be repeated, and cut short.
func Index(ctx context.Context, s *store.Store, kinds []AnyKind) error {
	for _, k := range kinds {
		number, _ := k.stored()
		fields := k.sought()
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
				if err := k.reword(tx, row); err != nil {
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
