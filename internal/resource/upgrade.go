package resource

import (
	"context"
	"strconv"
	"strings"

	"groundwork/internal/store"
)

// Versions says which versions of documents this release writes: "issues=2 rfis=1".
func Versions(kinds []AnyKind) string {
	var b strings.Builder
	for _, k := range kinds {
		_, plural := k.stored()
		b.WriteString(plural + "=" + strconv.Itoa(k.version()) + " ")
	}
	return strings.TrimSpace(b.String())
}

// Upgrade rewrites the documents of earlier versions. They are served complete without it; it is for the terms by which this release filters
// and sorts. What a record says stays as it was, and so does its updated_at. It may be repeated, and cut short.
func Upgrade(ctx context.Context, s *store.Store, kinds []AnyKind) error {
	return s.Projects(ctx, func(p *store.Project) error {
		for _, k := range kinds {
			if k.version() == 1 {
				continue
			}
			number, _ := k.stored()
			err := s.EachOlder(ctx, p, number, k.version(), func(uids []string) error {
				return s.Edit(ctx, p, 0, func(tx *store.Tx) error { return upgrade(tx, k, number, uids) })
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func upgrade(tx *store.Tx, k AnyKind, number store.Kind, uids []string) error {
	for _, uid := range uids {
		row, ok, err := tx.Get(number, uid)
		if err != nil {
			return err
		}
		if !ok || row.Version >= k.version() {
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

func (k *Kind[T]) version() int { return k.ready().Version }

// rewrite writes a row of an earlier version as this release does.
func (k *Kind[T]) rewrite(row *store.Row) error {
	v, err := k.load(*row)
	if err != nil {
		return err
	}
	return k.encode(row, v)
}
