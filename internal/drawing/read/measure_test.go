package read

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"groundwork/internal/draft"
)

var (
	whole   = flag.Bool("whole", false, "measure every layout with many seeds instead of a sample")
	explain = flag.Bool("explain", false, "print what was read wrongly")
)

// tally counts what was read rightly.
type tally struct {
	sheets, numbers, titles, dates int
	disciplines, strange           int
	linked, right, truth           int
}

func (t *tally) add(o tally) {
	t.sheets, t.numbers, t.titles, t.dates = t.sheets+o.sheets, t.numbers+o.numbers, t.titles+o.titles, t.dates+o.dates
	t.disciplines, t.strange = t.disciplines+o.disciplines, t.strange+o.strange
	t.linked, t.right, t.truth = t.linked+o.linked, t.right+o.right, t.truth+o.truth
}

func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

func (t tally) String() string {
	return fmt.Sprintf("%4d sheets: numbers %.3f, titles %.3f, dates %.3f, disciplines %.3f (%d wrong), callouts precision %.3f recall %.3f of %d",
		t.sheets, share(t.numbers, t.sheets), share(t.titles, t.sheets), share(t.dates, t.sheets),
		share(t.disciplines, t.sheets), t.strange, share(t.right, t.linked), share(t.right, t.truth), t.truth)
}

// shown is a drawn page as the reader gets it.
func shown(p draft.Page) Page {
	out := Page{Width: p.Width, Height: p.Height}
	for _, g := range p.Glyphs {
		out.Chars = append(out.Chars, Char{
			Rune: g.Rune, X0: g.Box.X0, Y0: g.Box.Y0, X1: g.Box.X1, Y1: g.Box.Y1, Size: g.Size, Angle: g.Angle,
		})
	}
	return out
}

// way is how a set is read: all pages together, or each by itself.
type way func([]*Leaf) []Sheet

func apart(leaves []*Leaf) []Sheet {
	var out []Sheet
	for i := range leaves {
		out = append(out, Set(leaves[i:i+1])...)
	}
	return out
}

// measure draws a set, reads it and compares with the truth.
func measure(t *testing.T, o draft.Options, read way) tally {
	t.Helper()
	sum, _ := measured(t, o, read)
	return sum
}

func measured(t *testing.T, o draft.Options, read way) (sum tally, layout string) {
	t.Helper()
	set, err := draft.Write(io.Discard, o)
	if err != nil {
		t.Fatal(err)
	}
	var leaves []*Leaf
	for _, p := range set.Pages {
		_, leaf := Take(shown(p))
		leaves = append(leaves, leaf)
	}
	for i, s := range read(leaves) {
		sum.add(compare(t, fmt.Sprintf("%s, seed %d", set.Layout, o.Seed), s, set.Pages[i]))
	}
	return sum, set.Layout
}

func compare(t *testing.T, where string, s Sheet, p draft.Page) (sum tally) {
	t.Helper()
	if p.Outlined {
		if s.Number.Text != "" || len(s.Callouts) > 0 {
			t.Errorf("%s: %s has no text, but %q was read.", where, p.Number, s.Number.Text)
		}
		return sum
	}
	wrong := func(format string, args ...any) {
		if *explain {
			t.Logf("%s, %s %s: "+format, append([]any{where, p.Number, p.Title}, args...)...)
		}
	}
	sum.sheets = 1
	if s.Number.Text == p.Number {
		sum.numbers = 1
	} else {
		wrong("number %q", s.Number.Text)
	}
	if strings.EqualFold(s.Title.Text, p.Title) {
		sum.titles = 1
	} else {
		wrong("title %q", s.Title.Text)
	}
	if s.Date.Text == p.Date {
		sum.dates = 1
	} else {
		wrong("date %q, not %q", s.Date.Text, p.Date)
	}
	switch {
	case strings.EqualFold(s.Discipline, p.Discipline):
		sum.disciplines = 1
	case s.Discipline != "":
		sum.strange = 1
		fallthrough
	default:
		wrong("discipline %q, not %q", s.Discipline, p.Discipline)
	}
	sum.linked, sum.truth = len(s.Callouts), len(p.Callouts)
	taken := make([]bool, len(p.Callouts))
	for _, c := range s.Callouts {
		hit := false
		for j, q := range p.Callouts {
			x, y := c.Box.mid()
			if !taken[j] && q.Target == c.Target && x > q.Box.X0-1 && x < q.Box.X1+1 && y > q.Box.Y0-1 &&
				y < q.Box.Y1+1 {
				taken[j], hit = true, true
				sum.right++
				break
			}
		}
		if !hit {
			wrong("callout %q to %s at %v", c.Text, c.Target, c.Box)
		}
	}
	for j, q := range p.Callouts {
		if !taken[j] {
			wrong("missed %q to %s", q.Text, q.Target)
		}
	}
	return sum
}

// The bars hold for every layout of title blocks, and higher ones for all together.
func TestDrawnSetsAreRead(t *testing.T) {
	var all, alone tally
	seeds, sheets := uint64(1), 26
	if *whole {
		seeds, sheets = 6, 30
	}
	for i, layout := range draft.Layouts() {
		var one tally
		for seed := range seeds {
			o := draft.Options{Seed: 1000*uint64(i) + seed, Layout: layout, Sheets: sheets}
			one.add(measure(t, o, Set))
			if seed == 0 {
				alone.add(measure(t, o, apart))
			}
		}
		t.Logf("%-32s %s", layout, one)
		one.hold(t, layout, 0.95, 0.90, 0.90, 0.98, 0.93)
		all.add(one)
	}
	t.Logf("%-32s %s", "all", all)
	t.Logf("%-32s %s", "each page by itself", alone)
	all.hold(t, "all layouts", 0.98, 0.95, 0.95, 0.98, 0.95)
	if got := share(all.disciplines, all.sheets); got < 0.98 || all.strange > 0 {
		t.Errorf("disciplines %.3f, %d wrong.", got, all.strange)
	}
}

// shares are the parts that were read rightly, by what they are of.
func (t tally) shares() map[string]float64 {
	return map[string]float64{
		"numbers": share(t.numbers, t.sheets), "titles": share(t.titles, t.sheets), "dates": share(t.dates, t.sheets),
		"precision of callouts": share(t.right, t.linked), "recall of callouts": share(t.right, t.truth),
	}
}

func (t tally) hold(to *testing.T, what string, numbers, titles, dates, precision, recall float64) {
	to.Helper()
	for _, bar := range []struct {
		name      string
		got, want float64
	}{
		{"numbers", share(t.numbers, t.sheets), numbers},
		{"titles", share(t.titles, t.sheets), titles},
		{"dates", share(t.dates, t.sheets), dates},
		{"precision of callouts", share(t.right, t.linked), precision},
		{"recall of callouts", share(t.right, t.truth), recall},
	} {
		if bar.got < bar.want {
			to.Errorf("%s: %s %.3f, at least %.2f is asked.", what, bar.name, bar.got, bar.want)
		}
	}
}
