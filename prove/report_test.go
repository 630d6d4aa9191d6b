package main

import (
	"strings"
	"testing"

	"groundwork/prove/lab"
)

func TestInsert(t *testing.T) {
	for _, test := range []struct {
		name, document, want string
	}{
		{"empty", "a\n" + reportFrom + reportTo + "b\n", "a\n" + reportFrom + "new\n" + reportTo + "b\n"},
		{"filled", "a\n" + reportFrom + "old\n" + reportTo, "a\n" + reportFrom + "new\n" + reportTo},
		{"no marks", "a\n", ""},
		{"no end", "a\n" + reportFrom, ""},
	} {
		got, err := insert(test.document, "new\n")
		if got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	got := table([]lab.Result{
		{
			ID: "E1", Engine: lab.SQLite, Form: "full", Verdict: lab.Passed,
			Figures: []lab.Figure{{Name: "lost", Value: "0"}},
			Control: "lost 7|8",
			Seed:    42,
		},
		{ID: "E1", Engine: lab.PostgreSQL, Form: "short", Verdict: lab.Failed, Problems: []string{"two\nlines"}},
		{ID: "E6", Engine: lab.SQLite, Verdict: lab.NotRun, Problems: []string{"no disk"}},
	})
	for _, part := range []string{
		"lost: 0", "lost 7\\|8", "**PASS** (,", "seed 42", "**FAIL** (short form",
		"two lines", "**not caught**", "no disk", "no result yet",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("the table lacks %q:\n%s", part, got)
		}
	}
	for line := range strings.Lines(strings.TrimSpace(got)) {
		if n := strings.Count(strings.ReplaceAll(line, "\\|", ""), "|"); n != 6 {
			t.Errorf("a row has %d bars, want 6: %s", n, line)
		}
	}
}
