package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	lite     = "sqlite"
	postgres = "postgres"
)

var bothEngines = []string{lite, postgres}

// experiments are all there are, in the order of their numbers.
var experiments = []*experiment{
	e1,
	e2,
	e3,
	e4,
	e5,
	e6,
	e7,
	e13,
	e14,
	e15,
	e17,
	e18,
	e19,
	e24,
	e26,
	e27,
	e28,
	e30,
	e32,
	e33,
	e34,
	e36,
	e38,
	e40,
}

// experiment tries one thing that was promised.
type experiment struct {
	id    string
	title string
	bar   string // what must hold
	// control says what is wrong with what the control tries.
	control string
	engines []string
	run     func(*trial) error
	// runControl gives what the control was seen to do wrong; empty when nothing was noticed.
	runControl func(*trial) (caught string, err error)
}

// errNotRun says that this machine cannot run an experiment.
type errNotRun struct{ reason string }

func (e errNotRun) Error() string { return e.reason }

// trial is one run of an experiment or of its control.
type trial struct {
	context.Context
	lab      *lab
	engine   string
	full     bool
	seed     uint64
	folder   string // of its own
	figures  []figure
	problems []string
	broken   int
	ends     []func() error
}

// figure is one number that an experiment found.
type figure struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// pick gives the number that fits the form of the run.
func (t *trial) pick(short, full int) int {
	if t.full {
		return full
	}
	return short
}

// within is a bar for a time. The short form shares its machine with whatever else runs there, so it judges only what is far off.
func (t *trial) within(bar time.Duration) time.Duration {
	if t.full {
		return bar
	}
	return 5 * bar
}

// random gives a source of chance that depends on the seed and the place that asks.
func (t *trial) random(place ...int) *rand.Rand {
	stream := uint64(14695981039346656037)
	for _, p := range place {
		stream = (stream ^ uint64(p)) * 1099511628211
	}
	return rand.New(rand.NewPCG(t.seed, stream))
}

func (t *trial) note(name, format string, args ...any) {
	t.figures = append(t.figures, figure{name, fmt.Sprintf(format, args...)})
}

// require notes a problem unless ok.
func (t *trial) require(ok bool, format string, args ...any) {
	const most = 5
	if ok {
		return
	}
	if t.broken++; t.broken <= most {
		t.problems = append(t.problems, fmt.Sprintf(format, args...))
	}
}

// atEnd has end called when the trial is over, last first.
func (t *trial) atEnd(end func() error) { t.ends = append(t.ends, end) }

func (t *trial) finish() error {
	var errs []error
	for _, end := range slices.Backward(t.ends) {
		errs = append(errs, end())
	}
	return errors.Join(append(errs, os.RemoveAll(t.folder))...)
}

// inner runs fn as a trial in a folder of its own inside of this one; what it finds is for fn to tell.
func (t *trial) inner(name string, fn func(*trial) error) error {
	in := *t
	in.folder, in.ends, in.figures, in.problems = t.path(name), nil, nil, nil
	if err := os.Mkdir(in.folder, 0o755); err != nil {
		return err
	}
	return errors.Join(fn(&in), in.finish())
}

// within bounds a trial: whatever hangs fails.
const (
	withinShort = 5 * time.Minute
	withinFull  = 90 * time.Minute
)

// try runs fn as a trial of its own.
func (l *lab) try(ctx context.Context, o *options, c choice, fn func(*trial) error) (*trial, error) {
	within := withinShort
	if o.full {
		within = withinFull
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	folder, err := os.MkdirTemp(l.folder, c.id+"-")
	if err != nil {
		return nil, err
	}
	t := &trial{Context: ctx, lab: l, engine: c.engine, full: o.full, seed: o.seed, folder: folder}
	return t, errors.Join(fn(t), t.finish())
}

// path names a file or folder of the trial's own.
func (t *trial) path(name string) string { return filepath.Join(t.folder, name) }
