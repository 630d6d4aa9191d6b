package main

import (
	"strings"
	"testing"
	"time"
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
	got := table([]result{
		{ID: "E1", Engine: lite, Form: "full", Verdict: passed, Figures: []figure{{"lost", "0"}}, Control: "lost 7|8", Seed: 42},
		{ID: "E1", Engine: postgres, Form: "short", Verdict: failed, Problems: []string{"two\nlines"}},
		{ID: "E6", Engine: lite, Verdict: notRun, Problems: []string{"no disk"}},
	})
	for _, part := range []string{"lost: 0", "lost 7\\|8", "**PASS** (,", "seed 42", "**FAIL** (short form", "two lines", "**not caught**", "no disk", "no result yet"} {
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

func TestQuantile(t *testing.T) {
	var all []time.Duration
	for i := range 100 {
		all = append(all, time.Duration(100-i))
	}
	for q, want := range map[float64]time.Duration{0.5: 50, 0.99: 99, 1: 100, 0: 1} {
		if got := quantile(all, q); got != want {
			t.Errorf("quantile %v is %d, want %d", q, got, want)
		}
	}
	if got := quantile(nil, 0.5); got != 0 {
		t.Errorf("quantile of nothing is %d", got)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 50007: "50,007", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}
