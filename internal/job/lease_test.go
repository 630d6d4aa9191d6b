package job_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"groundwork/internal/job"
	"groundwork/internal/store"
)

func TestNotTwiceWhileTheLeaseHolds(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		one, two, h := s.process(), s.process(), newHand(t)
		h.hold(one, "a", job.Options{Parallel: 2})
		h.hold(two, "a", job.Options{})
		id := s.enqueue(one, "a", task{"x"})
		s.tick(one)
		b := h.next()
		s.tick(two)
		h.none("beside its first run")
		// As long as its process looks around, the lease never ends.
		for range 5 {
			s.add(job.Lease / 2)
			s.tick(one)
			s.add(job.Lease/2 - time.Second)
			s.tick(two)
			h.none("although its lease was renewed")
		}
		// Nor does a jump of the clock make a process take its own job for lost.
		s.add(time.Hour)
		s.tick(one)
		h.none("by its own process")
		s.is(two, id, job.Running, 1)
		b.end <- nil
		s.wait(one)
		s.is(two, id, job.Done, 1)
	})
}

// TestAgainAfterALostLease has a process die: it takes a job and never looks around again.
func TestAgainAfterALostLease(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		dead, alive, h := s.process(), s.process(), newHand(t)
		h.hold(dead, "a", job.Options{})
		h.hold(alive, "a", job.Options{})
		id := s.enqueue(dead, "a", task{"x"})
		s.tick(dead)
		lost := h.next()
		s.add(job.Lease - time.Second)
		s.tick(alive)
		h.none("before the lease ended")
		s.add(2 * time.Second)
		s.tick(alive)
		again := h.next()
		if again.run.Attempt() != 2 || again.run.ID() != id {
			t.Errorf("begun: %s at attempt %d", again.run.ID(), again.run.Attempt())
		}
		// The first one was not dead after all, and ends as if nothing had happened. Nothing it says counts.
		lost.end <- job.Permanent{Err: errors.New("too late")}
		s.wait(dead)
		s.is(alive, id, job.Running, 2)
		again.end <- nil
		s.wait(alive)
		s.is(alive, id, job.Done, 2)
	})
}

func TestALostLeaseIsTold(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		slow, quick, h := s.process(), s.process(), newHand(t)
		h.hold(slow, "a", job.Options{})
		h.hold(quick, "a", job.Options{})
		id := s.enqueue(slow, "a", task{"x"})
		s.tick(slow)
		lost := h.next()
		s.add(job.Lease + time.Second)
		s.tick(quick)
		again := h.next()
		s.tick(slow) // is woken only now
		if err := ends(t, lost.ctx); !errors.Is(err, job.ErrLost) {
			t.Errorf("the first run was told %v", err)
		}
		// What it still wants to do together with its end is taken back.
		err := s.first.Write(t.Context(), func(tx *store.Tx) error { return lost.run.Complete(tx) })
		if !errors.Is(err, job.ErrLost) {
			t.Errorf("the lost run completed: %v", err)
		}
		lost.end <- nil
		s.wait(slow)
		s.is(slow, id, job.Running, 2)
		again.end <- nil
		s.wait(quick)
		s.is(slow, id, job.Done, 2)
	})
}

// TestComplete lets the effect of a job and its end be one transaction.
func TestComplete(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		one, two, h := s.process(), s.process(), newHand(t)
		h.hold(one, "a", job.Options{})
		h.hold(two, "a", job.Options{})
		id := s.enqueue(one, "a", task{"x"})
		effect := func(b *began, value string, after error) error {
			return s.first.Write(t.Context(), func(tx *store.Tx) error {
				if err := tx.Exec("INSERT INTO instance (name, value) VALUES ($1, $2)", "effect", value); err != nil {
					return err
				}
				return errors.Join(b.run.Complete(tx), after)
			})
		}
		effects := func() (values string) {
			err := s.first.Query(t.Context(), "SELECT value FROM instance WHERE name = $1", []any{"effect"},
				func(c *store.Cols) error { values += c.Text(0); return nil })
			if err != nil {
				t.Fatal(err)
			}
			return values
		}
		s.tick(one)
		first := h.next()
		if err := effect(first, "refused", errors.New("refused")); err == nil || effects() != "" {
			t.Errorf("an effect that was taken back: %v, %q", err, effects())
		}
		s.is(one, id, job.Running, 1)
		// The lease goes to another process, and nobody tells the first one.
		s.add(job.Lease + time.Second)
		s.tick(two)
		second := h.next()
		if err := effect(first, "first", nil); !errors.Is(err, job.ErrLost) || effects() != "" {
			t.Errorf("the effect of a lost run: %v, %q", err, effects())
		}
		if err := effect(second, "second", nil); err != nil || effects() != "second" {
			t.Errorf("the effect: %v, %q", err, effects())
		}
		s.is(one, id, job.Done, 2)
		// It has no lease any more, and misses none.
		s.add(job.Lease / 2)
		s.tick(two)
		if err := context.Cause(second.ctx); err != nil {
			t.Errorf("a run that completed was told %v", err)
		}
		second.end <- errors.New("after its end")
		s.wait(two)
		s.is(one, id, job.Done, 2)
		if j := s.get(one, id); j.Progress != 100 || j.Error != "" ||
			j.FinishedAt != s.now().Add(-job.Lease/2).UnixMicro() {
			t.Errorf("got %+v", j)
		}
	})
}

// TestAJobThatKillsItsProcess ends after as many deaths as it has attempts.
func TestAJobThatKillsItsProcess(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		var id string
		h := newHand(t)
		for range 2 {
			q := s.process()
			h.hold(q, "a", job.Options{Attempts: 2})
			if id == "" {
				id = s.enqueue(q, "a", task{"x"})
			}
			s.tick(q)
			h.next()
			s.add(job.Lease + time.Second)
		}
		q := s.process()
		h.note(q, "a", job.Options{Attempts: 2})
		s.work(q)
		if got := h.noted(); got != nil {
			t.Error("it was begun after its last attempt")
		}
		if j := s.get(q, id); j.State != job.Failed || j.Error == "" || j.FinishedAt == 0 {
			t.Errorf("got %+v", j)
		}
	})
}
