package job

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Queue is the background work of one process. Kinds are declared first, with Handle and Every; then Start.
type Queue struct {
	// Noted tells whether the log has the trouble already that an error is of; nil is never.
	Noted func(error) bool

	store   *store.Staff
	log     *slog.Logger
	kinds   []*kind
	periods []*period

	only []string // the kinds that are begun here; nil is all, and what comes round

	turn     sync.Mutex // held by the round under way
	stopping bool       // guarded by turn
	leaving  chan struct{}

	mu      sync.Mutex
	runs    map[*Run]struct{}   // those whose lease is ours; whoever takes a run out decides what becomes of it
	heavy   int                 // heavy jobs that run
	alone   *Run                // the one beside which no heavy job is begun
	held    spell               // how long others were held back for it
	served  map[[2]string]int64 // by kind and owner: the round of the last heavy job that was begun
	working sync.WaitGroup      // handlers
	woken   chan struct{}
	life    context.Context // of the handlers: it ends when the queue does
	end     context.CancelFunc
	loop    sync.WaitGroup // the goroutine of Start
	poll    time.Duration
}

// kind is a declared kind of job.
type kind struct {
	name    string
	args    reflect.Type
	options Options
	do      func(ctx context.Context, args string, r *Run) error
	died    func(ctx context.Context, args string, r *Run) error // nil where nobody is told
	running int                                                  // guarded by Queue.mu
	hot     atomic.Bool                                          // there may be something to begin
}

// New makes the queue of a process; log is told of what fails.
func New(s *store.Store, log *slog.Logger) *Queue {
	q := &Queue{
		store: s.In(store.JobsOffice), log: log, runs: map[*Run]struct{}{}, woken: make(chan struct{}, 1),
		leaving: make(chan struct{}), poll: pollEvery,
	}
	q.life, q.end = context.WithCancel(context.Background())
	return q
}

// warn writes a line about an error, unless the log has its trouble already.
func (q *Queue) warn(err error, message string, more ...any) {
	if q.Noted == nil || !q.Noted(err) {
		q.log.Warn(message, append(more, "error", err)...)
	}
}

// Handle declares a kind of job and what to do with one: do is given what Enqueue was. Declaring a kind twice stops the
// program.
func Handle[Args any](q *Queue, name string, o Options, do func(ctx context.Context, args Args, r *Run) error) {
	if name == "" || q.kind(name) != nil {
		panic(fmt.Sprintf("job: the kind %q is declared twice, or has no name", name))
	}
	k := &kind{name: name, args: reflect.TypeFor[Args](), options: o.settled()}
	k.do = decoded(name, do)
	q.kinds = append(q.kinds, k)
}

// Died declares what is done in place of a heavy job of a declared kind that its process died of twice: it tells
// people, by what they see of the job's work. The job has failed when that succeeds, and whatever it writes stands.
func Died[Args any](q *Queue, name string, do func(ctx context.Context, args Args, r *Run) error) {
	k := q.kind(name)
	if k == nil || !k.options.Heavy || k.args != reflect.TypeFor[Args]() {
		panic(fmt.Sprintf("job: no heavy kind %q takes such arguments", name))
	}
	k.died = decoded(name, do)
}

// decoded reads the arguments of a job.
func decoded[Args any](name string, do func(ctx context.Context, args Args, r *Run) error) func(context.Context, string,
	*Run) error {
	return func(ctx context.Context, text string, r *Run) error {
		var args Args
		if err := json.Unmarshal([]byte(text), &args); err != nil {
			return Permanent{fmt.Errorf("job: arguments of %s: %w", name, err)}
		}
		return do(ctx, args, r)
	}
}

// Only has this process begin nothing but jobs of these kinds, and enqueue nothing that comes round: for a process that
// was started for something else. It is called before Start.
func (q *Queue) Only(kinds ...string) { q.only = kinds }

func (q *Queue) kind(name string) *kind {
	if i := slices.IndexFunc(q.kinds, func(k *kind) bool { return k.name == name }); i >= 0 {
		return q.kinds[i]
	}
	return nil
}

// Enqueue writes a job into the caller's transaction: it is begun after the commit, and never if there is none.
func (q *Queue) Enqueue(tx *store.Tx, name string, args any, options ...Option) (id string, err error) {
	k := q.kind(name)
	if k == nil || reflect.TypeOf(args) != k.args {
		return "", fmt.Errorf("job: no kind %q takes %T", name, args)
	}
	var e entry
	for _, option := range options {
		option(&e)
	}
	if k.options.Heavy && e.key != nil {
		return "", fmt.Errorf("job: heavy work such as %s has no keys", name)
	}
	err = tx.In(store.JobsOffice, func() (err error) {
		id, err = q.put(tx, k, args, e)
		return err
	})
	if e.after <= 0 {
		tx.After(func() { q.wake(k) })
	}
	return id, err
}

// put writes the row of a job, unless there is one that it would be the same as.
func (q *Queue) put(tx *store.Tx, k *kind, args any, e entry) (id string, err error) {
	if e.key != nil {
		// To find it costs a fraction of what it costs to write and be refused.
		err := tx.Take(findSingle, []any{k.name, *e.key}, func(c *store.Cols) error { id = c.Text(0); return nil })
		if err != nil || id != "" {
			return id, err
		}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return "", fmt.Errorf("job: arguments of %s: %w", k.name, err)
	}
	id = store.NewUID()
	due := tx.Now() + e.after.Microseconds()
	switch {
	case k.options.Heavy:
		err = q.insertHeavy(tx, k.name, e.owner, id, text, due)
	case e.key == nil:
		err = tx.Exec(insertJob, id, k.name, text, due, tx.Now())
	default:
		err = tx.Query(insertSingle, []any{id, k.name, text, due, tx.Now(), *e.key}, func(c *store.Cols) error {
			id = c.Text(0)
			return nil
		})
	}
	return id, err
}

// wake has the process look for jobs of a kind now.
func (q *Queue) wake(k *kind) {
	k.hot.Store(true)
	select {
	case q.woken <- struct{}{}:
	default:
	}
}

// Get reads a job, whichever process it belongs to: fault.NotFound when there is none, or it was finished too long ago.
func (q *Queue) Get(ctx context.Context, id string) (Job, error) {
	var j Job
	if strings.ContainsRune(id, 0) || len(id) > mostID {
		return j, fault.Missing("Job", "")
	}
	err := q.store.Query(ctx, getJob, []any{id}, func(c *store.Cols) error {
		j = Job{
			ID: c.Text(0), Kind: c.Text(1), State: State(c.Int(2)), Progress: int(c.Int(3)), Attempt: int(c.Int(4)),
			Error: c.Text(5),
			RunAt: c.Int(6), CreatedAt: c.Int(7), FinishedAt: c.Int(8),
		}
		return nil
	})
	if err == nil && j.ID == "" {
		err = fault.Missing("Job", id)
	}
	return j, err
}

const mostID = 200

// Sweep forgets jobs that were finished longer than kept ago, but none whose period may still run.
func (q *Queue) Sweep(ctx context.Context, kept time.Duration) error {
	for _, p := range q.periods {
		kept = max(kept, p.interval)
	}
	for {
		n := 0
		err := q.store.Write(ctx, func(tx *store.Tx) error {
			n = 0
			return tx.Query(sweepJobs, []any{tx.Now() - kept.Microseconds()},
				func(*store.Cols) error { n++; return nil })
		})
		if err != nil || n == 0 {
			return err
		}
	}
}
