package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/prove/lab"
)

// resultsFile is where the last full results lie.
const resultsFile = "results.json"

// shortLanes is how many experiments the short form tries at once: it judges no times, and much of an experiment is
// waiting.
const shortLanes = 3

// tryAll tries what was chosen. The full form, and what compares times, has the machine for itself.
func tryAll(ctx context.Context, place *lab.Lab, o *options, chosen []lab.Choice) (results []lab.Result, err error) {
	version := place.SourceVersion(ctx)
	lanes := shortLanes
	if o.Full || slices.ContainsFunc(chosen, func(c lab.Choice) bool { return c.ByName }) {
		lanes = 1
	}
	queue := make(chan lab.Choice, len(chosen))
	for _, c := range chosen {
		queue <- c
	}
	close(queue)
	var mu sync.Mutex
	lab.Parallel(lanes, func(int) {
		for c := range queue {
			if ctx.Err() != nil {
				return
			}
			fmt.Printf("%s on %s begins\n", c.ID, c.Engine)
			r := place.Run(ctx, o.Terms, c)
			r.Version = version
			mu.Lock()
			fmt.Printf("%s on %s, seed %d: %s\n", c.ID, c.Engine, o.Seed, c.Title)
			show(&r)
			results = append(results, r)
			if o.out != "" {
				err = errors.Join(err, keep(o.out, r))
			}
			mu.Unlock()
		}
	})
	return results, errors.Join(err, ctx.Err())
}

// show prints what came out of one experiment.
func show(r *lab.Result) {
	for _, f := range r.Figures {
		fmt.Printf("  %-28s %s\n", f.Name, f.Value)
	}
	for _, p := range r.Problems {
		fmt.Printf("  %s\n", strings.ReplaceAll(strings.TrimSpace(p), "\n", "\n    "))
	}
	if r.Verdict != lab.NotRun {
		fmt.Printf("  %-28s %s\n", "control", caught(r))
	}
	fmt.Printf("  %s (%.1f s)\n\n", r.Verdict, r.Seconds)
}

func caught(r *lab.Result) string {
	if r.Control == "" {
		return "NOT CAUGHT"
	}
	return "caught: " + r.Control
}

// summarise prints the last lines and tells whether all is well.
func summarise(results []lab.Result, require []string, took time.Duration) bool {
	ok, count := true, map[string]int{}
	for _, r := range results {
		count[r.Verdict]++
		if r.Verdict == lab.Failed || (r.Verdict == lab.NotRun && slices.Contains(require, r.ID)) {
			ok = false
			fmt.Printf("%s on %s: %s\n", r.ID, r.Engine, r.Verdict)
		}
	}
	for _, id := range require {
		if !slices.ContainsFunc(results, func(r lab.Result) bool { return r.ID == id }) {
			ok = false
			fmt.Printf("%s was required and not chosen\n", id)
		}
	}
	fmt.Printf("%d passed, %d failed, %d not run, in %s\n", count[lab.Passed], count[lab.Failed], count[lab.NotRun],
		lab.Seconds(took))
	return ok
}

// secret is the form of keys and links of the service. Those of an experiment open nothing, and look as if they did.
var secret = regexp.MustCompile(`\bgw([a-z])_[0-9A-Za-z]{20,}`)

// scratch is the folder of an experiment, which is another one each time.
var scratch = regexp.MustCompile(`\S*/groundwork-prove-\d+/`)

func masked(text string) string {
	return scratch.ReplaceAllString(secret.ReplaceAllString(text, "gw${1}_…"), "")
}

// keep writes a result into the file, in place of an older one of the same experiment.
func keep(file string, r lab.Result) error {
	r.Control = masked(r.Control)
	for i := range r.Problems {
		r.Problems[i] = masked(r.Problems[i])
	}
	all, err := kept(file)
	if err != nil {
		return err
	}
	same := func(o lab.Result) bool { return o.ID == r.ID && o.Engine == r.Engine }
	if i := slices.IndexFunc(all, same); i >= 0 {
		all[i] = r
	} else {
		all = append(all, r)
	}
	place := func(r lab.Result) int {
		return slices.IndexFunc(experiments, func(x *lab.Experiment) bool { return x.ID == r.ID })
	}
	slices.SortStableFunc(all, func(a, b lab.Result) int { return place(a) - place(b) })
	text, err := json.Marshal(all, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// kept are the results in the file; none when it does not exist.
func kept(file string) (all []lab.Result, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return all, json.Unmarshal(text, &all)
}
