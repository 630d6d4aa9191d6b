package durability

import (
	"fmt"
	"time"

	"groundwork/prove/lab"
)

// E17 stops the service as an operator does, under load.
var E17 = &lab.Experiment{
	ID:       "E17",
	Title:    "graceful stop (SIGTERM) under 16 writers and 4 readers",
	MustHold: "every request that took effect is answered, no answer is cut off; exit code 0 within 30 s",
	Control:  "kill -9 in place of SIGTERM",
	Engines:  lab.BothEngines,
	Run: func(t *lab.Trial) error {
		d, err := newDrill(t, lab.Released)
		if err != nil {
			return err
		}
		rounds := t.ShortOrFull(20, 100)
		if t.Engine == lab.PostgreSQL {
			rounds = t.ShortOrFull(5, 25)
		}
		var stops []time.Duration
		for i := range rounds {
			if err := d.round(i, func() error {
				took, err := d.site.Stop()
				stops = append(stops, took)
				return err
			}); err != nil {
				return fmt.Errorf("round %d: %w", i+1, err)
			}
		}
		t.Note("stops", "%d", rounds)
		t.Note("acknowledged writes, reads", "%s, %s", lab.Thousands(d.acked()), lab.Thousands(d.sum(reads)))
		t.Note("failed requests", "%d", d.failed())
		t.Note("stop p50, max", "%s, %s", lab.Millis(lab.Quantile(stops, 0.5)), lab.Millis(lab.Quantile(stops, 1)))
		t.Require(d.failed() == 0, "%d requests took effect and got no answer, %d answers were cut off", d.total.unsaid,
			d.sum(cut))
		t.RequireOnTime(lab.Quantile(stops, 1) < 30*time.Second, "a stop took %s", lab.Seconds(lab.Quantile(stops, 1)))
		d.requireSound()
		return nil
	},
	RunControl: func(t *lab.Trial) (string, error) {
		const rounds = 20
		d, err := newDrill(t, lab.Released)
		if err != nil {
			return "", err
		}
		for i := range rounds {
			if err := d.round(i, d.site.Kill); err != nil {
				return "", err
			}
			if n := d.failed(); n > 0 {
				return fmt.Sprintf("left %d requests without a whole answer by kill %d", n, i+1), nil
			}
		}
		return "", nil
	},
}
