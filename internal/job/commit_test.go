package job_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/store"
)

// TestBegunAfterTheCommit has the process woken by the commit itself: it looks around by no other cause.
func TestBegunAfterTheCommit(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "a", job.Options{})
		q.Rest()
		q.Start(t.Context())
		var id string
		err := s.first.Write(t.Context(), func(tx *store.Tx) (err error) {
			id, err = q.Enqueue(tx, "a", task{"one"})
			if _, err := q.Get(t.Context(), id); !fault.Is(err, fault.NotFound) {
				t.Errorf("before the commit the job is visible: %v", err)
			}
			if err := q.Tick(t.Context()); err != nil {
				t.Error(err)
			}
			if len(h.began) > 0 {
				t.Error("the job was begun before the commit")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		b := h.next()
		if b.name != "one" || b.run.ID() != id || b.run.Attempt() != 1 {
			t.Errorf("begun: %s %s, attempt %d", b.name, b.run.ID(), b.run.Attempt())
		}
		s.is(q, id, job.Running, 1)
		// The end of a job is what lets the next one begin.
		s.enqueue(q, "a", task{"two"})
		b.end <- nil
		if two := h.next(); two.name != "two" {
			t.Errorf("begun: %s", two.name)
		}
		s.is(q, id, job.Done, 1)
	})
}

func TestNotBegunAfterARollback(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.note(q, "a", job.Options{Parallel: 100})
		refused := errors.New("refused")
		err := s.first.Write(t.Context(), func(tx *store.Tx) error {
			_, err := q.Enqueue(tx, "a", task{"alone"})
			return errors.Join(err, refused)
		})
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
		// While the first write is held up, the others gather into a group of which every third is taken back.
		gathered, held := make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			err := s.first.Write(t.Context(), func(*store.Tx) error { close(held); <-gathered; return nil })
			if err != nil {
				t.Error(err)
			}
		})
		<-held
		var want []string
		var under sync.WaitGroup
		for i := range 30 {
			name := fmt.Sprintf("job %02d", i)
			if i%3 != 0 {
				want = append(want, name)
			}
			under.Add(1)
			all.Go(func() {
				under.Done()
				err := s.first.Write(t.Context(), func(tx *store.Tx) error {
					if _, err := q.Enqueue(tx, "a", task{name}); err != nil {
						return err
					}
					if i%3 == 0 {
						return refused
					}
					return nil
				})
				if (i%3 == 0) != (err != nil) {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		under.Wait()
		close(gathered)
		all.Wait()
		s.work(q)
		got := h.noted()
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("begun: %q\nwant:  %q", got, want)
		}
	})
}

func TestSharedOnceEach(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		const jobs = 120
		var runs [jobs]atomic.Int32
		var queues []*job.Queue
		for range 3 {
			q := s.process()
			job.Handle(q, "a", job.Options{Parallel: 4}, func(_ context.Context, n int, _ *job.Run) error {
				runs[n].Add(1)
				return nil
			})
			queues = append(queues, q)
		}
		err := s.first.Write(t.Context(), func(tx *store.Tx) error {
			for n := range jobs {
				if _, err := queues[0].Enqueue(tx, "a", n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for _, q := range queues {
			all.Go(func() {
				for range jobs {
					if err := q.Tick(t.Context()); err != nil {
						t.Error(err)
					}
					q.Wait()
				}
			})
		}
		all.Wait()
		for n := range runs {
			if got := runs[n].Load(); got != 1 {
				t.Errorf("job %d was begun %d times", n, got)
			}
		}
	})
}

func TestUnknownKindsAreLeftAlone(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		newer, older, h := s.process(), s.process(), newHand(t)
		h.note(newer, "new", job.Options{})
		h.note(newer, "old", job.Options{})
		h.note(older, "old", job.Options{})
		id := s.enqueue(newer, "new", task{"new"})
		s.enqueue(newer, "old", task{"old"})
		s.work(older)
		if got := h.noted(); !slices.Equal(got, []string{"old"}) {
			t.Errorf("the older release ran %q", got)
		}
		s.is(older, id, job.Waiting, 0)
		if err := s.first.Write(t.Context(), func(tx *store.Tx) error {
			_, err := older.Enqueue(tx, "new", task{})
			return err
		}); err == nil {
			t.Error("a kind nobody declared is enqueued")
		}
		if err := s.first.Write(t.Context(), func(tx *store.Tx) error {
			_, err := newer.Enqueue(tx, "new", "text")
			return err
		}); err == nil {
			t.Error("arguments of another type are enqueued")
		}
	})
}

func TestKey(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		q, h := s.process(), newHand(t)
		h.hold(q, "a", job.Options{Parallel: 9})
		h.hold(q, "b", job.Options{})
		var ids [16]string
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() { ids[i] = s.enqueue(q, "a", task{"x"}, job.Key("x")) })
		}
		all.Wait()
		if n := len(slices.Compact(ids[:])); n != 1 {
			t.Errorf("%d jobs with one key", n)
		}
		if s.enqueue(q, "a", task{"y"}, job.Key("y")) == ids[0] ||
			s.enqueue(q, "b", task{"x"}, job.Key("x")) == ids[0] {
			t.Error("another key or kind is the same job")
		}
		s.tick(q)
		for range 3 {
			b := h.next()
			if again := s.enqueue(q, "a", task{b.name}, job.Key(b.name)); b.run.ID() == ids[0] && again != ids[0] {
				t.Error("a job with the key of a running one is made")
			}
			b.end <- nil
		}
		s.wait(q)
		h.none("although its key was taken")
		if again := s.enqueue(q, "a", task{"x"}, job.Key("x")); again == ids[0] {
			t.Error("the key of a finished job is still taken")
		}
	})
}
