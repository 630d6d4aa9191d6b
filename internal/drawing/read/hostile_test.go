package read

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"
)

// soon fails when something takes longer than any sheet should, or much memory.
func soon(t *testing.T, within time.Duration, do func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(within):
		runtime.ReadMemStats(&after)
		t.Fatalf("it was not done after %v, and took %d MB until then", within,
			(after.TotalAlloc-before.TotalAlloc)>>20)
	}
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 2_000 {
		t.Errorf("it took %d MB", took)
	}
}

// letters puts a text somewhere, each letter as wide as half its size.
func letters(text string, x, y, size float64) (out []Char) {
	for i, r := range text {
		at := x + float64(i)*size/2
		out = append(out, Char{Rune: r, X0: at, Y0: y - size, X1: at + size/2, Y1: y, Size: size})
	}
	return out
}

// What no file can say, a worker that was broken into can. Pages that are as large as they may be are read in seconds
// as well.
func TestHostilePages(t *testing.T) {
	page := func(chars ...Char) Page { return Page{Width: 3456, Height: 2592, Chars: chars} }
	many := func(n int, one func(i int) []Char) (all []Char) {
		for i := range n {
			all = append(all, one(i)...)
		}
		return all
	}
	var odd []Char
	for _, n := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 0} {
		for _, m := range []float64{math.NaN(), math.Inf(1), 1e300, 10} {
			odd = append(odd,
				Char{Rune: 'A', X0: n, Y0: m, X1: n + 5, Y1: m + 5, Size: 10}, Char{
					Rune: 'A', X0: 10, Y0: 10, X1: n, Y1: m, Size: 10,
				},
				Char{Rune: 'A', X0: 10, Y0: 10, X1: 20, Y1: 20, Size: n, Angle: m}, Char{
					Rune: 'A', X0: 10, Y0: 10, X1: 20, Y1: 20, Size: 10, Angle: n,
				})
		}
	}
	cases := map[string]Page{
		"odd numbers":          page(odd...),
		"a page without size":  {Width: math.NaN(), Height: math.Inf(1), Chars: letters("A101", 10, 10, 10)},
		"a page of minus size": {Width: -10, Height: -10, Chars: letters("A101", 10, 10, 10)},
		"300,000 words at one place": page(many(300_000, func(i int) []Char {
			return letters("A", 3400, 2500+float64(i%2)*0.001, 0.01)
		})...),
		"one row of words": page(many(60_000, func(i int) []Char {
			return letters("A1", float64(i)*0.05, 2580, 0.01)
		})...),
		"numbers and labels over each other": page(many(8_000, func(i int) []Char {
			return append(letters("SHEET", 3000, 2000+float64(i)*0.07, 1),
				letters(fmt.Sprintf("A-%d.%d", i%9999, i), 3000, 2100+float64(i)*0.05, 40)...)
		})...),
		"titles that cover each other": page(many(6_000, func(i int) []Char {
			return letters("GROUND FLOOR PLAN", float64(i%70), 100+float64(i)*0.4, 200)
		})...),
	}
	for name, p := range cases {
		t.Run(name, func(t *testing.T) {
			soon(t, 30*time.Second, func() {
				p.Chars = append(p.Chars, letters("A101", 3300, 2500, 60)...)
				_, leaf := Take(p)
				_, other := Take(p)
				for _, s := range Set([]*Leaf{leaf, other}) {
					for _, b := range []Box{s.Number.Box, s.Title.Box, s.Date.Box} {
						if !(b.X0 >= 0 && b.Y0 >= 0 && b.X1 <= 3456 && b.Y1 <= 2592) {
							t.Errorf("something was read at %v", b)
						}
					}
				}
			})
		})
	}
}

// Lines that come back from where they were kept may hold anything.
func TestHostileLines(t *testing.T) {
	var lines []Line
	for _, n := range []float64{math.NaN(), math.Inf(1), 1e300, -1e300, 10} {
		for _, angle := range []int{0, 90, 45, -90, 360, math.MinInt} {
			b := Box{n, 10, n + 10, 20}
			lines = append(lines, Line{Text: "A101", Box: b, Size: 10, Angle: angle, Words: []Word{{Text: "A101", Box: b}}}, Line{
				Text: "A102", Size: n, Angle: angle, Box: b,
			},
				Line{
					Text: "FLOOR PLAN", Box: Box{0, 0, n, n}, Size: n, Angle: angle,
					Words: []Word{{Text: "FLOOR", Box: Box{0, 0, n, n}}},
				})
		}
	}
	soon(t, 10*time.Second, func() { Set([]*Leaf{Again(lines, 612, 792), Again(nil, 0, math.NaN())}) })
}

// The control: the largest sheet there is, full of words, is read whole.
func TestDenseSheet(t *testing.T) {
	p := Page{Width: 3456, Height: 2592}
	for i := range 20_000 {
		p.Chars = append(p.Chars, letters(fmt.Sprintf("W%05d", i), 20+float64(i%80)*42, 20+float64(i/80)*9, 6)...)
	}
	p.Chars = append(p.Chars, letters("A101", 3250, 2560, 60)...)
	soon(t, 30*time.Second, func() {
		lines, leaf := Take(p)
		words := 0
		for _, l := range lines {
			words += len(l.Words)
		}
		if words != 20_001 {
			t.Errorf("%d words were read", words)
		}
		if got := Set([]*Leaf{leaf})[0].Number.Text; got != "A101" {
			t.Errorf("the number is %q", got)
		}
	})
}
