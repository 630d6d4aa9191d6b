package job_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"groundwork/internal/job"
	"groundwork/internal/store"
)

var errBroken = errors.New("broken")

// end begins what is due and ends the one held job with err.
func (s *site) end(q *job.Queue, h *hand, err error) {
	s.t.Helper()
	s.tick(q)
	h.next().end <- err
	s.wait(q)
}

// awaited is a context that tells when somebody begins to wait for its end.
type awaited struct {
	context.Context
	waits chan struct{}
}

func (a awaited) Done() <-chan struct{} {
	close(a.waits)
	return a.Context.Done()
}

func TestStopWaits(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "a", job.Options{})
		q.Start(t.Context())
		id := s.enqueue(q, "a", task{"x"})
		b := h.next()
		late := s.enqueue(q, "a", task{"late"})
		patient := awaited{t.Context(), make(chan struct{})}
		stopped := make(chan error)
		go func() { stopped <- q.Stop(patient) }()
		select {
		case <-patient.waits:
		case err := <-stopped:
			t.Fatalf("Stop did not wait: %v", err)
		}
		if b.ctx.Err() != nil {
			t.Errorf("the job was told %v", context.Cause(b.ctx))
		}
		b.end <- nil
		if err := <-stopped; err != nil {
			t.Fatal(err)
		}
		s.is(q, id, job.Done, 1)
		s.tick(q)
		s.is(q, late, job.Waiting, 0)
	})
}

// TestStopGivesBack stops while jobs run, one of which listens to its context and one of which does not.
func TestStopGivesBack(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, other, h := s.process(), s.process(), newHand(t)
		for _, p := range []*job.Queue{q, other} {
			h.hold(p, "deaf", job.Options{})
			job.Handle(p, "listens", job.Options{}, func(ctx context.Context, _ task, r *job.Run) error {
				b := &began{"listens", ctx, r, make(chan error, 1)}
				h.began <- b
				select {
				case err := <-b.end:
					return err
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		}
		ids := map[string]string{}
		for _, kind := range []string{"deaf", "listens"} {
			ids[kind] = s.enqueue(q, kind, task{kind})
		}
		s.tick(q)
		var deaf *began
		for range 2 {
			b := h.next()
			b.run.Progress(30)
			if b.name == "deaf" {
				deaf = b
			}
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := q.Stop(over); err != nil {
			t.Fatal(err)
		}
		if err := ends(t, deaf.ctx); !errors.Is(err, job.ErrStopped) {
			t.Errorf("the running job was told %v", err)
		}
		for _, id := range ids {
			if j := s.get(other, id); j.State != job.Waiting || j.Attempt != 0 || j.RunAt != s.now().UnixMicro() ||
				j.Progress != 30 || j.Error != "" {
				t.Errorf("given back: %+v", j)
			}
		}
		s.tick(other)
		for range 2 {
			b := h.next()
			s.is(other, b.run.ID(), job.Running, 1)
			if b.name == "deaf" {
				deaf.end <- job.Permanent{Err: errBroken} // the one that was given back ends only now
				s.wait(q)
			}
			s.is(other, b.run.ID(), job.Running, 1)
			b.end <- nil
		}
		s.wait(other)
		for _, id := range ids {
			s.is(other, id, job.Done, 1)
		}
		s.enqueue(q, "deaf", task{"late"})
		s.tick(q)
		h.none("by a process that was stopped")
	})
}

// A process that was started for something else leaves the other work, and what comes round, to a server.
func TestOnly(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "a", job.Options{})
		h.hold(q, "b", job.Options{})
		q.Every("b", time.Hour)
		q.Only("a")
		other, mine := s.enqueue(q, "b", task{"other"}), s.enqueue(q, "a", task{"mine"})
		s.end(q, h, nil)
		s.is(q, mine, job.Done, 1)
		s.is(q, other, job.Waiting, 0)
		n := 0
		if err := s.first.In(store.JobsOffice).Query(t.Context(), "SELECT id FROM jobs", nil,
			func(*store.Cols) error { n++; return nil }); err != nil || n != 2 {
			t.Errorf("there are %d jobs, %v", n, err)
		}
	})
}

// A job that can be done in parts is told when its process stops, and is not waited for longer than a part.
func TestLeaving(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, begun := s.process(), make(chan struct{})
		job.Handle(q, "parts", job.Options{}, func(ctx context.Context, _ task, r *job.Run) error {
			close(begun)
			select {
			case <-r.Leaving():
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		q.Start(t.Context())
		id := s.enqueue(q, "parts", task{"x"})
		<-begun
		if err := q.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.is(q, id, job.Done, 1)
	})
}
