package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
)

// Holding is a file store of which nothing is removed that a backup of this process has yet to copy: it is removed when
// the backup has ended. What another process removes meanwhile, of the little that ever is, such a backup lacks and
// says so.
type Holding struct {
	blob.Store
	mu    sync.Mutex
	holds map[*hold]bool
	told  func(object) // of each object that was put; nil while nobody asks
}

// hold is what one backup needs.
type hold struct {
	names map[string]bool // nil until it is known
	later map[string]bool // what somebody wanted to remove
}

// Hold gives a file store whose objects backups can hold.
func Hold(s blob.Store) *Holding { return &Holding{Store: s, holds: map[*hold]bool{}} }

// Delete removes an object, or has it removed when the backup that needs it has ended. So it is with all objects while
// a backup finds out what it needs, which can take minutes: nobody waits for it.
func (s *Holding) Delete(ctx context.Context, name string) error {
	if s.keeps(name) {
		return nil
	}
	return s.Store.Delete(ctx, name)
}

// Put keeps an object. One that is yet to be removed cannot come again before it is gone: it would go with it.
func (s *Holding) Put(ctx context.Context, name string, r io.Reader) (int64, error) {
	if s.leaves(name) {
		return 0, fault.Busy(errors.New("backup: the object is removed when a backup has ended"))
	}
	s.mu.Lock()
	told := s.told
	s.mu.Unlock()
	if told == nil {
		return s.Store.Put(ctx, name, r)
	}
	hash := sha256.New()
	size, err := s.Store.Put(ctx, name, io.TeeReader(r, hash))
	if err == nil {
		told(object{Name: name, SHA256: hex.EncodeToString(hash.Sum(nil)), Bytes: size})
	}
	return size, err
}

// tell has somebody told of each object that is put from now on.
func (s *Holding) tell(told func(object)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = told
}

func (s *Holding) leaves(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for h := range s.holds {
		if h.later[name] {
			return true
		}
	}
	return false
}

// keeps notes an object for a backup that needs it, or may.
func (s *Holding) keeps(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for h := range s.holds {
		if h.names == nil || h.names[name] {
			h.later[name] = true
			return true
		}
	}
	return false
}

// hold begins to hold everything, until need says what.
func (s *Holding) hold() *hold {
	h := &hold{later: map[string]bool{}}
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
}

// release removes what was to be removed, and ends a hold.
func (s *Holding) release(ctx context.Context, h *hold) error {
	s.need(h, nil)
	s.mu.Lock()
	later := slices.Collect(maps.Keys(h.later))
	s.mu.Unlock()
	var errs []error
	for _, name := range later {
		errs = append(errs, s.Delete(context.WithoutCancel(ctx), name))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.holds, h)
	return errors.Join(errs...)
}
