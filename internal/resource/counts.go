package resource

import (
	"context"
	"fmt"
	"slices"

	"groundwork/internal/store"
)

func (k *Kind[T]) attaches() bool { return k.On != nil }

// on is what a stored record of a kind that attaches is attached to.
func (k *Kind[T]) on(row store.Row) (Ref, error) {
	v, err := k.ready().load(row)
	if err != nil {
		return "", err
	}
	return k.On(v), nil
}

// mostLooks is how often counts are compared in a project that is written to meanwhile.
const mostLooks = 3

// miscounted says which records show another number of links or comments than there are. Where somebody writes meanwhile only what is wrong each time counts.
func miscounted(ctx context.Context, s *store.Store, p *store.Project, kinds []AnyKind) (wrong []string, err error) {
	for look := range mostLooks {
		if err := s.Refresh(ctx, p, 0); err != nil {
			return nil, err
		}
		_, before := p.Stamp()
		found, err := compareCounts(ctx, s, p, kinds)
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

func compareCounts(ctx context.Context, s *store.Store, p *store.Project, kinds []AnyKind) (wrong []string, err error) {
	linked, attached := map[store.ID][8]uint32{}, map[string]uint32{}
	err = s.EachLink(ctx, p, func(owner store.ID, field uint8) {
		counts := linked[owner]
		counts[field%8]++
		linked[owner] = counts
	})
	var showing []AnyKind
	for _, k := range kinds {
		number, plural := k.stored()
		if len(k.slots()) > 0 {
			showing = append(showing, k)
		}
		if k.attaches() && err == nil {
			err = s.Each(ctx, p, number, func(row store.Row) error {
				if to, err := k.on(row); err == nil { // what cannot be read is told elsewhere
					attached[string(to)+" "+plural]++
				}
				return nil
			})
		}
	}
	for _, k := range showing {
		number, plural := k.stored()
		if err != nil {
			break
		}
		err = s.Each(ctx, p, number, func(row store.Row) error {
			for slot, collection := range k.slots() {
				has := attached[plural+"/"+row.UID+" "+collection]
				if slices.Contains(k.links(), collection) {
					has = linked[row.ID][slot]
				}
				if shown := count([]byte(row.Tally), slot); shown != has {
					wrong = append(wrong, fmt.Sprintf("%s/%s: it shows %d %s and has %d", plural, row.UID, shown, collection, has))
				}
			}
			return nil
		})
	}
	return wrong, err
}
