package resource

import (
	"context"
	"strconv"
	"strings"

	"groundwork/internal/store"
)

// Versions says which versions of documents this release writes: "issues=2 rfis=1".
func (c *Catalog) Versions() string {
	var b strings.Builder
	for _, k := range c.entries {
		b.WriteString(k.plural + "=" + strconv.Itoa(k.version) + " ")
	}
	return strings.TrimSpace(b.String())
}

// Upgrade rewrites the documents of earlier versions. They are served complete without it; it is for the terms by which
// this release filters and sorts. What a record says stays as it was, and so does its updated_at. It may be repeated,
// and cut short.
func (c *Catalog) Upgrade(ctx context.Context, s *store.Store) error {
	return s.Projects(ctx, func(p *store.Project) error {
		for _, k := range c.entries {
			if k.version == 1 {
				continue
			}
			err := s.EachOlder(ctx, p, k.number, k.version, func(uids []string) error {
				return s.Edit(ctx, p, 0, func(tx *store.Tx) error { return upgrade(tx, &k, uids) })
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func upgrade(tx *store.Tx, k *entry, uids []string) error {
	for _, uid := range uids {
		row, ok, err := tx.Get(k.number, uid)
		if err != nil {
			return err
		}
		if !ok || row.Version >= k.version {
			continue
		}
		if err := k.rewrite(&row); err != nil {
			return err
		}
		if err := tx.Show(&row); err != nil {
			return err
		}
	}
	return nil
}

// rewrite writes a row of an earlier version as this release does.
func (k *Kind[T]) rewrite(row *store.Row) error {
	v, err := k.load(*row)
	if err != nil {
		return err
	}
	return k.encode(row, v)
}
