package store

import "context"

// The second condition is that of the kind's own index.
const (
	issueChanges = "SELECT id, clock, actor, diff FROM changes WHERE record = $1 AND id < $2 AND (record >> 32) & 127 = 5 AND diff IS NOT NULL ORDER BY id DESC LIMIT $3"
	rfiChanges   = "SELECT id, clock, actor, diff FROM changes WHERE record = $1 AND id < $2 AND (record >> 32) & 127 = 10 AND diff IS NOT NULL ORDER BY id DESC LIMIT $3"
)

// recordChanges are the kinds whose changes are indexed.
var recordChanges = map[Kind]string{5: issueChanges, 10: rfiChanges}

// Historied tells whether the changes of a kind's records are indexed, so that Changes gives them. Another kind needs a
// migration with an index of its own.
func Historied(kind Kind) bool { return recordChanges[kind] != "" }

// Change is a change of a record that altered fields.
type Change struct {
	Seq   int64 // in the project
	Clock int64
	Actor uint32 // ordinal of the member; 0 for the service itself
	Diff  []byte // {"field": [old, new]}; valid only while it is shown
}

// changesAtOnce is how many changes one statement reads: PostgreSQL sends all of them, also where fewer are wanted.
const changesAtOnce = 100

// Changes shows the changes of a record, newest first, up to most of them and until each says false; of a kind that is
// not Historied none.
func (s *Store) Changes(ctx context.Context, p *Project, id ID, most int, each func(Change) bool) error {
	text, ok := recordChanges[id.Kind()]
	n, before := 0, (p.ID+1)<<projectShift
	var buf []byte
	show := func(c *Cols) error {
		n++
		before, buf = c.Int(0), c.Append(3, buf[:0])
		if !each(Change{before - p.ID<<projectShift, c.Int(1), uint32(c.Int(2)), buf}) {
			return errEnough
		}
		return nil
	}
	for ok && most > 0 {
		n = 0
		err := s.read(ctx, tenant{project: p.ID}, statement{text, []any{id, before, min(most, changesAtOnce)}, show})
		if err != nil {
			return ended(err)
		}
		most, ok = most-n, n == changesAtOnce
	}
	return nil
}
