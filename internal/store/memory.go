package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"groundwork/internal/fault"
)

// Project is an open project and its memory: the clock and sequence that the memory stands for, how many records each
// kind has, and the indexes of the kinds that lists asked for. The memory is never a source of truth: it is applied
// after a commit and before its acknowledgement, and can be dropped at any time.
type Project struct {
	ID  int64
	UID string

	mu      sync.RWMutex
	moved   chan struct{} // closed and replaced when clock moves
	clock   int64
	seq     int64
	epoch   int64 // see Epoch
	kinds   map[Kind]*index
	touched map[Kind]int64         // the last seq that touched a record of the kind, since the project was opened
	loads   map[Kind]chan struct{} // the kinds that are being read; closed when that ends
	recent  []effect               // what was applied meanwhile
	memos   sync.Map
	fresh   atomic.Int64 // wall clock at which the memory was last compared with the database
	used    atomic.Int64 // wall clock of the last use
}

// newProject is a project as the database has it.
func newProject(id int64, uid string, clock, seq, epoch int64) *Project {
	return &Project{
		ID: id, UID: uid, clock: clock, seq: seq, epoch: epoch, kinds: map[Kind]*index{},
		touched: map[Kind]int64{}, loads: map[Kind]chan struct{}{}, moved: make(chan struct{}),
	}
}

// Stamp is the clock and the sequence that the memory stands for.
func (p *Project) Stamp() (clock, seq int64) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.clock, p.seq
}

// Epoch is the project's link epoch: links that were signed with an earlier one have ended. It only grows, and no
// memory stands for a sequence without the epoch of that sequence: what is signed after a page was read is good for as
// long as the page is.
func (p *Project) Epoch() int64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.epoch
}

// apply takes the effects of a commit that began at sequence began; it refuses when the memory does not reach up to
// there.
func (p *Project) apply(began, clock, seq, epoch int64, effects []effect) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if began > p.seq {
		return false
	}
	p.take(clock, seq, epoch, effects)
	return true
}

func (p *Project) take(clock, seq, epoch int64, effects []effect) {
	p.epoch = max(p.epoch, epoch)
	for i := range effects {
		e := &effects[i]
		// What this process committed may be taken after a later commit of another one.
		p.touched[e.id.Kind()] = max(p.touched[e.id.Kind()], e.seq)
		if x := p.kinds[e.id.Kind()]; x != nil {
			x.set(e)
		}
	}
	if len(p.loads) > 0 {
		p.recent = append(p.recent, effects...)
	}
	if seq > p.seq {
		p.clock, p.seq = max(p.clock, clock), seq
		close(p.moved)
		p.moved = make(chan struct{})
	}
}

// memo is a remembered value and the sequence from which on it is good.
type memo struct {
	value any
	seq   int64
}

// Memo gives what build made, and builds it again once a record of one of the kinds has changed. key is a type of the
// caller's own.
func (p *Project) Memo(key any, build func() (any, error), kinds ...Kind) (any, error) {
	v, seq := p.recall(key, kinds)
	if v != nil {
		return v, nil
	}
	v, err := build()
	if err != nil {
		return nil, err
	}
	p.memos.Store(key, memo{v, seq})
	return v, nil
}

// Recall gives what Memo would give without building it; nil when that is not there.
func (p *Project) Recall(key any, kinds ...Kind) any {
	v, _ := p.recall(key, kinds)
	return v
}

func (p *Project) recall(key any, kinds []Kind) (value any, seq int64) {
	p.mu.RLock()
	seq = p.seq
	var last int64
	for _, k := range kinds {
		last = max(last, p.touched[k])
	}
	p.mu.RUnlock()
	if m, ok := p.memos.Load(key); ok && m.(memo).seq >= last {
		value = m.(memo).value
	}
	return value, seq
}

// shelf holds the open projects by uid. A project is never taken off it, since readers hold it; what it remembers is
// dropped instead.
type shelf struct {
	mu    sync.RWMutex
	byUID map[string]*Project
}

func (s *shelf) get(uid string) *Project {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byUID[uid]
}

// add puts p on the shelf and gives the one that stands there.
func (s *shelf) add(p *Project) *Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.byUID[p.UID]; old != nil {
		return old
	}
	if s.byUID == nil {
		s.byUID = map[string]*Project{}
	}
	s.byUID[p.UID] = p
	return p
}

// mostRemembered is how many records the indexes of all projects may hold together; one takes about twenty bytes.
const mostRemembered = 8 << 20

// trim lets the projects that were not used for longest forget their indexes when there are too many of them; keep is
// spared.
func (s *shelf) trim(keep *Project) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	total := 0
	var others []*Project
	for _, p := range s.byUID {
		n := p.remembered()
		total += n
		if n > 0 && p != keep {
			others = append(others, p)
		}
	}
	if total <= mostRemembered {
		return
	}
	slices.SortFunc(others, func(a, b *Project) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
	for _, p := range others {
		if total <= mostRemembered*3/4 {
			return
		}
		total -= p.remembered()
		p.mu.Lock()
		p.forget(p.seq)
		p.mu.Unlock()
	}
}

func (p *Project) remembered() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	n := 0
	for _, x := range p.kinds {
		n += len(x.clocks)
	}
	return n
}

// Project opens the project of a uid: fault.NotFound where there is none.
func (s *Store) Project(ctx context.Context, uid string) (*Project, error) {
	p := s.projects.get(uid)
	if p == nil && !storable(uid) {
		return nil, fault.Missing("Project", uid)
	}
	if p == nil {
		err := s.read(ctx, tenant{}, statement{findProject, []any{uid}, func(c *Cols) error {
			p = newProject(c.Int(0), uid, c.Int(1), c.Int(2), c.Int(3))
			p.fresh.Store(s.Now())
			return nil
		}})
		if err != nil {
			return nil, err
		}
		if p == nil {
			return nil, fault.Missing("Project", uid)
		}
		p = s.projects.add(p)
	}
	p.used.Store(s.Now())
	return p, nil
}

// storable tells whether a text could stand in a database at all: one engine refuses to even compare what cannot.
func storable(text string) bool {
	return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0
}

// Refresh compares the memory with the database unless that was done within maxAge; where this process owns the data it
// has nothing to do.
func (s *Store) Refresh(ctx context.Context, p *Project, maxAge time.Duration) error {
	if !s.engine.shared() {
		return nil
	}
	// A look that seems to lie ahead was taken before the clock went back: how old it is nobody knows.
	if age := s.Now() - p.fresh.Load(); age >= 0 && age < maxAge.Microseconds() {
		return nil
	}
	return s.catchUp(ctx, p)
}

// catchUp brings the memory of p to the state of the database.
func (s *Store) catchUp(ctx context.Context, p *Project) error {
	const tooMany = 10000
	_, since := p.Stamp()
	now := s.Now()
	var clock, seq, epoch int64
	var effects []effect
	base := p.ID << projectShift
	err := s.read(ctx, tenant{project: p.ID},
		statement{takeProject, []any{p.ID}, func(c *Cols) error {
			clock, seq, epoch = c.Int(0), c.Int(1), c.Int(2)
			return nil
		}},
		statement{changedRows, []any{base | since, base + 1<<projectShift}, func(c *Cols) error {
			effects = append(effects, effect{ID(c.Int(0)), c.Int(4) - base, c.Int(1), c.Int(2) != 0, c.Text(3), nil})
			return nil
		}})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(effects) > tooMany {
		p.forget(seq)
		effects = nil
	}
	p.take(clock, seq, epoch, effects)
	p.fresh.Store(now)
	return nil
}

// forget drops what the memory knows; all kinds count as touched at seq.
func (p *Project) forget(seq int64) {
	clear(p.kinds)
	p.memos.Clear()
	for k := range p.touched {
		p.touched[k] = seq
	}
}

// Known returns when the memory of p stands for at least clock and seq, which a reader got from the database. What is
// only shown with a record, such as a name, moves the sequence and not the clock.
func (s *Store) Known(ctx context.Context, p *Project, clock, seq int64) error {
	if have, seen := p.Stamp(); have >= clock && seen >= seq {
		return nil
	}
	return s.await(ctx, p, clock, seq)
}

// await returns when the memory stands for at least clock and seq: a reader met a row whose commit is being applied, or
// another process's.
func (s *Store) await(ctx context.Context, p *Project, clock, seq int64) error {
	if s.engine.shared() {
		return s.catchUp(ctx, p)
	}
	for {
		p.mu.RLock()
		have, seen, moved := p.clock, p.seq, p.moved
		p.mu.RUnlock()
		if have >= clock && seen >= seq {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fault.Busy(ctx.Err())
		}
	}
}
