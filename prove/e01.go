package main

import (
	"fmt"
	"time"
)

var e1 = &experiment{
	id:      "E1",
	title:   "kill -9 under 16 writers who create, change, delete, upload files and send batches",
	bar:     "no acknowledged write lost, numbers without gaps, no half-made record, every file whole; restart p50 < 0.3 s, max < 1 s",
	control: "acknowledges before the commit",
	engines: bothEngines,
	run:     killUnderLoad,
	runControl: func(t *trial) (string, error) {
		const rounds = 20
		d, err := newDrill(t, planted, "GROUNDWORK_PLANT=ack-early")
		if err != nil {
			return "", err
		}
		d.noFiles = true // the second step of an upload may come before the first is there
		for i := range rounds {
			if err := d.round(i, d.site.kill); err != nil {
				return "", err
			}
			if d.total.lost+d.total.changed > 0 {
				return fmt.Sprintf("lost %d of %d acknowledged writes by kill %d", d.total.lost+d.total.changed, d.acked(), i+1), nil
			}
		}
		return "", nil
	},
}

func killUnderLoad(t *trial) error {
	d, err := newDrill(t, released)
	if err != nil {
		return err
	}
	rounds := t.pick(20, 200)
	if t.engine == postgres {
		rounds = t.pick(5, 50)
	}
	for i := range rounds {
		if err := d.round(i, d.site.kill); err != nil {
			return fmt.Errorf("round %d: %w", i+1, err)
		}
	}
	// Once more, all of it: nothing that was right may have become wrong since.
	for _, j := range d.journals {
		if err := d.check(j); err != nil {
			return err
		}
	}
	if err := d.site.verify(); err != nil {
		t.require(false, "doctor --verify --files: %v", err)
	}
	t.note("kills", "%d", rounds)
	t.note("acknowledged writes", "%s", thousands(d.acked()))
	t.note("lost", "%d", d.total.lost+d.total.changed)
	t.note("half-made", "%d", d.total.half)
	t.note("files uploaded, torn", "%s, %d", thousands(d.uploaded()), d.total.torn)
	t.note("gaps in numbers", "%d", d.total.gaps)
	t.note("done but never answered", "%d", d.total.unsaid)
	t.note("restart p50, max", "%s, %s", millis(quantile(d.restarts, 0.5)), millis(quantile(d.restarts, 1)))
	d.requireSound()
	t.require(d.uploaded() > 0, "no file was uploaded")
	if t.full && t.engine == lite {
		t.require(d.acked() >= 50_000, "only %d acknowledged writes", d.acked())
	}
	t.require(quantile(d.restarts, 0.5) < t.within(300*time.Millisecond), "restart p50 is %s", millis(quantile(d.restarts, 0.5)))
	t.require(quantile(d.restarts, 1) < t.within(time.Second), "the slowest restart took %s", millis(quantile(d.restarts, 1)))
	return nil
}
