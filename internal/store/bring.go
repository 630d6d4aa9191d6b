package store

import (
	"context"

	"groundwork/internal/fault"
)

// longLane is the lane of writes that take long, where projects have lanes of their own.
const longLane = -1

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

// MostSeq is the greatest sequence number that a project can have.
const MostSeq = 1<<projectShift - 1

// Storable tells whether a text could stand in a database at all.
func Storable(text string) bool { return storable(text) }

// Exists tells whether there is a project of a uid.
func (s *Store) Exists(ctx context.Context, uid string) (bool, error) {
	_, err := s.Project(ctx, uid)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}
