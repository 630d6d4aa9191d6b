package store

import (
	"context"
	"slices"
)

// A link is one record in a collection of another. Its place is the clock that its owner got when it was made: places
// of a collection are in order of linking, and tell the moment of linking.
const (
	insertLink = "INSERT INTO links (owner, field, place, target) VALUES ($1, $2, $3, $4)"
	deleteLink = "DELETE FROM links WHERE owner = $1 AND field = $2 AND place = $3"
	findLink   = "SELECT place FROM links WHERE target = $1 AND field = $2 AND owner = $3"
	linkPage   = "SELECT place, target FROM links WHERE owner = $1 AND field = $2 ORDER BY place LIMIT $3 OFFSET $4"
	linkOwners = "SELECT owner, field FROM links WHERE owner >= $1 AND owner < $2"
	// The clock comes before the document in a row, so that the documents are not read.
	linkClocks = "SELECT l.place, l.target, r.clock FROM links l JOIN records r ON r.id = l.target WHERE l.owner = $1 AND l.field = $2 ORDER BY l.place"
	ownerByUID = "SELECT id FROM records WHERE uid = $1 AND id >= $2 AND id < $3"
	ownerTally = "SELECT clock, tally FROM records WHERE id = $1"
	ownerClock = "SELECT clock FROM records WHERE id = $1"
)

// Link puts target at the end of a collection of owner, which Update has just given its clock.
func (tx *Tx) Link(owner *Row, field uint8, target ID) error {
	return tx.Exec(insertLink, owner.ID, int64(field), owner.Clock, target)
}

// LinkPlace gives where target stands in a collection of owner; ok is false where it does not.
func (tx *Tx) LinkPlace(owner ID, field uint8, target ID) (place int64, ok bool, err error) {
	err = tx.ses.query(findLink, []any{target, int64(field), owner}, func(c *Cols) error {
		place, ok = c.Int(0), true
		return nil
	})
	return place, ok, err
}

// Unlink takes the link at a place out of a collection of owner.
func (tx *Tx) Unlink(owner ID, field uint8, place int64) error {
	return tx.Exec(deleteLink, owner, int64(field), place)
}

// Links says which window of a collection a list shows; After, Bound, Skip and Limit are those of Select.
type Links struct {
	Kind  Kind
	Owner string // uid
	Field uint8
	After int64
	Bound int64
	From  int64 // with After: only beyond this place
	Skip  int
	Limit int
}

type link struct {
	place, clock int64
	target       ID
}

// Linked gives the window of a collection and its owner's tally; ok is false where the project has no such owner. Last
// is a place, and Total is set only with After.
func (s *Store) Linked(ctx context.Context, p *Project, sel Links) (page *Page, tally string, ok bool, err error) {
	page = pages.Get().(*Page)
	if page.clear(); !storable(sel.Owner) {
		return page, "", false, nil
	}
	for try := 0; ; try++ {
		page.clear()
		page.Clock, page.Seq = p.Stamp()
		id, clock, seq, err := s.owner(ctx, p, sel)
		if err != nil || id == 0 {
			return page, "", false, err
		}
		owner, links, err := s.links(ctx, p, page, sel, id)
		if err != nil {
			return nil, "", false, err
		}
		if err := s.targets(ctx, p, page, links); err != nil {
			return nil, "", false, err
		}
		if try > 0 {
			clock, seq = 0, 0
		}
		newest := max(clock, owner.after)
		for i := range page.Rows {
			newest = max(newest, page.Rows[i].Clock)
		}
		// Where the owner moved between its tally and its links they do not agree; a page that is a little newer than
		// its clock is only shown again.
		if owner.clock == owner.after && (newest <= page.Clock && seq <= page.Seq || try >= 8) {
			page.settle()
			arrange(page, links)
			return page, owner.tally, true, nil
		}
		if err := s.await(ctx, p, newest, 0); err != nil {
			return nil, "", false, err
		}
	}
}

// owner finds whose collection is shown, and what other processes did to the project.
func (s *Store) owner(ctx context.Context, p *Project, sel Links) (id ID, clock, seq int64, err error) {
	from, to := span(p.ID, sel.Kind)
	stmts := []statement{{ownerByUID, []any{sel.Owner, from, to}, func(c *Cols) error {
		id = ID(c.Int(0))
		return nil
	}}}
	if s.engine.shared() {
		stmts = append(stmts, statement{
			takeProject, []any{p.ID}, func(c *Cols) error { clock, seq = c.Int(0), c.Int(1); return nil },
		})
	}
	err = s.read(ctx, tenant{project: p.ID}, stmts...)
	return id, clock, seq, err
}

// linker is a record whose collection is shown: its tally, and its clock before and after the links were read.
type linker struct {
	tally        string
	clock, after int64
}

// links reads the window, between the owner's tally and its clock.
func (s *Store) links(ctx context.Context, p *Project, page *Page, sel Links, id ID) (owner linker, links []link,
	err error,
) {
	between := func(window statement) error {
		return s.read(ctx, tenant{project: p.ID},
			statement{ownerTally, []any{id}, func(c *Cols) error {
				owner.clock, owner.tally = c.Int(0), c.Text(1)
				return nil
			}},
			window,
			statement{ownerClock, []any{id}, func(c *Cols) error { owner.after = c.Int(0); return nil }})
	}
	if sel.After == Always {
		err = between(statement{linkPage, []any{id, int64(sel.Field), sel.Limit, sel.Skip}, func(c *Cols) error {
			links = append(links, link{place: c.Int(0), target: ID(c.Int(1))})
			return nil
		}})
		return owner, links, err
	}
	page.Bound = page.Clock
	if sel.Bound > 0 {
		page.Bound = min(sel.Bound, page.Clock)
	}
	skip := sel.Skip
	if sel.From > 0 {
		skip = 0
	}
	err = between(statement{linkClocks, []any{id, int64(sel.Field)}, func(c *Cols) error {
		l := link{place: c.Int(0), target: ID(c.Int(1)), clock: max(c.Int(0), c.Int(2))}
		if l.clock <= sel.After {
			return nil
		}
		page.Total++
		switch {
		case l.place <= sel.From || l.clock > page.Bound:
		case skip > 0:
			skip--
		case len(links) == sel.Limit:
			page.More = true
		default:
			links = append(links, l)
			page.Last = l.place
		}
		return nil
	}})
	return owner, links, err
}

func (s *Store) targets(ctx context.Context, p *Project, page *Page, links []link) error {
	if len(links) == 0 {
		return nil
	}
	args := make([]any, most)
	for i := range args {
		args[i] = links[min(i, len(links)-1)].target
	}
	return s.read(ctx, tenant{project: p.ID}, statement{pagePicked, args, page.add})
}

// arrange puts the rows in the order of the links, without those that changed beyond the bound since.
func arrange(page *Page, links []link) {
	at := make(map[ID]int, len(links))
	for i, l := range links {
		at[l.target] = i
	}
	slices.SortFunc(page.Rows, func(a, b Line) int { return at[a.ID] - at[b.ID] })
	if page.Bound > 0 {
		page.Rows = slices.DeleteFunc(page.Rows, func(l Line) bool { return l.Clock > page.Bound })
	}
}

// EachLink gives the owner and the field of every link of a project.
func (s *Store) EachLink(ctx context.Context, p *Project, each func(owner ID, field uint8)) error {
	base := p.ID << projectShift
	return s.read(ctx, tenant{project: p.ID},
		statement{linkOwners, []any{base, base + 1<<projectShift}, func(c *Cols) error {
			each(ID(c.Int(0)), uint8(c.Int(1)))
			return nil
		}})
}
