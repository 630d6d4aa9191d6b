package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
)

// against compares other builds of the service with the program, in turns, each on a copy of one grown project: what a
// clever part is worth is known by a build without it. It prints ratios to the program; a build that was made from the
// same sources is the control.
func (r *rig) against(ctx context.Context, others []string) error {
	g, err := r.newGround(ctx, "against", "")
	if err != nil {
		return err
	}
	r.say("a project of %d issues", r.Grown)
	r.Issues = r.Grown
	if err := r.load(ctx, g, nil); err != nil {
		return err
	}
	var builds []*server
	var probes []probe
	kinds := []string{"mix", "get", "any page", "list", "create"}
	for i, path := range append([]string{r.program}, others...) {
		copied, err := g.copied(fmt.Sprint("against", i))
		if err != nil {
			return err
		}
		if copied.program, err = filepath.Abs(path); err != nil {
			return err
		}
		s, err := copied.serve(ctx, filepath.Base(path), nil)
		if err != nil {
			return err
		}
		defer s.stop()
		// The first of its kind reads what the others find in memory.
		for _, query := range []string{"?status=open", "?updated_after=" + copied.half} {
			if _, _, err := s.ask(copied.page(query)(nil, nil)); err != nil {
				return err
			}
		}
		name := func(kind string) string { return fmt.Sprintf("%d %s", i, kind) }
		probes = append(probes,
			probe{name: name(kinds[0]), on: s, lines: 16, status: anySuccess, next: copied.mix},
			probe{name: name(kinds[1]), on: s, lines: 16, next: copied.get},
			probe{name: name(kinds[2]), on: s, lines: 16, next: copied.anyPage},
			probe{name: name(kinds[3]), on: s, lines: 16, next: copied.page("")},
			probe{name: name(kinds[4]), on: s, lines: 16, status: 201, next: copied.create},
		)
		builds = append(builds, s)
	}
	// One kind after the other, so that what is compared stands close together.
	var turns []probe
	for k := range kinds {
		for i := range builds {
			turns = append(turns, probes[i*len(kinds)+k])
		}
	}
	if err := r.rounds(ctx, "against", turns...); err != nil {
		return err
	}
	for i, s := range builds {
		peak, err := s.peak()
		if err != nil {
			return err
		}
		fmt.Printf("%-24s peak %6.1f MB\n", s.name, peak)
		for _, kind := range kinds {
			if i == 0 {
				continue
			}
			all := r.results.ratio(cpu, fmt.Sprintf("%d %s", i, kind), "0 "+kind)
			fmt.Printf("  %-22s %s of the processor time\n", kind, spread(all))
		}
	}
	return nil
}

// spread shows a median with the least and the greatest.
func spread(all []float64) string {
	return fmt.Sprintf("%.2f (%.2f–%.2f)", median(all), slices.Min(all), slices.Max(all))
}
