package main

import (
	"fmt"
	"os"
	"time"
)

var e15 = &experiment{
	id:      "E15",
	title:   "the server's clock jumps by −1 h, +1 h and +25 h and back while 16 writers change 30 % of 5,000 issues",
	bar:     "incremental sync, in both ways that the contract calls safe, misses nothing",
	control: "takes updated_at from the wall clock",
	engines: bothEngines,
	run: func(t *trial) error {
		jumps, c, err := startJumping(t)
		if err != nil {
			return err
		}
		if t.full {
			jumps = append(append(jumps, jumps...), jumps...)
		}
		t.note("jumps", "%d", len(jumps))
		greatest, err := syncWhile(t, c, t.pick(2, 6), jumps)
		tomorrow := time.Now().UTC().Add(24 * time.Hour).Format(time.RFC3339)
		t.require(greatest > tomorrow, "the clock did not jump: the greatest updated_at is %s", greatest)
		return err
	},
	runControl: func(t *trial) (string, error) {
		jumps, c, err := startJumping(t, "GROUNDWORK_PLANT=wall-clock")
		if err != nil {
			return "", err
		}
		m := newMirror("the control", c.client, c.project+"/issues", followPages)
		if err := c.run(2, jumps, m); err != nil {
			return "", err
		}
		state, err := c.client.state(t, c.project+"/issues")
		if err != nil {
			return "", err
		}
		if missing, wrong, _ := m.compare(state); missing+wrong > 0 {
			return fmt.Sprintf("a copy lacks %d changes", missing+wrong), nil
		}
		return "", nil
	},
}

// startJumping gives a service whose clock can be set, and the jumps.
func startJumping(t *trial, env ...string) ([]func() error, *churn, error) {
	set, clock, err := t.plantClock()
	if err != nil {
		return nil, nil, err
	}
	jump := func(offset string) func() error { return func() error { return set(offset) } }
	_, c, err := startChurn(t, planted, append(env, clock)...)
	return []func() error{jump("-1h"), jump("1h"), jump("25h"), jump("0s")}, c, err
}

// plantClock gives what sets the clock of a planted service wrong, by nothing at first, and what its environment must have for it.
func (t *trial) plantClock() (set func(offset string) error, env string, err error) {
	file := t.path("offset")
	set = func(offset string) error {
		// A file that is replaced is never read half-written.
		if err := os.WriteFile(file+".new", []byte(offset), 0o600); err != nil {
			return err
		}
		return os.Rename(file+".new", file)
	}
	return set, "GROUNDWORK_CLOCK_OFFSET=" + file, set("0s")
}
