package drawing

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"groundwork/internal/system"
)

// hatch is a child's only way to files: it asks, and open files are handed in. A child opens nothing itself, and knows
// no path.
type hatch struct {
	orders  inbox
	answers io.Writer
	mu      sync.Mutex
}

// open gives a file of those that were brought, by its name, to read from its beginning.
func (h *hatch) open(name string) (*os.File, error) { return h.ask(message{Wants: name}, name) }

// create gives a new, empty file for a result.
func (h *hatch) create(name string) (*os.File, error) { return h.ask(message{Makes: name}, name) }

// maker is how a task comes by a file for a result.
type maker func(name string) (*os.File, error)

func (h *hatch) ask(m message, name string) (*os.File, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := send(h.answers, m, mostRequest); err != nil {
		return nil, err
	}
	var g grant
	if err := receive(&h.orders, &g, mostGrant); err != nil {
		return nil, err
	}
	file := h.orders.take(name)
	if g.Trouble != "" || file == nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.New(g.Trouble)}
	}
	return file, nil
}

// reached tells how far a long task is. What cannot be told is no reason to stop.
func (h *hatch) reached(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = send(h.answers, message{Reached: &n}, mostRequest)
}

// What a child may ask for by name: the file itself, or one of several by its number, or what was gathered for a packet
// or a report; and how results are called.
var (
	broughtName = regexp.MustCompile(`^(` + inputName + `|` + marksName + `|` + recordsName + `|[0-9]{1,9})$`)
	madeName    = regexp.MustCompile(`^[a-z]{1,20}\.[a-z]{1,8}$`)
)

const (
	// mostMade is how many results one task may have; a photograph has three.
	mostMade = 4
	// mostName is how long a name may be that a child asks for.
	mostName = 32
	// mostRequests is how often a child may ask, or tell how far it is, in one task: the largest packet and the largest
	// report do so some 5,000 times.
	mostRequests = 20_000
)

// errand is one task of a child, seen from the service: which file it is about, and where its results go.
type errand struct {
	file           *File
	place          string
	made, requests int
}

// errHostile is what no honest child does: a file has taken it over, and it is ended.
var errHostile = errors.New("a worker asked for what it may not have")

// serve does what a child asks for on the way. It gives only files that were brought for this task, and new ones.
// Whatever else is asked for is errHostile, and nothing that the child said is repeated.
func (e *errand) serve(orders *outbox, m message) error {
	if e.file == nil {
		return errors.New("a worker asked for a file without a task")
	}
	if e.requests++; e.requests > mostRequests {
		return fmt.Errorf("%w: it asked more than %d times", errHostile, mostRequests)
	}
	if m.Reached != nil {
		e.file.reached.Store(int64(*m.Reached))
		return nil
	}
	path, flags, err := e.allowed(m)
	if err != nil {
		return err
	}
	var g grant
	file, err := os.OpenFile(path, flags|system.NoFollow, 0o600)
	if err != nil {
		g.Trouble = withoutPath(err)
	} else {
		defer file.Close()
	}
	text, err := framed(g, mostGrant)
	if err == nil {
		err = orders.hand(text, file)
	}
	return err
}

// allowed says which file a child asks for, and how it may have it.
func (e *errand) allowed(m message) (path string, flags int, err error) {
	switch {
	case len(m.Wants) > mostName || len(m.Makes) > mostName:
		return "", 0, fmt.Errorf("%w: a name of %d bytes", errHostile, max(len(m.Wants), len(m.Makes)))
	case m.Makes == "" && broughtName.MatchString(m.Wants):
		return filepath.Join(e.file.folder, m.Wants), os.O_RDONLY, nil
	case m.Wants == "" && madeName.MatchString(m.Makes):
		if e.made++; e.made > mostMade {
			return "", 0, fmt.Errorf("%w: more than %d results", errHostile, mostMade)
		}
		return filepath.Join(e.place, m.Makes), os.O_CREATE | os.O_EXCL | os.O_RDWR, nil
	}
	return "", 0, fmt.Errorf("%w: %q and %q", errHostile, m.Wants, m.Makes)
}

// withoutPath says why a file cannot be opened; a child knows no path.
func withoutPath(err error) string {
	var at *os.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return err.Error()
}
