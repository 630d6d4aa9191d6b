// Package processor owns the share of the processors that heavy work has: passwords that are hashed, searches that take
// long, accounts that move much. Each of these bounds itself by its own measure; together they still would take every
// processor from everybody else. It refuses to know what the work is, and who goes first. Share.Take waits for a place,
// Held says that there is one already.
package processor

import (
	"context"
	"runtime"
	"time"
)

// Heavy is the share of all heavy work of this process: every processor but one, which requests that are no work find
// free.
var Heavy = NewShare(max(1, runtime.GOMAXPROCS(0)-1))

// Share is a number of places.
type Share struct{ places chan struct{} }

// NewShare makes a share of which nothing is taken.
func NewShare(places int) *Share { return &Share{make(chan struct{}, places)} }

// Patience is how long work waits before it goes on without a place: whoever has one may wait for something that this
// work holds. Short work that people wait for has less of it.
const Patience = 2 * time.Second

type heldKey struct{}

// Held says that what is done with this context has a place.
func Held(ctx context.Context) context.Context { return context.WithValue(ctx, heldKey{}, true) }

// Take waits for a place, for as long as the patience of the work; leave must be called after it. What is done with a
// context that is Held needs no second one. Its error is that of the context.
func (s *Share) Take(ctx context.Context, patience time.Duration) (leave func(), err error) {
	if ctx.Value(heldKey{}) != nil {
		return func() {}, nil
	}
	select {
	case s.places <- struct{}{}:
		return s.leave, nil
	default:
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case s.places <- struct{}{}:
		return s.leave, nil
	case <-late.C:
		return func() {}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *Share) leave() { <-s.places }

// Taken is how many places are taken. It serves tests.
func (s *Share) Taken() int { return len(s.places) }
