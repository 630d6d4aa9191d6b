package job_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/store"
)

// all gives the ids of the jobs that there are.
func (s *site) all() (ids []string) {
	s.t.Helper()
	err := s.first.In(store.JobsOffice).Query(s.t.Context(), "SELECT id FROM jobs ORDER BY id", nil,
		func(c *store.Cols) error { ids = append(ids, c.Text(0)); return nil })
	if err != nil {
		s.t.Fatal(err)
	}
	return ids
}

func TestEveryOncePerPeriod(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		h := newHand(t)
		process := func() *job.Queue {
			q := s.process()
			h.note(q, "hourly", job.Options{})
			q.Every("hourly", time.Hour)
			return q
		}
		queues := []*job.Queue{process(), process()}
		look := func() {
			var all sync.WaitGroup
			for _, q := range queues {
				all.Go(func() {
					if err := q.Tick(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			for _, q := range queues {
				s.wait(q)
			}
		}
		want := []string{
			"hourly/2026-03-01T08:00:00Z", "hourly/2026-03-01T09:00:00Z", "hourly/2026-03-01T10:00:00Z",
			"hourly/2026-03-01T15:00:00Z",
		}
		for i, pass := range []time.Duration{0, 30 * time.Minute, time.Hour, 5 * time.Hour} {
			s.add(pass)
			for range 3 {
				look()
				if got := s.all(); !slices.Equal(got, want[:i+1]) {
					t.Errorf("after %v there are %q, want %q", pass, got, want[:i+1])
				}
				if got := len(h.noted()); got != i+1 {
					t.Errorf("%d runs in %d periods", got, i+1)
				}
				queues = append(queues[:2], process()) // one that starts in the middle of a period
			}
			queues = queues[:2]
		}
		s.is(queues[0], want[3], job.Done, 1)
	})
}

func TestSweep(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "a", job.Options{Parallel: 1000})
		h.note(q, "daily", job.Options{})
		q.Every("daily", 24*time.Hour)
		old := s.enqueue(q, "a", task{"old"})
		s.end(q, h, nil)
		waiting := s.enqueue(q, "a", task{"waiting"}, job.After(100*time.Hour))
		s.add(2 * time.Hour)
		young := s.enqueue(q, "a", task{"failed"})
		s.end(q, h, job.Permanent{Err: errBroken})
		if err := q.Sweep(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		// The day is not over: were its job forgotten, the next process would enqueue it again.
		for _, id := range []string{old, waiting, young, "daily/2026-03-01T00:00:00Z"} {
			s.get(q, id)
		}
		s.add(22*time.Hour + time.Second)
		if err := q.Sweep(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		if _, err := q.Get(t.Context(), old); !fault.Is(err, fault.NotFound) {
			t.Errorf("what was finished a day ago: %v", err)
		}
		s.is(q, young, job.Failed, 1)
		s.is(q, waiting, job.Waiting, 0)

		s.add(40 * 24 * time.Hour)
		err := s.first.In(store.JobsOffice).Write(t.Context(), func(tx *store.Tx) error {
			for range 1200 {
				err := tx.Exec("INSERT INTO jobs (id, kind, args, state, run_at, attempt, progress, created_at, finished_at) VALUES ($1, 'a', '', 2, 0, 1, 100, 0, 1)", store.NewUID())
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Sweep(t.Context(), 30*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		if got := s.all(); !slices.Equal(got, []string{waiting}) {
			t.Errorf("%d jobs are left, want the one that waits", len(got))
		}
	})
}
