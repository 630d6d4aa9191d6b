package api

import (
	"hash/maphash"
	"slices"
	"strconv"
	"sync"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
)

// window is a limit and how much of it is used in the interval numbered at. Intervals are counted from 1970, so they
// begin at the same moments for everybody.
type window struct {
	credential.Limit
	at, used int64
}

// move goes to the interval of now. The clock may jump, in either direction.
func (w *window) move(now time.Time) {
	if at := floor(now.Unix(), w.Interval); at != w.at {
		w.at, w.used = at, 0
	}
}

// floor divides, rounding down also before 1970.
func floor(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

func (w *window) reset() time.Time { return time.Unix((w.at+1)*w.Interval, 0).UTC() }

// append writes the rate limit object of the contract.
func (w *window) append(b []byte) []byte {
	b = append(quote(append(b, `{"request_type":`...), w.Type), `,"interval":`...)
	b = append(strconv.AppendInt(b, w.Interval, 10), `,"limit":`...)
	b = append(strconv.AppendInt(b, w.Limit.Limit, 10), `,"remaining":`...)
	b = append(strconv.AppendInt(b, max(0, w.Limit.Limit-w.used), 10), `,"reset":"`...)
	return append(w.reset().AppendFormat(b, "2006-01-02T15:04:05+00:00"), `"}`...)
}

// fault refuses a request that w has no room for.
func (w *window) fault(now time.Time, why string) *fault.Error {
	reset := w.reset()
	err := fault.New(fault.Limited, "%s: %d in %d s are allowed. Try again after %s.", why, w.Limit.Limit, w.Interval,
		reset.Format(time.RFC3339))
	err.RetryAfter = max(time.Second, reset.Sub(now))
	return err
}

// limiter counts requests by the Counter of their credential, in memory, in shards so that credentials do not wait for
// each other.
type limiter struct {
	seed   maphash.Seed
	shards [16]limits
}

type limits struct {
	mu    sync.Mutex
	swept int64 // the minute in which what had ended was dropped
	of    map[string][]window
}

func newLimiter() *limiter { return &limiter{seed: maphash.MakeSeed()} }

// take counts a request in all windows that apply to it, or, when one of them is full, in none: then it gives a copy of
// the full one that opens last. It reads the clock itself, while nobody else can: of two requests at the end of a
// window, the one that began earlier may come later, and would open the old window again.
func (l *limiter) take(who *credential.Credential, now func() time.Time, write, poll bool) *window {
	s := l.shard(who.Counter)
	s.mu.Lock()
	defer s.mu.Unlock()
	windows := s.windows(who, now())
	applies := func(w *window) bool {
		return (write || w.Type != credential.LimitWrite) && (!poll || w.Interval <= 60)
	}
	var full *window
	for i := range windows {
		if w := &windows[i]; applies(w) && w.used >= w.Limit.Limit && (full == nil || w.reset().After(full.reset())) {
			full = w
		}
	}
	if full != nil {
		copied := *full
		return &copied
	}
	for i := range windows {
		if w := &windows[i]; applies(w) {
			w.used++
		}
	}
	return nil
}

// list gives the windows of a credential as they stand.
func (l *limiter) list(who *credential.Credential, now func() time.Time) []window {
	s := l.shard(who.Counter)
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.windows(who, now()))
}

func (l *limiter) shard(id string) *limits {
	return &l.shards[maphash.String(l.seed, id)%uint64(len(l.shards))]
}

// windows gives the windows of a credential, moved to now. A credential whose limits were changed keeps what it used of
// those that stayed.
func (s *limits) windows(who *credential.Credential, now time.Time) []window {
	s.sweep(now)
	had := s.of[who.Counter]
	same := slices.EqualFunc(had, who.Limits, func(w window, l credential.Limit) bool { return w.Limit == l })
	if !same {
		made := make([]window, len(who.Limits))
		for i, l := range who.Limits {
			made[i] = window{Limit: l}
			for _, w := range had {
				if w.Type == l.Type && w.Interval == l.Interval {
					made[i].at, made[i].used = w.at, w.used
				}
			}
		}
		if s.of == nil {
			s.of = map[string][]window{}
		}
		s.of[who.Counter], had = made, made
	}
	for i := range had {
		had[i].move(now)
	}
	return had
}

// sweep drops, once a minute, the credentials all of whose windows have ended: they have nothing used.
func (s *limits) sweep(now time.Time) {
	minute := floor(now.Unix(), 60)
	if minute == s.swept {
		return
	}
	s.swept = minute
	for id, windows := range s.of {
		if !slices.ContainsFunc(windows, func(w window) bool { return w.at == floor(now.Unix(), w.Interval) }) {
			delete(s.of, id)
		}
	}
}
