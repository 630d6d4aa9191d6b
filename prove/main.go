// Command prove tries the promises of this project on the real program: it starts the binary, drives load over HTTP, records what was
// acknowledged, does harm, starts again, and looks. Every experiment has a control, a planted fault or a plain rival that must fail, so that
// passing means something. It owns the experiments and their report (docs/promises.md); it refuses to know the inside of what it tries.
//
//	go run ./prove                        the short forms, as CI runs them
//	go run ./prove --full                 the whole of it; results go to prove/results.json
//	go run ./prove --engine sqlite E1 E19
//	go run ./prove report                 writes the results into docs/promises.md
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	passed, err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
	}
	if err != nil || !passed {
		os.Exit(1)
	}
}

// options are what the command line asks for.
type options struct {
	full    bool
	engine  string
	seed    uint64
	require []string
	out     string
	ids     []string
}

func run(ctx context.Context, args []string) (passed bool, err error) {
	if len(args) > 0 {
		switch args[0] {
		case "report":
			return true, report()
		case rivalCommand:
			return true, serveRival(ctx, args[1:])
		case slowCommand:
			return true, runSlow(ctx, args[1:])
		case tripwireCommand:
			return true, runTripwire(args[1:])
		}
	}
	o, err := parse(args)
	if err != nil {
		return false, err
	}
	chosen, err := choose(o)
	if err != nil {
		return false, err
	}
	lab, err := openLab(ctx)
	if err != nil {
		return false, err
	}
	began := time.Now()
	results, err := lab.tryAll(ctx, o, chosen)
	err = errors.Join(err, lab.close())
	return summarise(results, o.require, time.Since(began)), err
}

func parse(args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("prove", flag.ContinueOnError)
	flags.BoolVar(&o.full, "full", false, "run the full forms and keep the results")
	short := flags.Bool("short", false, "run the short forms (the default)")
	flags.StringVar(&o.engine, "engine", "", "only on this engine: sqlite or postgres")
	flags.Uint64Var(&o.seed, "seed", 0, "the seed of the load (default: a new one)")
	require := flags.String("require", "", "experiments that must have run, such as E1,E3")
	flags.StringVar(&o.out, "out", "", "where results are kept (default with --full: "+resultsFile+")")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if *short && o.full {
		return nil, errors.New("--short and --full exclude each other")
	}
	if o.engine != "" && !slices.Contains(bothEngines, o.engine) {
		return nil, fmt.Errorf("--engine is %s, it must be one of %s", o.engine, strings.Join(bothEngines, ", "))
	}
	if o.seed == 0 {
		o.seed = rand.Uint64N(1_000_000_000) + 1
	}
	if o.out == "" && o.full {
		o.out = resultsFile
	}
	if *require != "" {
		o.require = strings.Split(*require, ",")
	}
	o.ids = flags.Args()
	for _, id := range slices.Concat(o.ids, o.require) {
		if !slices.ContainsFunc(experiments, func(x *experiment) bool { return x.id == id }) {
			return nil, fmt.Errorf("there is no experiment %s", id)
		}
	}
	return o, nil
}

// choice is one experiment on one engine.
type choice struct {
	*experiment
	engine string
}

func choose(o *options) ([]choice, error) {
	var out []choice
	for _, x := range experiments {
		if len(o.ids) > 0 && !slices.Contains(o.ids, x.id) {
			continue
		}
		for _, engine := range x.engines {
			if o.engine == "" || o.engine == engine {
				out = append(out, choice{x, engine})
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("none of the experiments runs on %s", o.engine)
	}
	return out, nil
}
