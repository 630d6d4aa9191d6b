package store

import (
	"context"
	"sync"
	"time"

	"groundwork/internal/fault"
)

// lookForOverdue is how often the reads under way on SQLite are looked at. One costs nothing more for it, as a timer of
// its own would.
const lookForOverdue = 250 * time.Millisecond

// readers are the free connections of a pool. The one that was used last is given first: what it read is still near the
// processor, and each connection keeps pages of its own. One that reads twice without a commit between keeps its
// transaction until there is one: to begin and to end it takes about as long as to find a record. What is kept holds
// the log, so it ends within a moment after the next commit, and at once when the log is to begin anew.
type readers struct {
	free     chan struct{} // one for each in stack
	mu       sync.Mutex
	stack    []*liteConn
	all      []*liteConn // free or not
	clearing bool        // nothing is kept
}

func newReaders(n int) *readers { return &readers{free: make(chan struct{}, n)} }

// add takes a new connection.
func (r *readers) add(c *liteConn) {
	c.renew()
	r.all = append(r.all, c)
	r.give(c)
}

// take waits for a free connection: fault.Unavailable when ctx ends first, or the wait is as long as a read may be.
func (r *readers) take(ctx context.Context) (*liteConn, error) {
	select {
	case <-r.free:
	default:
		late := time.NewTimer(readWithin)
		defer late.Stop()
		select {
		case <-r.free:
		case <-ctx.Done():
			return nil, fault.Busy(ctx.Err())
		case <-late.C:
			return nil, fault.Busy(errTooLong)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.stack) - 1
	c := r.stack[last]
	r.stack, c.mayKeep = r.stack[:last], !r.clearing
	c.begin(ctx)
	return c, nil
}

func (r *readers) give(c *liteConn) {
	r.mu.Lock()
	c.reads = nil
	if c.halted {
		c.renew()
	}
	if r.clearing {
		_ = c.leave()
	}
	r.stack = append(r.stack, c)
	r.mu.Unlock()
	r.free <- struct{}{}
}

// clear ends what free connections keep and, until resume, has every other one keep nothing beyond its read: the log is
// held no longer than if nothing were ever kept.
func (r *readers) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clearing = true
	for _, c := range r.stack {
		_ = c.leave()
	}
}

func (r *readers) resume() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clearing = false
}

// refresh ends what free connections keep that has not seen all of the first n commits.
func (r *readers) refresh(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.stack {
		if c.seen != n {
			_ = c.leave()
		}
	}
}

// stopTurn ends what a connection reads if that is still the same.
func (r *readers) stopTurn(c *liteConn, turn uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.reads != nil && c.turn == turn {
		c.stop()
	}
}

// endOverdue ends the reads whose context is over, and those that were looked at too often.
func (r *readers) endOverdue() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.all {
		if c.reads == nil {
			continue
		}
		if c.looks++; c.looks > int(readWithin/lookForOverdue) || c.reads.Err() != nil {
			c.stop()
		}
	}
}
