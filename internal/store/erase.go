package store

import (
	"context"
	"fmt"
	"strings"
)

// erasedAtOnce is how many rows of a project one transaction erases: some milliseconds, for which others wait.
const erasedAtOnce = 500

// Tables are all tables as a backup has them, in order of their names.
func (s *Store) Tables(ctx context.Context) ([]Table, error) {
	snap, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return snap.Tables(), snap.Close()
}

// Erase deletes all rows that belong to a project, some at a time, but for the project's own. Its erasure must have
// begun: the table erasing says so. It may be cut short, and repeated. rows is told how many were there, by table.
func (s *Store) Erase(ctx context.Context, p *Project, rows func(table string, n int)) error {
	all, err := s.Tables(ctx)
	if err != nil {
		return err
	}
	base, end := p.ID<<projectShift, (p.ID+1)<<projectShift
	for _, t := range all {
		var step func(tx *Tx) (int, error)
		switch {
		case t.Name == "records" || t.Name == "changes":
			step = func(tx *Tx) (int, error) { return tx.eraseLedger(t.Name) }
		case t.Name == "links":
			step = func(tx *Tx) (int, error) { return tx.eraseSome(t, "owner >= $1 AND owner < $2", base, end) }
		case t.Name == "requests":
			step = func(tx *Tx) (int, error) { return tx.eraseSome(t, "record >= $1 AND record < $2", base, end) }
		case t.Index("project") >= 0 && !t.Columns[t.Index("project")].Text:
			step = func(tx *Tx) (int, error) { return tx.eraseSome(t, "project = $1", p.ID) }
		default:
			continue
		}
		if err := s.inSteps(ctx, p, t.Name, step, rows); err != nil {
			return err
		}
	}
	for _, table := range s.engine.words().tables {
		step := func(tx *Tx) (int, error) { return tx.eraseWords(table) }
		if err := s.inSteps(ctx, p, table, step, rows); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) inSteps(ctx context.Context, p *Project, table string, step func(*Tx) (int, error),
	rows func(string, int),
) error {
	for n := erasedAtOnce; n == erasedAtOnce; {
		err := s.Edit(ctx, p, 0, func(tx *Tx) (err error) {
			if err = tx.begun(); err == nil {
				n, err = step(tx)
			}
			return err
		})
		if err != nil {
			return err
		}
		rows(table, n)
	}
	return nil
}

// begun refuses where the erasure of the project has not begun, or somebody holds it.
func (tx *Tx) begun() error {
	begun := false
	err := tx.Query(isBegun, []any{tx.here.project.ID}, func(*Cols) error { begun = true; return nil })
	if err == nil && !begun {
		err = fmt.Errorf("store: project %d is not being erased", tx.here.project.ID)
	}
	return err
}

const isBegun = "SELECT uid FROM erasing WHERE number = $1 AND begun = 1 AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.number = erasing.number)"

func (tx *Tx) eraseLedger(table string) (n int, err error) {
	base := tx.here.project.ID << projectShift
	err = tx.Query("SELECT id FROM "+table+" WHERE id >= $1 AND id < $2 ORDER BY id LIMIT $3",
		[]any{base, base + 1<<projectShift, erasedAtOnce}, func(*Cols) error { n++; return nil })
	if err != nil || n == 0 {
		return n, err
	}
	return n, tx.Exec(tx.store.engine.eraseRows(table), tx.here.project.ID, erasedAtOnce)
}

// eraseSome deletes some rows of a table for which a condition holds.
func (tx *Tx) eraseSome(t Table, condition string, args ...any) (n int, err error) {
	var columns, where []string
	for i, c := range t.Columns[:t.Key] {
		columns = append(columns, quoteName(c.Name))
		where = append(where, fmt.Sprintf("%s = $%d", quoteName(c.Name), i+1))
	}
	var keys [][]any
	err = tx.In(offices[t.Name], func() error {
		err := tx.Query(fmt.Sprintf("SELECT %s FROM %s WHERE %s LIMIT %d", strings.Join(columns, ", "), quoteName(t.Name),
			condition, erasedAtOnce), args, func(c *Cols) error {
			keys = append(keys, t.KeyOf(c))
			return nil
		})
		for _, key := range keys {
			if err == nil {
				err = tx.Exec("DELETE FROM "+quoteName(t.Name)+" WHERE "+strings.Join(where, " AND "), key...)
			}
		}
		return err
	})
	return len(keys), err
}

func (tx *Tx) eraseWords(table string) (n int, err error) {
	key := "record"
	if table == "words" {
		key = tx.store.engine.words().key
	}
	base := tx.here.project.ID << projectShift
	var all []int64
	err = tx.Query(fmt.Sprintf("SELECT %s FROM %s WHERE %s >= $1 AND %s < $2 LIMIT %d", key, table, key, key, erasedAtOnce),
		[]any{base, base + 1<<projectShift}, func(c *Cols) error {
			all = append(all, c.Int(0))
			return nil
		})
	for _, record := range all {
		if err == nil {
			err = tx.Exec(fmt.Sprintf("DELETE FROM %s WHERE %s = $1", table, key), record)
		}
	}
	return len(all), err
}

// Gone deletes the project itself, of which nothing is left, in the transaction of the last thing that is said of it.
// Once that commits, this process does not know it either.
func (s *Store) Gone(ctx context.Context, p *Project, also func(*Tx) error) error {
	return s.Write(ctx, func(tx *Tx) error {
		if err := tx.Exec(s.engine.eraseRows("projects"), p.ID, 1); err != nil {
			return err
		}
		tx.After(func() { s.projects.drop(p.UID) })
		return also(tx)
	})
}
