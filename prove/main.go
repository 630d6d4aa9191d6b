// Command prove tries the promises of this project on the real program: it starts the binary, drives load over HTTP,
// records what was acknowledged, does harm, starts again, and looks. Every experiment has a control, a planted fault or
// a plain rival that must fail, so that passing means something. It owns the experiments and their report
// (docs/promises.md); it refuses to know the inside of what it tries.
//
// It runs in its own folder, where its module is:
//
//	go run .                              the short forms, as CI runs them
//	go run . --full                       the whole of it; results go to results.json
//	go run . --engine sqlite E1 E19
//	go run . report                       writes the results into docs/promises.md
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

	"groundwork/prove/atomicity"
	"groundwork/prove/availability"
	"groundwork/prove/availability/drawings"
	"groundwork/prove/availability/fairness"
	"groundwork/prove/availability/fuzz"
	"groundwork/prove/availability/uploads"
	"groundwork/prove/durability"
	"groundwork/prove/idempotency"
	"groundwork/prove/lab"
	"groundwork/prove/mirror"
	"groundwork/prove/ordering"
	"groundwork/prove/tenancy"
	"groundwork/prove/tenancy/identity"
)

// experiments are all there are, in the order of their numbers.
var experiments = []*lab.Experiment{
	durability.E1,
	durability.E2,
	durability.E3,
	durability.E4,
	ordering.E5,
	availability.E6,
	idempotency.E7,
	atomicity.E13,
	atomicity.E14,
	ordering.E15,
	durability.E16,
	durability.E17,
	ordering.E18,
	ordering.E19,
	fuzz.E24,
	availability.E26,
	availability.E27,
	availability.E28,
	availability.E30,
	tenancy.E32,
	tenancy.E33,
	tenancy.E34,
	tenancy.E36,
	uploads.E38,
	tenancy.E40,
	drawings.E41,
	fairness.E42,
	identity.E43,
	mirror.E44,
	mirror.E45,
	mirror.E46,
	durability.E47,
	durability.E48,
	mirror.E49,
}

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
	lab.Terms
	engine  string
	require []string
	out     string
	ids     []string
}

func run(ctx context.Context, args []string) (passed bool, err error) {
	if len(args) > 0 {
		switch args[0] {
		case "report":
			return true, report()
		case lab.RivalCommand:
			return true, lab.ServeRival(ctx, args[1:])
		case availability.SlowCommand:
			return true, availability.RunSlow(ctx, args[1:])
		case fairness.CrowdCommand:
			return true, fairness.RunCrowd(ctx)
		case durability.TripwireCommand:
			return true, durability.RunTripwire(args[1:])
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
	place, err := lab.Open(ctx)
	if err != nil {
		return false, err
	}
	began := time.Now()
	results, err := tryAll(ctx, place, o, chosen)
	err = errors.Join(err, place.Close())
	return summarise(results, o.require, time.Since(began)), err
}

func parse(args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("prove", flag.ContinueOnError)
	flags.BoolVar(&o.Full, "full", false, "run the full forms and keep the results")
	short := flags.Bool("short", false, "run the short forms (the default)")
	flags.StringVar(&o.engine, "engine", "", "only on this engine: sqlite or postgres")
	flags.Uint64Var(&o.Seed, "seed", 0, "the seed of the load (default: a new one)")
	require := flags.String("require", "", "experiments that must have run, such as E1,E3")
	flags.StringVar(&o.out, "out", "", "where results are kept (default with --full: "+resultsFile+")")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if *short && o.Full {
		return nil, errors.New("--short and --full exclude each other")
	}
	if o.engine != "" && !slices.Contains(lab.BothEngines, o.engine) {
		return nil, fmt.Errorf("--engine is %s, it must be one of %s", o.engine, strings.Join(lab.BothEngines, ", "))
	}
	if o.Seed == 0 {
		o.Seed = rand.Uint64N(1_000_000_000) + 1
	}
	if o.out == "" && o.Full {
		o.out = resultsFile
	}
	if *require != "" {
		o.require = strings.Split(*require, ",")
	}
	o.ids = flags.Args()
	for _, id := range slices.Concat(o.ids, o.require) {
		if !slices.ContainsFunc(experiments, func(x *lab.Experiment) bool { return x.ID == id }) {
			return nil, fmt.Errorf("there is no experiment %s", id)
		}
	}
	return o, nil
}

func choose(o *options) ([]lab.Choice, error) {
	var out []lab.Choice
	for _, x := range experiments {
		if len(o.ids) > 0 && !slices.Contains(o.ids, x.ID) || len(o.ids) == 0 && !o.Full && x.ByName {
			continue
		}
		for _, engine := range x.Engines {
			if o.engine == "" || o.engine == engine {
				out = append(out, lab.Choice{Experiment: x, Engine: engine})
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("none of the experiments runs on %s", o.engine)
	}
	return out, nil
}
