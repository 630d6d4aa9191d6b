package store

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"groundwork/internal/fault"
)

// mostReads is how often a page is read again because its rows are newer than the clock that it stands for. Each time
// the memory has caught up before, so that only a project that changes during every one of them is busy.
const mostReads = 8

var errMoving = errors.New("the project changed during every read of a page")

// Always is the After of a list without updated_after.
const Always = -1 << 63

// Select says which records of a kind a list shows.
type Select struct {
	Kind   Kind
	Terms  [][]string // of every group, a record has at least one term
	Not    []string   // and none of these
	Only   uint32     // just the record at this ordinal; 0: all
	Ranges []Range    // and every key inside its range
	Words  []string   // and is found by all of these, which come from Asked
	// Account is on whose behalf Words are looked for: each has its share.
	Account string
	Sort    string // the key to sort by; "" for the order of creation
	Desc    bool   // with Sort: against the order
	After   int64  // only records changed after this clock; Always for all
	Bound   int64  // with After: only records changed up to this clock; 0: up to the memory's own
	From    uint32 // with After: only beyond this ordinal, in list order
	Newest  bool   // newest first
	Skip    int
	Limit   int
	// Grow is asked before a page holds more than LargePage bytes, and again whenever what it allowed is used up;
	// an error ends the read. Without it a page may have any size.
	Grow func(bytes int) error

	found *roaring.Bitmap // by Words
}

// Page is a window of a list. Release gives it back.
type Page struct {
	Clock, Seq int64 // what the page stands for
	Total      int
	More       bool  // with After: more records follow under the bound
	Last       int64 // with After: the last position of the window, an ordinal
	Bound      int64 // with After: the bound in force
	Cut        bool  // with Words: there was too much to look through, and further records may be found by them
	Rows       []Line
	text       []byte
	first      ID // of the rows that addNext adds
	grow       func(bytes int) error
	allowed    int // bytes of text that may be held without asking grow; with no grow it does not matter
}

// LargePage is how many bytes of documents a page holds without being counted: fifty records of the usual size have a
// fifth of it.
const LargePage = 256 << 10

// Line is a record in a page. Its bytes live as long as the page.
type Line struct {
	ID        ID
	Clock     int64
	Version   int
	Tally     []byte
	Doc       []byte
	tallyEnds int
	docEnds   int
}

var pages = sync.Pool{New: func() any { return &Page{} }}

// Release gives the page's memory back; nothing of it may be used afterwards.
func (p *Page) Release() {
	if cap(p.text) > 1<<20 {
		p.text = nil
	}
	pages.Put(p)
}

func (p *Page) clear() {
	*p = Page{Rows: p.Rows[:0], text: p.text[:0]}
}

// room asks whether the page may go on growing.
func (p *Page) room() error {
	if p.grow == nil || len(p.text) <= p.allowed {
		return nil
	}
	for p.allowed < len(p.text) {
		p.allowed *= 2
	}
	return p.grow(p.allowed)
}

// add adds a row of id, clock, tally, version and doc.
func (p *Page) add(c *Cols) error {
	p.line(ID(c.Int(0)), c, 1)
	return p.room()
}

// addNext adds a row of the same without its id, where one follows on another: asking for an id costs as much as asking
// for a clock.
func (p *Page) addNext(c *Cols) error {
	p.line(p.first+ID(len(p.Rows)), c, 0)
	return p.room()
}

// line adds a row whose clock is in column at. settle completes it.
func (p *Page) line(id ID, c *Cols, at int) {
	n := len(p.Rows)
	p.Rows = slices.Grow(p.Rows, 1)[:n+1]
	l := &p.Rows[n]
	l.ID, l.Clock, l.Version = id, c.Int(at), int(c.Int(at+2))
	p.text = c.Append(at+1, p.text)
	l.tallyEnds = len(p.text)
	p.text = c.Append(at+3, p.text)
	l.docEnds = len(p.text)
}

// settle points the lines at their bytes, now that these no longer move.
func (p *Page) settle() {
	at := 0
	for i := range p.Rows {
		l := &p.Rows[i]
		l.Tally, l.Doc = p.text[at:l.tallyEnds:l.tallyEnds], p.text[l.tallyEnds:l.docEnds:l.docEnds]
		at = l.docEnds
	}
}

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

// full tells whether the list needs to know more of a kind than how many records it has.
func (sel *Select) full() bool { return sel.filtered() || sel.After != Always || sel.Sort != "" }

func (sel *Select) filtered() bool {
	return sel.Terms != nil || sel.Not != nil || sel.Ranges != nil || sel.Only > 0 || len(sel.Words) > 0
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

// pick gives the window of a set, in ascending order.
func pick(set *roaring.Bitmap, sel *Select, total int) []uint32 {
	lo, hi := min(sel.Skip, total), min(sel.Skip+sel.Limit, total)
	if sel.Newest {
		lo, hi = max(total-sel.Skip-sel.Limit, 0), max(total-sel.Skip, 0)
	}
	if lo >= hi {
		return nil
	}
	out := make([]uint32, 0, hi-lo)
	first, err := set.Select(uint32(lo))
	if err != nil {
		return nil
	}
	it := set.Iterator()
	it.AdvanceIfNeeded(first)
	for len(out) < hi-lo && it.HasNext() {
		out = append(out, it.Next())
	}
	return out
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

// load makes sure that the memory knows how many records the kind has and, when full, their clocks and terms. Whoever
// comes while a kind is read waits for it: reading one twice would take twice the memory.
func (s *Store) load(ctx context.Context, p *Project, kind Kind, full bool) error {
	for {
		p.mu.RLock()
		x := p.kinds[kind]
		p.mu.RUnlock()
		if x != nil && (x.full || !full) {
			return nil
		}
		p.mu.Lock()
		other := p.loads[kind]
		mine := other == nil && p.kinds[kind] == x
		if mine {
			p.loads[kind] = make(chan struct{})
		}
		p.mu.Unlock()
		if mine {
			return s.remember(ctx, p, kind, full)
		}
		if other == nil {
			continue
		}
		select {
		case <-other:
		case <-ctx.Done():
			return fault.Busy(ctx.Err())
		}
	}
}

// remember reads a kind into the memory; the caller has entered it in loads.
func (s *Store) remember(ctx context.Context, p *Project, kind Kind, full bool) (err error) {
	x, whole := &index{full: full, terms: map[string]*roaring.Bitmap{}}, false
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if have := p.kinds[kind]; whole && (have == nil || !have.full) {
			for i := range p.recent {
				if p.recent[i].id.Kind() == kind {
					x.set(&p.recent[i])
				}
			}
			p.kinds[kind] = x
		}
		close(p.loads[kind])
		if delete(p.loads, kind); len(p.loads) == 0 {
			p.recent = nil
		}
	}()
	from, to := span(p.ID, kind)
	if full {
		err = s.read(ctx, tenant{project: p.ID}, statement{indexRows, []any{from, to}, func(c *Cols) error {
			x.set(&effect{id: ID(c.Int(0)), clock: c.Int(1), deleted: c.Int(2) != 0, terms: c.Text(3)})
			return nil
		}})
	} else {
		err = s.read(ctx, tenant{project: p.ID}, statement{lastRecord, []any{from, to}, func(c *Cols) error {
			x.n = ID(c.Int(0)).Ordinal()
			return nil
		}})
	}
	if full && err == nil {
		s.projects.trim(p)
	}
	whole = err == nil
	return err
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
