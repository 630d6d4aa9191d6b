// Package identity owns accounts: who people are, by their addresses and names, what they say of themselves, how an
// address is proven, and the life of those who were invited. It refuses to know credentials, which are package auth's,
// and what people may do. Its entry point is Directory.
package identity

import (
	"context"
	"crypto/rand"
	"time"

	"groundwork/internal/password"
	"groundwork/internal/store"
)

// Directory is the accounts of an installation.
type Directory struct {
	// Later leaves an announcement for later, after a pause; nil makes all of them at once. See Announcement.
	Later func(tx *store.Tx, a Announcement, pause time.Duration) error
	// MostProjects is on how many teams an account may be; 0 is no bound.
	MostProjects int
	// Invitations is how many an account may give within an hour.
	Invitations int64

	store  *store.Store
	hasher *password.Hasher
	forget func()
}

// NewDirectory keeps accounts in s and their passwords as h hashes them. forget is called when what this process
// remembers of accounts and their credentials is out of date.
func NewDirectory(s *store.Store, h *password.Hasher, forget func()) *Directory {
	return &Directory{store: s, hasher: h, forget: forget, Invitations: DefaultInvitations}
}

// Query is how the database is asked, inside or outside of a transaction.
type Query func(sql string, args []any, each func(*store.Cols) error) error

// QueryIn asks outside of a transaction.
func (a *Directory) QueryIn(ctx context.Context) Query {
	return func(sql string, args []any, each func(*store.Cols) error) error {
		return a.store.Query(ctx, sql, args, each)
	}
}

// VersionNote is the name of the note that moves whenever an account or a credential changes: by it the processes of an
// installation know that what they remember is out of date.
const VersionNote = "auth_version"

// NewVersion is a value that the note never had: only that it moved matters.
func NewVersion() string { return rand.Text() }

// Change runs fn and makes every process forget what it knew of accounts and credentials: this one before it returns,
// the others within a second.
func (a *Directory) Change(ctx context.Context, fn func(*store.Tx) error) error {
	// Also after a failure: the outcome of a write can be unknown.
	defer a.forget()
	return a.store.Write(ctx, func(tx *store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return moved(tx)
	})
}

// Changed does so for a transaction of the caller's, once that commits.
func (a *Directory) Changed(tx *store.Tx) error {
	tx.After(a.forget)
	return moved(tx)
}

func moved(tx *store.Tx) error {
	return tx.Exec(`UPDATE instance SET value = $1 WHERE name = $2`, NewVersion(), VersionNote)
}
