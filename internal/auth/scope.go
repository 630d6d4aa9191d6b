package auth

import (
	"context"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Scope is the proof that somebody may act in a project: every project route gets one, and only this package makes it.
type Scope struct {
	account *Account
	project *store.Project
	role    Role
	person  uint32
}

// Account is who acts.
func (s Scope) Account() *Account { return s.account }

// Project is where.
func (s Scope) Project() *store.Project { return s.project }

// Role is the account's role in the project.
func (s Scope) Role() Role { return s.role }

// Person is the ordinal of the account's team record in the project.
func (s Scope) Person() uint32 { return s.person }

// trust is how long another process's change to a team may stay unseen.
const trust = time.Second

// Enter admits an account to a project: fault.NotFound for an unknown project, fault.Forbidden for who is not a present member.
func (a *Auth) Enter(ctx context.Context, who *Account, projectUID string) (Scope, error) {
	p, err := a.store.Project(ctx, projectUID)
	if err != nil {
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
		if m := t.Person(ordinal); m != nil && !m.Removed && m.Role != Nobody {
			return Scope{who, p, m.Role, ordinal}, nil
		}
	}
	return Scope{}, fault.New(fault.Forbidden, "You are not a member of the project %s.", projectUID)
}

// Founder is the scope of the account that is making project p: its first member and Admin.
func Founder(who *Account, p *store.Project) Scope { return Scope{who, p, Admin, 1} }
