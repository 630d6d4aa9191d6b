package job_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"groundwork/internal/job"
	"groundwork/internal/store"
	"groundwork/internal/trace"
)

// lines keeps what a log is told, from any goroutine.
type lines struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.out.Write(p)
}

// TestJobsKnowTheirRequest: a job, and one that it leaves itself, say for which request they are done, in what their
// handlers write and in what is written about them.
func TestJobsKnowTheirRequest(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		var said lines
		log := slog.New(trace.Logged(slog.NewTextHandler(&said, nil)))
		q := job.New(s.first, log)
		fail := errors.New("out of paint")
		job.Handle(q, "paint", job.Options{Attempts: 1}, func(ctx context.Context, _ struct{}, r *job.Run) error {
			log.InfoContext(ctx, "painting")
			return errors.Join(fail, s.first.Write(ctx, func(tx *store.Tx) error {
				_, err := q.Enqueue(tx, "varnish", struct{}{})
				return err
			}))
		})
		job.Handle(q, "varnish", job.Options{Heavy: true}, func(ctx context.Context, _ struct{}, _ *job.Run) error {
			log.InfoContext(ctx, "varnishing")
			return nil
		})
		job.Handle(q, "sweep", job.Options{}, func(ctx context.Context, _ struct{}, _ *job.Run) error {
			log.InfoContext(ctx, "sweeping")
			return nil
		})
		enqueue := func(ctx context.Context, kind string, options ...job.Option) {
			t.Helper()
			if err := s.first.Write(ctx, func(tx *store.Tx) error {
				_, err := q.Enqueue(tx, kind, struct{}{}, options...)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		enqueue(trace.Of(t.Context(), "abc-7"), "paint")
		enqueue(t.Context(), "sweep", job.Key("x"))
		for range 3 {
			if err := q.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
			q.Wait()
		}
		for _, want := range []string{
			"msg=painting request=abc-7\n", "msg=varnishing request=abc-7\n", "msg=sweeping\n",
		} {
			if !strings.Contains(said.out.String(), want) {
				t.Errorf("no %q in %s", want, said.out.String())
			}
		}
		if failed := said.out.String(); !strings.Contains(failed, `msg="a job failed" kind=paint`) ||
			!strings.Contains(failed, `error="out of paint" request=abc-7`) {
			t.Errorf("of the failure: %s", failed)
		}
		counts, err := q.Counts(t.Context())
		if err != nil || len(counts) != 4 {
			t.Fatal(counts, err)
		}
		if c := counts[0]; c.Kind != "paint" || c.Failed != 1 || c.Done != 0 || c.Waiting != 0 || c.Running != 0 || c.Spent <= 0 {
			t.Errorf("paint: %+v", c)
		}
		if c := counts[1]; c.Done != 1 || c.Failed != 0 {
			t.Errorf("varnish: %+v", c)
		}
	})
}

// TestCountsOfWhatWaits: how many wait, in any process, and since when the oldest is due.
func TestCountsOfWhatWaits(t *testing.T) {
	engines(t, func(t *testing.T, s *site) {
		handle := func(q *job.Queue, kinds ...string) *job.Queue {
			for _, kind := range kinds {
				job.Handle(q, kind, job.Options{}, func(context.Context, struct{}, *job.Run) error { return nil })
			}
			return q
		}
		q := handle(job.New(s.first, slog.New(slog.DiscardHandler)), "paint", "later")
		for kind, options := range map[string][]job.Option{"paint": nil, "later": {job.After(job.AloneFor)}} {
			if err := s.first.Write(t.Context(), func(tx *store.Tx) error {
				_, err := q.Enqueue(tx, kind, struct{}{}, options...)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		s.add(job.AloneFor / 2)
		counts, err := handle(job.New(s.first, slog.New(slog.DiscardHandler)), "paint").Counts(t.Context())
		if err != nil || len(counts) != 2 {
			t.Fatal(counts, err)
		}
		if c := counts[0]; c.Kind != "paint" || c.Waiting != 1 || c.Due != job.AloneFor/2 {
			t.Errorf("%+v", c)
		}
		if c := counts[1]; c.Kind != job.OtherKind || c.Waiting != 1 || c.Due != 0 {
			t.Errorf("%+v", c)
		}
	})
}
