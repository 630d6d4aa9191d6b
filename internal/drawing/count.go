package drawing

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"
)

// Counts is what the children of a workshop have done since it was opened.
type Counts struct {
	Busy    int // tasks that are being done
	Started int64
	// Ended is how many children ended during a task, by why: they were killed, as they were slow or took too much, or
	// they died.
	Ended map[string]int64
	// Done is how many tasks ended, Spent how long they took; both by task.
	Done  map[string]int64
	Spent map[string]time.Duration
}

// The reasons for which children end during a task. What nobody waits for any more is no reason to count.
const (
	endedSlow    = "slow"
	endedMemory  = "memory"
	endedThreads = "threads"
	endedWalls   = "walls"
	endedDied    = "died"
)

// counts is guarded by its own lock.
type counts struct {
	mu  sync.Mutex
	all Counts
}

// newCounts has everything that can be counted, so that who watches sees a nought and not nothing.
func newCounts() *counts {
	c := &counts{all: Counts{Ended: map[string]int64{}, Done: map[string]int64{}, Spent: map[string]time.Duration{}}}
	for _, why := range []string{endedSlow, endedMemory, endedThreads, endedWalls, endedDied} {
		c.all.Ended[why] = 0
	}
	for task := range new(document).tasks() {
		c.all.Done[task], c.all.Spent[task] = 0, 0
	}
	return c
}

// Counts tells what was done so far.
func (w *Workshop) Counts() Counts {
	w.counts.mu.Lock()
	defer w.counts.mu.Unlock()
	all := w.counts.all
	all.Ended, all.Done, all.Spent = maps.Clone(all.Ended), maps.Clone(all.Done), maps.Clone(all.Spent)
	return all
}

func (c *counts) started() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Started++
}

// begins counts a task; done is called at its end.
func (c *counts) begins(task string) (done func()) {
	began := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Busy++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all.Busy--
		c.all.Done[task]++
		c.all.Spent[task] += time.Since(began)
	}
}

// ends counts a child that ended during a task.
func (c *counts) ends(err error) {
	why := endedDied
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return
	case errors.Is(err, errSlow):
		why = endedSlow
	case errors.Is(err, errMemory):
		why = endedMemory
	case errors.Is(err, errThreads):
		why = endedThreads
	case errors.Is(err, errBare):
		why = endedWalls
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Ended[why]++
}
