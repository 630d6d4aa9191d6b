package store

import (
	"context"
	"slices"
)

// Own gives the ids of the records, in whatever project, whose uid is the account's: its present team records, in order
// of project.
func (s *Store) Own(ctx context.Context, account string) ([]ID, error) {
	var ids []ID
	err := s.read(ctx, tenant{account: account}, statement{ownRecords, []any{account}, func(c *Cols) error {
		ids = append(ids, ID(c.Int(0)))
		return nil
	}})
	return ids, err
}

// teamRecord reads a row of everOwn or ownFrom: a team record, and its project.
func teamRecord(c *Cols) (Row, *Project) {
	id := ID(c.Int(0))
	return Row{
		ID: id, Clock: c.Int(1), Deleted: c.Int(2) != 0, Terms: c.Text(3),
	}, newProject(id.Project(), c.Text(4), c.Int(5), c.Int(6), c.Int(7))
}

// EndLinks ends the links of every project where the account is on the team. It does so some projects at a time, so
// that others write in between: whoever gets an error calls it again.
func (s *Store) EndLinks(ctx context.Context, account string) error {
	for from, next := ID(0), ID(0); ; from = next {
		err := s.Write(ctx, func(tx *Tx) error {
			next = from
			if err := tx.ses.tenant(tenant{account: account}); err != nil {
				return err
			}
			var rows []Row
			var projects []*Project
			err := tx.ses.query(ownFrom, []any{account, from}, func(c *Cols) error {
				row, p := teamRecord(c)
				rows, projects, next = append(rows, row), append(projects, p), row.ID
				return nil
			})
			if err != nil {
				return err
			}
			tx.here = nil
			for i, p := range projects {
				if err := tx.enter(tx.store.projects.add(p)); err != nil {
					return err
				}
				tx.EndLinks()
				// What lists show has changed: their links.
				if err := tx.log(&rows[i], Shown, nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil || next == from {
			return err
		}
	}
}

// OwnCount tells on how many teams an account is, as the transaction sees them.
func (tx *Tx) OwnCount(account string) (n int, err error) {
	home := tx.here
	if err := tx.ses.tenant(tenant{account: account}); err != nil {
		return 0, err
	}
	if err := tx.ses.query(countOwn, []any{account}, func(c *Cols) error {
		n = int(c.Int(0))
		return nil
	}); err != nil {
		return 0, err
	}
	if tx.here = nil; home != nil {
		err = tx.enter(home.project)
	}
	return n, err
}

// announcedAtOnce is in how many projects one transaction tells that what is shown of an account changed: about a
// millisecond, for which other writes wait. Who is on more teams is told later.
const announcedAtOnce = 10

// Announce logs, in every project where the account ever was on the team, that what is shown of it changed. Where these
// are more than one transaction may take it logs nothing: then all is false, and AnnounceAfter is to be called in
// transactions of its own.
func (tx *Tx) Announce(account string) (all bool, err error) {
	_, more, err := tx.announce(account, 0, false)
	return !more, err
}

// AnnounceAfter does so in the next projects after a record of the account; more tells that others follow last.
func (tx *Tx) AnnounceAfter(account string, after ID) (last ID, more bool, err error) {
	return tx.announce(account, after, true)
}

func (tx *Tx) announce(account string, after ID, part bool) (last ID, more bool, err error) {
	home := tx.here
	if err := tx.ses.tenant(tenant{account: account}); err != nil {
		return 0, false, err
	}
	var rows []Row
	var projects []*Project
	err = tx.ses.query(everOwn, []any{account, after, announcedAtOnce + 1}, func(c *Cols) error {
		row, p := teamRecord(c)
		rows, projects = append(rows, row), append(projects, p)
		return nil
	})
	if err != nil {
		return 0, false, err
	}
	tx.here = nil
	if more = len(rows) > announcedAtOnce; more && part {
		projects = projects[:announcedAtOnce]
	} else if more {
		projects = nil
	}
	for i, p := range projects {
		if tx.book(p.ID) == nil { // else it may have been founded in this very transaction, and is not there for others
			p = tx.store.projects.add(p)
		}
		if err := tx.enter(p); err != nil {
			return 0, false, err
		}
		if err := tx.log(&rows[i], Shown, nil); err != nil {
			return 0, false, err
		}
		last = rows[i].ID
	}
	if home != nil {
		return last, more, tx.enter(home.project)
	}
	return last, more, nil
}

// Pick reads records of several projects by id, at most 50, in order of id. The caller must have checked the right to
// each.
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
		var t tenant
		args := make([]any, most)
		for i := range args {
			args[i] = batch[min(i, len(batch)-1)]
		}
		for _, id := range batch {
			t.more = append(t.more, id.Project())
		}
		err := s.read(ctx, t, statement{clocksPicked, args, func(c *Cols) error {
			clocks[ID(c.Int(0))] = c.Int(1)
			return nil
		}})
		if err != nil {
			return nil, err
		}
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
func (s *Store) EachOlder(ctx context.Context, p *Project, kind Kind, version int,
	each func(uids []string) error,
) error {
	from, to := span(p.ID, kind)
	for {
		var uids []string
		err := s.read(ctx, tenant{project: p.ID},
			statement{olderRecords, []any{from, to, version}, func(c *Cols) error {
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

// EverOwn gives the projects where the account ever was on the team, and the ids of its team records there.
func (s *Store) EverOwn(ctx context.Context, account string) (ids []ID, projects []*Project, err error) {
	for last, n := ID(0), OwnAtOnce; n == OwnAtOnce; {
		n = 0
		err := s.read(ctx, tenant{account: account}, statement{
			everOwn, []any{account, last, OwnAtOnce}, func(c *Cols) error {
				row, p := teamRecord(c)
				ids, projects = append(ids, row.ID), append(projects, s.projects.add(p))
				last, n = row.ID, n+1
				return nil
			},
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return ids, projects, nil
}

// OwnAtOnce is how many projects of an account are read at once.
const OwnAtOnce = 50

// OwnProjects gives the projects where the account is on the team, and the ids of its team records in them, in order of
// project.
func (s *Store) OwnProjects(ctx context.Context, account string) (ids []ID, projects []*Project, err error) {
	for from := int64(0); ; from = ids[len(ids)-1].Project() + 1 {
		some, open, err := s.OwnProjectsFrom(ctx, account, from)
		if err != nil {
			return nil, nil, err
		}
		if ids, projects = append(ids, some...), append(projects, open...); len(some) < OwnAtOnce {
			return ids, projects, nil
		}
	}
}

// OwnProjectsFrom gives the first OwnAtOnce of them from a project on; fewer where there are no more.
func (s *Store) OwnProjectsFrom(ctx context.Context, account string, project int64) (ids []ID, projects []*Project,
	err error,
) {
	before := max(MakeID(project, 0, 0)-1, 0)
	err = s.read(ctx, tenant{account: account}, statement{ownFrom, []any{account, before}, func(c *Cols) error {
		row, p := teamRecord(c)
		ids, projects = append(ids, row.ID), append(projects, s.projects.add(p))
		return nil
	}})
	return ids, projects, err
}
