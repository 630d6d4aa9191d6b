// Package store owns the database: opening and migrating it, the ledger of records, the project clock, group commit,
// and the memory that answers which records a list shows. It refuses to know what a record means: documents and filter
// terms are bytes to it. It is the only package that knows which engines exist.
package store

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"groundwork/internal/trace"
)

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
	tracer       *trace.Tracer
	counts       counts
	projects     shelf
	watched      watched
	worded       sync.Map    // by kind, the fields by which all its records are indexed
	restored     atomic.Bool // the log of some project has jumps, after a restore: see TakenBack
}

// Engine names the database, for people and metrics.
func (s *Store) Engine() string { return s.engine.name() }

// Schema is the number of the schema, which is this release's.
func (s *Store) Schema() int64 {
	newest, err := newestSchema()
	if err != nil {
		panic(err) // the names of its own files
	}
	return newest
}

// EngineVersion is which release of the database this is, as it says itself.
func (s *Store) EngineVersion(ctx context.Context) (version string, err error) {
	ask := "SELECT sqlite_version()"
	if s.engine.shared() {
		ask = "SELECT current_setting('server_version')"
	}
	err = s.Query(ctx, ask, nil, func(c *Cols) error { version = c.Text(0); return nil })
	return version, err
}

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

// Doctor looks at the database and its settings.
func (s *Store) Doctor(ctx context.Context) []Finding {
	return append([]Finding{{"database answers", s.Ping(ctx)}, {s.Wall(), nil}}, s.engine.doctor(ctx)...)
}
