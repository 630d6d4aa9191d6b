package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestBodies(t *testing.T) {
	for _, kind := range []string{"issues", "rfis", "comments", "field_reports"} {
		var first, again bytes.Buffer
		if err := write(&first, 7, "2027-05-04", []string{kind, "300"}); err != nil {
			t.Fatal(err)
		}
		if err := write(&again, 7, "2027-05-04", []string{kind, "300"}); err != nil {
			t.Fatal(err)
		}
		if strings.Count(first.String(), "\n") != 300 || first.String() != again.String() {
			t.Errorf("%s: %d lines", kind, strings.Count(first.String(), "\n"))
		}
	}
	for _, bad := range [][]string{nil, {"rfis"}, {"rfis", "x"}, {"bananas", "1"}} {
		if write(&bytes.Buffer{}, 1, "2027-05-04", bad) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if write(&bytes.Buffer{}, 1, "May", []string{"rfis", "1"}) == nil {
		t.Error("a day that is none was taken")
	}
}
