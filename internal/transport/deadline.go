package transport

import (
	"os"
	"sync"
	"time"
)

// early is by how much a deadline may end a wait before its time.
const early = time.Second

// A deadline of one direction of a connection. net/http sets five of them for every request, and hardly anything ever
// waits for one: what is wanted is noted, and told to the connection only where something is about to wait, or waits,
// and where what it was told before differs by more than early.
type deadline struct {
	tell func(time.Time) error

	mu     sync.Mutex
	wanted time.Time
	told   time.Time
	waits  int // calls under way
}

func (d *deadline) set(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = t
	if d.waits == 0 {
		return nil
	}
	d.told = t
	return d.tell(t)
}

// begin is to be called before something that may wait; after it, end.
func (d *deadline) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case !d.wanted.IsZero() && d.wanted.Unix() < 1e9: // long ago, which is how net/http ends a wait
		return os.ErrDeadlineExceeded
	case d.wanted.IsZero() != d.told.IsZero() || d.wanted.Sub(d.told) > early || d.wanted.Before(d.told):
		if err := d.tell(d.wanted); err != nil {
			return err
		}
		d.told = d.wanted
	}
	d.waits++
	return nil
}

func (d *deadline) end() {
	d.mu.Lock()
	d.waits--
	d.mu.Unlock()
}
