package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// Trial is one run of an experiment or of its control.
type Trial struct {
	context.Context
	Lab      *Lab
	Engine   string
	Full     bool
	Seed     uint64
	Folder   string // of its own
	figures  []Figure
	Problems []string
	broken   int
	ends     []func() error
}

// Figure is one number that an experiment found.
type Figure struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ShortOrFull gives the number that fits the form of the run.
func (t *Trial) ShortOrFull(short, full int) int {
	if t.Full {
		return full
	}
	return short
}

// Random gives a source of chance that depends on the seed and the place that asks.
func (t *Trial) Random(place ...int) *rand.Rand {
	stream := uint64(14695981039346656037)
	for _, p := range place {
		stream = (stream ^ uint64(p)) * 1099511628211
	}
	return rand.New(rand.NewPCG(t.Seed, stream))
}

// Note keeps a figure for the report.
func (t *Trial) Note(name, format string, args ...any) {
	t.figures = append(t.figures, Figure{name, fmt.Sprintf(format, args...)})
}

// Require notes a problem unless ok.
func (t *Trial) Require(ok bool, format string, args ...any) {
	const most = 5
	if ok {
		return
	}
	if t.broken++; t.broken <= most {
		t.Problems = append(t.Problems, fmt.Sprintf(format, args...))
	}
}

// RequireOnTime notes a problem unless ok, in the full form. The short form shares its machine with whatever else runs
// there, so it tells of it as a figure: how long something took, or how much was done in a time, proves nothing there.
func (t *Trial) RequireOnTime(ok bool, format string, args ...any) {
	switch {
	case t.Full:
		t.Require(ok, format, args...)
	case !ok:
		t.Note("later than its bar", format, args...)
	}
}

// AtEnd has end called when the trial is over, last first.
func (t *Trial) AtEnd(end func() error) { t.ends = append(t.ends, end) }

func (t *Trial) finish() error {
	var errs []error
	for _, end := range slices.Backward(t.ends) {
		errs = append(errs, end())
	}
	return errors.Join(append(errs, os.RemoveAll(t.Folder))...)
}

// Inner runs fn as a trial in a folder of its own inside of this one; what it finds is for fn to tell.
func (t *Trial) Inner(name string, fn func(*Trial) error) error {
	in := *t
	in.Folder, in.ends, in.figures, in.Problems = t.Path(name), nil, nil, nil
	if err := os.Mkdir(in.Folder, 0o755); err != nil {
		return err
	}
	return errors.Join(fn(&in), in.finish())
}

// Path names a file or folder of the trial's own.
func (t *Trial) Path(name string) string { return filepath.Join(t.Folder, name) }
