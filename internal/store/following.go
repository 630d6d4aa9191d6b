package store

import "context"

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

// Watch has the memory of a project follow what other processes write, within half a second, until done.
func (s *Store) Watch(p *Project) (done func()) {
	if !s.engine.shared() {
		return func() {}
	}
	return s.watched.add(s, p)
}
