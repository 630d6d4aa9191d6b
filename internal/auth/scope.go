package auth

import (
	"context"

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

// Enter admits an account to a project: fault.NotFound for an unknown project, fault.Forbidden for who is not a present member.
func (a *Auth) Enter(ctx context.Context, who *Account, projectUID string) (Scope, error) {
	panic("soon")
}
