package identity

import (
	"context"

	"groundwork/internal/store"
)

// Lapsed is a membership that has waited too long for its person, who never came.
type Lapsed struct{ Account, Project string }

// lapsedAtOnce is how many are looked up at a time.
const lapsedAtOnce = 100

// Lapsed lists some memberships that have waited too long, those that waited longest first.
func (a *Directory) Lapsed(ctx context.Context) (all []Lapsed, err error) {
	err = a.store.Query(ctx,
		`SELECT w.account, p.uid FROM waiting w JOIN projects p ON p.id = w.project WHERE w.since <= $1
ORDER BY w.since, w.account, w.project LIMIT $2`,
		[]any{a.store.Now() - waitingLife, int64(lapsedAtOnce)}, func(c *store.Cols) error {
			all = append(all, Lapsed{c.Text(0), c.Text(1)})
			return nil
		})
	return all, err
}

// Lapses ends that the project waits for an account, and tells whether it was too long: somebody may have invited it
// again meanwhile.
func (a *Directory) Lapses(tx *store.Tx, account string) (lapses bool, err error) {
	err = tx.Query(`DELETE FROM waiting WHERE account = $1 AND project = $2 AND since <= $3 RETURNING account`, []any{
		account, tx.Project().ID, tx.Now() - waitingLife,
	}, func(*store.Cols) error {
		lapses = true
		return nil
	})
	return lapses, err
}

// EndWaiting notes that the project no longer waits for an account: it came, or is removed.
func EndWaiting(tx *store.Tx, account string) error {
	return tx.Exec(`DELETE FROM waiting WHERE account = $1 AND project = $2`, account, tx.Project().ID)
}
