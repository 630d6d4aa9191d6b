// Package job owns durable background work: a job is a row that is written in the transaction of the request that wants
// it, so it exists exactly if the request's effect does. It is begun after the commit, begun again when its process
// dies, and tried again when it fails; several processes on one database share the work. Heavy work goes by turns
// between the accounts that asked for it, and what ran when its process died is tried once more, alone (ADR 0035). It
// refuses to know what a job does, and it promises at least once, not exactly once: a handler either can be repeated or
// ends in the transaction of its effect (Run.Complete).
package job

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// State says how far a job is.
type State uint8

// The states; a job that failed and will be tried again is Waiting.
const (
	Waiting State = iota
	Running
	Done
	Failed
)

func (s State) String() string { return [...]string{"waiting", "running", "done", "failed"}[s] }

// Job is what anybody can know of a job. Times are microseconds.
type Job struct {
	ID, Kind string
	State    State
	Progress int    // 0 to 100, at most a second old
	Attempt  int    // how often it was begun
	Error    string // of the last attempt that failed
	// RunAt is when a waiting job is due; of a running one, when its lease ends unless it is renewed.
	RunAt                 int64
	CreatedAt, FinishedAt int64
}

// Options bound a kind of job. Zero means the default.
type Options struct {
	// Parallel is how many jobs of the kind one process runs at once (1).
	Parallel int
	// Attempts is how often a job is begun before it has failed (10); a death of its process counts.
	Attempts int
	// Heavy says that how much there is to do is the caller's choice. Such jobs go by turns between their owners. One
	// whose process died while it ran is begun once more, when no other heavy job runs in that process, and none is
	// begun beside it; when its process dies again, or it takes longer than AloneFor, it has failed.
	Heavy bool
	// Timeout ends the context of an attempt (10 minutes).
	Timeout time.Duration
	// Backoff is the pause after the first failure (10 seconds); each further one is twice as long, up to an hour.
	Backoff time.Duration
}

func (o Options) settled() Options {
	if o.Parallel == 0 {
		o.Parallel = 1
	}
	if o.Attempts == 0 {
		o.Attempts = 10
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.Backoff == 0 {
		o.Backoff = 10 * time.Second
	}
	return o
}

const longestPause = time.Hour

// pause is how long a job rests after its n-th attempt. The random quarter keeps jobs that failed together from coming
// back together.
func (o Options) pause(n int) time.Duration {
	pause := o.Backoff
	for ; n > 1 && pause < longestPause; n-- {
		pause *= 2
	}
	pause = min(pause, longestPause)
	return pause + rand.N(pause/4+1)
}

// Permanent is an error that trying again cannot mend: the job has failed at once.
type Permanent struct{ Err error }

func (p Permanent) Error() string { return p.Err.Error() }

// Unwrap gives the error itself.
func (p Permanent) Unwrap() error { return p.Err }

var (
	// ErrLost ends the context of a job whose lease ran out or went to another process; nothing it does may count any
	// more.
	ErrLost = errors.New("job: the lease was lost")
	// ErrStopped ends the context of a job that did not finish before its process stopped; it was given back and will
	// be begun again.
	ErrStopped = errors.New("job: the process stops")
	// ErrDied is why a heavy job has failed that its process died of twice, the second time alone.
	ErrDied = errors.New("job: its process died twice while it ran, the second time alone")
	// ErrSlow is why one has failed that its process died of once, and that took longer than AloneFor when it was tried
	// once more.
	ErrSlow = errors.New("job: its process died while it ran, and tried once more, alone, it took too long")
)

// AloneFor is how long a heavy job may hold back all others, which wait until it runs alone, and until it ends: the
// longest that people should wait for the work of somebody else, and enough for all but the greatest files.
const AloneFor = 5 * time.Minute

// mostDeaths is how many deaths of its process a heavy job outlives. The first may have been another's doing, as many
// run at a time; not the second, as it ran alone.
const mostDeaths = 1

// Option changes one job.
type Option func(*entry)

// entry is a job to be written.
type entry struct {
	key   *string
	after time.Duration
	owner string
}

// Key keeps a job single: while a job of the kind with this key is unfinished, Enqueue makes no other and gives that
// one's id.
func Key(key string) Option { return func(e *entry) { e.key = &key } }

// Owner says for which account a heavy job is done; without it, it is the service's own.
func Owner(account string) Option { return func(e *entry) { e.owner = account } }

// After has a job wait before it is due.
func After(d time.Duration) Option { return func(e *entry) { e.after = d } }

// panicked makes an error of what a handler panicked with.
func panicked(p any) error { return fmt.Errorf("job: panic: %v", p) }
