package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"

	"groundwork/internal/credential"
	"groundwork/internal/grant"
	"groundwork/internal/identity"
	"groundwork/internal/password"
	"groundwork/internal/store"
)

// LeastSecret is the number of bytes that a secret given from outside must have.
const LeastSecret = 32

// New loads what the installation keeps about itself, making its secret on the first start, and begins to follow the
// changes that other processes make.
func New(ctx context.Context, s *store.Store, options ...Option) (*Auth, error) {
	a := &Auth{
		store: s, log: slog.New(slog.DiscardHandler), limits: credential.DefaultLimits(),
		sessionLimits: credential.SessionLimits(), hasher: password.NewHasher(),
		tries: password.NewAttempts(nil), tokens: DefaultTokenLife,
	}
	a.Directory = identity.NewDirectory(s, a.hasher, a.forget)
	a.forget()
	for _, option := range options {
		option(a)
	}
	if a.secret != nil && len(a.secret) < LeastSecret {
		return nil, fmt.Errorf("The given secret has %d bytes; it needs at least %d.", len(a.secret), LeastSecret)
	}
	a.Grants = grant.New(s, a.Directory, a.limits, a.tokens, a.strict)
	a.Grants.Post = a.post
	version, err := a.install(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.UpgradeAddresses(ctx); err != nil {
		return nil, err
	}
	working, stop := context.WithCancel(context.Background())
	a.stop = stop
	a.work.Go(func() { a.follow(working, version) })
	a.work.Go(func() { a.noteUses(working) })
	return a, nil
}

// Close writes what is still to be noted and ends the background work. The store must still be open.
func (a *Auth) Close() error {
	a.stop()
	a.work.Wait()
	return a.flushUses(context.Background())
}

// The names of what this package keeps in the table instance.
const nameSecret = "secret"

// install reads the installation's own rows, and makes those that are missing; of two processes that start at once, the
// first one's stay.
func (a *Auth) install(ctx context.Context) (version string, err error) {
	fresh := make([]byte, LeastSecret)
	rand.Read(fresh)
	made := map[string]string{nameSecret: hex.EncodeToString(fresh), identity.VersionNote: identity.NewVersion()}
	kept, err := a.instance(ctx)
	if err != nil {
		return "", err
	}
	if kept[nameSecret] == "" || kept[identity.VersionNote] == "" {
		err = a.store.Write(ctx, func(tx *store.Tx) error {
			for _, name := range []string{identity.VersionNote, nameSecret} {
				if err := tx.Exec(`INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
					name, made[name]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return "", err
		}
		if kept, err = a.instance(ctx); err != nil {
			return "", err
		}
	}
	if a.secret == nil {
		if a.secret, err = hex.DecodeString(kept[nameSecret]); err != nil || len(a.secret) < LeastSecret {
			return "", errors.New(
				"The installation's secret in the database is damaged; restore the row secret of the table instance from a backup.")
		}
	}
	return kept[identity.VersionNote], nil
}

func (a *Auth) instance(ctx context.Context) (map[string]string, error) {
	rows := map[string]string{}
	err := a.store.Query(ctx, `SELECT name, value FROM instance WHERE name IN ($1, $2)`, []any{nameSecret, identity.VersionNote},
		func(c *store.Cols) error {
			rows[c.Text(0)] = c.Text(1)
			return nil
		})
	return rows, err
}
