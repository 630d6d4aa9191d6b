package store

import (
	"context"
	"errors"
)

// Visit is somebody at a record of a project, until a moment.
type Visit struct {
	Project int64
	Person  uint32
	Kind    Kind
	Record  string // its uid
	Editing bool
	Ends    int64
}

const (
	putVisit = "INSERT INTO presence (project, person, kind, record, editing, ends) VALUES ($1, $2, $3, $4, $5, $6) " +
		"ON CONFLICT (project, person, kind, record) DO UPDATE SET editing = EXCLUDED.editing, ends = EXCLUDED.ends"
	dropVisits = "DELETE FROM presence WHERE project = $1 AND (ends <= $2 OR person = $3 AND kind = $4 AND record = $5)"
	visits     = "SELECT project, person, kind, record, editing, ends FROM presence WHERE project = $1 AND ends > $2 " +
		"ORDER BY ends DESC LIMIT 1000"
)

// Shared tells whether other processes serve the same data: what this one remembers is then not all.
func (s *Store) Shared() bool { return s.engine.shared() }

// Attend tells the other processes that people are at records, or no longer where that has ended. Nothing of it is in
// the change log.
func (s *Store) Attend(ctx context.Context, p *Project, all ...Visit) error {
	return s.Write(ctx, func(tx *Tx) error {
		err := tx.ses.tenant(tenant{project: p.ID})
		for _, v := range all {
			if err == nil {
				err = tx.Exec(dropVisits, p.ID, tx.now, int64(v.Person), int64(v.Kind), v.Record)
			}
			if err == nil && v.Ends > tx.now {
				err = tx.Exec(putVisit, p.ID, int64(v.Person), int64(v.Kind), v.Record, flag(v.Editing), v.Ends)
			}
		}
		return errors.Join(err, tx.ses.tenant(tx.tenant()))
	})
}

func flag(set bool) int64 {
	if set {
		return 1
	}
	return 0
}

// Visits are who all processes said to be in projects, those first who stay longest.
func (s *Store) Visits(ctx context.Context, projects []*Project, now int64) (all []Visit, err error) {
	var t tenant
	stmts := make([]statement, 0, len(projects))
	for _, p := range projects {
		t.more = append(t.more, p.ID)
		stmts = append(stmts, statement{visits, []any{p.ID, now}, func(c *Cols) error {
			all = append(all, Visit{
				c.Int(0), uint32(c.Int(1)), Kind(c.Int(2)), c.Text(3), c.Int(4) != 0, c.Int(5),
			})
			return nil
		}})
	}
	return all, s.read(ctx, t, stmts...)
}
