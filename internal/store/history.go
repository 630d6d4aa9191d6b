package store

import "context"

// The second condition is the index's own.
const recordChanges = "SELECT id, clock, actor, diff FROM changes WHERE record = $1 AND (record >> 32) & 127 = 10 AND diff IS NOT NULL ORDER BY id DESC"

// Historied tells whether the changes of a kind's records are indexed, so that Changes gives them. Another kind needs a
// migration of the index.
func Historied(kind Kind) bool { return kind == 10 }

// Change is a change of a record that altered fields.
type Change struct {
	Seq   int64 // in the project
	Clock int64
	Actor uint32 // ordinal of the member; 0 for the service itself
	Diff  []byte // {"field": [old, new]}
}

// Changes gives the changes of a record, newest first; of a kind that is not Historied none.
func (s *Store) Changes(ctx context.Context, p *Project, id ID) ([]Change, error) {
	var all []Change
	err := s.read(ctx, tenant{project: p.ID}, statement{recordChanges, []any{id}, func(c *Cols) error {
		all = append(all, Change{c.Int(0) - p.ID<<projectShift, c.Int(1), uint32(c.Int(2)), c.Bytes(3)})
		return nil
	}})
	return all, err
}
