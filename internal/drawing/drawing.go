// Package drawing owns PDF and image work: pages, text with its places, renderings, tiles, thumbnails. The work is done
// in a child process that is killed when it takes too long or too much memory, so that no file can harm the service. It
// refuses to know records, databases and where files lie: bytes in, bytes out.
package drawing

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/trace"
)

// Config says how much of the machine the work may take. The zero value of a field means its default, except of Folder.
type Config struct {
	// Folder holds what is being worked on. Nothing else may lie in it.
	Folder string
	// Cache holds what the PDF library need not compile twice. Default: Folder.
	Cache string
	// Command starts a child. Default: this program with the argument WorkerCommand.
	Command []string
	// Children is how many may work at once on what somebody waits for; one more works ahead. Default: one for every
	// two processors.
	Children int
	// Tasks is how many tasks a child may do before it is replaced; all are about one file. Default: 100.
	Tasks int
	// Memory is how many bytes a child may use. Default: 1 GiB.
	Memory int64
	// Within is how long one task may take. Default: a minute; a task may ask for more.
	Within time.Duration
	// Idle is how long a child without work is kept. Default: a minute.
	Idle time.Duration
	// Relaxed has children work also where the system lacks the walls that keep them from all files: see Walls.Strict.
	Relaxed bool
	// Recognition is how letters of scanned and outlined drawings are recognised: by no program ("" or RecognitionOff),
	// by Tesseract where the system has it (RecognitionAuto), or by the program at a path.
	Recognition string
	Log         *slog.Logger
	// Tracer makes a span of each task; nil makes none.
	Tracer *trace.Tracer
}

// Workshop is a bounded number of children and the folder in which they work.
type Workshop struct {
	config   Config
	turns    *turns
	starts   chan func()
	berth    berth         // of the thread that starts children
	generous chan struct{} // holds the place of the one child that may take more memory

	bench      bench
	recogniser recogniser
	counts     *counts
	seenWithin time.Duration // how long a recogniser may use the processor for a picture

	mu     sync.Mutex
	idle   []*child
	closed bool
}

// workingFolder is where files lie while they are worked on, each process's in a folder of its own.
const workingFolder = "work"

// Open makes a workshop and removes what an earlier one left behind. No child is started before there is work.
func Open(c Config) (*Workshop, error) {
	if os.Getenv(marker) != "" {
		return nil, errors.New("A drawing worker cannot start others.")
	}
	if len(c.Command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("This program cannot find itself, so it cannot start its drawing workers: %w.", err)
		}
		c.Command = []string{self, WorkerCommand}
	}
	c.Children = max(c.Children, 0)
	if c.Children == 0 {
		c.Children = max(1, runtime.NumCPU()/2)
	}
	setDefault(&c.Cache, c.Folder)
	var err error
	if c.Cache, err = filepath.Abs(c.Cache); err != nil {
		return nil, fmt.Errorf("The folder of the drawing workers cannot be found: %w.", err)
	}
	setDefault(&c.Tasks, 100)
	setDefault(&c.Memory, 1<<30)
	setDefault(&c.Within, time.Minute)
	setDefault(&c.Idle, time.Minute)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if err := removeLeft(filepath.Join(c.Folder, workingFolder)); err != nil {
		return nil, fmt.Errorf("What an earlier drawing worker left cannot be removed: %w.", err)
	}
	keepFiles()
	w := &Workshop{
		config: c, turns: newTurns(c.Children), starts: make(chan func()), generous: make(chan struct{}, 1),
		counts: newCounts(), seenWithin: defaultSeen,
	}
	go w.start()
	return w, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// start starts children from one thread that lives as long as the workshop: a child is killed when the thread that
// started it ends, and has that thread's place at the processor. The thread is never unlocked, so it ends with the
// workshop and runs nothing else.
func (w *Workshop) start() {
	runtime.LockOSThread()
	if err := yield(); err != nil {
		w.config.Log.Warn("drawing workers cannot give way at the processor", "error", err)
	}
	for f := range w.starts {
		f()
	}
}

// Close ends all children. Work under way must have ended.
func (w *Workshop) Close() error {
	w.mu.Lock()
	idle := w.idle
	w.idle = nil
	first := !w.closed
	w.closed = true
	w.mu.Unlock()
	for _, c := range idle {
		_ = c.end()
	}
	if first {
		close(w.starts)
	}
	return w.bench.close()
}

// File is a file in the workshop, and what is made of it. Close removes both.
type File struct {
	workshop *Workshop
	folder   string
	ahead    atomic.Bool // all others come before it
	// reached is how far a long task says it is.
	reached atomic.Int64
	// made is how many results there were, cleared how many of them are gone.
	made, cleared int
	// answers is how many pictures a recogniser was shown, unseen how many pages in a row it failed on.
	answers, unseen int
}

// inputName is the file itself in its folder, where it is one; no result is called so.
const inputName = "input"

// Bring copies a file into the workshop. The caller closes it: until then somebody waits for what is made of it.
func (w *Workshop) Bring(r io.Reader) (*File, error) { return w.bring(r, false) }

// BringAhead copies a file into the workshop for which nobody waits: its tasks begin when there is no other file.
func (w *Workshop) BringAhead(r io.Reader) (*File, error) { return w.bring(r, true) }

func (w *Workshop) bring(r io.Reader, ahead bool) (*File, error) {
	f, err := w.room(ahead)
	if err == nil {
		err = f.bring(inputName, r)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// clear makes a place for files that somebody waits for.
func (w *Workshop) clear() (*File, error) { return w.room(false) }

func (w *Workshop) room(ahead bool) (*File, error) {
	working, err := w.bench.open(filepath.Join(w.config.Folder, workingFolder))
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(working, "file-")
	if err != nil {
		return nil, err
	}
	if !ahead {
		w.turns.enter()
	}
	f := &File{workshop: w, folder: folder}
	f.ahead.Store(ahead)
	return f, nil
}

// bring copies a file to its place under a name. What cannot be copied whole leaves nothing.
func (f *File) bring(name string, r io.Reader) error {
	out, err := os.OpenFile(filepath.Join(f.folder, name), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err == nil {
		_, err = io.Copy(out, r)
		err = errors.Join(err, out.Close())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("The file cannot be copied to where it is worked on: %w.", err), f.Close())
	}
	return nil
}

func (f *File) input() string { return filepath.Join(f.folder, inputName) }

// Close removes the file and all results, and ends the child that knows it: none ever sees a second file, which may be
// somebody else's.
func (f *File) Close() error {
	f.giveWay()
	f.workshop.forget(f)
	return os.RemoveAll(f.folder)
}

// giveWay has all other files come before this one from now on.
func (f *File) giveWay() {
	if f.ahead.CompareAndSwap(false, true) {
		f.workshop.turns.leave()
	}
}

// Clear removes the results so far; the file stays.
func (f *File) Clear() error {
	for ; f.cleared < f.made; f.cleared++ {
		if err := os.RemoveAll(f.result(f.cleared + 1)); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) result(number int) string {
	return filepath.Join(f.folder, fmt.Sprintf("made-%d", number))
}

// place is an empty folder for the results of one task.
func (f *File) place() (string, error) {
	f.made++
	folder := f.result(f.made)
	return folder, os.Mkdir(folder, 0o700)
}

// bad says what is wrong with a file, in a sentence for the person who sent it.
func bad(format string, args ...any) *fault.Error { return fault.New(fault.Invalid, format, args...) }
