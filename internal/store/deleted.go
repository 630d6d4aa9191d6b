package store

import "context"

// Deleted tells of the records of a kind that have these uids whether they are deleted; one that is not there is not
// told of. It asks for fifty at a time.
func (s *Store) Deleted(ctx context.Context, p *Project, kind Kind, uids []string) (map[string]bool, error) {
	from, to := span(p.ID, kind)
	known := make(map[string]bool, len(uids))
	next := make([]any, 0, most+2)
	asked := make(map[string]bool, len(uids))
	ask := func() error {
		if len(next) == 0 {
			return nil
		}
		for len(next) < most {
			next = append(next, next[0]) // free places
		}
		err := s.read(ctx, tenant{project: p.ID}, statement{deletedPicked, append(next, from, to), func(c *Cols) error {
			known[c.Text(0)] = c.Int(1) != 0
			return nil
		}})
		next = next[:0]
		return err
	}
	for _, uid := range uids {
		if asked[uid] || !storable(uid) {
			continue
		}
		asked[uid] = true
		if next = append(next, uid); len(next) == most {
			if err := ask(); err != nil {
				return nil, err
			}
		}
	}
	return known, ask()
}
