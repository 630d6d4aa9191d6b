package job

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"groundwork/internal/store"
)

// insertHeavy writes a heavy job into the round in which its owner comes next. Who has none, and was not served in the
// round that is under way, comes before everybody else of it: one small thing does not wait for a part of each flood.
// Who was served in it already comes in the next one, behind those who wait for that.
func (q *Queue) insertHeavy(tx *store.Tx, kind, owner, id string, args []byte, due int64) error {
	var last, running, waiting int64
	err := tx.Query(turns, []any{kind, owner}, func(c *store.Cols) error {
		last, running, waiting = c.Int(0), c.Int(1), c.Int(2)
		return nil
	})
	if err != nil {
		return err
	}
	now := roundOf(cmp.Or(running, waiting, 1))
	turn := max(roundOf(last)+perRound, now)
	if last == 0 {
		turn = now - 1
		if q.servedIn(kind, owner, running+waiting > 0) >= now {
			turn = now + perRound
		}
	}
	return tx.Exec(insertHeavy, id, kind, args, due, tx.Now(), owner, turn)
}

// perRound is how far rounds are apart: the number of a round is even, and that of newcomers in it one less.
const perRound = 2

// roundOf is the round that a turn belongs to.
func roundOf(turn int64) int64 { return (turn + 1) / perRound * perRound }

// serves notes that a heavy job was begun; the caller holds the lock.
func (q *Queue) serves(r *Run) {
	if q.served == nil || len(q.served) >= mostOwners {
		q.served = map[[2]string]int64{}
	}
	q.served[[2]string{r.kind.name, r.owner}] = roundOf(r.turn)
}

// servedIn is the last round in which this process began a heavy job of an owner; 0 where it knows of none. Where none
// is left, rounds are counted anew.
func (q *Queue) servedIn(kind, owner string, left bool) int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !left {
		maps.DeleteFunc(q.served, func(of [2]string, _ int64) bool { return of[0] == kind })
	}
	return q.served[[2]string{kind, owner}]
}

// Unfinished counts the unfinished heavy jobs of some kinds that are done for an account.
func (q *Queue) Unfinished(tx *store.Tx, account string, kinds ...string) (n int, err error) {
	err = tx.In(store.JobsOffice, func() error {
		for _, kind := range kinds {
			err := tx.Query(countOwned, []any{kind, account}, func(c *store.Cols) error {
				n += int(c.Int(0))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// spell is the time for which heavy work is held back for one job that is tried alone, and for which it then is not.
type spell struct {
	since  int64            // when holding back began; 0 while none is held back
	begun  int64            // when the job that is alone was
	rests  int64            // until then nothing is held back
	owners map[string]int64 // when the last job of an owner was tried alone
}

// over ends that others are held back. They are left in peace for as long as they were held back, so that suspects take
// half of the time at most.
func (s *spell) over(now int64) {
	if s.since != 0 {
		s.rests = now + min(max(now-s.since, 0), 2*AloneFor.Microseconds())
	}
	s.since = 0
}

// resting tells whether nothing is held back now. A rest that would take longer than one does was begun before the
// clock went back.
func (s *spell) resting(now int64) bool {
	return now < s.rests && s.rests-now <= 2*AloneFor.Microseconds()
}

// mostOwners bounds what is known of owners; they are forgotten together.
const mostOwners = 1000

// tried notes whose job is tried alone.
func (s *spell) tried(owner string, now int64) {
	if s.owners == nil || len(s.owners) >= mostOwners {
		s.owners = map[string]int64{}
	}
	s.owners[owner] = now
}

// beginSuspect begins a heavy job that ran when its process died, if there is one that is due and no other heavy job
// runs. It waits as long as one does: then, and beside it, none is begun, for AloneFor at most. They go by turns
// between their owners: only the first of each waits for its turn.
func (q *Queue) beginSuspect(ctx context.Context) (waits bool, err error) {
	now := q.store.Now()
	q.mu.Lock()
	heavy, alone, rests := q.heavy, q.alone, q.held.resting(now)
	q.mu.Unlock()
	if alone != nil {
		return true, nil // its end wakes all
	}
	if rests {
		return false, nil
	}
	k, id, owner, err := q.nextSuspect(ctx, now)
	if err != nil {
		return false, err
	}
	q.mu.Lock()
	switch {
	case k == nil:
		q.held.since = 0
	case q.held.since == 0:
		q.held.since = now
	case heavy > 0 && now-q.held.since >= AloneFor.Microseconds():
		q.held.over(now)
		k = nil // what runs takes too long to wait for: it is tried again later
	}
	q.mu.Unlock()
	if k == nil {
		return false, nil
	}
	if heavy > 0 {
		return true, nil // the end of the last one wakes all
	}
	runs, err := q.claim(ctx, k, claimSuspect, id)
	if err != nil {
		return false, err
	}
	if len(runs) > 0 {
		q.mu.Lock()
		q.alone, q.held.begun = runs[0], now
		q.held.tried(owner, now)
		q.mu.Unlock()
		q.log.Warn("a job ran when its process died, and is tried once more, alone", "kind", k.name, "job", id,
			"deaths", runs[0].deaths)
	}
	q.launch(k, runs)
	return len(runs) > 0, nil // another process may have been quicker
}

// nextSuspect gives the job that is to be tried alone next: of the owner whose last one was tried alone longest ago,
// the one that is due first. k is nil where there is none.
func (q *Queue) nextSuspect(ctx context.Context, now int64) (k *kind, id, owner string, err error) {
	q.mu.Lock()
	tried := maps.Clone(q.held.owners)
	q.mu.Unlock()
	err = q.store.Query(ctx, findSuspects, []any{now}, func(c *store.Cols) error {
		name, whose := c.Text(1), c.Text(2)
		at := slices.IndexFunc(q.kinds, func(k *kind) bool { return k.name == name && k.options.Heavy && q.begins(k) })
		if at >= 0 && (k == nil || tried[whose] < tried[owner]) {
			id, k, owner = c.Text(0), q.kinds[at], whose
		}
		return nil
	})
	return k, id, owner, err
}

// haltSlow ends a job that is alone for too long.
func (q *Queue) haltSlow() {
	now := q.store.Now()
	q.mu.Lock()
	r := q.alone
	slow := r != nil && now-q.held.begun >= AloneFor.Microseconds()
	q.mu.Unlock()
	if slow {
		r.halt(ErrSlow)
	}
}

// join ends that a run is alone. Where it was, and where a job may wait to be, all kinds of heavy work are looked at
// again.
func (q *Queue) join(r *Run) {
	if !r.kind.options.Heavy {
		return
	}
	q.mu.Lock()
	was, last := q.alone == r, q.heavy == 0
	if was {
		q.alone = nil
		q.held.over(q.store.Now())
	}
	q.mu.Unlock()
	if !was && !last {
		return
	}
	for _, k := range q.kinds {
		if k.options.Heavy {
			q.wake(k)
		}
	}
}
