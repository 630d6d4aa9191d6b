package auth

import (
	"context"
	"time"

	"groundwork/internal/identity"
)

// forget drops what this process remembers of credentials.
func (a *Auth) forget() { a.memory.Store(new(memory)) }

// How often the version is read, and how long that may take: together less than the second in which a revoked key must
// stop everywhere.
const (
	followEvery  = 400 * time.Millisecond
	followWithin = 500 * time.Millisecond
)

// follow forgets all credentials whenever another process changed one, and whenever the database cannot say whether one
// did.
func (a *Auth) follow(ctx context.Context, seen string) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for failing := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := a.version(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !failing {
			a.log.Warn("cannot read whether keys have changed; each request asks the database until it answers",
				"error", err)
		}
		if failing = err != nil; failing || now != seen {
			a.forget()
		}
		seen = now
	}
}

func (a *Auth) version(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, followWithin)
	defer cancel()
	return a.store.Note(ctx, identity.VersionNote)
}
