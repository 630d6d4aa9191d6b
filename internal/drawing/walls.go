package drawing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Walls is what stands around a child, beside its limits of time and memory. A child opens no file: what it needs is
// handed to it. The walls are for one that a file has taken over.
type Walls struct {
	// Calls is whether the kernel answers only the system calls of a list: none that opens, connects, starts or
	// signals.
	Calls bool
	// Landlock is the version of the kernel's interface by which the child gave up all files, the network and signals;
	// 0: none.
	Landlock int
	// Apart is whether the child runs as another user, in an empty root folder.
	Apart bool
	// Missing says why a wall is not there, a sentence each.
	Missing []string
}

// Strict is whether two walls stand between a child and the files of others: the list of calls, and one that does not
// depend on it.
func (w Walls) Strict() bool { return w.Calls && (w.Landlock > 0 || w.Apart) }

// String names the walls that stand.
func (w Walls) String() string {
	var stand []string
	if w.Calls {
		stand = append(stand, "a list of system calls")
	}
	if w.Landlock > 0 {
		stand = append(stand, fmt.Sprintf("Landlock %d", w.Landlock))
	}
	if w.Apart {
		stand = append(stand, "another user in an empty root folder")
	}
	if len(stand) == 0 {
		return "limits only"
	}
	return strings.Join(stand, ", ")
}

// errBare is about a system that cannot confine children as it should.
var errBare = errors.New("the drawing worker is not confined")

// enough refuses a child whose walls do not suffice.
func (w *Workshop) enough(walls *Walls) error {
	if w.config.Relaxed || walls.Strict() {
		return nil
	}
	return fmt.Errorf("Drawings and photographs of strangers are read in a process that must be kept from all other files, and this system cannot do that (%s). Use a Linux kernel of 5.13 or later "+
		"with Landlock, or accept weaker walls with --drawing-sandbox=relaxed (GROUNDWORK_DRAWING_SANDBOX): %w.",
		strings.Join(walls.Missing, "; "), errBare)
}

// probeTask does nothing, behind all walls.
const probeTask = "probe"

// probeWithin is how long that may take, on a busy machine.
const probeWithin = 30 * time.Second

// Probe starts a child to see which walls stand on this system; it is an error when they do not suffice.
func (w *Workshop) Probe(ctx context.Context) (Walls, error) {
	c, err := func() (*child, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.closed {
			return nil, errors.New("the workshop is closed")
		}
		return w.spawn(kindOf(probeTask), nil)
	}()
	if err != nil {
		return Walls{}, fmt.Errorf("The process that reads drawings cannot be started: %w.", err)
	}
	_, err = c.ask(ctx, order{Task: probeTask}, &errand{}, probeWithin, w)
	_ = c.end()
	if errors.Is(err, errBare) {
		return c.walls, err
	}
	if err != nil {
		return Walls{}, fmt.Errorf("The process that reads drawings cannot be started: %w; it said: %s", err, c.said)
	}
	return c.walls, nil
}
