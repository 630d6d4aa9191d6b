package store

import "context"

// OwnProjects gives the projects where the account is on the team, and the ids of its team records in them, in order of
// project.
func (s *Store) OwnProjects(ctx context.Context, account string) (ids []ID, projects []*Project, err error) {
	for from, n := ID(0), 50; n == 50; {
		n = 0
		err = s.read(ctx, tenant{account: account}, statement{ownFrom, []any{account, from}, func(c *Cols) error {
			row, p := teamRecord(c)
			from, n = row.ID, n+1
			ids, projects = append(ids, row.ID), append(projects, s.projects.add(p))
			return nil
		}})
		if err != nil {
			return nil, nil, err
		}
	}
	return ids, projects, nil
}

// Watch has the memory of a project follow what other processes write, within half a second, until done.
func (s *Store) Watch(p *Project) (done func()) {
	if !s.engine.shared() {
		return func() {}
	}
	return s.watched.add(s, p)
}
