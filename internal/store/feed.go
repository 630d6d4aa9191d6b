package store

import "context"

const (
	feedColumns = "SELECT c.id, c.record, r.uid, c.clock, c.op, c.actor, r.terms, c.diff, r.deleted, c.was"
	feedFrom    = " FROM changes c JOIN records r ON r.id = c.record WHERE c.id > $1 AND c.id <= $2 ORDER BY c.id LIMIT $3"
	feedRows    = feedColumns + feedFrom
	feedRecords = feedColumns + ", r.clock, r.tally, r.version, r.doc" + feedFrom

	oneChange = "SELECT id FROM changes WHERE id = $1"

	walkRows = "SELECT id, clock, tally, version, doc, terms FROM records WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3"
)

// Entry is one line of the change log, with the terms that its record has now, and whether it is deleted. Diff and Now
// are valid only while it is shown.
type Entry struct {
	Seq    int64
	Record ID
	UID    string
	Clock  int64
	Op     Op
	Actor  uint32 // 0: the service itself
	Terms  string
	Diff   []byte
	// Was are the terms before the change, where it took some from a record that not everybody sees; else nil.
	Was *string
	// Now is the record as it is now, for FeedRecords.
	Now Line

	Deleted bool
}

// Feed shows the change log of a project after a sequence number, up to most lines in commit order, until each says
// false, and gives the clock and sequence that the project had before it was read: no line is later. Sequences are
// given under the project's lock, so nothing ever comes in between.
func (s *Store) Feed(ctx context.Context, p *Project, after int64, most int, each func(*Entry) bool) (clock, seq int64,
	err error,
) {
	return s.feed(ctx, p, feedRows, after, most, each)
}

// FeedRecords is Feed with the record of each line as it is now.
func (s *Store) FeedRecords(ctx context.Context, p *Project, after int64, most int,
	each func(*Entry) bool,
) (clock, seq int64, err error) {
	return s.feed(ctx, p, feedRecords, after, most, each)
}

func (s *Store) feed(ctx context.Context, p *Project, sql string, after int64, most int,
	each func(*Entry) bool,
) (clock, seq int64, err error) {
	base := p.ID << projectShift
	err = s.read(ctx, tenant{project: p.ID}, statement{
		takeProject, []any{p.ID}, func(c *Cols) error { clock, seq = c.Int(0), c.Int(1); return nil },
	})
	if err != nil || after >= seq {
		return clock, seq, err
	}
	err = s.read(ctx, tenant{project: p.ID}, statement{
		sql, []any{base | after, base | seq, most}, entries(base, sql == feedRecords, each),
	})
	return clock, seq, ended(err)
}

// TakenBack tells whether a sequence number of a project is of a change that a restore of a backup took back: whoever
// has it knows what never was. Before a restore there is a change for each number; after it, those that were taken back
// are never given again.
func (s *Store) TakenBack(ctx context.Context, p *Project, seq int64) (bool, error) {
	if !s.restored.Load() || seq <= 0 {
		return false, nil
	}
	if seq >= 1<<projectShift { // with it, the number would be that of a change of another project
		return true, nil
	}
	gone := true
	err := s.read(ctx, tenant{project: p.ID}, statement{
		oneChange, []any{p.ID<<projectShift | seq}, func(*Cols) error { gone = false; return nil },
	})
	return gone, err
}

// Walk reads records of a kind in order of creation, beyond an ordinal: it looks at up to looked of them, gives up to
// most, and no more once they have as many bytes; those of whose terms wants says no are passed over. last is the last
// ordinal that was looked at; more says that others may follow it.
func (s *Store) Walk(ctx context.Context, p *Project, kind Kind, after uint32, looked, most, bytes int,
	wants func(terms string) bool,
) (page *Page, last uint32, more bool, err error) {
	_, to := span(p.ID, kind)
	page = pages.Get().(*Page)
	page.clear()
	n := 0
	last = after
	err = s.read(ctx, tenant{project: p.ID}, statement{
		walkRows, []any{MakeID(p.ID, kind, after), to, looked}, func(c *Cols) error {
			id := ID(c.Int(0))
			if n, last = n+1, id.Ordinal(); wants(c.Text(5)) {
				page.line(id, c, 1)
			}
			if len(page.text) >= bytes || len(page.Rows) >= most {
				more = true
				return errEnough
			}
			return nil
		},
	})
	if err = ended(err); err != nil {
		return nil, last, false, err
	}
	page.settle()
	return page, last, more || n == looked, nil
}

// entries shows each row of the log.
func entries(base int64, records bool, each func(*Entry) bool) func(*Cols) error {
	var buf []byte
	return func(c *Cols) error {
		buf = c.Append(7, buf[:0])
		e := &Entry{
			Seq: c.Int(0) - base, Record: ID(c.Int(1)), UID: c.Text(2), Clock: c.Int(3), Op: Op(c.Int(4)),
			Actor: uint32(c.Int(5)), Terms: c.Text(6), Diff: buf, Deleted: c.Int(8) != 0,
		}
		if !c.Null(9) {
			was := c.Text(9)
			e.Was = &was
		}
		if records {
			diff := len(buf)
			buf = c.Append(11, buf)
			tally := len(buf)
			buf = c.Append(13, buf)
			e.Diff = buf[:diff:diff]
			e.Now = Line{
				ID: e.Record, Clock: c.Int(10), Version: int(c.Int(12)), Tally: buf[diff:tally:tally], Doc: buf[tally:],
			}
		}
		if !each(e) {
			return errEnough
		}
		return nil
	}
}

// Feed shows the change log of the project after a sequence number, up to most lines and until each says false, as the
// transaction sees it.
func (tx *Tx) Feed(after int64, most int, each func(*Entry) bool) error {
	base := tx.here.project.ID << projectShift
	return ended(tx.Query(feedRows, []any{base | after, base | tx.here.seq, most}, entries(base, false, each)))
}
