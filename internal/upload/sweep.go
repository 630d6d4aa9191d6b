package upload

import (
	"context"
	"errors"
	"time"

	"groundwork/internal/store"
)

// Sweep forgets the uploads whose form has expired long ago, with the files that came for those that were never
// completed, and what interrupted writes have left in the store.
func (d *Desk) Sweep(ctx context.Context, s *store.Store) error {
	before := s.Now() - keptAfter.Microseconds()
	err := s.Projects(ctx, func(p *store.Project) error { return d.sweep(ctx, s, p, before) })
	return errors.Join(err, d.Blobs.Sweep(ctx, time.UnixMicro(before)))
}

func (d *Desk) sweep(ctx context.Context, s *store.Store, p *store.Project, before int64) error {
	found := false
	err := s.QueryIn(ctx, p, expired, []any{p.ID, before}, func(*store.Cols) error {
		found = true
		return nil
	})
	if err != nil || !found {
		return err
	}
	var left []string
	err = s.Edit(ctx, p, 0, func(tx *store.Tx) error {
		left = nil
		return tx.Query(dropExpired, []any{p.ID, before}, func(c *store.Cols) error {
			if c.Int(1) != taken {
				left = append(left, c.Text(0))
			}
			return nil
		})
	})
	for _, object := range left {
		if err == nil {
			d.drop(ctx, object)
		}
	}
	return err
}
