package drawing

import (
	"context"
	"sync"
)

// turns bounds how many children work at once. What is done ahead, before anybody asks for it, never holds up what somebody waits for: it has a place of its own, one
// for all of it, and begins when no other file is in the workshop. What has begun goes on. A file that has ended a child is treated as such from then on.
type turns struct {
	places, ahead chan struct{}

	mu    sync.Mutex
	files int           // in the workshop, for which somebody waits
	quiet chan struct{} // closed while there are none
}

func newTurns(places int) *turns {
	t := &turns{places: make(chan struct{}, places), ahead: make(chan struct{}, 1), quiet: make(chan struct{})}
	close(t.quiet)
	return t
}

// enter says that somebody waits for a file, until leave.
func (t *turns) enter() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files++; t.files == 1 {
		t.quiet = make(chan struct{})
	}
}

func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.files--; t.files == 0 {
		close(t.quiet)
	}
}

// take waits for a place; done gives it back.
func (t *turns) take(ctx context.Context, ahead bool) (done func(), err error) {
	places := t.places
	if ahead {
		places = t.ahead
	}
	select {
	case places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	done = func() { <-places }
	if !ahead {
		return done, nil
	}
	t.mu.Lock()
	quiet := t.quiet
	t.mu.Unlock()
	select {
	case <-quiet:
		return done, nil
	case <-ctx.Done():
		done()
		return nil, ctx.Err()
	}
}
