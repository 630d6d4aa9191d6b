package ordering

import (
	"fmt"
	"time"

	"groundwork/prove/lab"
)

// E15 lets the clock of the server jump while clients keep copies.
var E15 = &lab.Experiment{
	ID:       "E15",
	Title:    "the server's clock jumps by −1 h, +1 h and +25 h and back while 16 writers change 30 % of 5,000 issues",
	MustHold: "incremental sync, in both ways that the contract calls safe, misses nothing",
	Control:  "takes updated_at from the wall clock",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		jumps, c, err := startJumping(t)
		if err != nil {
			return err
		}
		if t.Full {
			jumps = append(append(jumps, jumps...), jumps...)
		}
		t.Note("jumps", "%d", len(jumps))
		greatest, err := syncWhile(t, c, t.ShortOrFull(2, 6), jumps)
		tomorrow := time.Now().UTC().Add(24 * time.Hour).Format(time.RFC3339)
		t.Require(greatest > tomorrow, "the clock did not jump: the greatest updated_at is %s", greatest)
		return err
	},
	RunControl: func(t *lab.Trial) (string, error) {
		jumps, c, err := startJumping(t, "GROUNDWORK_PLANT=wall-clock")
		if err != nil {
			return "", err
		}
		m := newMirror("the control", c.client, c.project+"/issues", followPages)
		if err := c.run(2, jumps, m); err != nil {
			return "", err
		}
		state, err := stateOf(t, c.client, c.project+"/issues")
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
func startJumping(t *lab.Trial, env ...string) ([]func() error, *churn, error) {
	set, clock, err := t.PlantClock()
	if err != nil {
		return nil, nil, err
	}
	jump := func(offset string) func() error { return func() error { return set(offset) } }
	_, c, err := startChurn(t, lab.Planted, append(env, clock)...)
	return []func() error{jump("-1h"), jump("1h"), jump("25h"), jump("0s")}, c, err
}
