package main

import (
	"errors"
	"fmt"
)

var e3 = &experiment{
	id:      "E3",
	title:   "power cuts under 16 writers: what was not flushed to the disk is there afterwards or not, block by block",
	bar:     "no acknowledged write lost, nothing corrupt (doctor --verify --files after every cut), numbers without gaps, no document whose file is missing or short",
	control: "synchronous=NORMAL in place of FULL; files whose bytes are not waited for",
	engines: []string{lite},
	run: func(t *trial) error {
		return withPower(t, released, nil, func(p *power) error {
			d := p.rig.disk
			planned, cuts := t.pick(5, 100), 0
			// A few cuts may all fall between flushes, or spare what was in the air by chance: then there are more of them.
			for ; cuts < planned || d.dropped == 0 && cuts < 4*planned; cuts++ {
				if err := p.round(cuts); err != nil {
					return fmt.Errorf("cut %d: %w", cuts+1, err)
				}
				if err := p.site.verify(); err != nil {
					t.require(false, "doctor --verify --files after cut %d: %v", cuts+1, err)
				}
			}
			for _, j := range p.journals {
				if err := p.check(j); err != nil {
					return err
				}
			}
			t.note("power cuts, harmful", "%d, %d", cuts+1, d.harmful)
			t.note("acknowledged writes", "%s", thousands(p.acked()))
			t.note("lost", "%d", p.total.lost+p.total.changed)
			t.note("half-made", "%d", p.total.half)
			t.note("files uploaded, torn", "%s, %d", thousands(p.uploaded()), p.total.torn)
			t.note("gaps in numbers", "%d", p.total.gaps)
			t.note("done but never answered", "%d", p.total.unsaid)
			t.note("blocks written, flushes", "%s, %s", thousands(d.writes), thousands(d.flushes))
			t.note("blocks in the air, dropped", "%s, %s", thousands(d.exposed), thousands(d.dropped))
			t.note("restart p50, max", "%s, %s", millis(quantile(p.restarts, 0.5)), millis(quantile(p.restarts, 1)))
			p.requireSound()
			// A rig that no flush reaches, or that loses nothing, would prove nothing.
			t.require(d.flushes > cuts, "only %d flushes reached the disk", d.flushes)
			t.require(d.dropped > 0, "the cuts dropped nothing that was written")
			return nil
		})
	},
	runControl: func(t *trial) (string, error) {
		lost, err := cutUntil(t, "sync-normal", func(p *power) (int, string) { return p.total.lost + p.total.changed, "acknowledged writes" })
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
func cutUntil(t *trial, fault string, harm func(*power) (n int, of string)) (caught string, err error) {
	const cuts = 5
	err = t.inner(fault, func(t *trial) error {
		return withPower(t, planted, []string{"GROUNDWORK_PLANT=" + fault}, func(p *power) error {
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
func withPower(t *trial, tag string, env []string, fn func(*power) error) error {
	return apart(func() (err error) {
		if _, err := t.lab.program(t, tag); err != nil {
			return err
		}
		r, err := newRig(t, t.path("data"))
		if err != nil {
			return err
		}
		p := &power{rig: r}
		defer func() {
			if p.drill != nil && p.site.server != nil {
				_ = p.site.server.Process.Kill() // it may be gone already
				<-p.site.ended
			}
			err = errors.Join(err, r.close())
		}()
		if p.drill, err = newDrill(t, tag, env...); err != nil {
			return err
		}
		if err := r.cut(p.site, 1); err != nil {
			return err
		}
		if _, err := p.site.start(); err != nil {
			return err
		}
		return fn(p)
	})
}

// round cuts the power in the middle of the load.
func (p *power) round(i int) error {
	return p.drill.round(i, func() error { return p.rig.cut(p.site, 1+p.t.random(i, 1).IntN(200)) })
}
