package store

import "context"

const recordChanges = "SELECT id, clock, actor, diff FROM changes WHERE record = $1 AND diff IS NOT NULL ORDER BY id DESC"

// Change is a change of a record that altered fields.
type Change struct {
	Seq   int64 // in the project
	Clock int64
	Actor uint32 // ordinal of the member; 0 for the service itself
	Diff  []byte // {"field": [old, new]}
}

// Changes gives the changes of a record, newest first.
func (s *Store) Changes(ctx context.Context, p *Project, id ID) ([]Change, error) {
	var all []Change
	err := s.read(ctx, tenant{project: p.ID}, statement{recordChanges, []any{id}, func(c *Cols) error {
		all = append(all, Change{c.Int(0) - p.ID<<projectShift, c.Int(1), uint32(c.Int(2)), c.Bytes(3)})
		return nil
	}})
	return all, err
}
