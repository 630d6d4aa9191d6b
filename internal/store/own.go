package store

import (
	"context"
	"slices"
)

// Own gives the ids of the records, in whatever project, whose uid is the account's: its present team records, in order of project.
func (s *Store) Own(ctx context.Context, account string) ([]ID, error) {
	var ids []ID
	err := s.read(ctx, tenant{account: account}, statement{ownRecords, []any{account}, func(c *Cols) error {
		ids = append(ids, ID(c.Int(0)))
		return nil
	}})
	return ids, err
}

// Announce logs, in every project where the account ever was on the team, that what is shown of it changed.
func (tx *Tx) Announce(account string) error {
	home := tx.here
	if err := tx.ses.tenant(tenant{account: account}); err != nil {
		return err
	}
	var rows []Row
	var projects []*Project
	err := tx.ses.query(everOwn, []any{account}, func(c *Cols) error {
		id := ID(c.Int(0))
		rows = append(rows, Row{ID: id, Clock: c.Int(1), Deleted: c.Int(2) != 0, Terms: c.Text(3)})
		p := newProject(id.Project(), c.Text(4))
		p.clock, p.seq = c.Int(5), c.Int(6)
		projects = append(projects, p)
		return nil
	})
	if err != nil {
		return err
	}
	tx.here = nil
	for i, p := range projects {
		if tx.book(p.ID) == nil { // else it may have been founded in this very transaction, and is not there for others
			p = tx.store.projects.add(p)
		}
		if err := tx.enter(p); err != nil {
			return err
		}
		if err := tx.log(&rows[i], Shown, nil); err != nil {
			return err
		}
	}
	if home != nil {
		return tx.enter(home.project)
	}
	return nil
}

// Pick reads records of several projects by id, at most 50, in order of id. The caller must have checked the right to each.
func (s *Store) Pick(ctx context.Context, ids []ID) (*Page, error) {
	page := pages.Get().(*Page)
	page.clear()
	if len(ids) == 0 {
		return page, nil
	}
	var t tenant
	args := make([]any, most)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)]
	}
	for _, id := range ids {
		t.more = append(t.more, id.Project())
	}
	t.more = slices.Compact(t.more)
	if err := s.read(ctx, t, statement{pagePicked, args, page.add}); err != nil {
		return nil, err
	}
	page.settle()
	return page, nil
}

// Clocks gives the clock of each record by id, without its document.
func (s *Store) Clocks(ctx context.Context, ids []ID) (map[ID]int64, error) {
	clocks := make(map[ID]int64, len(ids))
	for batch := range slices.Chunk(ids, most) {
		page, err := s.Pick(ctx, batch)
		if err != nil {
			return nil, err
		}
		for _, l := range page.Rows {
			clocks[l.ID] = l.Clock
		}
		page.Release()
	}
	return clocks, nil
}

// Each reads all records of a kind, in order, outside of a transaction.
func (s *Store) Each(ctx context.Context, p *Project, kind Kind, each func(Row) error) error {
	from, to := span(p.ID, kind)
	for {
		n := 0
		err := s.read(ctx, tenant{project: p.ID}, statement{recordsFrom, []any{from, to}, func(c *Cols) error {
			row := whole(c)
			from, n = int64(row.ID)+1, n+1
			return each(row)
		}})
		if err != nil || n < 500 {
			return err
		}
	}
}

// Projects calls each with every project, in order of their making.
func (s *Store) Projects(ctx context.Context, each func(*Project) error) error {
	var after int64
	for {
		var uids []string
		err := s.read(ctx, tenant{}, statement{nthProject, []any{after}, func(c *Cols) error {
			after = c.Int(0)
			uids = append(uids, c.Text(1))
			return nil
		}})
		if err != nil || len(uids) == 0 {
			return err
		}
		for _, uid := range uids {
			p, err := s.Project(ctx, uid)
			if err != nil {
				return err
			}
			if err := each(p); err != nil {
				return err
			}
		}
	}
}

// EachOlder gives the uids of the records of a kind whose documents are of an earlier version, some at a time.
func (s *Store) EachOlder(ctx context.Context, p *Project, kind Kind, version int, each func(uids []string) error) error {
	from, to := span(p.ID, kind)
	for {
		var uids []string
		err := s.read(ctx, tenant{project: p.ID}, statement{olderRecords, []any{from, to, version}, func(c *Cols) error {
			from = c.Int(0) + 1
			uids = append(uids, c.Text(1))
			return nil
		}})
		if err != nil || len(uids) == 0 {
			return err
		}
		if err := each(uids); err != nil {
			return err
		}
	}
}
