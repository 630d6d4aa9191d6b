package apitest

import (
	"sync"
	"time"
)

// Epoch is when a Clock begins: the world of a transcript is always the same Monday morning.
var Epoch = time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)

// Clock is a clock that moves only when told to.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock gives a clock that stands at Epoch.
func NewClock() *Clock { return &Clock{now: Epoch} }

// Now is what the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock; a negative d moves it back, as a wall clock may.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
