package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/store"
)

func TestTriedAgainWithGrowingPauses(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q := s.process()
		var attempts atomic.Int32
		job.Handle(q, "a", job.Options{Attempts: 4, Backoff: time.Minute}, func(context.Context, task, *job.Run) error {
			if n := attempts.Add(1); n != 2 {
				return fmt.Errorf("attempt %d: \xff\x00%s", n, strings.Repeat("ü", 2000))
			}
			panic("attempt 2")
		})
		id := s.enqueue(q, "a", task{"x"})
		last := time.Duration(0)
		for n := 1; n < 4; n++ {
			s.work(q)
			j := s.get(q, id)
			pause := time.Duration(j.RunAt-s.now().UnixMicro()) * time.Microsecond
			if j.State != job.Waiting || j.Attempt != n || !strings.Contains(j.Error, fmt.Sprintf("attempt %d", n)) ||
				len(j.Error) > 2100 || j.FinishedAt != 0 {
				t.Errorf("after attempt %d: %+v", n, j)
			}
			if pause < time.Minute || pause <= last {
				t.Errorf("after attempt %d it rests %v, before %v", n, pause, last)
			}
			last = pause
			s.add(pause - time.Second)
			s.work(q)
			if got := int(attempts.Load()); got != n {
				t.Errorf("%d attempts before the pause was over, want %d", got, n)
			}
			s.add(time.Second)
		}
		s.work(q)
		j := s.get(q, id)
		if j.State != job.Failed || j.Attempt != 4 || !strings.Contains(j.Error, "attempt 4") ||
			j.FinishedAt != s.now().UnixMicro() {
			t.Errorf("at the end: %+v", j)
		}
		s.add(100 * time.Hour)
		s.work(q)
		if got := attempts.Load(); got != 4 {
			t.Errorf("%d attempts, want 4", got)
		}
	})
}

func TestPermanentFailure(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "a", job.Options{})
		id := s.enqueue(q, "a", task{"x"})
		s.tick(q)
		h.next().end <- fmt.Errorf("no: %w", job.Permanent{Err: errors.New("such address")})
		s.wait(q)
		if j := s.get(q, id); j.State != job.Failed || j.Attempt != 1 || j.Error != "no: such address" ||
			j.FinishedAt == 0 {
			t.Errorf("got %+v", j)
		}
		// Nor can arguments of another shape be read by trying again.
		err := s.first.In(store.JobsOffice).Write(t.Context(), func(tx *store.Tx) error {
			return tx.Exec("INSERT INTO jobs (id, kind, args, state, run_at, attempt, progress, created_at) VALUES ('odd', 'a', '[1]', 0, 0, 0, 0, 0)")
		})
		if err != nil {
			t.Fatal(err)
		}
		s.work(q)
		s.is(q, "odd", job.Failed, 1)
		for _, id := range []string{"", "nothing", "a\x00b", strings.Repeat("x", 1000)} {
			if _, err := q.Get(t.Context(), id); !fault.Is(err, fault.NotFound) {
				t.Errorf("the job %q: %v", id, err)
			}
		}
	})
}

func TestTimeout(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q := s.process()
		job.Handle(q, "a", job.Options{Timeout: time.Millisecond}, func(ctx context.Context, _ task, _ *job.Run) error {
			<-ctx.Done()
			return ctx.Err()
		})
		id := s.enqueue(q, "a", task{"x"})
		s.work(q)
		if j := s.get(q, id); j.State != job.Waiting || j.Error != context.DeadlineExceeded.Error() {
			t.Errorf("got %+v", j)
		}
	})
}

func TestParallelBound(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "a", job.Options{Parallel: 3})
		h.hold(q, "b", job.Options{})
		for range 7 {
			s.enqueue(q, "a", task{"a"})
		}
		s.enqueue(q, "b", task{"b"})
		begun := map[string][]*began{}
		collect := func(n int) {
			t.Helper()
			for range n {
				b := h.next()
				begun[b.name] = append(begun[b.name], b)
			}
			h.none("beyond its bound")
		}
		s.tick(q)
		collect(4)
		s.tick(q)
		collect(0)
		if len(begun["a"]) != 3 || len(begun["b"]) != 1 {
			t.Errorf("begun: %d and %d, want 3 and 1", len(begun["a"]), len(begun["b"]))
		}
		// A job that lost its lease takes its place until it ends, whatever its context says.
		other := s.process()
		h.hold(other, "a", job.Options{Parallel: 10})
		s.add(job.Lease + time.Second)
		s.tick(other)
		collect(7)
		s.enqueue(q, "a", task{"last"})
		s.tick(q)
		if err := ends(t, begun["a"][0].ctx); !errors.Is(err, job.ErrLost) {
			t.Errorf("a job that lost its lease was told %v", err)
		}
		h.none("beside those that lost their lease")
		for _, b := range append(begun["a"][:3], begun["b"]...) {
			b.end <- nil
		}
		s.wait(q)
		s.tick(q)
		collect(1)
		if len(begun["last"]) != 1 {
			t.Error("the last one was not begun")
		}
	})
}

func TestOrder(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.note(q, "a", job.Options{})
		for i, after := range []time.Duration{3, 1, 0, 2, 0, 0, 0, 0} {
			s.enqueue(q, "a", task{fmt.Sprintf("%d/%d", after, i)}, job.After(after*time.Second))
		}
		want := []string{"0/2", "0/4", "0/5", "0/6", "0/7", "1/1", "2/3", "3/0"}
		for range 8 {
			s.work(q)
		}
		if got := h.noted(); !slices.Equal(got, want[:5]) {
			t.Errorf("begun: %q, want %q", got, want[:5])
		}
		s.add(time.Minute)
		for range 3 {
			s.work(q)
		}
		if got := h.noted(); !slices.Equal(got, want) {
			t.Errorf("begun: %q, want %q", got, want)
		}
	})
}

func TestProgressIsSeenByOthers(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, other, h := s.process(), s.process(), newHand(t)
		h.hold(q, "a", job.Options{Backoff: time.Second})
		id := s.enqueue(q, "a", task{"x"})
		s.tick(q)
		b := h.next()
		for _, test := range []struct{ said, shown int }{{40, 40}, {-5, 0}, {70, 70}, {200, 100}, {60, 60}} {
			b.run.Progress(test.said)
			s.add(time.Second)
			s.tick(q)
			if j := s.get(other, id); j.Progress != test.shown || j.State != job.Running {
				t.Errorf("said %d: %+v", test.said, j)
			}
		}
		b.end <- errors.New("not yet")
		s.wait(q)
		if j := s.get(other, id); j.Progress != 60 {
			t.Errorf("got %+v", j)
		}
		s.add(time.Minute)
		s.tick(q)
		h.next().end <- nil
		s.wait(q)
		if j := s.get(other, id); j.Progress != 100 || j.State != job.Done || j.Error != "" {
			t.Errorf("got %+v", j)
		}
	})
}

func TestPause(t *testing.T) {
	for _, test := range []struct {
		backoff time.Duration
		n       int
		least   time.Duration
	}{
		{0, 1, 10 * time.Second},
		{time.Second, 1, time.Second},
		{time.Second, 2, 2 * time.Second},
		{time.Second, 5, 16 * time.Second},
		{time.Second, 12, 2048 * time.Second},
		{time.Second, 13, time.Hour},
		{time.Second, 1000, time.Hour},
		{2 * time.Hour, 1, time.Hour},
	} {
		for range 100 {
			got := job.Options{Backoff: test.backoff}.Pause(test.n)
			if got < test.least || got > test.least+test.least/4+1 {
				t.Errorf("%v after attempt %d: %v, want %v and up to a quarter more", test.backoff, test.n, got,
					test.least)
			}
		}
	}
}
