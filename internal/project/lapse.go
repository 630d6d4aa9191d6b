package project

import (
	"context"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// work declares what is done in the background: memberships that nobody comes to lapse.
func work(site *family.Site) {
	q, s, a := site.Jobs, site.Store, site.Auth
	const lapsing = "end-invitations"
	job.Handle(q, lapsing, job.Options{Attempts: 5, Backoff: time.Minute},
		func(ctx context.Context, _ struct{}, _ *job.Run) error { return Lapse(ctx, s, a, q) })
	q.Every(lapsing, time.Hour)
}

// Lapse removes from their teams those who were invited long ago and never came, as if they had left: otherwise
// strangers could have projects wait for somebody for ever. Invited again, they are back.
func Lapse(ctx context.Context, s *store.Store, a *auth.Auth, jobs *job.Queue) error {
	for {
		all, err := a.Lapsed(ctx)
		if err != nil || len(all) == 0 {
			return err
		}
		for _, one := range all {
			if err := lapse(ctx, s, a, jobs, one); err != nil {
				return err
			}
		}
	}
}

func lapse(ctx context.Context, s *store.Store, a *auth.Auth, jobs *job.Queue, one identity.Lapsed) error {
	p, err := s.Project(ctx, one.Project)
	if err != nil {
		return err
	}
	team, err := a.Team(ctx, p)
	if err != nil {
		return err
	}
	// In the name of the person: the service is nobody's.
	return s.Edit(ctx, p, team.Ordinal(one.Account), func(tx *store.Tx) error {
		if lapses, err := a.Lapses(tx, one.Account); err != nil || !lapses {
			return err
		}
		row, known, err := tx.Get(auth.KindMember, one.Account)
		if err != nil || !known || row.Deleted || len(row.Private) == 0 {
			return err
		}
		old, err := members.Load(row)
		if err != nil {
			return err
		}
		now := *old
		now.Deleted = true
		err = members.Save(&resource.Tx{Tx: tx, Auth: a, Jobs: jobs}, &row, old, &now, store.Deleted)
		if fault.Is(err, fault.Conflict) {
			return nil // the last Admin: a project without one would be nobody's
		}
		return err
	})
}
