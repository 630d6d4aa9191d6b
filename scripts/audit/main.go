// Command audit looks at what the released binary is made of: the licences of all its parts, a bill of materials,
// whether the same sources give the same binary anywhere, known vulnerabilities, and secrets or traces of a machine in
// the tree. It refuses to guess: what it cannot classify fails, and what it could not look at is NOT RUN.
//
//	go run ./scripts/audit                          what CI does; bin/groundwork must have been built
//	go run ./scripts/audit -write                   also writes docs/licences.md anew
//	go run ./scripts/audit -require vuln -cold      what a release does
//	go run ./scripts/audit -binary FILE -bill FILE  only the bill of materials, of a binary for any system
//
// The vulnerability database is the one that GOVULNDB names, a folder or an URL; without it, the public one.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

// paths of what is read and written, from the top of the repository, where this runs.
const (
	binary   = "bin/groundwork"
	bill     = "bin/groundwork.cdx.json"
	document = "docs/licences.md"
	manifest = "internal/web/vendored/manifest.json"
)

// notRun is why a part could not be looked at at all.
type notRun struct{ reason string }

func (n notRun) Error() string { return n.reason }

// part is one thing that is looked at; run tells in a line what was found.
type part struct {
	name string
	run  func(ctx context.Context) (string, error)
}

func main() {
	var o options
	flag.BoolVar(&o.write, "write", false, "write "+document+" anew")
	flag.BoolVar(&o.cold, "cold", false, "compile the second binary without any cache: slow, and the whole truth")
	flag.StringVar(&o.binary, "binary", binary, "the `FILE` that is looked at; with -bill")
	flag.StringVar(&o.bill, "bill", "", "only write the bill of materials of the binary, to this `FILE`")
	require := flag.String("require", "", "the parts, separated by commas, for which NOT RUN is a failure")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if !play(ctx, os.Stdout, o.parts(), strings.Split(*require, ",")) {
		os.Exit(1)
	}
}

type options struct {
	write, cold  bool
	binary, bill string
}

func (o options) parts() []part {
	if o.bill != "" {
		return []part{{"materials", func(ctx context.Context) (string, error) { return billOf(ctx, o.binary, o.bill) }}}
	}
	var built *build // licences reads it, the bill of materials uses it
	return []part{
		{"licences", func(ctx context.Context) (said string, err error) {
			if built, err = readBuild(ctx, binary); err != nil {
				return "", err
			}
			return built.judge(o.write)
		}},
		{"materials", func(ctx context.Context) (string, error) {
			if built == nil {
				return "", errors.New("what the binary is made of is not known")
			}
			return built.writeBill(ctx, binary, bill)
		}},
		{"reproducible", func(ctx context.Context) (string, error) { return reproduce(ctx, o.cold) }},
		{"secrets", scanTree},
		{"vuln", func(ctx context.Context) (string, error) { return vulnerabilities(ctx, os.Getenv("GOVULNDB")) }},
	}
}

// play runs the parts in turn and prints a line for each; it tells whether all is well.
func play(ctx context.Context, w io.Writer, parts []part, required []string) bool {
	well := true
	for _, p := range parts {
		began := time.Now()
		said, err := p.run(ctx)
		verdict := "ok"
		var skipped notRun
		switch {
		case errors.As(err, &skipped):
			verdict = "NOT RUN"
			if slices.Contains(required, p.name) {
				verdict, well = "FAILED", false
				said = cmp.Or(said, "It is required, and could not be run.")
			}
		case err != nil:
			verdict, well = "FAILED", false
		}
		if err != nil {
			said = strings.TrimSpace(said + "\n" + err.Error())
		}
		fmt.Fprintf(w, "%-13s %-8s %5.1f s  %s\n", p.name, verdict, time.Since(began).Seconds(),
			strings.ReplaceAll(said, "\n", "\n"+strings.Repeat(" ", 32)))
	}
	if !well {
		fmt.Fprintln(w, "The audit failed.")
	}
	return well
}
