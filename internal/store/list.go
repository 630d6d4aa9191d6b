package store

import (
	"context"
	"errors"
	"slices"

	"groundwork/internal/fault"
)

// mostReads is how often a page is read again because its rows are newer than the clock that it stands for. Each time
// the memory has caught up before, so that only a project that changes during every one of them is busy.
const mostReads = 8

var errMoving = errors.New("the project changed during every read of a page")

// List gives the window of a list, consistent with the clock it is stamped with: no row in it is newer.
func (s *Store) List(ctx context.Context, p *Project, sel Select) (*Page, error) {
	ctx, span := s.tracer.Inside(ctx, "page")
	page, err := s.list(ctx, p, sel)
	if span != nil {
		span.Text("db.system.name", s.Engine())
		if page != nil {
			span.Number("groundwork.rows", int64(len(page.Rows)))
		}
		span.End(err)
	}
	return page, err
}

func (s *Store) list(ctx context.Context, p *Project, sel Select) (*Page, error) {
	if err := s.load(ctx, p, sel.Kind, sel.full()); err != nil {
		return nil, err
	}
	hunt, err := s.hunt(ctx, &sel)
	if err != nil {
		return nil, err
	}
	defer hunt.over()
	page := pages.Get().(*Page)
	var ordinals []uint32
	for try := 0; ; try++ {
		page.clear()
		page.grow, page.allowed = sel.Grow, LargePage
		asked, err := s.ask(ctx, p, &sel, hunt)
		if err != nil {
			return nil, err
		}
		var from, to ID
		ordinals, from, to = p.plan(page, &sel)
		if ordinals == nil && from == 0 { // forgotten between load and plan
			if err := s.load(ctx, p, sel.Kind, true); err != nil {
				return nil, err
			}
			continue
		}
		page.since(asked)
		page.Cut = hunt != nil && hunt.cut
		clock, seq, err := s.fetch(ctx, p, page, ordinals, from, to)
		if err != nil {
			return nil, err
		}
		newest := int64(0)
		if try == 0 {
			newest = clock
		}
		for i := range page.Rows {
			newest = max(newest, page.Rows[i].Clock)
		}
		// The first look must stand for all that was acknowledged before the request; later ones only for the rows
		// themselves.
		if newest <= page.Clock && (seq <= page.Seq || try > 0) {
			break
		}
		if try == mostReads {
			return nil, fault.Busy(errMoving)
		}
		if err := s.await(ctx, p, newest, 0); err != nil {
			return nil, err
		}
	}
	page.settle()
	if sel.After != Always {
		// Whoever polls from the greatest updated_at it was shown must not be shown one beyond the bound.
		page.Rows = slices.DeleteFunc(page.Rows, func(l Line) bool { return l.Clock > page.Bound })
	}
	switch {
	case sel.Sort != "":
		arranged(page.Rows, ordinals)
	case sel.Newest:
		slices.Reverse(page.Rows)
	}
	return page, nil
}

// plan computes, from memory alone, what the page shows: ordinals, or else the ids from…to. Empty is from > to.
func (p *Project) plan(page *Page, sel *Select) (ordinals []uint32, from, to ID) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	page.Clock, page.Seq = p.clock, p.seq
	x := p.kinds[sel.Kind]
	if x == nil || (sel.full() && !x.full) {
		return nil, 0, 0
	}
	n := int(x.n)
	switch {
	case sel.Sort != "":
		page.Bound = p.clock
		if page.Total, ordinals = x.sorted(sel, x.matching(sel)); len(ordinals) == 0 {
			return nil, 1, 0
		}
		return ordinals, MakeID(p.ID, sel.Kind, 0), 0
	case sel.After != Always:
		set := x.matching(sel)
		page.Total = x.after(sel.After, set)
		page.Bound = p.clock
		if sel.Bound > 0 {
			page.Bound = min(sel.Bound, p.clock)
		}
		ordinals, page.More = x.window(sel, set, page.Bound)
		if len(ordinals) > 0 {
			page.Last = int64(ordinals[len(ordinals)-1])
		}
		if sel.Newest {
			slices.Reverse(ordinals)
		}
	case sel.filtered():
		set := x.matching(sel)
		page.Total = int(set.GetCardinality())
		ordinals = pick(set, sel, page.Total)
	default:
		page.Total = n
		lo, hi := min(sel.Skip, n)+1, min(sel.Skip+sel.Limit, n)
		if sel.Newest {
			lo, hi = max(n-sel.Skip-sel.Limit, 0)+1, max(n-sel.Skip, 0)
		}
		return nil, MakeID(p.ID, sel.Kind, uint32(lo)), MakeID(p.ID, sel.Kind, uint32(hi))
	}
	if k := len(ordinals); k == 0 || int(ordinals[k-1]-ordinals[0]) == k-1 {
		from, to = 1, 0
		if k > 0 {
			from, to = MakeID(p.ID, sel.Kind, ordinals[0]), MakeID(p.ID, sel.Kind, ordinals[k-1])
		}
		return nil, from, to
	}
	return ordinals, MakeID(p.ID, sel.Kind, 0), 0
}

// fetch reads the rows; where other processes write, together with the project's clock and sequence as the database has
// them.
func (s *Store) fetch(ctx context.Context, p *Project, page *Page, ordinals []uint32, from, to ID) (clock, seq int64,
	err error,
) {
	var stmts [2]statement
	n := 0
	if s.engine.shared() {
		stmts[n] = statement{
			takeProject, []any{p.ID}, func(c *Cols) error { clock, seq = c.Int(0), c.Int(1); return nil },
		}
		n++
	}
	switch {
	case ordinals != nil:
		args := make([]any, most)
		for i := range args {
			args[i] = from + ID(ordinals[min(i, len(ordinals)-1)])
		}
		stmts[n] = statement{pagePicked, args, page.add}
		n++
	case from <= to:
		page.first = from
		stmts[n] = statement{pageRange, []any{int64(from), int64(to)}, page.addNext}
		n++
	}
	if n == 0 {
		return 0, 0, nil
	}
	now := s.Now()
	if err = s.read(ctx, tenant{project: p.ID}, stmts[:n]...); err != nil {
		return 0, 0, err
	}
	if ordinals == nil && len(page.Rows) <= int(to-from) { // then only the database knows which are there
		page.Rows, page.text = page.Rows[:0], page.text[:0]
		for id := from; id <= to; id++ {
			ordinals = append(ordinals, id.Ordinal())
		}
		return s.fetch(ctx, p, page, ordinals, MakeID(p.ID, from.Kind(), 0), 0)
	}
	if seq == page.Seq {
		p.fresh.Store(now)
	}
	return clock, seq, nil
}

// Get reads one record by its uid, together with the clock and sequence it stands for; ok is false where the project
// has none.
func (s *Store) Get(ctx context.Context, p *Project, kind Kind, uid string) (page *Page, ok bool, err error) {
	page = pages.Get().(*Page)
	if page.clear(); !storable(uid) {
		return page, false, nil
	}
	from, to := span(p.ID, kind)
	line := statement{lineByUID, []any{uid, from, to}, page.add}
	id, guessed := p.place(kind, uid)
	if guessed {
		line = statement{linePlaced, []any{id, uid}, page.add}
	}
	for try := 0; ; try++ {
		page.clear()
		page.Clock, page.Seq = p.Stamp()
		clock, seq := int64(0), int64(0)
		stmts := []statement{line}
		if s.engine.shared() {
			stmts = append(stmts, statement{
				takeProject, []any{p.ID}, func(c *Cols) error { clock, seq = c.Int(0), c.Int(1); return nil },
			})
		}
		if err := s.read(ctx, tenant{project: p.ID}, stmts...); err != nil {
			return nil, false, err
		}
		if guessed && len(page.Rows) == 0 { // then only the index knows
			guessed, line = false, statement{lineByUID, []any{uid, from, to}, page.add}
			try--
			continue
		}
		if try > 0 {
			clock, seq = 0, 0
		}
		if len(page.Rows) > 0 {
			clock = max(clock, page.Rows[0].Clock)
		}
		if clock <= page.Clock && seq <= page.Seq {
			break
		}
		if try == mostReads {
			return nil, false, fault.Busy(errMoving)
		}
		if err := s.await(ctx, p, clock, 0); err != nil {
			return nil, false, err
		}
	}
	page.settle()
	return page, len(page.Rows) > 0, nil
}

// Terms gives the filter terms of a record; ok is false where the project has none.
func (s *Store) Terms(ctx context.Context, p *Project, kind Kind, uid string) (terms string, ok bool, err error) {
	if !storable(uid) {
		return "", false, nil
	}
	from, to := span(p.ID, kind)
	err = s.read(ctx, tenant{project: p.ID}, statement{termsByUID, []any{uid, from, to}, func(c *Cols) error {
		terms, ok = c.Text(0), true
		return nil
	}})
	return terms, ok, err
}
