package store

import (
	"context"
	"sync"

	"groundwork/internal/fault"
)

// readers are the free connections of a pool. The one that was used last is given first: what it read is still near the processor, and each
// connection keeps pages of its own.
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
