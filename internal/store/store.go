package store

import (
	"context"
	"log/slog"
	"time"
)

// Config says which database to open and with what clock and log.
type Config struct {
	// URL is sqlite:PATH or postgres://….
	URL string
	Now func() time.Time
	Log *slog.Logger
}

type Store struct{}

func Open(ctx context.Context, c Config) (*Store, error) { panic("soon") }
func (s *Store) Close() error                            { panic("soon") }
func (s *Store) Ping(ctx context.Context) error          { panic("soon") }
func (s *Store) Engine() string                          { panic("soon") }
func (s *Store) Now() int64                              { panic("soon") }

// Cols are the columns of one row; they are valid only inside the call that got them.
type Cols struct{}

func (c *Cols) Int(i int) int64    { panic("soon") }
func (c *Cols) Text(i int) string  { panic("soon") }
func (c *Cols) Null(i int) bool    { panic("soon") }
func (c *Cols) Bytes(i int) []byte { panic("soon") }

// Query reads tables that belong to no project: accounts, keys, settings.
func (s *Store) Query(ctx context.Context, sql string, args []any, each func(*Cols) error) error {
	panic("soon")
}

// Write runs fn in the next group commit, for tables that belong to no project. fn may run more than once.
func (s *Store) Write(ctx context.Context, fn func(*Tx) error) error { panic("soon") }

// Tx is an open transaction.
type Tx struct{}

func (tx *Tx) Exec(sql string, args ...any) error                               { panic("soon") }
func (tx *Tx) Query(sql string, args []any, each func(*Cols) error) error       { panic("soon") }
func (tx *Tx) Now() int64                                                       { panic("soon") }

// Project is the memory of one open project.
type Project struct {
	ID  int64
	UID string
}
