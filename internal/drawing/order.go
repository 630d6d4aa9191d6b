package drawing

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/fault"
)

// do has a task done by a child and decodes its result. An error of the kind fault.Invalid is about the file and stays the same when it is tried again; what
// names the file in it. Any other error is not about the file.
func (f *File) do(ctx context.Context, what, task string, details, result any) (place string, err error) {
	text, err := json.Marshal(details)
	if err != nil {
		return "", err
	}
	if place, err = f.place(); err != nil {
		return "", err
	}
	w := f.workshop
	a, err := w.have(ctx, what, f.ahead.Load(), order{Task: task, File: f.input(), Place: place, Cache: w.config.Cache, Details: text})
	switch {
	case fault.Is(err, fault.Invalid):
		// It has ended a child and held up the others once; its next page may do so again.
		f.giveWay()
		return "", err
	case err != nil:
		return "", err
	case a.Bad != "":
		e := fault.New(fault.Invalid, "%s", a.Bad)
		if a.Cause != "" {
			e.Cause = errors.New(a.Cause)
		}
		return "", e
	case a.Trouble != "":
		return "", errors.New(a.Trouble)
	}
	return place, json.Unmarshal(a.Result, result)
}

// have finds a child for an order. One that ends for a reason of its own gets a second chance with a fresh child: something else may have ended it.
func (w *Workshop) have(ctx context.Context, what string, ahead bool, o order) (answer, error) {
	done, err := w.turns.take(ctx, ahead)
	if err != nil {
		return answer{}, err
	}
	defer done()
	if !hurried[o.Task] {
		o.Processors = w.config.Children
	}
	within := max(w.config.Within, w.config.Within*time.Duration(patience[o.Task]))
	for again := false; ; again = true {
		c, err := w.take(o.File)
		if err != nil {
			return answer{}, fault.Busy(err)
		}
		a, err := c.ask(ctx, o, within, w.config.Memory)
		if err == nil {
			c.file = o.File
			if c.seen++; a.Last || c.seen >= w.config.Tasks {
				_ = c.end()
			} else {
				w.keep(c)
			}
			return a, nil
		}
		if ctx.Err() != nil {
			return answer{}, ctx.Err()
		}
		w.config.Log.Warn("a drawing worker ended", "task", o.Task, "error", err, "said", c.said.String())
		if !errors.Is(err, errGone) || again {
			return answer{}, w.verdict(c, what, within, err)
		}
		// What the first one has begun to write would be in the way of the second.
		if err := errors.Join(os.RemoveAll(o.Place), os.Mkdir(o.Place, 0o700)); err != nil {
			return answer{}, err
		}
	}
}

// patience is how many times the usual limit a task may take.
var patience = map[string]int{"tiles": 3, packetTask: 5, reportTask: 5}

// hurried are the tasks for which somebody sits and waits. All others keep to as many processors as there may be children, so that requests have the rest.
var hurried = map[string]bool{"photo": true, packetTask: true, reportTask: true}

// take gives an idle child, rather the one that has the file open, or starts one.
func (w *Workshop) take(file string) (*child, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errors.New("the workshop is closed")
	}
	if n := len(w.idle); n > 0 {
		at := max(0, slices.IndexFunc(w.idle, func(c *child) bool { return c.file == file }))
		c := w.idle[at]
		w.idle = slices.Delete(w.idle, at, at+1)
		c.sleep.Stop()
		return c, nil
	}
	return w.spawn()
}

// keep puts a child aside for the next task, for a while.
func (w *Workshop) keep(c *child) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		_ = c.end()
		return
	}
	c.sleep = time.AfterFunc(w.config.Idle, func() {
		w.mu.Lock()
		at := slices.Index(w.idle, c)
		if at >= 0 {
			w.idle = slices.Delete(w.idle, at, at+1)
		}
		w.mu.Unlock()
		if at >= 0 {
			_ = c.end()
		}
	})
	w.idle = append(w.idle, c)
}
