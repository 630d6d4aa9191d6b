// Command bench measures the service against the bars of docs/speed.md: the released binary in a process of its own,
// over TCP, beside a floor that answers the same bytes from memory and beside PocketBase, all in turns, so that only
// ratios count. It owns the yardstick and its report; it refuses to know the inside of what it measures.
//
//	make bench          everything; writes docs/speed.md and docs/img/speed.svg
//	make bench-short    a smoke run of a few minutes; prints, writes nothing
//	go run . files      only what is named; prints, writes nothing
//	go run . -against OTHER   other builds in turns with the program; prints, writes nothing
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := bench(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	program := flags.String("program", "../bin/groundwork", "the released binary")
	version := flags.String("version", "", "what the binary was built from, for the report")
	brief := flags.Bool("short", false, "a smoke run: little data, few rounds, no report")
	kept := flags.String("kept", "",
		"write the report from the results that an earlier run kept in this file, and measure only the phases that are named, in their place")
	against := flags.String("against", "",
		"other builds of the service, by commas: compare them with the program and measure nothing else")
	records := flags.Int("records", whole.Grown, "how many issues the project has in which -against compares")
	keep := flags.String("keep", "../bin/bench.json", "where the results are kept")
	if err := flags.Parse(args); err != nil {
		return err
	}
	top, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	var all *results
	if *kept != "" {
		text, err := os.ReadFile(*kept)
		if err != nil {
			return err
		}
		all = &results{}
		if err := json.Unmarshal(text, all); err != nil {
			return err
		}
		if flags.NArg() == 0 {
			return all.write(top)
		}
	}
	s := whole
	if *brief {
		s = short
	}
	r, err := newRig(*program, top, s)
	if err != nil {
		return err
	}
	if *against != "" {
		r.Grown = *records
		return errors.Join(r.against(ctx, strings.Split(*against, ",")), r.close())
	}
	began := time.Now()
	r.results.Date, r.results.Machine, r.results.Version = began.UTC().Format("2006-01-02 15:04 UTC"), machine(), *version
	err = errors.Join(r.run(ctx, flags.Args()), r.close())
	if err != nil {
		return err
	}
	r.results.Took = time.Since(began).Round(time.Second).String()
	switch {
	case all != nil:
		all.replace(r.results, flags.Args())
		r.results = all
	case flags.NArg() > 0:
		fmt.Print(r.results.table())
		return nil
	}
	text, err := json.Marshal(r.results)
	if err != nil {
		return err
	}
	if err := os.WriteFile(*keep, text, 0o600); err != nil {
		return err
	}
	fmt.Print(r.results.table())
	if *brief {
		return nil
	}
	return r.results.write(top)
}
