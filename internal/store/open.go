package store

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
)

// Open opens the database of c.URL, makes it when it is new, and brings its schema to this release.
func Open(ctx context.Context, c Config) (*Store, error) {
	s := &Store{stop: make(chan struct{}), now: c.Now, log: c.Log, tracer: c.Tracer, lanes: map[int64]*lane{}}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	var err error
	switch {
	case strings.HasPrefix(c.URL, "sqlite:"):
		s.engine, err = openLite(ctx, strings.TrimPrefix(strings.TrimPrefix(c.URL, "sqlite:"), "//"), c)
	case strings.HasPrefix(c.URL, "postgres://"), strings.HasPrefix(c.URL, "postgresql://"):
		s.engine, err = openPostgres(ctx, c)
	default:
		err = errors.New("the database URL must begin with sqlite: or postgres://")
	}
	if err != nil {
		return nil, err
	}
	s.searching = newSearching(s.engine.reads(), time.Now)
	restored, err := s.Note(ctx, restoredNote)
	if err != nil {
		return nil, errors.Join(err, s.engine.close())
	}
	s.restored.Store(restored != "")
	if s.engine.words().later {
		s.waiting.Store(mostWaiting) // nobody knows
		s.running.Go(s.keepFiling)
	}
	return s, nil
}

// Close waits for the writes that were begun and closes the database.
func (s *Store) Close() error {
	s.mu.Lock()
	if !s.closed {
		close(s.stop)
	}
	s.closed = true
	s.mu.Unlock()
	s.running.Wait()
	return s.engine.close()
}
