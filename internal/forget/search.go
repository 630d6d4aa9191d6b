package forget

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"groundwork/internal/store"
)

// hit is a row that has something of the person.
type hit struct {
	table   store.Table
	key     []any
	project int64
	columns []string
	inKey   bool // in what tells the row from others, which cannot be changed
}

// with tells whether a row is written together with another.
func (h *hit) with(other hit) bool {
	return h.table.Name == other.table.Name && h.project == other.project
}

// searched is what a search has looked at, and found.
type searched struct {
	hits         []hit
	tables, rows int
}

// search looks through every text of every row of every table, as they are at one moment. Left out are the notes of
// erasures under way, which say what is looked for.
func (s *Site) search(ctx context.Context, t *Texts) (found searched, err error) {
	snap, err := s.Store.Snapshot(ctx)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	for _, table := range snap.Tables() {
		found.tables++
		err := snap.Each(ctx, table, func(c *store.Cols) error {
			found.rows++
			if table.Name == "instance" && isUnderWay(c.Text(0)) {
				return nil
			}
			var h hit
			for i, column := range table.Columns {
				if !column.Text || c.Null(i) {
					continue
				}
				if _, n := t.Replace(c.Text(i)); n > 0 {
					h.columns = append(h.columns, column.Name)
					h.inKey = h.inKey || i < table.Key
				}
			}
			if len(h.columns) > 0 {
				h.table, h.key, h.project = table, table.KeyOf(c), table.ProjectOf(c)
				found.hits = append(found.hits, h)
			}
			return nil
		})
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// amendedAtOnce is how many rows are written together: some milliseconds, for which others wait.
const amendedAtOnce = 50

// replace puts what stands in its place into all rows that were found, some at a time. The person's own account is
// left: it is the last that changes. counts has how many rows changed, by table. force changes also what is held.
func (s *Site) replace(ctx context.Context, account string, t *Texts, hits []hit, force bool,
	counts map[string]int,
) error {
	projects, err := s.projects(ctx)
	if err != nil {
		return err
	}
	touched := map[int64]bool{}
	for len(hits) > 0 {
		first := hits[0]
		n := 1
		for n < min(len(hits), amendedAtOnce) && hits[n].with(first) {
			n++
		}
		some := hits[:n]
		hits = hits[n:]
		p := projects[first.project]
		if first.project != 0 && p == nil {
			continue // it was erased meanwhile
		}
		changed, err := s.amend(ctx, account, t, p, some, force)
		if err != nil {
			return err
		}
		counts[first.table.Name] += changed
		if p != nil && first.table.Name != "records" && changed > 0 {
			touched[p.ID] = true
		}
	}
	for id := range touched {
		if err := s.touch(ctx, projects[id]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Site) amend(ctx context.Context, account string, t *Texts, p *store.Project, hits []hit, force bool) (n int,
	err error,
) {
	may := func(tx *store.Tx) error {
		if p == nil || force {
			return nil
		}
		return refuseHeld(tx, p)
	}
	edit := func(text string) string {
		now, _ := t.Replace(text)
		return now
	}
	if hits[0].table.Name == "records" {
		err = s.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
			n = 0
			if err := may(tx); err != nil {
				return err
			}
			for _, h := range hits {
				id := store.ID(h.key[0].(int64))
				row, ok, err := tx.At(id.Kind(), id.Ordinal())
				if err != nil || !ok {
					return err
				}
				changed, err := s.Kinds.Reword(tx, &row, edit)
				if err != nil {
					return fmt.Errorf("record %d: %w", id, err)
				}
				if changed {
					n++
				}
			}
			return nil
		})
		return n, err
	}
	var keys [][]any
	for _, h := range hits {
		if h.table.Name != "accounts" || h.key[0] != account {
			keys = append(keys, h.key)
		}
	}
	return s.Store.Amend(ctx, hits[0].table, p, keys, may, func(_, text string) string { return edit(text) })
}

// touch has what is shown of a project count as changed, where nothing of its records was.
func (s *Site) touch(ctx context.Context, p *store.Project) error {
	return s.Store.Edit(ctx, p, 0, func(tx *store.Tx) error { return show(tx) })
}

func show(tx *store.Tx) error {
	row, ok, err := tx.At(projectKind, 1)
	if err != nil || !ok {
		return err
	}
	return tx.Show(&row)
}

// projectKind is the kind of which each project has one record: itself.
const projectKind store.Kind = 1

// projects are all projects, by number.
func (s *Site) projects(ctx context.Context) (map[int64]*store.Project, error) {
	all := map[int64]*store.Project{}
	err := s.Store.Projects(ctx, func(p *store.Project) error {
		all[p.ID] = p
		return nil
	})
	return all, err
}

// remains says, for people, where something was found; "" where nothing was.
func (f *searched) remains(account string) (all []string) {
	for _, h := range f.hits {
		if h.table.Name == "accounts" && h.key[0] == account {
			continue
		}
		line := fmt.Sprintf("%s %v: %v", h.table.Name, h.key, h.columns)
		if !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return all
}
