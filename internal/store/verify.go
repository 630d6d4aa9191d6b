package store

import (
	"context"
	"fmt"
)

// VerifyChanges recomputes a project's sequence from its change log and says what does not agree.
func (s *Store) VerifyChanges(ctx context.Context, p *Project) ([]string, error) {
	var wrong []string
	var clock, seq, last int64
	base := p.ID << projectShift
	greatest := map[ID]int64{}
	from := base
	for {
		n := 0
		err := s.read(ctx, tenant{project: p.ID},
			statement{takeProject, []any{p.ID}, func(c *Cols) error { clock, seq = c.Int(0), c.Int(1); return nil }},
			statement{changesFrom, []any{from, base + 1<<projectShift}, func(c *Cols) error {
				n++
				from = c.Int(0)
				at := from - base
				record := ID(c.Int(1))
				jumped := at%(1<<restoredShift) == 0 && record == MakeID(p.ID, 1, 1) && s.restored.Load()
				if at != last+1 && (!jumped || at < last) {
					wrong = append(wrong, fmt.Sprintf("change %d follows change %d", at, last))
				}
				last = at
				if record.Project() != p.ID {
					wrong = append(wrong, fmt.Sprintf("change %d is of a record of another project", at))
				}
				greatest[record] = max(greatest[record], c.Int(2))
				return nil
			}})
		if err != nil {
			return wrong, err
		}
		if n < 1000 {
			break
		}
	}
	if last != seq {
		wrong = append(wrong, fmt.Sprintf("its sequence is %d and its last change %d", seq, last))
	}
	var newest int64
	err := s.read(ctx, tenant{project: p.ID},
		statement{allClocks, []any{base, base + 1<<projectShift}, func(c *Cols) error {
			id, is := ID(c.Int(0)), c.Int(1)
			newest = max(newest, is)
			if greatest[id] != is {
				wrong = append(wrong,
					fmt.Sprintf("record %d stands at clock %d, its last change at %d", id, is, greatest[id]))
			}
			return nil
		}})
	if newest != clock {
		wrong = append(wrong, fmt.Sprintf("its clock is %d and its newest record's %d", clock, newest))
	}
	return wrong, err
}
