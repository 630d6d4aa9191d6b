// Package health owns the troubles of an installation: what it depends on and lacks now, such as room on its disk. The
// log has one line when a trouble begins and one when it ends, however many requests meet it in between. It refuses to
// look for troubles itself: whoever meets an error tells it, and whoever can see that all is well again ends it.
package health

import (
	"cmp"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"groundwork/internal/fault"
)

// Part is something an installation depends on.
type Part string

// The parts. Their texts stand in the log and in the answer of /readyz.
const (
	Disk  Part = "disk"
	Files Part = "file store"
)

// Parts are all of them.
var Parts = []Part{Disk, Files}

// said is what /readyz tells of a part; causes are for the log alone, since anybody may ask.
var said = map[Part]string{
	Disk:  "The disk is full.",
	Files: "The file store does not answer.",
}

// errTroubled is the cause of what Err gives: whoever is told of a trouble need not log it again.
var errTroubled = errors.New("the log says since when")

type trouble struct {
	since time.Time
	met   int // how often
}

// Health knows the present troubles. It is made by New.
type Health struct {
	log *slog.Logger
	mu  sync.Mutex
	now map[Part]*trouble
}

// New makes a Health without troubles.
func New(log *slog.Logger) *Health { return &Health{log: log, now: map[Part]*trouble{}} }

// Noted begins the trouble that an error tells of. It is true where there is one: the log has its line, and whoever met
// the error need not write another.
func (h *Health) Noted(err error) bool {
	if errors.Is(err, errTroubled) {
		return true
	}
	if !fault.Is(err, fault.Full) {
		return false
	}
	h.Begin(Disk, err)
	return true
}

// Begin notes that a part does not work.
func (h *Health) Begin(part Part, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.now[part]; t != nil {
		t.met++
		return
	}
	h.now[part] = &trouble{since: time.Now(), met: 1}
	h.log.Error("trouble begins", "part", string(part), "error", fault.Cause(err))
}

// End notes that a part works.
func (h *Health) End(part Part) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.now[part]
	if t == nil {
		return
	}
	delete(h.now, part)
	h.log.Info("trouble is over", "part", string(part), "lasted", time.Since(t.since).Round(time.Second), "met", t.met)
}

// Troubled tells whether a part does not work, as far as is known.
func (h *Health) Troubled(part Part) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now[part] != nil
}

// Err says what does not work: fault.Unavailable, or nil when all does.
func (h *Health) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.now) == 0 {
		return nil
	}
	var sentences []string
	for part := range h.now {
		sentences = append(sentences, cmp.Or(said[part], "The "+string(part)+" does not work."))
	}
	slices.Sort(sentences)
	e := fault.Busy(errTroubled)
	e.Message = strings.Join(sentences, " ")
	return e
}
