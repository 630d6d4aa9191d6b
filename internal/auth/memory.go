package auth

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"

	"groundwork/internal/store"
)

// memory is the credentials known since the last change of any account or key. A change replaces the whole memory: whoever was reading the
// database meanwhile puts what it read into the old one, where nobody looks.
type memory struct {
	known sync.Map // [32]byte, the SHA-256 of a key, token or session, to *entry
	size  atomic.Int64

	versions atomic.Pointer[[]Version] // the deprecated ones
}

// entry is what the database says of one key, token or session: a credential, or why it is refused.
type entry struct {
	table, uid string // where its last use is noted
	credential *Credential
	refusal    error
	expires    int64        // microseconds; 0 for a key
	noted      atomic.Int64 // the last use that was noted, in microseconds
}

// mostKnown bounds the memory; only keys that exist are remembered, so that guesses cost nothing.
const mostKnown = 1 << 16

func (m *memory) recall(hash [32]byte) *entry {
	if e, ok := m.known.Load(hash); ok {
		return e.(*entry)
	}
	return nil
}

func (m *memory) remember(hash [32]byte, e *entry) {
	if m.size.Load() >= mostKnown {
		return
	}
	if _, twice := m.known.LoadOrStore(hash, e); !twice {
		m.size.Add(1)
	}
}

func (a *Auth) forget() { a.memory.Store(new(memory)) }

// How often the version is read, and how long that may take: together less than the second in which a revoked key must stop everywhere.
const (
	followEvery  = 400 * time.Millisecond
	followWithin = 500 * time.Millisecond
)

// follow forgets all credentials whenever another process changed one, and whenever the database cannot say whether one did.
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
			a.log.Warn("cannot read whether keys have changed; each request asks the database until it answers", "error", err)
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
	return a.store.Note(ctx, nameVersion)
}

// newVersion is a value that the version never had: only that it moved matters.
func newVersion() string { return rand.Text() }

// changed tells the other processes, once tx commits, that an account or a key is no longer what they remember.
func changed(tx *store.Tx) error {
	return tx.Exec(`UPDATE instance SET value = $1 WHERE name = $2`, newVersion(), nameVersion)
}

// write runs fn and makes every process forget what it knew of accounts and keys: this one before it returns, the others within a second.
func (a *Auth) write(ctx context.Context, fn func(*store.Tx) error) error {
	// Also after a failure: the outcome of a write can be unknown.
	defer a.forget()
	return a.store.Write(ctx, func(tx *store.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return changed(tx)
	})
}
