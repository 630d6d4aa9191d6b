package drawing

import (
	"context"
	"sync"
)

// owner is the key of the account for which something is done.
type owner struct{}

// For says for which account the tasks of a context are done: where several wait for a place, accounts take turns.
func For(ctx context.Context, account string) context.Context {
	return context.WithValue(ctx, owner{}, account)
}

// turns bounds how many children work at once. What is done ahead, before anybody asks for it, never holds up what
// somebody waits for: it has a place of its own, one for all of it, and begins when no other file is in the workshop.
// What has begun goes on. A file that has ended a child is treated as such from then on.
type turns struct {
	places *places
	ahead  chan struct{}

	mu    sync.Mutex
	files int           // in the workshop, for which somebody waits
	quiet chan struct{} // closed while there are none
}

func newTurns(places int) *turns {
	t := &turns{places: newPlaces(places), ahead: make(chan struct{}, 1), quiet: make(chan struct{})}
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
	if !ahead {
		account, _ := ctx.Value(owner{}).(string)
		return t.places.take(ctx, account)
	}
	select {
	case t.ahead <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	done = func() { <-t.ahead }
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
