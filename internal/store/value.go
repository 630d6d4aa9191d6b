package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Value is the rest of a term after a prefix, and how many records of a kind have it that are not deleted.
type Value struct {
	Text  string
	Count int
}

// Values gives the terms with a prefix that records of a kind have, sorted, without those of deleted records only; and
// the clock they stand for.
func (s *Store) Values(ctx context.Context, p *Project, kind Kind, prefix string) (values []Value, clock int64,
	err error,
) {
	if err := s.Refresh(ctx, p, 0); err != nil {
		return nil, 0, err
	}
	for {
		if err := s.load(ctx, p, kind, true); err != nil {
			return nil, 0, err
		}
		var known bool
		if values, clock, known = p.values(kind, prefix); known {
			return values, clock, nil
		}
	}
}

func (p *Project) values(kind Kind, prefix string) (values []Value, clock int64, known bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	x := p.kinds[kind]
	if x == nil || !x.full { // forgotten since it was loaded
		return nil, 0, false
	}
	deleted := x.terms[DeletedTerm]
	for term, set := range x.terms {
		text, has := strings.CutPrefix(term, prefix)
		if !has {
			continue
		}
		count := set.GetCardinality()
		if deleted != nil {
			count -= set.AndCardinality(deleted)
		}
		if count > 0 {
			values = append(values, Value{text, int(count)})
		}
	}
	slices.SortFunc(values, func(a, b Value) int { return cmp.Compare(a.Text, b.Text) })
	return values, p.clock, true
}
