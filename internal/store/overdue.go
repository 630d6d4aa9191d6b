package store

import (
	"context"
	"errors"
	"time"
)

// A read that nobody waits for any more, or that takes too long, is ended in its middle: a connection that is never
// given back is one less for everybody.

const (
	// readWithin is how long a read may take on either engine: many times what the greatest index takes to load, and
	// short enough that clients still wait.
	readWithin = 10 * time.Second
	// lookForOverdue is how often the reads under way on SQLite are looked at. One costs nothing more for it, as a
	// timer of its own would.
	lookForOverdue = 250 * time.Millisecond
)

// errTooLong says that a read took longer than it was given.
var errTooLong = errors.New("store: the read took too long")

// errEnough ends a statement whose remaining rows nobody wants.
var errEnough = errors.New("store: enough rows")

// begin notes for whom a connection reads from now on; the caller holds the lock.
func (c *liteConn) begin(ctx context.Context) {
	c.reads, c.looks, c.turn = ctx, 0, c.turn+1
}

// renew makes a connection usable again whose statement was ended. Only whoever holds the connection may call it.
func (c *liteConn) renew() {
	c.halt, c.halted = make(chan struct{}), false
	c.conn.SetInterrupt(c.halt)
}

// stop ends the statement of a connection; the caller holds the lock.
func (c *liteConn) stop() {
	if !c.halted {
		c.halted = true
		close(c.halt)
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

// watch ends overdue reads until the database is closed.
func (e *lite) watch() {
	defer e.stopped.Done()
	tick := time.NewTicker(lookForOverdue)
	defer tick.Stop()
	for {
		select {
		case <-e.stop:
			return
		case <-tick.C:
			e.readers.endOverdue()
		}
	}
}
