package store

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"sync"
	"sync/atomic"
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

// effect is what a write does to the memory of its project.
type effect struct {
	id      ID
	seq     int64
	clock   int64
	deleted bool
	terms   string
	was     *string // the terms before, where they are known
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

// forget drops what the memory knows; all kinds count as touched at seq.
func (p *Project) forget(seq int64) {
	clear(p.kinds)
	p.memos.Clear()
	for k := range p.touched {
		p.touched[k] = seq
	}
}

// place is where the record of a uid stands if placedUID made the uid. It is only a guess: uids come from elsewhere,
// too. There is none where the memory knows that the kind has not that many records.
func (p *Project) place(kind Kind, uid string) (id ID, ok bool) {
	const digits = 8
	if len(uid) != 36 || uid[14] != '7' {
		return 0, false
	}
	var ordinal [digits / 2]byte
	if _, err := hex.Decode(ordinal[:], []byte(uid[36-digits:])); err != nil {
		return 0, false
	}
	n := binary.BigEndian.Uint32(ordinal[:])
	p.mu.RLock()
	x := p.kinds[kind]
	beyond := x != nil && n > x.n
	p.mu.RUnlock()
	return MakeID(p.ID, kind, n), !beyond
}

// drop takes a project that was erased off the shelf; who holds it finds nothing any more.
func (s *shelf) drop(uid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.byUID[uid]; p != nil {
		delete(s.byUID, uid)
		p.mu.Lock()
		p.forget(p.seq)
		p.mu.Unlock()
	}
}

// watched are the projects that somebody waits for, and how many do. A goroutine looks at them as long as there are
// any.
type watched struct {
	mu       sync.Mutex
	projects map[*Project]int
	looking  bool
}
