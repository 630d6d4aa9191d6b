package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"groundwork/prove/lab"
)

// reportFile, seen from this folder, holds the promises in prose and, between the two marks, what report writes.
const (
	reportFile = "../docs/promises.md"
	reportFrom = "<!-- results: written by `go run . report` in prove/, not by hand -->\n"
	reportTo   = "<!-- end of results -->\n"
)

// report writes the kept results into the document.
func report() error {
	results, err := kept(resultsFile)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(reportFile)
	if err != nil {
		return err
	}
	written, err := insert(string(text), table(results))
	if err != nil {
		return err
	}
	return os.WriteFile(reportFile, []byte(written), 0o644)
}

// insert puts text between the marks of a document, in place of what was there.
func insert(document, text string) (string, error) {
	before, rest, ok := strings.Cut(document, reportFrom)
	_, after, ended := strings.Cut(rest, reportTo)
	if !ok || !ended {
		return "", fmt.Errorf("%s lacks the marks between which results are written", reportFile)
	}
	return before + reportFrom + text + reportTo + after, nil
}

var engineNames = map[string]string{lab.SQLite: "SQLite", lab.PostgreSQL: "PostgreSQL"}

// table shows every experiment on every engine it has, with its last result.
func table(results []lab.Result) string {
	var b strings.Builder
	b.WriteString("\n| | Experiment | What was found | Its control | Result |\n|---|---|---|---|---|\n")
	for _, x := range experiments {
		for _, engine := range x.Engines {
			row := []string{
				x.ID, fmt.Sprintf("%s. **Must hold:** %s. *%s.*", sentence(x.Title), x.MustHold, engineNames[engine]),
			}
			at := slices.IndexFunc(results, func(r lab.Result) bool { return r.ID == x.ID && r.Engine == engine })
			if at < 0 {
				row = append(row, "", "", "no result yet")
			} else {
				row = append(row, cells(&results[at], x)...)
			}
			for _, cell := range row {
				b.WriteString("| " + strings.NewReplacer("|", "\\|", "\n", " ").Replace(cell) + " ")
			}
			b.WriteString("|\n")
		}
	}
	b.WriteString("\n")
	return b.String()
}

// cells are what was found, the control, and the verdict with what is needed to run it again.
func cells(r *lab.Result, x *lab.Experiment) []string {
	var found []string
	for _, f := range r.Figures {
		found = append(found, f.Name+": "+f.Value)
	}
	for _, p := range r.Problems {
		found = append(found, lab.Clip([]byte(p)))
	}
	control := "**not caught**: " + x.Control
	if r.Control != "" {
		control = fmt.Sprintf("caught: %s; %s", x.Control, r.Control)
	}
	if r.Verdict == lab.NotRun {
		control = ""
	}
	form := ""
	if r.Form != "full" {
		form = r.Form + " form, "
	}
	verdict := fmt.Sprintf("**%s** (%s%s, version %s, seed %d, %.0f s; %s)", r.Verdict, form, r.Day, r.Version, r.Seed,
		r.Seconds, r.Machine)
	return []string{strings.Join(found, "<br>"), control, verdict}
}

// sentence begins with a capital letter, unless it begins with a command.
func sentence(text string) string {
	if text == "" || strings.HasPrefix(text, "kill ") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
