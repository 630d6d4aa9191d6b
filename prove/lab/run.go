package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// The verdicts.
const (
	Passed = "PASS"
	Failed = "FAIL"
	NotRun = "NOT RUN"
)

// Result is what came out of an experiment on one engine.
type Result struct {
	ID       string   `json:"id"`
	Engine   string   `json:"engine"`
	Form     string   `json:"form"` // short or full
	Seed     uint64   `json:"seed"`
	Verdict  string   `json:"verdict"`
	Problems []string `json:"problems"`
	Figures  []Figure `json:"figures"`
	// Control says what the control was seen to do wrong; empty when it was not caught.
	Control string  `json:"control"`
	Seconds float64 `json:"seconds"`
	Day     string  `json:"day"`
	Version string  `json:"version"`
	Machine string  `json:"machine"`
}

// Terms are under which experiments are tried.
type Terms struct {
	Full bool   // the whole form, not the short one
	Seed uint64 // of the load
}

// Run tries an experiment, and its control unless that cannot matter any more.
func (l *Lab) Run(ctx context.Context, o Terms, c Choice) Result {
	began := time.Now()
	r := Result{
		ID: c.ID, Engine: c.Engine, Form: "short", Seed: o.Seed, Verdict: Passed, Problems: []string{},
		Day: began.UTC().Format(time.DateOnly), Machine: fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(),
			runtime.GOOS, runtime.GOARCH, runtime.Version()),
	}
	if o.Full {
		r.Form = "full"
	}
	t, err := l.try(ctx, o, c, c.Run)
	if t != nil {
		r.Figures, r.Problems = t.figures, t.Problems
	}
	if err == nil {
		_, err = l.try(ctx, o, c, func(t *Trial) (err error) {
			r.Control, err = c.RunControl(t)
			return err
		})
	}
	var cannot errNotRun
	switch {
	case errors.As(err, &cannot):
		r.Verdict, r.Problems = NotRun, []string{cannot.reason}
	case err != nil:
		r.Verdict, r.Problems = Failed, append(r.Problems, err.Error())
	case len(r.Problems) > 0 || r.Control == "":
		r.Verdict = Failed
	}
	r.Seconds = time.Since(began).Round(100 * time.Millisecond).Seconds()
	return r
}

// SourceVersion names the sources.
func (l *Lab) SourceVersion(ctx context.Context) string {
	git := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty")
	git.Dir = l.SourceFolder
	out, err := git.Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// Choice is one experiment on one engine.
type Choice struct {
	*Experiment
	Engine string
}

// What a trial may take: whatever hangs fails.
const (
	ShortTimeout = 10 * time.Minute
	FullTimeout  = 90 * time.Minute
)

// try runs fn as a trial of its own.
func (l *Lab) try(ctx context.Context, o Terms, c Choice, fn func(*Trial) error) (*Trial, error) {
	within := ShortTimeout
	if o.Full {
		within = FullTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	folder, err := os.MkdirTemp(l.folder, c.ID+"-")
	if err != nil {
		return nil, err
	}
	t := &Trial{Context: ctx, Lab: l, Engine: c.Engine, Full: o.Full, Seed: o.Seed, Folder: folder}
	return t, errors.Join(fn(t), t.finish())
}
