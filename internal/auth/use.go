package auth

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"groundwork/internal/store"
)

// uses are the last uses of keys that are not written yet: writing each at once would make every read a write.
type uses struct {
	mu     sync.Mutex
	latest map[string]int64 // by key uid, microseconds
}

const (
	noteAgainAfter = int64(time.Minute / time.Microsecond)
	flushEvery     = 15 * time.Second
	mostPerFlush   = 128
)

// used notes that a key was used now, at most once a minute.
func (a *Auth) used(e *entry) {
	now := a.store.Now()
	noted := e.noted.Load()
	if now-noted < noteAgainAfter || !e.noted.CompareAndSwap(noted, now) {
		return
	}
	a.uses.mu.Lock()
	defer a.uses.mu.Unlock()
	if a.uses.latest == nil {
		a.uses.latest = map[string]int64{}
	}
	a.uses.latest[e.credential.ID] = now
}

// noteUses writes uses from time to time, until ctx ends.
func (a *Auth) noteUses(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := a.flushUses(ctx); err != nil && ctx.Err() == nil {
				a.log.Warn("cannot note when keys were last used", "error", err)
			}
		}
	}
}

// flushUses writes what is noted. What cannot be written is noted again, unless a later use is.
func (a *Auth) flushUses(ctx context.Context) error {
	a.uses.mu.Lock()
	latest := a.uses.latest
	a.uses.latest = nil
	a.uses.mu.Unlock()

	// Sorted, so that processes that write the same keys wait for each other in one direction only.
	for uids := range slices.Chunk(slices.Sorted(maps.Keys(latest)), mostPerFlush) {
		err := a.store.Write(ctx, func(tx *store.Tx) error {
			for _, uid := range uids {
				err := tx.Exec(`UPDATE keys SET last_used_at = $1 WHERE uid = $2 AND (last_used_at IS NULL OR last_used_at < $1)`, latest[uid], uid)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			a.noteAgain(latest)
			return err
		}
	}
	return nil
}

func (a *Auth) noteAgain(older map[string]int64) {
	a.uses.mu.Lock()
	defer a.uses.mu.Unlock()
	maps.Copy(older, a.uses.latest)
	a.uses.latest = older
}
