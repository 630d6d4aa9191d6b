package auth

import (
	"context"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// Scope is the proof that somebody may act in a project: every project route gets one, and only this package makes it.
type Scope struct {
	account *identity.Account
	project *store.Project
	role    Role
	person  uint32
	here    bool
}

// Account is who acts.
func (s Scope) Account() *identity.Account { return s.account }

// Project is where.
func (s Scope) Project() *store.Project { return s.project }

// Role is the account's role in the project.
func (s Scope) Role() Role { return s.role }

// Person is the ordinal of the account's team record in the project.
func (s Scope) Person() uint32 { return s.person }

// Here tells whether the account has come to the project before.
func (s Scope) Here() bool { return s.here }

// In is the scope that the same person would have in another role, to ask what that role sees; nothing is done with it.
func (s Scope) In(role Role) Scope {
	s.role = role
	return s
}

// trust is how long another process's change to a team may stay unseen.
const trust = time.Second

// Enter admits an account to a project: fault.NotFound for an unknown project, fault.Forbidden for who is not a present
// member, or one whose membership waits until their address is proven: they are not told that it does. A project that
// is to be erased is entered by nobody.
func (a *Auth) Enter(ctx context.Context, who *identity.Account, projectUID string) (Scope, error) {
	p, err := a.store.Project(ctx, projectUID)
	if err != nil {
		return Scope{}, err
	}
	if err := a.closed(ctx, p); err != nil {
		return Scope{}, err
	}
	// Nobody is refused by memory alone: an invitation may just have been written elsewhere.
	for _, age := range []time.Duration{trust, 0} {
		if err := a.store.Refresh(ctx, p, age); err != nil {
			return Scope{}, err
		}
		t, err := a.Team(ctx, p)
		if err != nil {
			return Scope{}, err
		}
		ordinal := t.Ordinal(who.UID)
		if m := t.Person(ordinal); m != nil && !m.Removed && m.Role != Nobody && who.Reaches(p.ID, ordinal) {
			return Scope{who, p, m.Role, ordinal, m.Here}, nil
		}
	}
	return Scope{}, fault.New(fault.Forbidden, "You are not a member of the project %s.", projectUID)
}

// Found makes a project in a transaction, and gives the scope of the account that makes it: its first member and Admin.
func Found(tx *store.Tx, who *identity.Account, uid string) (Scope, error) {
	p, err := tx.Found(uid)
	if err != nil {
		return Scope{}, err
	}
	return Scope{who, p, Admin, identity.Founder, true}, nil
}

// Come notes, the first time, that a member has come to a project themselves: from now on it shows their profile.
func (a *Auth) Come(ctx context.Context, s Scope) error {
	return a.store.Edit(ctx, s.project, s.person, func(tx *store.Tx) error {
		row, ok, err := tx.At(KindMember, s.person)
		if err != nil || !ok || row.Deleted || len(row.Private) == 0 {
			return err
		}
		if err := identity.EndWaiting(tx, row.UID); err != nil {
			return err
		}
		row.Private = nil
		return tx.Show(&row)
	})
}
