package auth

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"groundwork/internal/store"
)

const (
	noteAgainAfter = int64(time.Minute / time.Microsecond)
	flushEvery     = 15 * time.Second
	mostPerFlush   = 128
)

// used notes that a key, token or session was used now, at most once a minute.
func (a *Auth) used(e *entry) {
	now := a.store.Now()
	noted := e.noted.Load()
	if now-noted < noteAgainAfter || !e.noted.CompareAndSwap(noted, now) {
		return
	}
	a.note(use{table: e.table, uid: e.uid}, now)
}

func (a *Auth) note(what use, now int64) {
	a.uses.mu.Lock()
	defer a.uses.mu.Unlock()
	if a.uses.latest == nil {
		a.uses.latest = map[use]int64{}
	}
	a.uses.latest[what] = now
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
	sorted := slices.SortedFunc(maps.Keys(latest), func(x, y use) int {
		return cmp.Or(cmp.Compare(x.table, y.table), cmp.Compare(x.uid, y.uid), x.major-y.major)
	})
	for group := range slices.Chunk(sorted, mostPerFlush) {
		err := a.store.Write(ctx, func(tx *store.Tx) error {
			for _, what := range group {
				if err := what.write(tx, latest[what]); err != nil {
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

func (u use) write(tx *store.Tx, at int64) error {
	if u.major > 0 {
		return tx.Exec(`INSERT INTO version_uses (account, major, last_used_at) VALUES ($1, $2, $3)
ON CONFLICT (account, major) DO UPDATE SET last_used_at = excluded.last_used_at
WHERE version_uses.last_used_at < excluded.last_used_at`, u.uid, u.major, at)
	}
	return tx.Exec(`UPDATE `+u.table+
		` SET last_used_at = $1 WHERE uid = $2 AND (last_used_at IS NULL OR last_used_at < $1)`, at, u.uid)
}

func (a *Auth) noteAgain(older map[use]int64) {
	a.uses.mu.Lock()
	defer a.uses.mu.Unlock()
	maps.Copy(older, a.uses.latest)
	a.uses.latest = older
}
