package store

import (
	"context"

	"groundwork/internal/fault"
)

// Founded is a project as a snapshot has it.
type Founded struct {
	ID         int64
	UID        string
	Clock, Seq int64
}

// Project finds a project in the snapshot: fault.NotFound where there is none.
func (s *Snapshot) Project(ctx context.Context, uid string) (p Founded, err error) {
	if !storable(uid) {
		return p, fault.Missing("Project", uid)
	}
	err = s.view.query(ctx, findProject, []any{uid}, func(c *Cols) error {
		p = Founded{ID: c.Int(0), UID: uid, Clock: c.Int(1), Seq: c.Int(2)}
		return nil
	})
	if err == nil && p.ID == 0 {
		err = fault.Missing("Project", uid)
	}
	return p, err
}

// Table gives a table by its name.
func (s *Snapshot) Table(name string) (Table, error) { return tableOf(s.tables, name) }

// EachOf shows the rows of a table that belong to a project, in the order of its key.
func (s *Snapshot) EachOf(ctx context.Context, t Table, project int64, each func(*Cols) error) error {
	return s.view.rowsOf(ctx, t, project, each)
}

// EachUID shows the ids and uids of all records of a project, in order of their ids.
func (s *Snapshot) EachUID(ctx context.Context, project int64, each func(id ID, uid string) error) error {
	base := project << projectShift
	return s.view.within(ctx, project, recordUIDs, []any{base, base + 1<<projectShift}, func(c *Cols) error {
		return each(ID(c.Int(0)), c.Text(1))
	})
}

const recordUIDs = "SELECT id, uid FROM records WHERE id >= $1 AND id < $2 ORDER BY id"

// EachRecord shows the records of a kind of a project, in order.
func (s *Snapshot) EachRecord(ctx context.Context, project int64, kind Kind, each func(Row) error) error {
	from, to := span(project, kind)
	return s.view.within(ctx, project, wholeRecord+" WHERE id >= $1 AND id < $2 ORDER BY id", []any{from, to},
		func(c *Cols) error { return each(whole(c)) })
}

// Query reads tables that belong to no project, as they were.
func (s *Snapshot) Query(ctx context.Context, sql string, args []any, each func(*Cols) error) error {
	return s.view.query(ctx, sql, args, each)
}
