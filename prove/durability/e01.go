package durability

import (
	"fmt"
	"time"

	"groundwork/prove/lab"
)

// E1 kills the process under writers, again and again, and compares with what they were told.
var E1 = &lab.Experiment{
	ID:       "E1",
	Title:    "kill -9 under 16 writers who create, change, delete, upload files and send batches",
	MustHold: "no acknowledged write lost, numbers without gaps, no half-made record, every file whole; restart p50 < 0.3 s, max < 1 s",
	Control:  "acknowledges before the commit",
	Engines:  lab.BothEngines,
	Run:      killUnderLoad,
	RunControl: func(t *lab.Trial) (string, error) {
		const rounds = 20
		d, err := newDrill(t, lab.Planted, "GROUNDWORK_PLANT=ack-early")
		if err != nil {
			return "", err
		}
		d.noFiles = true // the second step of an upload may come before the first is there
		for i := range rounds {
			if err := d.round(i, d.site.Kill); err != nil {
				return "", err
			}
			if d.total.lost+d.total.changed > 0 {
				return fmt.Sprintf("lost %d of %d acknowledged writes by kill %d", d.total.lost+d.total.changed,
					d.acked(), i+1), nil
			}
		}
		return "", nil
	},
}

func killUnderLoad(t *lab.Trial) error {
	d, err := newDrill(t, lab.Released)
	if err != nil {
		return err
	}
	rounds := t.ShortOrFull(20, 200)
	if t.Engine == lab.PostgreSQL {
		rounds = t.ShortOrFull(5, 50)
	}
	for i := range rounds {
		if err := d.round(i, d.site.Kill); err != nil {
			return fmt.Errorf("round %d: %w", i+1, err)
		}
	}
	// Once more, all of it: nothing that was right may have become wrong since.
	for _, j := range d.journals {
		if err := d.check(j); err != nil {
			return err
		}
	}
	if err := d.site.Verify(); err != nil {
		t.Require(false, "doctor --verify --files: %v", err)
	}
	t.Note("kills", "%d", rounds)
	t.Note("acknowledged writes", "%s", lab.Thousands(d.acked()))
	t.Note("lost", "%d", d.total.lost+d.total.changed)
	t.Note("half-made", "%d", d.total.half)
	t.Note("files uploaded, torn", "%s, %d", lab.Thousands(d.uploaded()), d.total.torn)
	t.Note("gaps in numbers", "%d", d.total.gaps)
	t.Note("done but never answered", "%d", d.total.unsaid)
	t.Note("restart p50, max", "%s, %s", lab.Millis(lab.Quantile(d.restarts, 0.5)),
		lab.Millis(lab.Quantile(d.restarts, 1)))
	d.requireSound()
	t.Require(d.uploaded() > 0, "no file was uploaded")
	if t.Full && t.Engine == lab.SQLite {
		t.Require(d.acked() >= 50_000, "only %d acknowledged writes", d.acked())
	}
	t.RequireOnTime(lab.Quantile(d.restarts, 0.5) < 300*time.Millisecond, "restart p50 is %s",
		lab.Millis(lab.Quantile(d.restarts, 0.5)))
	t.RequireOnTime(lab.Quantile(d.restarts, 1) < time.Second, "the slowest restart took %s",
		lab.Millis(lab.Quantile(d.restarts, 1)))
	return nil
}
