package durability

import (
	"fmt"

	"groundwork/prove/lab"
)

// E2 kills the process at each call that makes something durable, in turn.
var E2 = &lab.Experiment{
	ID:       "E2",
	Title:    "SIGKILL at the n-th fsync, fdatasync or rename of a fixed script, for every n: first start, writes, checkpoints, graceful stop",
	MustHold: "after each of 400 kills all acknowledged writes are there, the service goes on, and doctor --verify finds nothing",
	Control:  "acknowledges before the commit",
	Engines:  []string{lab.SQLite},
	Run:      killAtCalls,
	RunControl: func(t *lab.Trial) (string, error) {
		w, err := newWired(t, lab.Planted, "GROUNDWORK_PLANT=ack-early")
		if err != nil {
			return "", err
		}
		c := w.NewClient()
		// The first commit of a log waits for the disk once before any of it is written: that call is among these.
		// Nothing is uploaded: the second step of an upload may come before the first is there.
		whole, _, err := killAt(w, c, 0, 0, true)
		if err != nil {
			return "", err
		}
		for n := whole.served + 1; n <= whole.calls; n++ {
			_, found, err := killAt(w, c, n, 0, true)
			if err != nil {
				return "", err
			}
			if found.lost > 0 {
				return fmt.Sprintf("lost an acknowledged write by the kill at call %d", n), nil
			}
		}
		return "", nil
	},
}

// killAt plays the script up to the n-th call and takes up the work again; with n = 0 it plays the whole script.
func killAt(w *wired, c *lab.Client, n, writes int, control bool) (*script, seen, error) {
	s := &script{w: w, client: c, writes: writes, noFiles: control, settled: control}
	if err := w.begin(n); err != nil {
		return nil, seen{}, err
	}
	if err := s.play(); err != nil {
		return nil, seen{}, fmt.Errorf("kill at call %d: %w", n, err)
	}
	s.calls = w.calls
	found, err := s.recover()
	if err != nil {
		err = fmt.Errorf("after the kill at call %d: %w", n, err)
	}
	return s, found, err
}

func killAtCalls(t *lab.Trial) error {
	// As many writes as it takes for so many calls.
	writes, least := t.ShortOrFull(100, 380), t.ShortOrFull(100, 400)
	w, err := newWired(t, lab.Released)
	if err != nil {
		return err
	}
	c := w.NewClient()
	whole, found, err := killAt(w, c, 0, writes, false)
	if err != nil {
		return err
	}
	t.Require(found.bad() == 0, "without a kill: %s", found.first)
	t.Require(whole.calls >= least, "the script makes only %d calls", whole.calls)
	step := max(1, whole.calls/t.ShortOrFull(15, whole.calls)) // some come later another time, and are no kills
	var kills, clean, acked, unsaid int
	for n := 1; n <= whole.calls; n += step {
		s, found, err := killAt(w, c, n, writes, false)
		if err != nil {
			return err
		}
		if !w.tripped() {
			continue // a checkpoint came later this time
		}
		kills++
		acked, unsaid = acked+int(s.journal.acked.Load()), unsaid+found.unsaid
		if t.Require(found.bad() == 0, "after the kill at call %d: %s", n, found.first); found.bad() == 0 {
			clean++
		}
	}
	t.Note("calls in the script", "%d", whole.calls)
	t.Note("kills, clean after", "%d, %d", kills, clean)
	t.Note("acknowledged writes", "%s", lab.Thousands(acked))
	t.Note("done but never answered", "%d", unsaid)
	t.Require(kills >= t.ShortOrFull(11, least), "only %d kills", kills)
	return nil
}
