package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The verdicts.
const (
	passed = "PASS"
	failed = "FAIL"
	notRun = "NOT RUN"
)

// resultsFile is where the last full results lie.
const resultsFile = "prove/results.json"

// result is what came out of an experiment on one engine.
type result struct {
	ID       string   `json:"id"`
	Engine   string   `json:"engine"`
	Form     string   `json:"form"` // short or full
	Seed     uint64   `json:"seed"`
	Verdict  string   `json:"verdict"`
	Problems []string `json:"problems"`
	Figures  []figure `json:"figures"`
	// Control says what the control was seen to do wrong; empty when it was not caught.
	Control string  `json:"control"`
	Seconds float64 `json:"seconds"`
	Day     string  `json:"day"`
	Version string  `json:"version"`
	Machine string  `json:"machine"`
}

// tryAll runs the chosen experiments one after the other and prints what comes out.
func (l *lab) tryAll(ctx context.Context, o *options, chosen []choice) ([]result, error) {
	var results []result
	version := l.version(ctx)
	for _, c := range chosen {
		if ctx.Err() != nil {
			return results, ctx.Err()
		}
		fmt.Printf("%s on %s, seed %d: %s\n", c.id, c.engine, o.seed, c.title)
		r := l.tryOne(ctx, o, c)
		r.Version = version
		r.print()
		results = append(results, r)
		if o.out == "" {
			continue
		}
		if err := keep(o.out, r); err != nil {
			return results, err
		}
	}
	return results, nil
}

func (l *lab) tryOne(ctx context.Context, o *options, c choice) result {
	began := time.Now()
	r := result{
		ID: c.id, Engine: c.engine, Form: "short", Seed: o.seed, Verdict: passed, Problems: []string{},
		Day: began.UTC().Format(time.DateOnly), Machine: fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version()),
	}
	if o.full {
		r.Form = "full"
	}
	t, err := l.try(ctx, o, c, c.run)
	if t != nil {
		r.Figures, r.Problems = t.figures, t.problems
	}
	if err == nil {
		_, err = l.try(ctx, o, c, func(t *trial) (err error) {
			r.Control, err = c.runControl(t)
			return err
		})
	}
	var cannot errNotRun
	switch {
	case errors.As(err, &cannot):
		r.Verdict, r.Problems = notRun, []string{cannot.reason}
	case err != nil:
		r.Verdict, r.Problems = failed, append(r.Problems, err.Error())
	case len(r.Problems) > 0 || r.Control == "":
		r.Verdict = failed
	}
	r.Seconds = time.Since(began).Round(100 * time.Millisecond).Seconds()
	return r
}

func (r *result) print() {
	for _, f := range r.Figures {
		fmt.Printf("  %-28s %s\n", f.Name, f.Value)
	}
	for _, p := range r.Problems {
		fmt.Printf("  %s\n", strings.ReplaceAll(strings.TrimSpace(p), "\n", "\n    "))
	}
	if r.Verdict != notRun {
		fmt.Printf("  %-28s %s\n", "control", r.caught())
	}
	fmt.Printf("  %s (%.1f s)\n\n", r.Verdict, r.Seconds)
}

func (r *result) caught() string {
	if r.Control == "" {
		return "NOT CAUGHT"
	}
	return "caught: " + r.Control
}

// version names the sources.
func (l *lab) version(ctx context.Context) string {
	git := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty")
	git.Dir = l.top
	out, err := git.Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// summarise prints the last lines and tells whether all is well.
func summarise(results []result, require []string, took time.Duration) bool {
	ok, count := true, map[string]int{}
	for _, r := range results {
		count[r.Verdict]++
		if r.Verdict == failed || (r.Verdict == notRun && slices.Contains(require, r.ID)) {
			ok = false
			fmt.Printf("%s on %s: %s\n", r.ID, r.Engine, r.Verdict)
		}
	}
	for _, id := range require {
		if !slices.ContainsFunc(results, func(r result) bool { return r.ID == id }) {
			ok = false
			fmt.Printf("%s was required and not chosen\n", id)
		}
	}
	fmt.Printf("%d passed, %d failed, %d not run, in %s\n", count[passed], count[failed], count[notRun], seconds(took))
	return ok
}

// keep writes a result into the file, in place of an older one of the same experiment.
func keep(file string, r result) error {
	all, err := kept(file)
	if err != nil {
		return err
	}
	same := func(o result) bool { return o.ID == r.ID && o.Engine == r.Engine }
	if i := slices.IndexFunc(all, same); i >= 0 {
		all[i] = r
	} else {
		all = append(all, r)
	}
	place := func(r result) int {
		return slices.IndexFunc(experiments, func(x *experiment) bool { return x.id == r.ID })
	}
	slices.SortStableFunc(all, func(a, b result) int { return place(a) - place(b) })
	text, err := json.Marshal(all, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// kept are the results in the file; none when it does not exist.
func kept(file string) (all []result, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(text, &all)
}
