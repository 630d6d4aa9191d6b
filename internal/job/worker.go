package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"groundwork/internal/store"
)

const (
	// leaseFor is how long a job of a process that died stays untouched. The clocks of the processes must agree better
	// than this.
	leaseFor   = 30 * time.Second
	renewAfter = leaseFor / 3
	// pollEvery is how often work of other processes, and work that has become due, is looked for; a job of this
	// process is begun at once.
	pollEvery   = time.Second
	giveUpAfter = 2 * time.Second
)

// Start begins to work in the background. Nothing new is begun once ctx has ended; what runs goes on until Stop.
func (q *Queue) Start(ctx context.Context) {
	q.loop.Go(func() {
		tick := time.NewTicker(q.poll)
		defer tick.Stop()
		for failing, all := false, true; ; {
			err := q.pass(ctx, all)
			if err != nil && !failing && ctx.Err() == nil {
				q.warn(err, "cannot look for background work")
			}
			failing = err != nil
			all = false
			select {
			case <-q.life.Done():
				return
			case <-q.woken:
			case <-tick.C:
				all = true
			}
		}
	})
}

// Tick does now what Start does every second: it renews leases, enqueues periodic work, and begins what is due as far
// as there is room.
func (q *Queue) Tick(ctx context.Context) error { return q.pass(ctx, true) }

// Wait waits until no job runs in this process.
func (q *Queue) Wait() { q.working.Wait() }

// Stop begins nothing more and waits for the jobs that run, until ctx ends. Those still running then are told by their
// context and given back, so that another process can begin them at once; it does not wait for handlers that do not
// listen.
func (q *Queue) Stop(ctx context.Context) error {
	q.turn.Lock()
	if !q.stopping {
		close(q.leaving)
	}
	q.stopping = true
	q.turn.Unlock()
	finished := make(chan struct{})
	go func() {
		q.working.Wait()
		close(finished)
	}()
	var err error
	select {
	case <-finished:
	case <-ctx.Done():
		err = q.giveBack()
	}
	q.end()
	q.loop.Wait()
	return err
}

func (q *Queue) giveBack() error {
	q.mu.Lock()
	var runs []*Run
	for r := range q.runs {
		runs = append(runs, r)
	}
	clear(q.runs)
	q.mu.Unlock()
	if len(runs) == 0 {
		return nil
	}
	for _, r := range runs {
		r.cancel(ErrStopped)
	}
	ctx, cancel := context.WithTimeout(context.Background(), giveUpAfter)
	defer cancel()
	return q.store.Write(ctx, func(tx *store.Tx) error {
		for _, r := range runs {
			if err := tx.Exec(giveBack, r.id, r.attempt, tx.Now(), r.progress.Load()); err != nil {
				return err
			}
		}
		return nil
	})
}

// pass is one look around, of all kinds or of those that were woken. Leases come first: after a jump of the clock our
// own would look lost.
func (q *Queue) pass(ctx context.Context, all bool) error {
	q.turn.Lock()
	defer q.turn.Unlock()
	if err := q.renew(q.life); err != nil {
		return err
	}
	q.haltSlow()
	if q.stopping || ctx.Err() != nil {
		return nil
	}
	if q.only == nil {
		if err := q.enqueueDue(ctx); err != nil {
			return err
		}
	}
	var due []*kind
	heavy := false
	for _, k := range q.kinds {
		if q.begins(k) && (k.hot.Swap(false) || all) {
			due = append(due, k)
			heavy = heavy || k.options.Heavy
		}
	}
	var errs []error
	if heavy {
		waits, err := q.beginSuspect(ctx)
		errs = append(errs, err)
		if waits || err != nil {
			due = slices.DeleteFunc(due, func(k *kind) bool { return k.options.Heavy })
		}
	}
	for _, k := range due {
		errs = append(errs, q.begin(ctx, k))
	}
	return errors.Join(errs...)
}

// begins tells whether jobs of a kind are begun in this process.
func (q *Queue) begins(k *kind) bool { return q.only == nil || slices.Contains(q.only, k.name) }

// begin takes as many due jobs of a kind as there is room for, and runs them.
func (q *Queue) begin(ctx context.Context, k *kind) error {
	q.mu.Lock()
	room := k.options.Parallel - k.running
	q.mu.Unlock()
	if room <= 0 {
		return nil // the end of a run wakes the kind
	}
	find, claim := findDue, claimDue
	if k.options.Heavy {
		find, claim = findHeavy, claimHeavy
	}
	// Looking costs the writer nothing.
	due := false
	err := q.store.Query(ctx, find, []any{k.name, q.store.Now()}, func(*store.Cols) error { due = true; return nil })
	if err != nil || !due {
		return err
	}
	runs, err := q.claim(ctx, k, claim, k.name, room)
	if err != nil {
		return err
	}
	q.launch(k, runs)
	q.wake(k) // there may be more, also when another process was quicker
	return nil
}

// claim takes jobs, in a transaction of its own: those of a kind, as far as there is room, or the one of an id.
func (q *Queue) claim(ctx context.Context, k *kind, statement, which string, room ...any) (runs []*Run, err error) {
	err = q.store.Write(ctx, func(tx *store.Tx) error {
		runs = nil
		lease := tx.Now() + leaseFor.Microseconds()
		return tx.Query(statement, append([]any{which, tx.Now(), lease}, room...), func(c *store.Cols) error {
			runs = append(runs, newRun(q, k, c, lease))
			return nil
		})
	})
	return runs, err
}

// launch runs jobs that were taken.
func (q *Queue) launch(k *kind, runs []*Run) {
	q.mu.Lock()
	k.running += len(runs)
	for _, r := range runs {
		q.runs[r] = struct{}{}
		if k.options.Heavy {
			q.heavy++
			q.serves(r)
		}
	}
	q.mu.Unlock()
	for _, r := range runs {
		q.working.Go(func() {
			q.finish(r, r.call())
			q.mu.Lock()
			k.running--
			if k.options.Heavy {
				q.heavy--
			}
			q.mu.Unlock()
			q.join(r)
			q.wake(k)
		})
	}
}

// take gives the right to say what becomes of a run, once.
func (q *Queue) take(r *Run) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, mine := q.runs[r]
	delete(q.runs, r)
	return mine
}

// has tells whether it is still this process that says what becomes of a run.
func (q *Queue) has(r *Run) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, mine := q.runs[r]
	return mine
}

// renew extends the leases that need it and writes progress. A run whose lease is gone is told so.
func (q *Queue) renew(ctx context.Context) error {
	now := q.store.Now()
	var runs []*Run
	q.mu.Lock()
	for r := range q.runs {
		if r.stale(now) {
			runs = append(runs, r)
		}
	}
	q.mu.Unlock()
	if len(runs) == 0 {
		return nil
	}
	var held map[*Run]int64 // the progress that was written
	var lease int64
	err := q.store.Write(ctx, func(tx *store.Tx) error {
		held, lease = map[*Run]int64{}, tx.Now()+leaseFor.Microseconds()
		for _, r := range runs {
			progress := r.progress.Load()
			err := tx.Query(renewJob, []any{r.id, r.attempt, lease, progress}, func(*store.Cols) error {
				held[r] = progress
				return nil
			})
			if _, ours := held[r]; err == nil && !ours && r.kind.options.Heavy {
				err = tx.Exec(livesOn, r.id, r.attempt)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, r := range runs {
		switch progress, ok := held[r]; {
		case err == nil && ok:
			r.shown = progress
			r.lease.Store(lease)
		case err == nil, now > r.lease.Load():
			if q.take(r) {
				r.cancel(ErrLost)
				q.log.Warn("a job lost its lease", "kind", r.kind.name, "job", r.id, "attempt", r.attempt)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("job: renew leases: %w", err)
	}
	return nil
}
