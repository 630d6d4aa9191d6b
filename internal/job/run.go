package job

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"groundwork/internal/store"
)

// Run is one attempt at a job, as its handler sees it.
type Run struct {
	queue    *Queue
	kind     *kind
	id       string
	args     string
	attempt  int64
	owner    string
	deaths   int64        // of its process, before this attempt
	turn     int64        // of a heavy one: see insertHeavy
	lease    atomic.Int64 // when it ends
	progress atomic.Int64
	shown    int64           // the progress that is written; guarded by Queue.turn
	ctx      context.Context // a run is one call
	cancel   context.CancelCauseFunc
	attempts context.Context // of the handler alone, inside of ctx
	halt     context.CancelCauseFunc
}

func newRun(q *Queue, k *kind, c *store.Cols, lease int64) *Run {
	r := &Run{
		queue: q, kind: k, id: c.Text(0), args: c.Text(1), attempt: c.Int(2), shown: c.Int(3), owner: c.Text(4),
		deaths: c.Int(5), turn: c.Int(6),
	}
	r.lease.Store(lease)
	r.progress.Store(r.shown)
	r.ctx, r.cancel = context.WithCancelCause(q.life)
	r.attempts, r.halt = context.WithCancelCause(r.ctx)
	return r
}

// ID is the job's.
func (r *Run) ID() string { return r.id }

// Attempt is 1 when the job is begun for the first time.
func (r *Run) Attempt() int { return int(r.attempt) }

// Owner is the account for which it is done; "" is the service.
func (r *Run) Owner() string { return r.owner }

// Outlived says in a transaction that a part of the job's work is done and will not be done again: if its process died
// of anything, it was not of that, and what comes next is tried as if it were begun for the first time. Heavy jobs may
// then be begun beside it.
func (r *Run) Outlived(tx *store.Tx) error {
	if r.deaths == 0 {
		return nil
	}
	hit := false
	err := tx.In(store.JobsOffice, func() error {
		return tx.Query(outlived, []any{r.id, r.attempt}, func(*store.Cols) error { hit = true; return nil })
	})
	if err == nil && !hit {
		err = ErrLost
	}
	tx.After(func() { r.deaths = 0; r.queue.join(r) })
	return err
}

// Slow tells what is done in place of a job why it is: not since its process died twice, but since it took too long
// when it was tried once more, alone.
func (r *Run) Slow() bool { return errors.Is(context.Cause(r.attempts), ErrSlow) }

// Leaving is closed when the process begins to stop: a job that can be done in parts ends after this one.
func (r *Run) Leaving() <-chan struct{} { return r.queue.leaving }

// Progress says how far the job is, 0 to 100; others see it within a second. It costs nothing to call it often.
func (r *Run) Progress(percent int) { r.progress.Store(int64(min(max(percent, 0), 100))) }

// Complete finishes the job in the handler's own transaction, so that its effect and its end are one: done once,
// whatever dies. It gives ErrLost, which must take the transaction back, when the lease went to another attempt. What
// the handler returns afterwards changes nothing.
func (r *Run) Complete(tx *store.Tx) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	hit, err := r.write(tx, Done, tx.Now(), "")
	if err == nil && !hit {
		err = ErrLost
	}
	tx.After(func() { r.queue.take(r) })
	return err
}

// stale tells whether the lease must be renewed or the progress be written.
func (r *Run) stale(now int64) bool {
	age := now - (r.lease.Load() - leaseFor.Microseconds())
	return age >= renewAfter.Microseconds() || r.progress.Load() != r.shown && age >= pollEvery.Microseconds()
}

// call runs the handler; a panic is an error.
func (r *Run) call() (err error) {
	defer r.cancel(nil)
	if most := r.kind.options.Attempts; r.attempt > int64(most) {
		return Permanent{errors.New("job: its process died each time it was begun")}
	}
	ctx, cancel := context.WithTimeout(r.attempts, r.kind.options.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = panicked(p)
			r.queue.log.Error("a job panicked", "kind", r.kind.name, "job", r.id, "panic", p, "stack",
				string(debug.Stack()))
		}
	}()
	why := ErrDied
	if r.deaths <= mostDeaths {
		err := r.kind.do(ctx, r.args, r)
		if err == nil || !r.Slow() || !r.queue.has(r) {
			return err
		}
		why = ErrSlow
	}
	if r.kind.died != nil {
		telling, cancel := context.WithTimeout(r.ctx, r.kind.options.Timeout)
		defer cancel()
		if err := r.kind.died(telling, r.args, r); err != nil {
			return err
		}
	}
	return Permanent{why}
}

// finish writes what became of a run, unless that was decided by others. While the database does not answer it keeps
// trying as long as the lease holds.
func (q *Queue) finish(r *Run, err error) {
	if !q.take(r) {
		return
	}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, pollEvery) {
		failed := q.store.Write(context.Background(), func(tx *store.Tx) error { return r.end(tx, err) })
		if failed == nil {
			return
		}
		q.warn(failed, "cannot write the end of a job", "kind", r.kind.name, "job", r.id)
		if q.store.Now() > r.lease.Load() {
			return
		}
		select {
		case <-q.life.Done():
			return
		case <-time.After(pause):
		}
	}
}

// end writes the state that follows from what the handler returned.
func (r *Run) end(tx *store.Tx, failure error) error {
	o, log := r.kind.options, r.queue.log.With("kind", r.kind.name, "job", r.id, "attempt", r.attempt)
	var err error
	switch {
	case failure == nil:
		_, err = r.write(tx, Done, tx.Now(), "")
	case errors.As(failure, new(Permanent)) || r.attempt >= int64(o.Attempts):
		tx.After(func() { log.Error("a job failed", "error", failure) })
		_, err = r.write(tx, Failed, tx.Now(), failure.Error())
	default:
		pause := o.pause(int(r.attempt))
		tx.After(func() {
			log.Warn("a job failed and will be tried again", "error", failure, "in", pause.Round(time.Second))
		})
		_, err = r.write(tx, Waiting, tx.Now()+pause.Microseconds(), failure.Error())
	}
	return err
}

// write sets the state of a job, if this attempt still has it.
func (r *Run) write(tx *store.Tx, s State, at int64, failure string) (hit bool, err error) {
	progress := r.progress.Load()
	var finished, message any
	switch s {
	case Done:
		progress, finished = 100, at
	case Failed:
		finished, message = at, storable(failure)
	default:
		message = storable(failure)
	}
	err = tx.In(store.JobsOffice, func() error {
		return tx.Query(finishJob, []any{r.id, r.attempt, int64(s), at, progress, message, finished},
			func(*store.Cols) error {
				hit = true
				return nil
			})
	})
	return hit, err
}

const mostError = 2000

// storable makes any text one that every engine keeps.
func storable(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) > mostError {
		text = strings.ToValidUTF8(text[:mostError], "") + "…"
	}
	return text
}
