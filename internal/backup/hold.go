package backup

import (
	"context"
	"errors"
	"sync"

	"groundwork/internal/blob"
)

// Holding is a file store of which nothing is removed that a backup of this process has yet to copy: it is removed when
// the backup has ended. What another process removes meanwhile, of the little that ever is, such a backup lacks and
// says so.
type Holding struct {
	blob.Store
	mu    sync.Mutex
	holds map[*hold]bool
}

// hold is what one backup needs.
type hold struct {
	known chan struct{} // closed once names are
	names map[string]bool
	later []string // what somebody wanted to remove
}

// Hold gives a file store whose objects backups can hold.
func Hold(s blob.Store) *Holding { return &Holding{Store: s, holds: map[*hold]bool{}} }

// Delete removes an object, or has it removed when the backup that needs it has ended. While a backup finds out what it
// needs, it waits.
func (s *Holding) Delete(ctx context.Context, name string) error {
	s.mu.Lock()
	for h := range s.holds {
		select {
		case <-h.known:
		default:
			s.mu.Unlock()
			select {
			case <-h.known:
				return s.Delete(ctx, name)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if h.names[name] {
			h.later = append(h.later, name)
			s.mu.Unlock()
			return nil
		}
	}
	s.mu.Unlock()
	return s.Store.Delete(ctx, name)
}

// hold begins to hold everything, until need says what.
func (s *Holding) hold() *hold {
	h := &hold{known: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds[h] = true
	return h
}

func (s *Holding) need(h *hold, all []object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.names = make(map[string]bool, len(all))
	for _, o := range all {
		h.names[o.Name] = true
	}
	close(h.known)
}

// release ends a hold and removes what was to be removed.
func (s *Holding) release(ctx context.Context, h *hold) error {
	s.mu.Lock()
	delete(s.holds, h)
	if h.names == nil {
		close(h.known)
	}
	later := h.later
	s.mu.Unlock()
	var errs []error
	for _, name := range later {
		errs = append(errs, s.Delete(context.WithoutCancel(ctx), name))
	}
	return errors.Join(errs...)
}
