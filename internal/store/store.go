// Package store owns the database: opening and migrating it, the ledger of records, the project clock, group commit,
// and the memory that answers which records a list shows. It refuses to know what a record means: documents and filter
// terms are bytes to it. It is the only package that knows which engines exist.
package store

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"groundwork/internal/fault"
)

// Config says which database to open, and with what clock and log.
type Config struct {
	// URL is sqlite:PATH, or postgres://… with the role that owns the tables, or with another one.
	URL string
	// OwnerURL is postgres://… with the role that owns the tables, where that of URL does not. It is used to migrate
	// and for nothing else.
	OwnerURL string
	// Now is the wall clock; time.Now when nil.
	Now func() time.Time
	Log *slog.Logger
	// Release is that of the program; the database notes which one changed its tables last.
	Release string
	// Before is asked before the tables of a database are changed that has some, with the numbers of the last migration
	// that it has and that it will have. It may open the database with AsIs.
	Before func(ctx context.Context, from, to int64) error
	// AsIs opens a database as it is, to take a snapshot of it and nothing else.
	AsIs bool
	// Trace is told every statement that is run; for tests.
	Trace func(sql string)
}

// Store is an open database.
type Store struct {
	engine       engine
	now          func() time.Time
	log          *slog.Logger
	mu           sync.Mutex
	lanes        map[int64]*lane
	closed       bool
	running      sync.WaitGroup
	waiting      atomic.Int64 // the most records whose words may wait to be filed
	waitingBytes atomic.Int64 // of their words, as far as they were stored since the database was opened
	filing       sync.Mutex   // held while words are filed
	searching    *searching
	stop         chan struct{}
	projects     shelf
	watched      watched
	worded       sync.Map    // by kind, the fields by which all its records are indexed
	restored     atomic.Bool // the log of some project has jumps, after a restore: see TakenBack
}

// Open opens the database of c.URL, makes it when it is new, and brings its schema to this release.
func Open(ctx context.Context, c Config) (*Store, error) {
	s := &Store{stop: make(chan struct{}), now: c.Now, log: c.Log, lanes: map[int64]*lane{}}
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

// Engine names the database, for people and metrics.
func (s *Store) Engine() string { return s.engine.name() }

// Wall says, for people, what keeps tenants apart below the program itself.
func (s *Store) Wall() string { return s.engine.wall() }

// Now is the wall clock in microseconds.
func (s *Store) Now() int64 { return s.now().UnixMicro() }

// Ping tells whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	_, err := s.Note(ctx, "ping")
	return err
}

// Query reads tables that belong to no project: accounts, keys, settings.
func (s *Store) Query(ctx context.Context, sql string, args []any, each func(*Cols) error) error {
	return s.read(ctx, tenant{}, statement{sql, args, each})
}

// QueryIn reads rows of one project, inside its wall. The statement must name the project's ids itself.
func (s *Store) QueryIn(ctx context.Context, p *Project, sql string, args []any, each func(*Cols) error) error {
	return s.read(ctx, tenant{project: p.ID}, statement{sql, args, each})
}

func (s *Store) read(ctx context.Context, t tenant, stmts ...statement) error {
	return s.faultOf(s.engine.read(ctx, t, stmts...))
}

// faultOf translates an error of the driver; nil stays nil.
func (s *Store) faultOf(err error) error {
	if err == nil {
		return nil
	}
	return s.engine.fault(err)
}

// Finding is one thing that Doctor looked at; Err says what is wrong with it.
type Finding struct {
	Name string
	Err  error
}

// Doctor looks at the database and its settings.
func (s *Store) Doctor(ctx context.Context) []Finding {
	return append([]Finding{{"database answers", s.Ping(ctx)}, {s.Wall(), nil}}, s.engine.doctor(ctx)...)
}

var errClosed = fault.Busy(errors.New("store: closed"))
