package drawing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"groundwork/internal/fault"
)

// child is a process that does one task at a time.
type child struct {
	process *exec.Cmd
	orders  io.WriteCloser
	answers *os.File
	said    *tail
	// seen is how many tasks it had, file the last one's.
	seen  int
	file  string
	sleep *time.Timer
	ended sync.Once
	end1  error
}

// spawn starts a child with an environment of its own: nothing of ours, secrets least of all, is in it.
func (w *Workshop) spawn() (*child, error) {
	answers, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	c := &child{answers: answers, said: &tail{}}
	c.process = exec.Command(w.config.Command[0], w.config.Command[1:]...)
	c.process.Dir = w.config.Folder
	c.process.Env = []string{
		fmt.Sprintf("%s=%d", marker, w.config.Memory), fmt.Sprintf("GOMEMLIMIT=%d", w.config.Memory),
		"GOMAXPROCS=2", "GOTRACEBACK=single", "TZ=UTC", "HOME=" + w.config.Folder, "TMPDIR=" + w.config.Folder,
	}
	// What a library prints is not an answer.
	c.process.Stdout, c.process.Stderr = c.said, c.said
	c.process.ExtraFiles = []*os.File{theirs}
	c.process.SysProcAttr = apart()
	if c.orders, err = c.process.StdinPipe(); err == nil {
		started := make(chan error)
		w.starts <- func() { started <- c.process.Start() }
		err = <-started
	}
	if err != nil {
		return nil, errors.Join(err, answers.Close())
	}
	return c, nil
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
)

const (
	// watchEvery is how often a working child is looked at. A limit of the kernel stands behind that of memory where there is one.
	watchEvery = 50 * time.Millisecond
	// starved is how many times longer than its limit a task may take that had to wait for the processor: where that can be seen, the limit is one of work.
	starved = 5
)

// ask has the child do one task. After any error it is of no more use: it was killed, or died.
func (c *child) ask(ctx context.Context, o order, within time.Duration, memory int64) (answer, error) {
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
				if now, visible := busy(pid); visible && now-before > within {
					stop(errSlow)
				}
			}
		}
	}()
	var a answer
	err := send(c.orders, o)
	if err == nil {
		err = receive(c.answers, &a)
	}
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
	return a, errors.Join(errGone, err, ended)
}

var errDone = errors.New("done")

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
		return &fault.Error{Kind: fault.Invalid, Message: fmt.Sprintf("%s could not be read within %v.", what, within), Cause: err}
	case errors.Is(err, errMemory):
		return &fault.Error{Kind: fault.Invalid, Message: fmt.Sprintf("%s needs more than %d MB of memory to be read.", what, w.config.Memory>>20), Cause: err}
	case errors.Is(err, errGone):
		return &fault.Error{Kind: fault.Invalid, Message: what + " could not be read: it stops the program that reads it.", Cause: fmt.Errorf("%w: %s", err, c.said)}
	}
	return err
}
