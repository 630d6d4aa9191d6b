package forget

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Rule says how long things are kept that nobody needs any more. 0 is for ever.
type Rule struct {
	// Deleted is for how long a deleted record can be restored, and has a content.
	Deleted time.Duration
	// Audit is for how long the history of records says what changed, and the audit who did what.
	Audit time.Duration
}

// ShortestRule is the shortest time that a rule may say: what was deleted by mistake is noticed the next morning.
const ShortestRule = day

// Check refuses what cannot be meant.
func (r Rule) Check() error {
	for flag, age := range map[string]time.Duration{"--keep-deleted": r.Deleted, "--keep-audit": r.Audit} {
		if age != 0 && age < ShortestRule {
			return fmt.Errorf("%s must be a day at least: %s 365d.", flag, flag)
		}
	}
	return nil
}

// Retained is what a run of the rule did.
type Retained struct {
	// Records lost their content, with Files; Changes say no more what they altered; Lines of the audit are gone.
	Records, Files, Changes, Lines int
}

const (
	// wipedRound is how many deleted records are gathered at a time, to look through the log once for all of them, and
	// wipedAtOnce how many rows are written together.
	wipedRound  = 5000
	wipedAtOnce = 50
	// readAtOnce is how many lines of a log are read at a time.
	readAtOnce = 1000
)

// Retain applies the rule to all projects that are neither held nor closed. It is bounded in what it writes and reads
// at a time, and may be cut short.
func (s *Site) Retain(ctx context.Context, rule Rule, by string) (done Retained, err error) {
	now := s.Store.Now()
	all, err := s.projects(ctx)
	for _, p := range all {
		if err != nil {
			return done, err
		}
		if rule.Deleted > 0 {
			err = quietly(s.wipeDeleted(ctx, p, now-rule.Deleted.Microseconds(), &done))
		}
		if err == nil && rule.Audit > 0 {
			err = quietly(s.forgetHistory(ctx, p, now-rule.Audit.Microseconds(), &done))
		}
	}
	if err == nil && rule.Audit > 0 {
		err = s.forgetAudit(ctx, now-rule.Audit.Microseconds(), &done)
	}
	if err != nil || done == (Retained{}) {
		return done, err
	}
	return done, s.Store.Write(ctx, func(tx *store.Tx) error {
		return Note(tx, by, DidRetain, "", fmt.Sprintf("%d deleted records, %d files, %d changes, %d lines of the audit",
			done.Records, done.Files, done.Changes, done.Lines))
	})
}

// edit writes in a project unless it is held or closed: then it stops.
func (s *Site) edit(ctx context.Context, p *store.Project, fn func(tx *store.Tx) error) error {
	return s.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
		_, held, err := isHeld(tx, p)
		if err == nil && !held {
			_, held, _, err = pending(tx, p)
		}
		if err != nil {
			return err
		}
		if held {
			return errStop
		}
		return fn(tx)
	})
}

// deleted is a record that was deleted.
type deleted struct {
	id    store.ID
	uid   string
	clock int64
}

// wipeDeleted drops the content of the records that were deleted before a moment: first what was said of them, last the
// records themselves, so that what is cut short is done again.
func (s *Site) wipeDeleted(ctx context.Context, p *store.Project, before int64, done *Retained) error {
	if err := s.dropFiles(ctx, p, done); err != nil {
		return err
	}
	for after, n := int64(0), wipedRound; n == wipedRound; {
		n = 0
		var some []deleted
		err := s.Store.DeletedBefore(ctx, p, after, before, wipedRound, func(id store.ID, uid string, clock int64) {
			after, n = clock, n+1
			if !s.Kinds.Keeps(id.Kind()) {
				some = append(some, deleted{id, uid, clock})
			}
		})
		if err == nil && len(some) > 0 {
			err = s.wipeAll(ctx, p, some, done)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Site) wipeAll(ctx context.Context, p *store.Project, some []deleted, done *Retained) error {
	said, err := s.attached(ctx, p, some)
	if err != nil {
		return err
	}
	all := append(said, some...)
	gone := make(map[store.ID]bool, len(all))
	for _, d := range all {
		gone[d.id] = true
	}
	err = s.forgetChanges(ctx, p, 0, done, func(_ int64, record store.ID, _ int64) (bool, bool) {
		return gone[record], false
	})
	if err != nil {
		return err
	}
	for len(all) > 0 {
		n := min(len(all), wipedAtOnce)
		if err := s.wipe(ctx, p, all[:n], done); err != nil {
			return err
		}
		all = all[n:]
	}
	return s.dropFiles(ctx, p, done)
}

// attached gives what is attached to records that go, such as comments on them, and is still there.
func (s *Site) attached(ctx context.Context, p *store.Project, some []deleted) (all []deleted, err error) {
	type subject struct {
		kind store.Kind
		uid  string
	}
	goes := map[subject]bool{}
	for _, d := range some {
		goes[subject{d.id.Kind(), d.uid}] = true
	}
	for _, kind := range s.Kinds.Attaching() {
		err := s.Store.Each(ctx, p, kind, func(row store.Row) error {
			of, uid, err := s.Kinds.AttachedTo(row)
			if err == nil && !row.Wiped && goes[subject{of, uid}] {
				all = append(all, deleted{row.ID, row.UID, row.Clock})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// leaving is the type of a file whose record has no content any more, until its object is removed.
const leaving = "x-leaving"

// wipe drops the content of some records, and leaves their files to be removed. One that somebody changed meanwhile is
// left.
func (s *Site) wipe(ctx context.Context, p *store.Project, some []deleted, done *Retained) error {
	n := 0
	err := s.edit(ctx, p, func(tx *store.Tx) error {
		n = 0
		for _, d := range some {
			row, ok, err := tx.At(d.id.Kind(), d.id.Ordinal())
			if err != nil {
				return err
			}
			if !ok || row.Wiped || row.Clock != d.clock {
				continue
			}
			if err := s.Kinds.Wipe(tx, &row); err != nil {
				return err
			}
			err = tx.Exec("UPDATE files SET record = 0, type = $3, name = '' WHERE project = $1 AND record = $2", p.ID, d.id,
				leaving)
			if err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if err == nil {
		done.Records += n
	}
	return err
}

// dropFiles removes the files of records without content: the object first, then the row that names it.
func (s *Site) dropFiles(ctx context.Context, p *store.Project, done *Retained) error {
	for {
		var some []string
		err := s.Store.QueryIn(ctx, p, "SELECT object FROM files WHERE project = $1 AND record = 0 AND type = $2 LIMIT 200",
			[]any{p.ID, leaving}, func(c *store.Cols) error {
				some = append(some, c.Text(0))
				return nil
			})
		if err != nil || len(some) == 0 {
			return err
		}
		for _, object := range some {
			if err := s.Blobs.Delete(ctx, object); err != nil && !fault.Is(err, fault.NotFound) {
				return err
			}
		}
		err = s.edit(ctx, p, func(tx *store.Tx) error {
			for _, object := range some {
				if err := tx.Exec("DELETE FROM files WHERE project = $1 AND object = $2", p.ID, object); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		done.Files += len(some)
	}
}

// forgetChanges passes over the log of a project and drops what those changes altered of which which says so, until it
// says stop.
func (s *Site) forgetChanges(ctx context.Context, p *store.Project, after int64, done *Retained,
	which func(seq int64, record store.ID, clock int64) (drop, stop bool),
) error {
	forgotten := false
	for read, ended := readAtOnce, false; read == readAtOnce && !ended; {
		read = 0
		var drop []int64
		err := s.Store.Past(ctx, p, after, readAtOnce, func(seq int64, record store.ID, clock int64, says bool) {
			if ended {
				return
			}
			goes, stop := which(seq, record, clock)
			if ended = stop; stop {
				return
			}
			if after, read = seq, read+1; goes && says {
				drop = append(drop, seq)
			}
		})
		if err != nil {
			return err
		}
		for len(drop) > 0 {
			n := min(len(drop), wipedAtOnce)
			err := s.edit(ctx, p, func(tx *store.Tx) error {
				for _, seq := range drop[:n] {
					if err := tx.Forget(seq); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
			drop, forgotten, done.Changes = drop[n:], true, done.Changes+n
		}
	}
	if !forgotten {
		return nil
	}
	return s.edit(ctx, p, show) // what a history shows has changed
}

// historyNote begins the names of the notes of how far the history of a project was forgotten.
const historyNote = "history/"

// forgetHistory drops what changes altered before a moment. Who changed which record, and when, stays.
func (s *Site) forgetHistory(ctx context.Context, p *store.Project, before int64, done *Retained) error {
	text, err := s.Store.Note(ctx, historyNote+p.UID)
	if err != nil {
		return err
	}
	from, _ := strconv.ParseInt(text, 10, 64) // none is 0
	reached := from
	err = s.forgetChanges(ctx, p, from, done, func(seq int64, _ store.ID, clock int64) (drop, stop bool) {
		if clock >= before {
			return false, true
		}
		reached = seq
		return true, false
	})
	if err != nil || reached == from {
		return err
	}
	return s.edit(ctx, p, func(tx *store.Tx) error {
		return tx.SetNote(historyNote+p.UID, strconv.FormatInt(reached, 10))
	})
}

// forgetAudit drops the lines of the audit from before a moment, but for those of projects that are held.
func (s *Site) forgetAudit(ctx context.Context, before int64, done *Retained) error {
	for n := wipedAtOnce; n == wipedAtOnce; {
		err := s.Store.Write(ctx, func(tx *store.Tx) error {
			n = 0
			return tx.Query(`DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < $1
AND subject NOT IN (SELECT uid FROM holds) ORDER BY at LIMIT $2) RETURNING id`, []any{before, wipedAtOnce},
				func(*store.Cols) error {
					n++
					return nil
				})
		})
		if err != nil {
			return err
		}
		done.Lines += n
	}
	return nil
}
