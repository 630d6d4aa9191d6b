package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// event is one line of `go test -json`.
type event struct {
	Action, Package, Test, ImportPath, Output string
	Elapsed                                   float64
}

// testName names a test; an empty test means its package as a whole.
type testName struct{ pkg, test string }

// tally counts the results of one package.
type tally struct{ passed, failed, skipped int }

// report gathers the results of one run and prints them as packages finish.
type report struct {
	// pairs demands that what ran on one engine ran on the other, refuseSkips that nothing was skipped.
	pairs, refuseSkips bool
	// title stands before the closing line of a run that is not the whole suite.
	title string

	w       io.Writer
	output  map[testName][]string // of tests that have not finished
	builds  map[string][]string   // what the compiler said, by import path
	results map[testName]string
	seconds map[testName]float64 // of finished tests; a subtest counts in its parent
	started time.Time
}

func newReport(w io.Writer) *report {
	return &report{
		w: w, output: map[testName][]string{}, builds: map[string][]string{}, results: map[testName]string{},
		seconds: map[testName]float64{}, started: time.Now(),
	}
}

// read takes the whole output of `go test -json`; a line that is not an event is printed as it is.
func (r *report) read(from io.Reader) error {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				r.add(e)
			} else {
				fmt.Fprintf(r.w, "%s", line)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) add(e event) {
	name := testName{e.Package, e.Test}
	switch e.Action {
	case "run":
		r.results[name] = "run"
	case "output":
		if keep(e.Output) {
			r.output[name] = append(r.output[name], e.Output)
		}
	case "build-output":
		r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
	case "build-fail":
		r.print(e.ImportPath+" does not build", r.builds[e.ImportPath])
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e)
			return
		}
		r.results[name] = e.Action
		if !strings.Contains(e.Test, "/") {
			r.seconds[name] = e.Elapsed
		}
		if e.Action != "pass" {
			r.print(strings.ToUpper(e.Action)+" "+e.Package+" "+e.Test, r.output[name])
		}
		delete(r.output, name)
	}
}

// keep drops the lines with which the testing package tells what this program tells itself.
func keep(line string) bool {
	trimmed := strings.TrimSpace(line)
	for _, prefix := range []string{"=== ", "--- PASS", "--- FAIL", "--- SKIP"} {
		if strings.HasPrefix(trimmed, prefix) {
			return false
		}
	}
	return trimmed != "PASS" && trimmed != "FAIL" && !strings.HasPrefix(trimmed, "ok  \t") &&
		!strings.HasPrefix(trimmed, "FAIL\t")
}

// endPackage settles what a package left open, a test cut short or a failure that belongs to no test, and prints its
// line.
func (r *report) endPackage(e event) {
	whole := testName{pkg: e.Package}
	for _, name := range slices.SortedFunc(maps.Keys(r.results), byName) {
		if name.pkg == e.Package && r.results[name] == "run" {
			r.results[name] = "fail"
			r.print("CUT SHORT "+name.pkg+" "+name.test, r.output[name])
		}
	}
	count := r.tally(e.Package)
	if e.Action == "fail" && count.failed == 0 {
		r.results[whole] = "fail"
		count.failed++
	}
	if e.Action == "fail" {
		r.print("FAIL "+e.Package, r.output[whole])
	}
	if count == (tally{}) {
		return // no tests in it
	}
	word := "ok  "
	if count.failed > 0 {
		word = "FAIL"
	}
	fmt.Fprintf(r.w, "%s  %-40s %5d passed %4d failed %4d skipped %8.1f s\n", word, e.Package, count.passed,
		count.failed, count.skipped, e.Elapsed)
}

func (r *report) print(title string, lines []string) {
	fmt.Fprintf(r.w, "\n%s\n%s", title, strings.Join(lines, ""))
}

// tally counts the results of one package, or of all with an empty name.
func (r *report) tally(pkg string) tally {
	var t tally
	for name, result := range r.results {
		if pkg != "" && name.pkg != pkg {
			continue
		}
		switch result {
		case "pass":
			t.passed++
		case "skip":
			t.skipped++
		default:
			t.failed++
		}
	}
	return t
}

// finish prints the closing lines and tells whether the run may be called passed.
func (r *report) finish() bool {
	all := r.tally("")
	problems := 0
	complain := func(format string, args ...any) {
		problems++
		fmt.Fprintf(r.w, format+"\n", args...)
	}

	fmt.Fprintln(r.w)
	sqlite, postgres, unpaired := r.engines()
	if r.pairs {
		fmt.Fprintf(r.w, "On SQLite %d tests, on PostgreSQL %d.\n", sqlite, postgres)
		for _, name := range unpaired {
			complain("%s %s ran on one engine only.", name.pkg, name.test)
		}
	}
	if all.skipped > 0 && r.refuseSkips {
		complain("%d tests were skipped; in CI every test runs.", all.skipped)
	}
	if all == (tally{}) {
		complain("No test ran.")
	}
	r.printSlowest()
	fmt.Fprintf(r.w, "All of it took %s.\n", time.Since(r.started).Round(time.Second/10))
	fmt.Fprintf(r.w, "%s%d passed, %d failed, %d skipped\n", r.title, all.passed, all.failed, all.skipped)
	return all.failed == 0 && problems == 0
}

// engines counts the tests with an engine's name as a part of theirs, and gives those whose twin did not run.
func (r *report) engines() (sqlite, postgres int, unpaired []testName) {
	for name := range r.results {
		parts := strings.Split(name.test, "/")
		for i, part := range parts {
			twin := ""
			switch part {
			case "sqlite":
				sqlite++
				twin = "postgres"
			case "postgres":
				postgres++
				twin = "sqlite"
			default:
				continue
			}
			parts[i] = twin
			if _, ran := r.results[testName{name.pkg, strings.Join(parts, "/")}]; !ran {
				unpaired = append(unpaired, name)
			}
			break
		}
	}
	slices.SortFunc(unpaired, byName)
	return sqlite, postgres, unpaired
}

func byName(a, b testName) int {
	return strings.Compare(a.pkg+" "+a.test, b.pkg+" "+b.test)
}

// printSlowest lists the tests that took longest: a suite is kept fast where its time goes.
func (r *report) printSlowest() {
	names := slices.SortedFunc(maps.Keys(r.seconds), func(a, b testName) int {
		return cmp.Compare(r.seconds[b], r.seconds[a])
	})
	for i, name := range names {
		if i == 12 || r.seconds[name] < 5 {
			return
		}
		if i == 0 {
			fmt.Fprintln(r.w, "The slowest:")
		}
		fmt.Fprintf(r.w, "%8.1f s  %s %s\n", r.seconds[name], name.pkg, name.test)
	}
}
