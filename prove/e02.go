package main

import "fmt"

var e2 = &experiment{
	id:      "E2",
	title:   "SIGKILL at the n-th fsync, fdatasync or rename of a fixed script, for every n: first start, writes, checkpoints, graceful stop",
	bar:     "after each of 400 kills all acknowledged writes are there, the service goes on, and doctor --verify finds nothing",
	control: "acknowledges before the commit",
	engines: []string{lite},
	run:     killAtCalls,
	runControl: func(t *trial) (string, error) {
		w, err := newWired(t, planted, "GROUNDWORK_PLANT=ack-early")
		if err != nil {
			return "", err
		}
		c := w.client()
		// The first commit of a log waits for the disk once before any of it is written: that call is among these. Nothing is uploaded: the second step of
		// an upload may come before the first is there.
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
func killAt(w *wired, c *client, n, writes int, noFiles bool) (*script, seen, error) {
	s := &script{w: w, client: c, writes: writes, noFiles: noFiles}
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

func killAtCalls(t *trial) error {
	// As many writes as it takes for so many calls.
	writes, least := t.pick(100, 380), t.pick(100, 400)
	w, err := newWired(t, released)
	if err != nil {
		return err
	}
	c := w.client()
	whole, found, err := killAt(w, c, 0, writes, false)
	if err != nil {
		return err
	}
	t.require(found.bad() == 0, "without a kill: %s", found.first)
	t.require(whole.calls >= least, "the script makes only %d calls", whole.calls)
	step := max(1, whole.calls/t.pick(12, whole.calls))
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
		if t.require(found.bad() == 0, "after the kill at call %d: %s", n, found.first); found.bad() == 0 {
			clean++
		}
	}
	t.note("calls in the script", "%d", whole.calls)
	t.note("kills, clean after", "%d, %d", kills, clean)
	t.note("acknowledged writes", "%s", thousands(acked))
	t.note("done but never answered", "%d", unsaid)
	t.require(kills >= t.pick(11, least), "only %d kills", kills)
	return nil
}
