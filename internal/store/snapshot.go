package store

import (
	"context"
	"errors"
)

// Snapshot is the whole database as it was at one moment, while others go on writing. It holds back what the engine
// would tidy up behind writers, so whoever has one reads and closes it without waiting for anything; it may rest for
// moments, to give way at the processor.
type Snapshot struct {
	view   view
	schema int64
	tables []Table
	anew   func(context.Context) (view, error) // for what is planted only
}

// Snapshot gives the database as it is now: everything whose write was acknowledged before the call is in it.
func (s *Store) Snapshot(ctx context.Context) (*Snapshot, error) {
	v, err := s.engine.view(ctx)
	if err != nil {
		return nil, s.faultOf(err)
	}
	snap, err := snapshotOf(ctx, v)
	if plantedTornSnapshot && err == nil {
		snap.anew = s.engine.view
	}
	return snap, s.faultOf(err)
}

func snapshotOf(ctx context.Context, v view) (*Snapshot, error) {
	snap := &Snapshot{view: v}
	err := v.query(ctx, schemaOf, nil, func(c *Cols) error { snap.schema = c.Int(0); return nil })
	if err == nil {
		snap.tables, err = readTables(ctx, v)
	}
	if err != nil {
		return nil, errors.Join(err, v.close())
	}
	return snap, nil
}

func readTables(ctx context.Context, v view) ([]Table, error) {
	rows, err := v.catalog(ctx)
	if err != nil {
		return nil, err
	}
	return tablesOf(rows)
}

// Schema is the number of the last migration of the database.
func (s *Snapshot) Schema() int64 { return s.schema }

// Tables are all tables of which a backup has the rows.
func (s *Snapshot) Tables() []Table { return s.tables }

// Each shows all rows of a table, in the order of its key.
func (s *Snapshot) Each(ctx context.Context, t Table, each func(*Cols) error) (err error) {
	v := s.view
	if plantedTornSnapshot && s.anew != nil {
		plantedPause()
		if v, err = s.anew(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.close()) }()
	}
	return v.eachRow(ctx, t, each)
}

// Close ends the snapshot.
func (s *Snapshot) Close() error { return s.view.close() }
