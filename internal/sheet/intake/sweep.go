package intake

import (
	"context"
	"time"

	"groundwork/internal/sheet/pending"
	"groundwork/internal/store"
)

// keptFor is how long a version upload is kept whose files nobody sends any more: as long as theirs are.
const keptFor = 25 * time.Hour

// sweep forgets the version uploads that nobody completed. The files that came for them are forgotten by package
// upload.
func (r *readers) sweep(ctx context.Context) error {
	before := r.store.Now() - keptFor.Microseconds()
	return r.store.Projects(ctx, func(p *store.Project) error {
		found := false
		err := r.store.QueryIn(ctx, p, pending.LeftSets, []any{p.ID, before}, func(*store.Cols) error {
			found = true
			return nil
		})
		if err != nil || !found {
			return err
		}
		return r.store.Edit(ctx, p, 0, func(tx *store.Tx) error {
			var left []string
			err := tx.Query(pending.DropSets, []any{p.ID, before}, func(c *store.Cols) error {
				left = append(left, c.Text(0))
				return nil
			})
			for _, uid := range left {
				if err == nil {
					err = tx.Exec(pending.DropFiles, p.ID, uid)
				}
			}
			return err
		})
	})
}
