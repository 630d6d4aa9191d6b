package processor

import "time"

const (
	// workFor and restFor are how long work that goes at a pace works and rests. Who wakes up meanwhile waits for the
	// first at most, which is less than the system gives a thread before another one has its turn.
	workFor = 500 * time.Microsecond
	restFor = time.Millisecond
)

// Pace has work of one goroutine that nobody waits for, and that would keep a processor for seconds, give way: it works
// for a moment, then rests for a longer one. The zero Pace is ready; work that somebody waits for has none (nil).
type Pace struct{ began time.Time }

// Rest rests where it is time to. It is called often, between two small pieces of the work.
func (p *Pace) Rest() {
	if p == nil {
		return
	}
	now := time.Now()
	switch {
	case p.began.IsZero():
		p.began = now
	case now.Sub(p.began) >= workFor:
		time.Sleep(restFor)
		p.began = time.Now()
	}
}
