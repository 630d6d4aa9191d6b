package drawing

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"groundwork/internal/fault"
)

// WorkerCommand is the argument with which this program is one of its own children.
const WorkerCommand = "drawing-worker"

// marker is set in the environment of a child, to what it is started with.
const marker = "GROUNDWORK_DRAWING_WORKER"

// task does one kind of work in the child. An error of the kind fault.Invalid is about the file; any other one is not,
// such as a full disk.
type task func(o order) (any, error)

// Work is the life of a child: it does what it is asked until nobody asks any more, and gives its exit code.
func Work() int {
	d := new(document)
	return work(d.tasks(), d.start)
}

// tasks is everything a child can do.
func (d *document) tasks() map[string]task {
	return map[string]task{
		probeTask: func(order) (any, error) { return nil, nil },
		"photo":   photoTask,
		"pages":   d.task(pagesTask), "names": d.task(namesTask), "text": d.task(textTask), "render": d.task(renderTask),
		"thumbnail": d.task(thumbnailTask), "detail": d.task(detailTask),
		"tiles": d.task(tilesTask), bandsTask: d.task(tilesTask),
		"split":  d.task(splitTask),
		scanTask: d.scan, heardTask: d.heard,
		packetTask: d.packetTask, reportTask: makeReport, setTask: readSet,
	}
}

// work is started with all that a child can do, and what it does before it loses sight of the disk.
func work(tasks map[string]task, start func(cache string) error) int {
	// The kernel ends a child with its parent by a note on one thread; it must be one that stays.
	runtime.LockOSThread()
	if text := os.Getenv(launchMarker); text != "" {
		return launch(text)
	}
	var s setup
	if err := json.Unmarshal([]byte(os.Getenv(marker)), &s); err != nil || s.Memory <= 0 {
		fmt.Fprintln(os.Stderr, "groundwork: this command is started by the service itself.")
		return 2
	}
	if s.Library {
		if err := start(s.Cache); err != nil {
			fmt.Fprintln(os.Stderr, "groundwork: the library that draws cannot be started:", err)
			return 1
		}
	}
	answers := lent("answers")
	walls := confine(s)
	if err := send(answers, message{Walls: &walls}, mostRequest); err != nil {
		fmt.Fprintln(os.Stderr, "groundwork: the walls cannot be told:", err)
		return 1
	}
	go guard(s.Memory)
	from := &hatch{orders: newInbox(), answers: answers}
	for {
		var o order
		if err := receive(&from.orders, &o, mostOrder); errors.Is(err, io.EOF) {
			return 0
		} else if err != nil {
			fmt.Fprintln(os.Stderr, "groundwork: an order cannot be read:", err)
			return 1
		}
		o.hatch = from
		a := try(tasks[o.Task], o)
		a.Bad, a.Cause, a.Trouble = clip(a.Bad, mostSentence), clip(a.Cause, mostCause), clip(a.Trouble, mostCause)
		if err := send(answers, message{Answer: &a}, mostMessage); err != nil {
			fmt.Fprintln(os.Stderr, "groundwork: an answer cannot be given:", err)
			return 1
		}
		if a.Last {
			return 0
		}
	}
}

// clip cuts a text to so many bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// try does a task; a panic of a parser is an answer about the file, and the last one of a child that may not be sound
// any more.
func try(do task, o order) (a answer) {
	defer func() {
		if p := recover(); p != nil {
			a = answer{
				Bad:   "The file is damaged and cannot be read.",
				Cause: fmt.Sprintf("panic: %v\n%s", p, debug.Stack()), Last: true,
			}
		}
	}()
	if do == nil {
		panic("there is no task " + o.Task)
	}
	result, err := do(o)
	var e *fault.Error
	switch {
	case err == nil:
		if a.Result, err = json.Marshal(result); err != nil {
			panic(err)
		}
	case errors.As(err, &e) && e.Kind == fault.Invalid:
		// What a broken file left in a parser is not met by the next one.
		a.Bad, a.Last = e.Message, true
		if e.Cause != nil {
			a.Cause = e.Cause.Error()
		}
	default:
		a.Trouble = err.Error()
	}
	return a
}

// guard ends the child when it takes half as much again as it may, on every system. Where the parent can see its
// memory, it is ended before.
func guard(memory int64) {
	total := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(watchEvery) {
		metrics.Read(total)
		if int64(total[0].Value.Uint64()-total[1].Value.Uint64()) > most(memory) {
			fmt.Fprintln(os.Stderr, "groundwork: out of memory")
			os.Exit(3)
		}
	}
}

// most is how much a child can map: more than it may use, as what it maps and never touches costs nothing. An idle one
// maps about 60 MB and holds 10.
func most(memory int64) int64 { return memory/2*3 + 128<<20 }
