// Command fuzz tries every fuzz test of the module in turn, each for a while, and prints how much was tried. `go test`
// runs their seeds anyway; this looks for what nobody thought of. What it finds lies in the testdata of the test's
// package, and from then on fails there.
//
//	go run ./scripts/fuzz -time 10s
//	go run ./scripts/fuzz -time 1m Query Window      only those with such a name
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

func main() {
	each := flag.Duration("time", 10*time.Second, "how long to try each")
	workers := flag.Int("parallel", runtime.GOMAXPROCS(0), "how many to try at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	passed, err := play(ctx, flag.Args(), *each, *workers)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
	}
	if err != nil || !passed {
		os.Exit(1)
	}
}

// target is one fuzz test.
type target struct{ folder, name string }

var (
	declared = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)
	progress = regexp.MustCompile(`execs: (\d+) .*new interesting: (\d+) \(total: (\d+)\)`)
)

// find lists the fuzz tests below the working directory whose name contains one of the words, in the order of their
// files.
func find(words []string) (all []target, err error) {
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			if name := string(m[1]); len(words) == 0 || containsAny(name, words) {
				all = append(all, target{"./" + filepath.ToSlash(filepath.Dir(path)), name})
			}
		}
		return err
	})
	if err == nil && len(all) == 0 {
		err = errors.New("there is no such fuzz test")
	}
	return all, err
}

func containsAny(name string, words []string) bool {
	for _, w := range words {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// play tries all and tells whether nothing was found.
func play(ctx context.Context, words []string, each time.Duration, workers int) (bool, error) {
	all, err := find(words)
	if err != nil {
		return false, err
	}
	failed := 0
	for _, t := range all {
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(),
			"-parallel", fmt.Sprint(workers), t.folder)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its workers
		out, err := cmd.CombinedOutput()
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		verdict := "ok"
		if err != nil {
			verdict, failed = "FAILED", failed+1
		}
		fmt.Printf("%-8s %-22s %-18s %s\n", verdict, strings.TrimPrefix(t.folder, "./"), t.name, tried(string(out)))
		if err != nil {
			fmt.Printf("%s\n", out)
		}
	}
	fmt.Printf("%d fuzz tests, each for %s, %d failed\n", len(all), each, failed)
	return failed == 0, nil
}

// tried is the last that `go test` said of its progress.
func tried(out string) string {
	lines := progress.FindAllStringSubmatch(out, -1)
	if len(lines) == 0 {
		return "nothing was tried"
	}
	last := lines[len(lines)-1]
	return fmt.Sprintf("%9s inputs, %s of them new and %s in all of interest", last[1], last[2], last[3])
}
