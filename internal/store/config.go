package store

import (
	"context"
	"log/slog"
	"time"

	"groundwork/internal/trace"
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
	// Tracer makes spans of writes and pages that requests and jobs wait for; nil makes none.
	Tracer *trace.Tracer
	// Trace is told every statement that is run; for tests.
	Trace func(sql string)
}
