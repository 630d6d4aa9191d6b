package job_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/job"
	"groundwork/internal/pgtest"
	"groundwork/internal/store"
)

// clock is the wall clock of all processes of a test: it moves when the test says so.
type clock struct{ micros atomic.Int64 }

func (c *clock) now() time.Time      { return time.UnixMicro(c.micros.Load()) }
func (c *clock) add(d time.Duration) { c.micros.Add(d.Microseconds()) }

// site is one database and the processes on it.
type site struct {
	*clock
	t     *testing.T
	first *store.Store
	open  func() *store.Store
}

// engines runs a test on each engine.
func engines(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s := &site{clock: &clock{}, t: t}
			s.micros.Store(time.Date(2026, 3, 1, 8, 30, 0, 0, time.UTC).UnixMicro())
			url := "sqlite:" + filepath.Join(t.TempDir(), "jobs.db")
			if engine == "postgres" {
				url = pgtest.Migrated(t, migrate)
			}
			open := func() *store.Store {
				opened, err := store.Open(context.Background(), store.Config{URL: url, Now: s.now})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := opened.Close(); err != nil {
						t.Error(err)
					}
				})
				return opened
			}
			s.first = open()
			s.open = open
			if engine == "sqlite" { // one process owns a database file; its queues share it
				s.open = func() *store.Store { return s.first }
			}
			test(t, s)
		})
	}
}

func migrate(url string) error {
	s, err := store.Open(context.Background(), store.Config{URL: url})
	if err != nil {
		return err
	}
	return s.Close()
}

// process makes the queue of one more process. Its background work, if any, ends with the test.
func (s *site) process() *job.Queue {
	q := job.New(s.open(), slog.New(slog.DiscardHandler))
	s.t.Cleanup(func() {
		over, cancel := context.WithCancel(context.Background())
		cancel()
		if err := q.Stop(over); err != nil {
			s.t.Error(err)
		}
		q.Wait()
	})
	return q
}

// enqueue writes one job by itself.
func (s *site) enqueue(q *job.Queue, kind string, args any, options ...job.Option) (id string) {
	s.t.Helper()
	err := s.first.Write(s.t.Context(), func(tx *store.Tx) (err error) {
		id, err = q.Enqueue(tx, kind, args, options...)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s *site) tick(q *job.Queue) {
	s.t.Helper()
	if err := q.Tick(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// wait waits until no job runs in a process.
func (s *site) wait(q *job.Queue) {
	s.t.Helper()
	idle := make(chan struct{})
	go func() {
		q.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(patience):
		s.t.Fatal("a job did not end")
	}
}

// work begins what is due and waits for its end.
func (s *site) work(q *job.Queue) {
	s.t.Helper()
	s.tick(q)
	s.wait(q)
}

func (s *site) get(q *job.Queue, id string) job.Job {
	s.t.Helper()
	j, err := q.Get(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return j
}

// is holds the state and the attempt of a job.
func (s *site) is(q *job.Queue, id string, state job.State, attempt int) {
	s.t.Helper()
	if j := s.get(q, id); j.State != state || j.Attempt != attempt {
		s.t.Errorf("the job is %v at attempt %d (%q), want %v at %d", j.State, j.Attempt, j.Error, state, attempt)
	}
}

// task is what the jobs of these tests do: they tell that they were begun and do what the test says.
type task struct {
	Name string
}

// hand is a handler under the test's control: each job that is begun arrives in began and ends when it is told how.
type hand struct {
	t     *testing.T
	began chan *began
	mu    sync.Mutex
	names []string
}

type began struct {
	name string
	ctx  context.Context
	run  *job.Run
	end  chan error
}

func newHand(t *testing.T) *hand { return &hand{t: t, began: make(chan *began, 1000)} }

// hold declares a kind whose jobs end when the test says so.
func (h *hand) hold(q *job.Queue, kind string, o job.Options) {
	job.Handle(q, kind, o, func(ctx context.Context, args task, r *job.Run) error {
		b := &began{args.Name, ctx, r, make(chan error, 1)}
		h.began <- b
		select {
		case err := <-b.end:
			return err
		case <-h.t.Context().Done(): // the test is over
			return nil
		}
	})
}

// note declares a kind whose jobs end at once.
func (h *hand) note(q *job.Queue, kind string, o job.Options) {
	job.Handle(q, kind, o, func(_ context.Context, args task, _ *job.Run) error {
		h.mu.Lock()
		h.names = append(h.names, args.Name)
		h.mu.Unlock()
		return nil
	})
}

func (h *hand) noted() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.names...)
}

const patience = 20 * time.Second

// next waits for a job to be begun.
func (h *hand) next() *began {
	h.t.Helper()
	select {
	case b := <-h.began:
		return b
	case <-time.After(patience):
		h.t.Fatal("no job was begun")
		return nil
	}
}

// none holds that no job was begun; only right after a Tick.
func (h *hand) none(why string) {
	h.t.Helper()
	select {
	case b := <-h.began:
		h.t.Fatalf("the job %s was begun, %s", b.name, why)
	default:
	}
}

// ends waits for a context to end and gives why.
func ends(t *testing.T, ctx context.Context) error {
	t.Helper()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(patience):
		t.Fatal("the job's context did not end")
		return nil
	}
}
