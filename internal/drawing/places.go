package drawing

import (
	"context"
	"slices"
	"sync"
)

// places are so many places for those who wait, by turns between accounts: the next one goes to the account that has
// the fewest, among these to the one that was given none for longest, and of one account to who came first.
type places struct {
	mu      sync.Mutex
	free    int
	given   int64
	waiting []*waiter // in the order in which they came
	holding map[string]*holder
}

// holder is an account that has places or waits for some.
type holder struct {
	has, waits int
	last       int64 // when it was given one, counted in those given
}

// waiter is one who waits for a place.
type waiter struct {
	account string
	place   chan struct{} // closed when it has one
}

func newPlaces(n int) *places { return &places{free: n, holding: map[string]*holder{}} }

// take waits for a place; done gives it back.
func (p *places) take(ctx context.Context, account string) (done func(), err error) {
	w := &waiter{account, make(chan struct{})}
	p.mu.Lock()
	h := p.holding[account]
	if h == nil {
		h = &holder{}
		p.holding[account] = h
	}
	h.waits++
	p.waiting = append(p.waiting, w)
	p.give()
	p.mu.Unlock()
	done = func() { p.leave(account) }
	select {
	case <-w.place:
		return done, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	at := slices.Index(p.waiting, w)
	if at >= 0 {
		p.waiting = slices.Delete(p.waiting, at, at+1)
		h.waits--
		p.forget(account)
	}
	p.mu.Unlock()
	if at < 0 { // it was given one meanwhile
		done()
	}
	return nil, ctx.Err()
}

// leave gives a place back.
func (p *places) leave(account string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holding[account].has--
	p.free++
	p.give()
	p.forget(account)
}

// give gives free places to those whose turn it is.
func (p *places) give() {
	for p.free > 0 && len(p.waiting) > 0 {
		next := 0
		for i, w := range p.waiting {
			if a, b := p.holding[w.account], p.holding[p.waiting[next].account]; a.has < b.has ||
				a.has == b.has && a.last < b.last {
				next = i
			}
		}
		w := p.waiting[next]
		p.waiting = slices.Delete(p.waiting, next, next+1)
		p.given++
		h := p.holding[w.account]
		h.has, h.waits, h.last = h.has+1, h.waits-1, p.given
		p.free--
		close(w.place)
	}
}

// forget drops an account that has no place and waits for none.
func (p *places) forget(account string) {
	if h := p.holding[account]; h.has == 0 && h.waits == 0 {
		delete(p.holding, account)
	}
}
