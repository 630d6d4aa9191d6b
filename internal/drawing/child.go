package drawing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/fault"
)

// child is a process that does one task at a time.
type child struct {
	process *exec.Cmd
	orders  *outbox
	answers *os.File
	said    *tail
	// seen is how many tasks it had, all about one file.
	seen  int
	file  *File
	kind  kind
	greet bool // it has told its walls
	walls Walls
	sleep *time.Timer
	ended sync.Once
	end1  error
}

// kind is what a child is made for.
type kind struct {
	// Library is whether it starts the library that draws, which takes 0.1 s.
	Library bool
	// Wide is whether it may use all processors: somebody sits and waits.
	Wide bool
	// Generous is whether it may take twice the usual memory.
	Generous bool
	// Room is how many bytes a file may have that it writes.
	Room int64
}

// setup is what a child is started with; it lies in its environment.
type setup struct {
	kind
	Memory int64
	Cache  string
}

// spawn starts a child with an environment of its own: nothing of ours, secrets least of all, is in it. It inherits
// three pipes and what orders come through, and no other file.
func (w *Workshop) spawn(k kind, f *File) (c *child, err error) {
	text, err := json.Marshal(setup{k, w.memory(k), w.config.Cache})
	if err != nil {
		return nil, err
	}
	answers, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	c = &child{answers: answers, said: &tail{}, kind: k, file: f}
	orders, stdin, err := pair()
	if err != nil {
		return nil, errors.Join(err, answers.Close())
	}
	defer stdin.Close()
	c.orders = orders
	c.process = exec.Command(w.config.Command[0], w.config.Command[1:]...)
	// The folder of the workshop need not exist yet, and the child has no business in it.
	c.process.Dir = "/"
	c.process.Env = []string{
		marker + "=" + string(text), fmt.Sprintf("GOMEMLIMIT=%d", w.memory(k)), "GOMAXPROCS=2",
		"GODEBUG=containermaxprocs=0", "GOTRACEBACK=single", "TZ=UTC", "HOME=/", "TMPDIR=/",
	}
	c.process.Stdin = stdin
	// What a library prints is not an answer.
	c.process.Stdout, c.process.Stderr = c.said, c.said
	c.process.SysProcAttr = apart()
	if err := lend(c.process, theirs); err != nil {
		return nil, errors.Join(err, answers.Close(), orders.Close())
	}
	processors := w.config.Children
	if k.Wide {
		processors = 0
	}
	started := make(chan error)
	w.starts <- func() {
		if err := w.berth.keepTo(processors); err != nil {
			w.config.Log.Warn("a drawing worker cannot keep to its processors", "error", err)
		}
		started <- c.process.Start()
	}
	if err = <-started; err != nil {
		return nil, errors.Join(err, answers.Close(), orders.Close())
	}
	orders.to(c.process.Process)
	w.counts.started()
	return c, nil
}

// memory is how many bytes a child may use.
func (w *Workshop) memory(k kind) int64 {
	if k.Generous {
		return 2 * w.config.Memory
	}
	return w.config.Memory
}

// end kills the child and waits until it is gone; it gives the way in which it ended.
func (c *child) end() error {
	c.ended.Do(func() {
		if c.sleep != nil {
			c.sleep.Stop()
		}
		// An error means that it is gone already.
		_ = c.process.Process.Kill()
		c.end1 = errors.Join(c.process.Wait())
		c.orders.Close()
		c.answers.Close()
	})
	return c.end1
}

// Why a child was killed.
var (
	errSlow   = errors.New("too slow")
	errMemory = errors.New("too much memory")
	errGone   = errors.New("the worker ended")
	// errThreads is what no honest child does: it has some 20.
	errThreads = errors.New("too many threads")
)

const (
	// mostThreads is how many threads a child may have.
	mostThreads = 200
	// watchEvery is how often a working child is looked at. A limit of the kernel stands behind that of memory where
	// there is one.
	watchEvery = 50 * time.Millisecond
	// starved is how many times longer than its limit a task may take that had to wait for the processor: where that
	// can be seen, the limit is one of work.
	starved = 5
)

// ask has the child do one task. After any error it is of no more use: it was killed, or died.
func (c *child) ask(ctx context.Context, o order, e *errand, within time.Duration, w *Workshop) (answer, error) {
	memory := w.memory(c.kind)
	watching, stop := context.WithCancelCause(ctx)
	done := make(chan struct{})
	pid := c.process.Process.Pid
	before, visible := busy(pid)
	waiting := within
	if visible {
		waiting *= starved
	}
	go func() {
		defer close(done)
		limit, look := time.NewTimer(waiting), time.NewTicker(watchEvery)
		defer limit.Stop()
		defer look.Stop()
		for {
			select {
			case <-watching.Done():
				if !errors.Is(context.Cause(watching), errDone) {
					_ = c.process.Process.Kill()
				}
				return
			case <-limit.C:
				stop(errSlow)
			case <-look.C:
				if resident(pid) > memory {
					stop(errMemory)
				}
				if threads(pid) > mostThreads {
					stop(errThreads)
				}
				if now, visible := busy(pid); visible && now-before > within {
					stop(errSlow)
				}
			}
		}
	}()
	a, err := c.converse(o, e, w)
	stop(errDone)
	<-done
	if why := context.Cause(watching); !errors.Is(why, errDone) {
		return a, errors.Join(why, c.end())
	}
	if err == nil {
		return a, nil
	}
	ended := c.end()
	if c.said.has("out of memory") || c.said.has("cannot allocate memory") {
		return a, errors.Join(errMemory, ended)
	}
	if errors.Is(err, errBare) {
		return a, err
	}
	return a, errors.Join(errGone, err, ended)
}

var errDone = errors.New("done")

// converse gives the order, and files as the child asks for them, until the child answers.
func (c *child) converse(o order, e *errand, w *Workshop) (answer, error) {
	if err := send(c.orders, o, mostOrder); err != nil {
		return answer{}, err
	}
	for {
		most := mostMessage
		if !c.greet {
			most = mostRequest
		}
		m, err := hear(c.answers, most)
		if err != nil {
			return answer{}, err
		}
		switch {
		case !c.greet:
			if c.greet = true; m.Walls == nil {
				return answer{}, errors.New("a worker did not tell its walls")
			}
			c.walls = *m.Walls
			if err := w.enough(m.Walls); err != nil {
				return answer{}, err
			}
		case m.Answer != nil:
			return *m.Answer, nil
		default:
			if err := e.serve(c.orders, m); err != nil {
				return answer{}, err
			}
		}
	}
}

// tail keeps the end of what a child prints.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const mostSaid = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	// The beginning matters as much: there stands what happened, behind it where.
	if over := len(t.text) - 2*mostSaid; over > 0 {
		t.text = append(t.text[:mostSaid], t.text[mostSaid+over:]...)
	}
	return len(p), nil
}

func (t *tail) has(words string) bool { return strings.Contains(t.String(), words) }

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}

// verdict turns the end of a child into an error about the file it was working on.
func (w *Workshop) verdict(c *child, what string, within time.Duration, err error) error {
	switch {
	case errors.Is(err, errSlow):
		return &fault.Error{
			Kind: fault.Invalid, Message: fmt.Sprintf("%s could not be read within %v.", what, within), Cause: err,
		}
	case errors.Is(err, errMemory):
		return &fault.Error{Kind: fault.Invalid, Message: fmt.Sprintf("%s needs more than %d MB of memory to be read.",
			what, w.memory(c.kind)>>20), Cause: err}
	case errors.Is(err, errGone), errors.Is(err, errThreads):
		return &fault.Error{Kind: fault.Invalid, Message: what +
			" could not be read: it stops the program that reads it.", Cause: fmt.Errorf("%w: %s", err, c.said)}
	}
	return err
}
