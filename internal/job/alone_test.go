package job_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"groundwork/internal/job"
)

// listening declares a kind whose jobs end when the test says so, or their context does.
func (h *hand) listening(q *job.Queue, kind string, o job.Options) {
	job.Handle(q, kind, o, func(ctx context.Context, args task, r *job.Run) error {
		b := &began{args.Name, ctx, r, make(chan error, 1)}
		h.began <- b
		select {
		case err := <-b.end:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-h.t.Context().Done():
			return nil
		}
	})
}

// TestAloneForMinutes has a job that its process died of run on and on, alone, although its kind may take six hours: it
// has failed after some minutes, people are told why, and the work of others goes on.
func TestAloneForMinutes(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		h := newHand(t)
		var told []string
		declare := func(q *job.Queue) {
			h.listening(q, "tiles", job.Options{Heavy: true, Timeout: 6 * time.Hour})
			job.Died(q, "tiles", func(ctx context.Context, args task, r *job.Run) error {
				if ctx.Err() != nil || !r.Slow() {
					t.Errorf("what is done in place of the job has no time left (%v), or does not know why", ctx.Err())
				}
				told = append(told, args.Name)
				return nil
			})
		}
		front := s.process()
		declare(front)
		endless := s.enqueue(front, "tiles", task{"endless"}, job.Owner("a"))
		s.dies(h, declare, 1)
		fresh := s.enqueue(front, "tiles", task{"fresh"}, job.Owner("b"))
		q := s.process()
		declare(q)
		s.tick(q)
		if b := h.next(); b.name != "endless" {
			t.Fatalf("%s was begun", b.name)
		}
		s.add(job.AloneFor - time.Second)
		s.tick(q)
		h.none("beside the one that is tried alone")
		s.is(q, endless, job.Running, 2)
		s.add(2 * time.Second)
		s.tick(q)
		s.wait(q)
		if j := s.get(q, endless); j.State != job.Failed || j.Error != job.ErrSlow.Error() ||
			!slices.Equal(told, []string{"endless"}) {
			t.Errorf("the endless one is %+v, and told were %v", j, told)
		}
		s.end(q, h, nil)
		s.is(q, fresh, job.Done, 1)
	})
}

// TestOthersBetweenSuspects has several jobs of one account, and one of another, be suspected: they are tried by turns
// between the accounts, and between two of them there is as much time for the work of others.
func TestOthersBetweenSuspects(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		h := newHand(t)
		declare := func(q *job.Queue) {
			h.hold(q, "packet", job.Options{Heavy: true, Parallel: 4})
			h.hold(q, "photo", job.Options{Heavy: true})
		}
		front := s.process()
		declare(front)
		for i := range 3 {
			s.enqueue(front, "packet", task{fmt.Sprint("a", i)}, job.Owner("a"))
			s.add(time.Millisecond)
		}
		s.enqueue(front, "packet", task{"b"}, job.Owner("b"))
		s.dies(h, declare, 4)
		q := s.process()
		declare(q)
		var order []string
		for range 3 {
			s.tick(q)
			b := h.next()
			order = append(order, b.name)
			s.enqueue(front, "photo", task{"fresh"}, job.Owner("c"))
			s.tick(q)
			h.none("beside the one that is tried alone")
			s.add(time.Minute)
			s.tick(q)
			b.end <- nil
			s.wait(q)
			// Then others are begun, one after the other, and no suspect.
			s.end(q, h, nil)
			s.add(30 * time.Second)
			s.enqueue(front, "photo", task{"fresh"}, job.Owner("c"))
			s.tick(q)
			if b = h.next(); b.name != "fresh" {
				t.Errorf("%s was begun half a minute after one that took a minute alone", b.name)
			}
			b.end <- nil
			s.wait(q)
			s.add(31 * time.Second)
		}
		if order[0] == "b" || order[1] != "b" || order[2] == "b" {
			t.Errorf("they were tried in the order %v", order)
		}
	})
}

// TestSuspectsWaitForMinutes has a job run for hours while another waits to be tried alone: others are held back for
// some minutes, and not for hours.
func TestSuspectsWaitForMinutes(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		h := newHand(t)
		declare := func(q *job.Queue) {
			h.hold(q, "packet", job.Options{Heavy: true, Parallel: 2, Timeout: 6 * time.Hour})
		}
		front := s.process()
		declare(front)
		suspect := s.enqueue(front, "packet", task{"suspect"}, job.Owner("a"))
		dead := s.process()
		declare(dead)
		s.tick(dead)
		h.next()
		s.enqueue(front, "packet", task{"long"}, job.Owner("b"))
		q := s.process()
		declare(q)
		s.tick(q)
		long := h.next()
		s.add(job.Lease + time.Second)
		fresh := s.enqueue(front, "packet", task{"fresh"}, job.Owner("c"))
		s.tick(q)
		h.none("while one waits to be tried alone")
		s.add(job.AloneFor)
		s.tick(q)
		b := h.next()
		if b.name != "fresh" {
			t.Fatalf("%s was begun", b.name)
		}
		b.end <- nil
		until(t, func() bool { return s.get(q, fresh).State == job.Done })
		long.end <- nil
		s.wait(q)
		s.add(job.AloneFor + time.Second)
		s.end(q, h, nil)
		s.is(q, suspect, job.Done, 2)
	})
}
