package main

import (
	"errors"
	"testing"
	"time"
)

func TestJudge(t *testing.T) {
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	failure := errors.New("refused")
	read := func(began, ended int, err error) asked { return asked{at(began), at(ended), false, err} }
	wrote := func(began, ended int, err error) asked { return asked{at(began), at(ended), true, err} }
	around := []asked{wrote(1, 2, nil), read(2, 3, nil), wrote(11, 12, failure), wrote(21, 22, nil), read(21, 23, nil)}
	// The old program is told to stop at 10, and the new one serves at 20.
	o, err := judge(around, at(10), at(20))
	if want := (outage{19 * time.Second, 2, 2, 1, 2, 1}); err != nil || o != want {
		t.Errorf("%+v, %v, want %+v", o, err, want)
	}
	for name, all := range map[string][]asked{
		"fails before":         append([]asked{read(4, 5, failure)}, around...),
		"fails after":          append([]asked{read(24, 25, failure)}, around...),
		"nobody asked before":  around[2:],
		"nobody asks after":    around[:3],
		"nobody asks anything": nil,
	} {
		if o, err := judge(all, at(10), at(20)); err == nil {
			t.Errorf("%s: %+v", name, o)
		}
	}
}
