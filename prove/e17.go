package main

import (
	"fmt"
	"time"
)

var e17 = &experiment{
	id:      "E17",
	title:   "graceful stop (SIGTERM) under 16 writers and 4 readers",
	bar:     "every request that took effect is answered, no answer is cut off; exit code 0 within 30 s",
	control: "kill -9 in place of SIGTERM",
	engines: bothEngines,
	run: func(t *trial) error {
		d, err := newDrill(t, released)
		if err != nil {
			return err
		}
		rounds := t.pick(20, 100)
		if t.engine == postgres {
			rounds = t.pick(5, 25)
		}
		var stops []time.Duration
		for i := range rounds {
			if err := d.round(i, func() error {
				took, err := d.site.stop()
				stops = append(stops, took)
				return err
			}); err != nil {
				return fmt.Errorf("round %d: %w", i+1, err)
			}
		}
		t.note("stops", "%d", rounds)
		t.note("acknowledged writes, reads", "%s, %s", thousands(d.acked()), thousands(d.sum(reads)))
		t.note("failed requests", "%d", d.failed())
		t.note("stop p50, max", "%s, %s", millis(quantile(stops, 0.5)), millis(quantile(stops, 1)))
		t.require(d.failed() == 0, "%d requests took effect and got no answer, %d answers were cut off", d.total.unsaid, d.sum(cut))
		t.require(quantile(stops, 1) < 30*time.Second, "a stop took %s", seconds(quantile(stops, 1)))
		d.requireSound()
		return nil
	},
	runControl: func(t *trial) (string, error) {
		const rounds = 20
		d, err := newDrill(t, released)
		if err != nil {
			return "", err
		}
		for i := range rounds {
			if err := d.round(i, d.site.kill); err != nil {
				return "", err
			}
			if n := d.failed(); n > 0 {
				return fmt.Sprintf("left %d requests without a whole answer by kill %d", n, i+1), nil
			}
		}
		return "", nil
	},
}
