package store

import (
	"slices"

	"groundwork/internal/fault"
)

// Get reads the record of a kind by its uid; ok is false where the project has none.
func (tx *Tx) Get(kind Kind, uid string) (row Row, ok bool, err error) {
	if !storable(uid) {
		return row, false, nil
	}
	take := func(c *Cols) error {
		row, ok = whole(c), true
		return nil
	}
	if id, guessed := tx.here.project.place(kind, uid); guessed {
		if err := tx.ses.query(recordPlaced, []any{id, uid}, take); err != nil || ok {
			return row, ok, err
		}
	}
	from, to := span(tx.here.project.ID, kind)
	err = tx.ses.query(recordByUID, []any{uid, from, to}, take)
	return row, ok, err
}

// At reads the record at an ordinal of a kind.
func (tx *Tx) At(kind Kind, ordinal uint32) (row Row, ok bool, err error) {
	err = tx.ses.query(recordByID, []any{MakeID(tx.here.project.ID, kind, ordinal)}, func(c *Cols) error {
		row, ok = whole(c), true
		return nil
	})
	return row, ok, err
}

// Each reads all records of a kind, in order. It is for small kinds: a team, the statuses.
func (tx *Tx) Each(kind Kind, each func(Row) error) error {
	from, to := span(tx.here.project.ID, kind)
	for {
		n := 0
		err := tx.ses.query(recordsFrom, []any{from, to}, func(c *Cols) error {
			row := whole(c)
			from, n = int64(row.ID)+1, n+1
			return each(row)
		})
		if err != nil || n < 500 {
			return err
		}
	}
}

// Next gives the ordinal that the next Insert of the kind will take.
func (tx *Tx) Next(kind Kind) (uint32, error) {
	last, ok := tx.here.last[kind]
	if !ok {
		from, to := span(tx.here.project.ID, kind)
		if err := tx.ses.query(lastRecord, []any{from, to}, func(c *Cols) error {
			last = ID(c.Int(0)).Ordinal()
			return nil
		}); err != nil {
			return 0, err
		}
		tx.here.last[kind] = last
	}
	return last + 1, nil
}

// NewUID makes the uid of the record that the next Insert of the kind stores.
func (tx *Tx) NewUID(kind Kind) (string, error) {
	ordinal, err := tx.Next(kind)
	return placedUID(ordinal), err
}

// Insert stores a new record at the next ordinal of its kind and fills row.ID and row.Clock.
func (tx *Tx) Insert(kind Kind, row *Row) error {
	ordinal, err := tx.Next(kind)
	if err != nil {
		return err
	}
	row.ID = MakeID(tx.here.project.ID, kind, ordinal)
	row.Clock = tx.tick()
	err = tx.Exec(insertRecord, row.ID, row.UID, row.Clock, row.mark(), row.Tally, row.Terms, row.Version, row.Doc,
		row.Private)
	if err != nil {
		return err
	}
	tx.here.last[kind] = ordinal
	return tx.log(row, Created, nil)
}

// Update stores a changed record, gives it the project's next clock, and logs the change with what differed.
func (tx *Tx) Update(row *Row, op Op, diff []byte) error {
	row.Clock = tx.tick()
	if err := tx.put(row); err != nil {
		return err
	}
	return tx.log(row, op, diff)
}

// Show stores a record whose shown counts changed but not the record itself: seq moves, the record's clock stays.
func (tx *Tx) Show(row *Row) error {
	if err := tx.put(row); err != nil {
		return err
	}
	return tx.log(row, Shown, nil)
}

func (tx *Tx) put(row *Row) error {
	return tx.Exec(updateRecord, row.ID, row.Clock, row.mark(), row.Tally, row.Terms, row.Version, row.Doc,
		row.Private)
}

// tick advances the project's clock: to the wall clock, or past its own last value when the wall clock stands or went
// back.
func (tx *Tx) tick() int64 {
	tx.here.clock = max(tx.now, tx.here.clock+1)
	if plantedWallClock {
		tx.here.clock = tx.now
	}
	return tx.here.clock
}

func (tx *Tx) log(row *Row, op Op, diff []byte) error {
	b := tx.here
	if b.seq++; b.seq > MostSeq {
		return fault.New(fault.Full, "This project holds as many changes as it can.")
	}
	was := row.was
	if slices.ContainsFunc(b.effects, func(e effect) bool { return e.id == row.ID }) {
		was = nil // the row may have been read before that
	}
	b.effects = append(b.effects, effect{row.ID, b.seq, row.Clock, row.Deleted, row.Terms, was})
	if plantedLoseChanges && b.seq%40 == 0 {
		return nil
	}
	var left *string
	if row.Hides && row.was != nil && *row.was != row.Terms && !plantedNoHide {
		left = row.was
	}
	return tx.Exec(insertChange, b.project.ID<<projectShift|b.seq, row.ID, row.Clock, op, tx.actor, diff, left)
}
