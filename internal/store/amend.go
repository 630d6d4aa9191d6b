package store

import (
	"context"
	"strconv"
	"strings"
)

// Amend gives edit each text of the rows that have these keys, which are no part of the key, and stores what becomes of
// it. p is whose rows they are, where they are a project's; may refuses inside the transaction. It is for few rows at a
// time: they are written together.
func (s *Store) Amend(ctx context.Context, t Table, p *Project, keys [][]any, may func(*Tx) error,
	edit func(column, text string) string,
) (amended int, err error) {
	change := func(tx *Tx) error {
		amended = 0
		if err := may(tx); err != nil {
			return err
		}
		return tx.In(offices[t.Name], func() error {
			for _, key := range keys {
				changed, err := tx.amend(t, key, edit)
				if err != nil {
					return err
				}
				if changed {
					amended++
				}
			}
			return nil
		})
	}
	if p == nil {
		err = s.Write(ctx, change)
	} else {
		err = s.Edit(ctx, p, 0, change)
	}
	return amended, err
}

func (tx *Tx) amend(t Table, key []any, edit func(column, text string) string) (changed bool, err error) {
	var texts []string
	for _, c := range t.Columns[t.Key:] {
		if c.Text {
			texts = append(texts, c.Name)
		}
	}
	if len(texts) == 0 {
		return false, nil
	}
	var quoted, where, set []string
	for _, name := range texts {
		quoted = append(quoted, quoteName(name))
	}
	for i, c := range t.Columns[:t.Key] {
		where = append(where, quoteName(c.Name)+" = $"+strconv.Itoa(i+1))
	}
	of := " WHERE " + strings.Join(where, " AND ")
	args := key
	err = tx.Query("SELECT "+strings.Join(quoted, ", ")+" FROM "+quoteName(t.Name)+of, key, func(c *Cols) error {
		for i, name := range texts {
			if c.Null(i) {
				continue
			}
			was := c.Text(i)
			if now := edit(name, was); now != was {
				args = append(args[:len(args):len(args)], now)
				set = append(set, quoteName(name)+" = $"+strconv.Itoa(len(args)))
			}
		}
		return nil
	})
	if err != nil || len(set) == 0 {
		return false, err
	}
	return true, tx.Exec("UPDATE "+quoteName(t.Name)+" SET "+strings.Join(set, ", ")+of, args...)
}

// KeyOf gives the key of a row that is shown.
func (t Table) KeyOf(c *Cols) []any {
	key := make([]any, t.Key)
	for i := range key {
		switch {
		case c.Null(i):
		case t.Columns[i].Text:
			key[i] = c.Text(i)
		default:
			key[i] = c.Int(i)
		}
	}
	return key
}

// ProjectOf gives the number of the project that a row of a table belongs to by its key; 0 where it belongs to none.
func (t Table) ProjectOf(c *Cols) int64 {
	switch first := t.Columns[0]; {
	case first.Name == "project":
		return c.Int(0)
	case !first.Text && (t.Name == "records" || t.Name == "changes" || t.Name == "links"):
		return c.Int(0) >> projectShift
	default:
		return 0
	}
}

// Forget drops what a change of the project altered: who changed which record, and when, stays.
func (tx *Tx) Forget(change int64) error {
	return tx.Exec(forgetDiff, tx.here.project.ID<<projectShift|change)
}

// Past shows the changes of the project after a number, up to most of them, and whether they still say what they
// altered.
func (s *Store) Past(ctx context.Context, p *Project, after int64, most int,
	each func(seq int64, record ID, clock int64, says bool),
) error {
	base := p.ID << projectShift
	return s.read(ctx, tenant{project: p.ID}, statement{
		pastChanges,
		[]any{base | after, base + 1<<projectShift, most},
		func(c *Cols) error {
			each(c.Int(0)-base, ID(c.Int(1)), c.Int(2), c.Int(3) != 0)
			return nil
		},
	})
}

// DeletedBefore shows records of the project, at most most, that were deleted after a moment and before another, and
// whose content is still there, in order of their clocks.
func (s *Store) DeletedBefore(ctx context.Context, p *Project, after, before int64, most int,
	each func(id ID, uid string, clock int64),
) error {
	base := p.ID << projectShift
	return s.read(ctx, tenant{project: p.ID}, statement{
		deletedBefore,
		[]any{after, before, base, base + 1<<projectShift, most},
		func(c *Cols) error {
			each(ID(c.Int(0)), c.Text(1), c.Int(2))
			return nil
		},
	})
}

const (
	forgetDiff    = "UPDATE changes SET diff = NULL WHERE id = $1"
	pastChanges   = "SELECT id, record, clock, CASE WHEN diff IS NULL THEN 0 ELSE 1 END FROM changes WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3"
	deletedBefore = "SELECT id, uid, clock FROM records WHERE deleted = 1 AND clock > $1 AND clock < $2 AND id >= $3 AND id < $4 ORDER BY clock LIMIT $5"
)
