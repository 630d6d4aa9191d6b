// Command test runs `go test` the way this project means it: with a real PostgreSQL that all packages share, a summary
// a person can read, and rules of its own: a test that runs on one engine runs on the other too, and in CI (CI=true) no
// test is skipped.
//
//	go run ./scripts/test ./...
//	go run ./scripts/test -race -run TestClock ./internal/store
//	go run ./scripts/test -quick ./...
//	go run ./scripts/test -raced=./internal/store,./internal/auth ./...
//	go run ./scripts/test -browsers=without ./...
//
// -quick leaves out PostgreSQL and what takes long. -raced runs some packages with the race detector and all others
// without, as one suite. -browsers=without leaves out the tests that open a browser, and -browsers=only all others. All
// other arguments go to `go test`.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"groundwork/internal/pgtest"
)

// drawingCache names the folder in which all services under test share the compiled form of the PDF library.
const drawingCache = "GROUNDWORK_DRAWING_CACHE"

func main() {
	passed, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "test:", err)
	}
	if err != nil || !passed {
		os.Exit(1)
	}
}

// run plays the tests and tells whether everything passed; the error is about running them at all.
func run(args []string) (bool, error) {
	// An interrupt ends `go test`; this process outlives it to end the server and to report what is known.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)

	remove, err := useMemory()
	if err != nil {
		return false, err
	}
	defer func() {
		if err := remove(); err != nil {
			fmt.Fprintln(os.Stderr, "test: remove temporary files:", err)
		}
	}()
	chosen := slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-run") })
	args, part, err := parted(args)
	if err != nil {
		return false, err
	}
	hurried := slices.Contains(args, quick)
	if hurried {
		listed, err := listPackages("./...")
		if err != nil {
			return false, err
		}
		args = hurry(args, listed)
	} else if err := setUp(needs(args, part)); err != nil {
		return false, err
	}
	if os.Getenv(pgtest.Variable) == "" && !hurried {
		cluster, err := pgtest.Start(context.Background())
		if err != nil {
			return false, err
		}
		defer func() {
			if err := cluster.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, "test: stop PostgreSQL:", err)
			}
		}()
		if err := os.Setenv(pgtest.Variable, cluster.URL); err != nil {
			return false, err
		}
	}

	if os.Getenv(drawingCache) == "" {
		folder, err := filepath.Abs("bin/drawing-cache")
		if err = errors.Join(err, os.Setenv(drawingCache, folder)); err != nil {
			return false, err
		}
	}
	runs, err := splitRaced(args, listPackages)
	if err != nil {
		return false, err
	}
	report := newReport(os.Stdout)
	var waitErr error
	for _, args := range runs {
		err := play(report, args)
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return false, err
		}
		waitErr = errors.Join(waitErr, err)
	}

	report.pairs = !hurried && !chosen
	report.refuseSkips = os.Getenv("CI") == "true"
	switch {
	case slices.Contains(args, "-race"):
		report.title = "With the race detector: "
	case part == withoutBrowsers && slices.Contains(args, "./..."):
		report.title = "Without browsers, which make test-browser opens: "
	}
	passed := report.finish()
	if waitErr != nil && passed {
		return false, fmt.Errorf("go test: %w", waitErr)
	}
	return passed, nil
}

// play runs `go test` and reports what it says; an exec.ExitError says that not everything passed.
func play(report *report, args []string) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	if slices.Contains(args, "-race") {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1") // the race detector is C
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := report.read(out)
	waitErr := cmd.Wait()
	if readErr != nil {
		return fmt.Errorf("read the output of go test: %w", readErr)
	}
	return waitErr
}

// listPackages gives the import paths of what patterns name.
func listPackages(patterns ...string) ([]string, error) {
	listed, err := exec.Command("go", append([]string{"list"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return strings.Fields(string(listed)), nil
}
