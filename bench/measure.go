package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// probe is one thing that is asked of one server, again and again.
type probe struct {
	name    string
	on      *server
	lines   int // connections of a closed loop
	rate    int // requests per second of an open loop
	within  time.Duration
	status  int
	next    drive
	durable bool // an answer waits for the disk
}

// results are all samples by the name of their probe, and single figures by theirs.
type results struct {
	scale
	Date    string               `json:"date"`
	Took    string               `json:"took"`
	Version string               `json:"version"`
	Machine []string             `json:"machine"`
	Rival   []string             `json:"rival"`
	Sizes   map[string]float64   `json:"sizes"` // bytes of an issue in a list
	Samples map[string][]sample  `json:"samples"`
	Figures map[string][]float64 `json:"figures"`
	Order   []string             `json:"order"`
	Notes   []string             `json:"notes"`
	Taken   taken                `json:"taken"`
}

func newResults(s scale) *results {
	return &results{
		scale: s, Sizes: map[string]float64{}, Samples: map[string][]sample{}, Figures: map[string][]float64{},
	}
}

// replace puts what a later run of some phases measured in the place of what was there, and says so.
func (r *results) replace(later *results, phases []string) {
	maps.Copy(r.Samples, later.Samples)
	maps.Copy(r.Figures, later.Figures)
	maps.Copy(r.Sizes, later.Sizes)
	if slices.Contains(phases, "backups") {
		r.Stock = later.Stock // an older result knows of none
	}
	r.Taken.add(later.Taken)
	r.Notes = append(r.Notes,
		fmt.Sprintf("Of these, %s measured again by themselves on %s, %s, in %s; the figures stand in the place of those of the whole run.", strings.Join(phases, ", "), later.Date, later.Version, later.Took))
}

// rounds lets every probe have its turn, round after round, so that whatever else the machine does hits all alike.
// Every other round runs backwards: no probe always follows the same one.
func (r *rig) rounds(ctx context.Context, title string, probes ...probe) error {
	for _, p := range probes {
		r.results.Order = append(r.results.Order, p.name)
	}
	for round := range r.Rounds {
		r.say("%s: round %d of %d", title, round+1, r.Rounds)
		turn := slices.Clone(probes)
		if round%2 == 1 {
			slices.Reverse(turn)
		}
		for _, p := range turn {
			got, err := calmly(ctx, r, needs{disk: p.durable, processor: p.rate > 0}, func() (sample, error) {
				got, err := r.turn(ctx, p)
				return got, errors.Join(err, p.on.settle(ctx, 100*time.Millisecond))
			})
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			r.results.Samples[p.name] = append(r.results.Samples[p.name], got)
		}
	}
	for _, p := range probes {
		all := r.results.Samples[p.name]
		r.say("  %-44s %9.0f/s  %8.1f µs CPU  p50 %7.2f ms  p99 %7.2f ms", p.name, mid(all, rate), mid(all, cpu),
			mid(all, p50), mid(all, p99))
	}
	return nil
}

func (r *rig) turn(ctx context.Context, p probe) (sample, error) {
	status, within := p.status, p.within
	if status == 0 {
		status = 200
	}
	if within == 0 {
		within = r.Turn
	}
	if p.rate > 0 {
		return p.on.open(ctx, p.rate, within, status, p.next)
	}
	return p.on.closed(ctx, p.lines, within, status, p.next)
}

// What can be compared of two samples.
func rate(s sample) float64 { return s.Rate }
func cpu(s sample) float64  { return s.CPU }
func p50(s sample) float64  { return s.P50 }
func p99(s sample) float64  { return s.P99 }

func mid(all []sample, of func(sample) float64) float64 {
	var values []float64
	for _, s := range all {
		values = append(values, of(s))
	}
	return median(values)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	values = slices.Sorted(slices.Values(values))
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// ratio compares two probes round by round: neighbours in time had the same machine.
func (r *results) ratio(of func(sample) float64, a, b string) []float64 {
	var out []float64
	for i := range min(len(r.Samples[a]), len(r.Samples[b])) {
		out = append(out, of(r.Samples[a][i])/of(r.Samples[b][i]))
	}
	return out
}

func (r *results) values(of func(sample) float64, name string) []float64 {
	var out []float64
	for _, s := range r.Samples[name] {
		out = append(out, of(s))
	}
	return out
}
