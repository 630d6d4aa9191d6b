package resource

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"groundwork/internal/document"
	"groundwork/internal/store"
)

// attachedTo is what a stored record of a kind that attaches is attached to.
func (k *Kind[T]) attachedTo(row store.Row) (document.Ref, error) {
	v, err := k.load(row)
	if err != nil {
		return "", err
	}
	return k.plan.Attached.RefOf(reflect.ValueOf(v).Elem()), nil
}

// mostAttempts is how often counts are compared in a project that is written to meanwhile.
const mostAttempts = 3

// miscounted says which records show another number of links or comments than there are. Where somebody writes
// meanwhile only what is wrong each time counts.
func (c *Catalog) miscounted(ctx context.Context, s *store.Store, p *store.Project) (wrong []string, err error) {
	for look := range mostAttempts {
		if err := s.Refresh(ctx, p, 0); err != nil {
			return nil, err
		}
		_, before := p.Stamp()
		found, err := c.compareCounts(ctx, s, p)
		if err != nil {
			return nil, err
		}
		if look > 0 {
			found = slices.DeleteFunc(found, func(line string) bool { return !slices.Contains(wrong, line) })
		}
		wrong = found
		if err := s.Refresh(ctx, p, 0); err != nil {
			return nil, err
		}
		if _, after := p.Stamp(); len(wrong) == 0 || before == after {
			break
		}
	}
	return wrong, nil
}

func (c *Catalog) compareCounts(ctx context.Context, s *store.Store, p *store.Project) (wrong []string, err error) {
	linked, attached := map[store.ID][8]uint32{}, map[string]uint32{}
	err = s.EachLink(ctx, p, func(owner store.ID, field uint8) {
		counts := linked[owner]
		counts[field%8]++
		linked[owner] = counts
	})
	var showing []entry
	for _, k := range c.entries {
		number, plural := k.number, k.plural
		if len(k.collections) > 0 {
			showing = append(showing, k)
		}
		if k.attaches && err == nil {
			err = s.Each(ctx, p, number, func(row store.Row) error {
				if to, err := k.attachedTo(row); err == nil { // what cannot be read is told elsewhere
					attached[string(to)+" "+plural]++
				}
				return nil
			})
		}
	}
	for _, k := range showing {
		number, plural := k.number, k.plural
		if err != nil {
			break
		}
		err = s.Each(ctx, p, number, func(row store.Row) error {
			for slot, collection := range k.collections {
				has := attached[plural+"/"+row.UID+" "+collection]
				if slices.Contains(k.links, collection) {
					has = linked[row.ID][slot]
				}
				if shown := document.Counter([]byte(row.Tally), slot); shown != has {
					wrong = append(wrong,
						fmt.Sprintf("%s/%s: it shows %d %s and has %d", plural, row.UID, shown, collection, has))
				}
			}
			return nil
		})
	}
	return wrong, err
}
