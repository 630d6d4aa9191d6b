package store

import (
	"context"
	"sync"
	"time"

	"groundwork/internal/fault"
)

// readers are the free connections of a pool. The one that was used last is given first: what it read is still near the processor, and each
// connection keeps pages of its own. A connection that reads twice without a commit between keeps its transaction open until there is one, for to begin
// and to end a transaction costs as much as to find a record.
type readers struct {
	free  chan struct{} // one for each in stack
	mu    sync.Mutex
	stack []*liteConn
}

func newReaders(n int) *readers { return &readers{free: make(chan struct{}, n)} }

// take waits for a free connection: fault.Unavailable when ctx ends first.
func (r *readers) take(ctx context.Context) (*liteConn, error) {
	select {
	case <-r.free:
	default:
		select {
		case <-r.free:
		case <-ctx.Done():
			return nil, fault.Busy(ctx.Err())
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := len(r.stack) - 1
	c := r.stack[last]
	r.stack = r.stack[:last]
	return c, nil
}

func (r *readers) give(c *liteConn) {
	r.mu.Lock()
	r.stack = append(r.stack, c)
	r.mu.Unlock()
	r.free <- struct{}{}
}

// longestStay bounds how long what somebody else wrote into the file, whom this process does not know of, stays unseen.
const longestStay = 100 * time.Millisecond

// at prepares a reader to see all of the first n commits.
func (c *liteConn) at(n int64) error {
	if c.commit != n {
		c.commit = n
		return c.leave()
	}
	now := time.Now()
	switch {
	case !c.stays:
		c.stays, c.began = true, now
		return c.run("BEGIN", nil, nil)
	case now.Sub(c.began) > longestStay:
		return c.leave()
	}
	return nil
}

// leave ends the transaction that a reader keeps open.
func (c *liteConn) leave() error {
	if !c.stays {
		return nil
	}
	c.stays = false
	if c.conn.AutocommitEnabled() { // an error ended it
		return nil
	}
	return c.run("COMMIT", nil, nil)
}

// refresh ends the transactions of free connections that have not seen all of the first n commits: they hold up the emptying of the log.
func (r *readers) refresh(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.stack {
		if c.commit != n {
			_ = c.leave() // one that cannot be ended holds the log, which the next look finds
		}
	}
}
