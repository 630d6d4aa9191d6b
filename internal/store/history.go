package store

import "context"

// The second condition is that of the kind's own index.
const (
	issueChanges = "SELECT id, clock, actor, diff FROM changes WHERE record = $1 AND (record >> 32) & 127 = 5 AND diff IS NOT NULL ORDER BY id DESC"
	rfiChanges   = "SELECT id, clock, actor, diff FROM changes WHERE record = $1 AND (record >> 32) & 127 = 10 AND diff IS NOT NULL ORDER BY id DESC"
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
	Diff  []byte // {"field": [old, new]}
}

// Changes gives the changes of a record, newest first; of a kind that is not Historied none.
func (s *Store) Changes(ctx context.Context, p *Project, id ID) ([]Change, error) {
	text, ok := recordChanges[id.Kind()]
	if !ok {
		return nil, nil
	}
	var all []Change
	err := s.read(ctx, tenant{project: p.ID}, statement{text, []any{id}, func(c *Cols) error {
		all = append(all, Change{c.Int(0) - p.ID<<projectShift, c.Int(1), uint32(c.Int(2)), c.Bytes(3)})
		return nil
	}})
	return all, err
}
