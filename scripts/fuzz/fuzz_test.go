package main

import (
	"slices"
	"testing"
)

func TestFind(t *testing.T) {
	t.Chdir("../..")
	all, err := find(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []target{
		{"./internal/api", "FuzzFields"},
		{"./internal/document", "FuzzMoment"},
		{"./internal/credential", "FuzzLimit"},
	} {
		if !slices.Contains(all, want) {
			t.Errorf("%v is not among %v", want, all)
		}
	}
	if some, err := find([]string{"Moment", "Limit"}); err != nil || len(some) != 2 {
		t.Errorf("%v, %v", some, err)
	}
	if none, err := find([]string{"Nowhere"}); err == nil {
		t.Errorf("%v are named so", none)
	}
}

func TestTried(t *testing.T) {
	const out = "fuzz: elapsed: 0s, gathering baseline coverage: 0/9 completed\n" +
		"fuzz: elapsed: 3s, execs: 1200 (400/sec), new interesting: 2 (total: 11)\n" +
		"fuzz: elapsed: 10s, execs: 45678 (4567/sec), new interesting: 5 (total: 14)\nPASS\n"
	if got, want := tried(out), "    45678 inputs, 5 of them new and 14 in all of interest"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := tried("FAIL"); got != "nothing was tried" {
		t.Errorf("%q", got)
	}
}
