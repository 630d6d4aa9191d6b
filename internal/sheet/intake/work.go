package intake

import (
	"context"
	"time"

	"groundwork/internal/drawing"
	"groundwork/internal/job"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Work declares the jobs that read sets, and the one that forgets those that never came. While the store of files does
// not answer, it is tried for about a day.
func Work(q *job.Queue, s *store.Store, desk *upload.Desk, shop *drawing.Workshop) {
	r := &readers{q, s, desk, shop}
	job.Handle(q, Reading, job.Options{
		Heavy: true, Parallel: readAtOnce, Attempts: readAttempts, Backoff: 10 * time.Second, Timeout: time.Hour,
	}, r.work)
	job.Died(q, Reading, r.giveUp)
	const forgetting = "forget-version-uploads"
	job.Handle(q, forgetting, job.Options{Attempts: 5, Backoff: time.Minute},
		func(ctx context.Context, _ struct{}, _ *job.Run) error { return r.sweep(ctx) })
	q.Every(forgetting, time.Hour)
}

// Arrive leaves the work that sets of a project wait for which comes from an archive: to be read.
func Arrive(tx *store.Tx, jobs *job.Queue) error {
	p := tx.Project()
	var all []assignment
	err := tx.Query(pending.SetsInState, []any{p.ID, pending.StateReading}, func(c *store.Cols) error {
		all = append(all, assignment{Project: p.UID, Set: c.Text(0)})
		return nil
	})
	for _, a := range all {
		if err != nil {
			return err
		}
		_, err = jobs.Enqueue(tx, Reading, a)
	}
	return err
}
