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

// do has a task done by a child and decodes its result. An error of the kind fault.Invalid is about the file and stays
// the same when it is tried again; what names the file in it. Any other error is not about the file.
func (f *File) do(ctx context.Context, what, task string, details, result any) (place string, err error) {
	text, err := json.Marshal(details)
	if err != nil {
		return "", err
	}
	if place, err = f.place(); err != nil {
		return "", err
	}
	a, err := f.workshop.have(ctx, what, order{Task: task, Details: text}, f, place)
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

// have finds a child for an order. One that ends for a reason of its own gets a second chance with a fresh child:
// something else may have ended it.
func (w *Workshop) have(ctx context.Context, what string, o order, f *File, place string) (_ answer, err error) {
	ctx, span := w.config.Tracer.Inside(ctx, "drawing "+o.Task)
	defer func() { span.End(err) }()
	// Before its turn: who waits for more memory keeps nobody from theirs.
	if kindOf(o.Task).Generous {
		select {
		case w.generous <- struct{}{}:
			defer func() { <-w.generous }()
		case <-ctx.Done():
			return answer{}, ctx.Err()
		}
	}
	done, err := w.turns.take(ctx, f.ahead.Load())
	if err != nil {
		return answer{}, err
	}
	defer done()
	defer w.counts.begins(o.Task)()
	within := max(w.config.Within, w.config.Within*time.Duration(patience[o.Task]))
	for again := false; ; again = true {
		c, err := w.take(kindOf(o.Task), f)
		if err != nil {
			return answer{}, fault.Busy(err)
		}
		a, err := c.ask(ctx, o, &errand{file: f, place: place}, within, w)
		if err == nil {
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
		w.counts.ends(err)
		w.config.Log.WarnContext(ctx, "a drawing worker ended", "task", o.Task, "error", err, "said", c.said.String())
		if errors.Is(err, errBare) {
			return answer{}, err
		}
		if !errors.Is(err, errGone) || again {
			return answer{}, w.verdict(c, what, within, err)
		}
		// What the first one has begun to write would be in the way of the second.
		if err := errors.Join(os.RemoveAll(place), os.Mkdir(place, 0o700)); err != nil {
			return answer{}, err
		}
	}
}

// patience is how many times the usual limit a task may take.
var patience = map[string]int{"tiles": 3, bandsTask: 3, setTask: 3, packetTask: 5, reportTask: 5}

// hurried are the tasks for which somebody sits and waits. All others keep to as many processors as there may be
// children, so that requests have the rest.
var hurried = map[string]bool{"photo": true, packetTask: true, reportTask: true}

// withLibrary are the tasks that need the library that draws; a packet does for a sheet that the other one refuses.
var withLibrary = map[string]bool{
	"pages": true, "names": true, "text": true, "render": true, "thumbnail": true, "detail": true,
	"tiles": true, bandsTask: true, "split": true, packetTask: true, scanTask: true, heardTask: true,
}

// How many bytes one result may have. The largest picture of a photograph has some 10 MB. An archive of tiles has
// places of 32 bits, and a page is never larger than a file. A packet is about as large as its sheets together, which
// may be a thousand.
const smallRoom, room, packetRoom = 256 << 20, 4 << 30, 32 << 30

// kindOf is the child that a task needs.
func kindOf(task string) kind {
	k := kind{Library: withLibrary[task], Wide: hurried[task], Room: room}
	switch task {
	case "photo":
		k.Room = smallRoom
	case packetTask:
		k.Room = packetRoom
	case bandsTask, scanTask:
		k.Generous = true
	}
	return k
}

// take gives the idle child that knows the file, or starts one: a child never sees a second file, since the first may
// have taken it over.
func (w *Workshop) take(k kind, f *File) (*child, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errors.New("the workshop is closed")
	}
	for at, c := range w.idle {
		if c.file == f && c.kind == k {
			w.idle = slices.Delete(w.idle, at, at+1)
			c.sleep.Stop()
			return c, nil
		}
	}
	return w.spawn(k, f)
}

// keep puts a child aside for the next task about its file, for a while; of more than work at once, the one that has
// waited longest ends.
func (w *Workshop) keep(c *child) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		_ = c.end()
		return
	}
	used, _ := busy(c.process.Process.Pid)
	until := time.Now().Add(w.config.Idle)
	c.sleep = time.AfterFunc(min(w.config.Idle, lookIdle), func() { w.look(c, used, until) })
	w.idle = append(w.idle, c)
	if len(w.idle) > w.config.Children+1 {
		oldest := w.idle[0]
		w.idle = slices.Delete(w.idle, 0, 1)
		oldest.sleep.Stop()
		_ = oldest.end()
	}
}

// lookIdle is how often a child without work is looked at, idleWork how much it may do then: collecting garbage takes a
// few milliseconds.
const lookIdle, idleWork = time.Second, 2 * time.Second

// look ends a child that was idle for long, or is not idle though nobody asked it for anything.
func (w *Workshop) look(c *child, used time.Duration, until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := slices.Index(w.idle, c)
	if at < 0 {
		return
	}
	pid := c.process.Process.Pid
	now, _ := busy(pid)
	if time.Now().Before(until) && now-used < idleWork && resident(pid) <= w.memory(c.kind) &&
		threads(pid) <= mostThreads {
		c.sleep.Reset(min(lookIdle, max(time.Until(until), time.Millisecond)))
		return
	}
	w.idle = slices.Delete(w.idle, at, at+1)
	_ = c.end()
}

// forget ends the idle children that know a file.
func (w *Workshop) forget(f *File) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = slices.DeleteFunc(w.idle, func(c *child) bool {
		if c.file != f {
			return false
		}
		_ = c.end()
		return true
	})
}
