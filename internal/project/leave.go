package project

import (
	"context"

	"groundwork/internal/auth"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// leave takes somebody off the team of a project, as if they had left. left is false for the last Admin, who stays: a
// project without one would be nobody's.
func leave(ctx context.Context, site *family.Site, p *store.Project, account string) (left bool, err error) {
	team, err := site.Auth.Team(ctx, p)
	if err != nil {
		return false, err
	}
	// In the name of the person: the service is nobody's.
	err = site.Store.Edit(ctx, p, team.Ordinal(account), func(tx *store.Tx) error {
		row, known, err := tx.Get(auth.KindMember, account)
		if left = true; err != nil || !known || row.Deleted {
			return err
		}
		old, err := members.Load(row)
		if err != nil {
			return err
		}
		now := *old
		now.Deleted = true
		return members.Save(&resource.Tx{Tx: tx, Auth: site.Auth, Jobs: site.Jobs}, &row, old, &now, store.Deleted)
	})
	if fault.Is(err, fault.Conflict) {
		return false, nil
	}
	return left && err == nil, err
}
