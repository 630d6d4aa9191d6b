package durability

import (
	"errors"
	"fmt"

	"groundwork/prove/lab"
)

// E3 cuts the power of the disk: what was not flushed may be there or not.
var E3 = &lab.Experiment{
	ID:       "E3",
	Title:    "power cuts under 16 writers: what was not flushed to the disk is there afterwards or not, block by block",
	MustHold: "no acknowledged write lost, nothing corrupt (doctor --verify --files after every cut), numbers without gaps, no document whose file is missing or short",
	Control:  "synchronous=NORMAL in place of FULL; files whose bytes are not waited for",
	Engines:  []string{lab.SQLite},
	Run: func(t *lab.Trial) error {
		return withPower(t, lab.Released, nil, func(p *power) error {
			d := p.rig.disk
			planned, cuts := t.ShortOrFull(5, 100), 0
			// A few cuts may all fall between flushes, or spare what was in the air by chance: then there are more of
			// them.
			for ; cuts < planned || d.dropped == 0 && cuts < 4*planned; cuts++ {
				if err := p.round(cuts); err != nil {
					return fmt.Errorf("cut %d: %w", cuts+1, err)
				}
				if err := p.site.Verify(); err != nil {
					t.Require(false, "doctor --verify --files after cut %d: %v", cuts+1, err)
				}
			}
			for _, j := range p.journals {
				if err := p.check(j); err != nil {
					return err
				}
			}
			t.Note("power cuts, harmful", "%d, %d", cuts+1, d.harmful)
			t.Note("acknowledged writes", "%s", lab.Thousands(p.acked()))
			t.Note("lost", "%d", p.total.lost+p.total.changed)
			t.Note("half-made", "%d", p.total.half)
			t.Note("files uploaded, torn", "%s, %d", lab.Thousands(p.uploaded()), p.total.torn)
			t.Note("gaps in numbers", "%d", p.total.gaps)
			t.Note("done but never answered", "%d", p.total.unsaid)
			t.Note("blocks written, flushes", "%s, %s", lab.Thousands(d.writes), lab.Thousands(d.flushes))
			t.Note("blocks in the air, dropped", "%s, %s", lab.Thousands(d.exposed), lab.Thousands(d.dropped))
			t.Note("restart p50, max", "%s, %s", lab.Millis(lab.Quantile(p.restarts, 0.5)),
				lab.Millis(lab.Quantile(p.restarts, 1)))
			p.requireSound()
			// A rig that no flush reaches, or that loses nothing, would prove nothing.
			t.Require(d.flushes > cuts, "only %d flushes reached the disk", d.flushes)
			t.Require(d.dropped > 0, "the cuts dropped nothing that was written")
			return nil
		})
	},
	RunControl: func(t *lab.Trial) (string, error) {
		lost, err := cutUntil(t, "sync-normal", func(p *power) (int, string) {
			return p.total.lost + p.total.changed, "acknowledged writes"
		})
		if err != nil || lost == "" {
			return "", err
		}
		torn, err := cutUntil(t, "file-no-sync", func(p *power) (int, string) { return p.total.torn, "files" })
		if err != nil || torn == "" {
			return "", err
		}
		return lost + "; " + torn, nil
	},
}

// cutUntil cuts the power of an installation with a planted fault until that shows; it gives what was lost.
func cutUntil(t *lab.Trial, fault string, harm func(*power) (n int, of string)) (caught string, err error) {
	const cuts = 5
	err = t.Inner(fault, func(t *lab.Trial) error {
		return withPower(t, lab.Planted, []string{"GROUNDWORK_PLANT=" + fault}, func(p *power) error {
			for i := range cuts {
				if err := p.round(i); err != nil {
					return err
				}
				if n, of := harm(p); n > 0 {
					caught = fmt.Sprintf("lost %d %s by cut %d, with %d writes acknowledged", n, of, i+1, p.acked())
					return nil
				}
			}
			return nil
		})
	})
	return caught, err
}

// power is a drill on a disk whose power is cut.
type power struct {
	*drill
	rig *rig
}

// withPower makes an installation on such a disk. The first cut comes right after it was made.
func withPower(t *lab.Trial, tag string, env []string, fn func(*power) error) error {
	return apart(func() (err error) {
		if _, err := t.Lab.Build(t, tag); err != nil {
			return err
		}
		r, err := newRig(t, t.Path("data"))
		if err != nil {
			return err
		}
		p := &power{rig: r}
		defer func() {
			if p.drill != nil && p.site.Server != nil {
				_ = p.site.Server.Process.Kill() // it may be gone already
				<-p.site.Ended
			}
			err = errors.Join(err, r.close())
		}()
		if p.drill, err = newDrill(t, tag, env...); err != nil {
			return err
		}
		if err := r.cut(p.site, 1); err != nil {
			return err
		}
		if _, err := p.site.Start(); err != nil {
			return err
		}
		return fn(p)
	})
}

// round cuts the power in the middle of the load.
func (p *power) round(i int) error {
	return p.drill.round(i, func() error { return p.rig.cut(p.site, 1+p.t.Random(i, 1).IntN(200)) })
}
