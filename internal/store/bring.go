package store

import (
	"context"

	"groundwork/internal/fault"
)

// Bring runs fn in a transaction that may take minutes: it brings a whole project. Where one process owns the data,
// other writes wait for it; else only those that make projects do. fn may run more than once.
func (s *Store) Bring(ctx context.Context, fn func(*Tx) error) error {
	return s.submit(&command{ctx: ctx, fn: fn, long: true})
}

// Logged is a line of the change log that comes from elsewhere.
type Logged struct {
	Seq    int64
	Record ID
	Clock  int64
	Op     Op
	Actor  uint32
	Diff   []byte
	Was    *string
}

// Arrive makes a project that comes from elsewhere, with its clock and sequence, and enters it: what follows are its
// rows. It exists for others once it is committed. jumps says that its log has some, as after a restore.
func (tx *Tx) Arrive(uid string, clock, seq int64, jumps bool) (*Project, error) {
	p, err := tx.Found(uid)
	if err != nil {
		return nil, err
	}
	tx.here.clock, tx.here.seq = clock, seq
	if !jumps || tx.store.restored.Load() {
		return p, nil
	}
	tx.After(func() { tx.store.restored.Store(true) })
	return p, tx.Exec(writeNote, restoredNote, "a project was imported whose log has jumps")
}

// SetNote notes a value under a name, in place of what was.
func (tx *Tx) SetNote(name, value string) error { return tx.Exec(writeNote, name, value) }

// PutRecord stores a record of the project as it is, at its own place and clock.
func (tx *Tx) PutRecord(row *Row) error {
	return tx.Exec(insertRecord, row.ID, row.UID, row.Clock, row.mark(), row.Tally, row.Terms, row.Version, row.Doc,
		row.Private)
}

// PutChange stores a line of the project's log as it is.
func (tx *Tx) PutChange(c Logged) error {
	id := tx.here.project.ID<<projectShift | c.Seq
	return tx.Exec(insertChange, id, c.Record, c.Clock, c.Op, c.Actor, c.Diff, c.Was)
}

// PutLink stores a link of the project at its own place.
func (tx *Tx) PutLink(owner ID, field uint8, place int64, target ID) error {
	return tx.Exec(insertLink, owner, int64(field), place, target)
}

// PutRow stores a row of a side table, with a value for each of its columns: an int64, a string or nil.
func (tx *Tx) PutRow(t Table, values []any) error { return tx.Exec(t.insert(), values...) }

// Settle has what was stored so far sent to the database, so that a long write does not gather in memory.
func (tx *Tx) Settle() error {
	return tx.ses.query(takeProject, []any{tx.here.project.ID}, nil)
}

// HasUID tells whether any project has a record of a uid.
func (s *Store) HasUID(ctx context.Context, uid string) (found bool, err error) {
	if !storable(uid) {
		return false, nil
	}
	err = s.read(ctx, tenant{account: uid}, statement{anyRecord, []any{uid}, func(*Cols) error {
		found = true
		return nil
	}})
	return found, err
}

const anyRecord = "SELECT id FROM records WHERE uid = $1 LIMIT 1"

// Jump is what the number of a change is a multiple of by which a log goes on after a restore.
const Jump = 1 << restoredShift

// Exists tells whether there is a project of a uid.
func (s *Store) Exists(ctx context.Context, uid string) (bool, error) {
	_, err := s.Project(ctx, uid)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}

// Renew runs fn in a transaction of a project that may take minutes: it brings what another installation has of it up
// to date. fn may run more than once.
func (s *Store) Renew(ctx context.Context, p *Project, fn func(*Tx) error) error {
	return s.submit(&command{ctx: ctx, project: p, fn: fn, long: true})
}

// Renew stores a record that comes from elsewhere in place of the one that is here, or with fresh as a new one, and
// logs what was done and by whom. It has the clock that it has there where that is later than the project's; else the
// next one.
func (tx *Tx) Renew(row *Row, fresh bool, op Op, actor uint32, diff []byte) error {
	b := tx.here
	b.clock = max(row.Clock, b.clock+1)
	row.Clock = b.clock
	put := tx.put
	if fresh {
		put = tx.PutRecord
		b.last[row.ID.Kind()] = max(b.last[row.ID.Kind()], row.ID.Ordinal())
	}
	if err := put(row); err != nil {
		return err
	}
	b.seq++
	b.effects = append(b.effects, effect{row.ID, b.seq, row.Clock, row.Deleted, row.Terms, row.was})
	var left *string
	if row.Hides && row.was != nil && *row.was != row.Terms {
		left = row.was
	}
	return tx.Exec(insertChange, b.project.ID<<projectShift|b.seq, row.ID, row.Clock, op, actor, diff, left)
}

// Retell logs a change of a record that another installation tells and that a later one, which Renew will log, has
// overtaken.
func (tx *Tx) Retell(c Logged) error {
	b := tx.here
	b.clock = max(c.Clock, b.clock+1)
	b.seq++
	return tx.Exec(insertChange, b.project.ID<<projectShift|b.seq, c.Record, b.clock, c.Op, c.Actor, c.Diff, nil)
}

// Unfasten takes all records out of a collection.
func (tx *Tx) Unfasten(owner ID, field uint8) error { return tx.Exec(deleteLinks, owner, int64(field)) }

const deleteLinks = "DELETE FROM links WHERE owner = $1 AND field = $2"

// ChangedSince shows the changes that people made in a project after a sequence number, until each is false; those that
// only moved what is shown are left out.
func (s *Store) ChangedSince(ctx context.Context, p *Project, seq int64, each func(c Logged) bool) error {
	for more := true; more; {
		more = false
		err := s.read(ctx, tenant{project: p.ID}, statement{
			changedBy,
			[]any{p.ID<<projectShift | seq, (p.ID + 1) << projectShift},
			func(c *Cols) error {
				seq, more = c.Int(0)&MostSeq, true
				one := Logged{Seq: seq, Record: ID(c.Int(1)), Op: Op(c.Int(2)), Actor: uint32(c.Int(3))}
				one.Diff = c.Bytes(4)
				if one.Actor > 0 && one.Op != Shown && !each(one) {
					return errEnough
				}
				return nil
			},
		})
		if err != nil {
			return ended(err)
		}
	}
	return nil
}

const changedBy = "SELECT id, record, op, actor, diff FROM changes WHERE id > $1 AND id < $2 ORDER BY id LIMIT 500"
