package read

import (
	"math"
	"testing"
)

func TestParseScale(t *testing.T) {
	for text, want := range map[string]float64{
		"1:100": 100, "1 : 50": 50, "M 1:200": 200, "1/500": 500, "1:2.500": 2500, "1:2 500": 2500, "1:5000": 5000,
		`1/8" = 1'-0"`: 96, `1/4"=1'-0"`: 48, `3/32" = 1'-0"`: 128, `1 1/2" = 1'-0"`: 8, `1-1/2" = 1'-0"`: 8,
		`1" = 20'-0"`: 240, `1"=20'`: 240, `3" = 1'-0"`: 4, `11/16" = 1'`: 12 / (11.0 / 16), "1/8″ = 1′-0″": 96,
		"1/4'' = 1'-0''": 48, "1:100 @ A1": 100, "1:100 (A1)": 100, "1:50 AT A3": 50,
	} {
		if got, _, ok := parseScale(text); !ok || math.Abs(got-want) > 1e-9*want {
			t.Errorf("%q is 1:%g (%v), not 1:%g", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "AS NOTED", "NTS", "1:0", "0:100", "2/0\" = 1'", `0" = 1'-0"`, "1:100 AND 1:50", "12:30", "A1", "1:9999999",
		"SCALE", "1'-0\"", "1:100:20",
	} {
		if got, _, ok := parseScale(text); ok {
			t.Errorf("%q is a scale: 1:%g", text, got)
		}
	}
}

// scaled is a page with a number and lines near it.
func scaled(w, h float64, lines ...Line) []*Leaf {
	all := append([]Line{text("SHEET NO.", w-120, h-80, 6), text("A-101", w-120, h-60, 18)}, lines...)
	return []*Leaf{Again(all, w, h)}
}

// text is a line that begins at a place.
func text(s string, x, y, size float64) Line {
	b := Box{x, y - size, x + float64(len(s))*size*0.6, y}
	return Line{Text: s, Box: b, Size: size, Words: []Word{{Text: s, Box: b}}}
}

func TestScaleOfASheet(t *testing.T) {
	const w, h = 2384, 1684 // A1
	for name, c := range map[string]struct {
		lines []Line
		want  float64
	}{
		"in one line":           {[]Line{text("SCALE: 1:100", w-120, h-140, 8)}, 100},
		"label above":           {[]Line{text("Maßstab", w-120, h-152, 6), text("1:50", w-120, h-140, 8)}, 50},
		"label before":          {[]Line{text("ESCALA", w-170, h-140, 8), text("1:75", w-120, h-140, 8)}, 75},
		"no label":              {[]Line{text("1:50", w-120, h-140, 8)}, 0},
		"as noted":              {[]Line{text("SCALE: AS NOTED", w-120, h-140, 8)}, 0},
		"on this paper":         {[]Line{text("SCALE: 1:100 @ A1", w-160, h-140, 8)}, 100},
		"on another paper":      {[]Line{text("SCALE: 1:200 @ A3", w-160, h-140, 8)}, 0},
		"two near":              {[]Line{text("SCALE: 1:100", w-120, h-140, 8), text("SCALE: 1:50", w-120, h-180, 8)}, 0},
		"the one at the number": {[]Line{text("SCALE: 1:100", w-120, h-140, 8), text("SCALE: 1:20", 200, 100, 8)}, 100},
		"far, and the only one": {[]Line{text("SCALE: 1:20", 200, 100, 8)}, 20},
	} {
		if got := Set(scaled(w, h, c.lines...))[0].Scale; got != c.want {
			t.Errorf("%s: 1:%g, not 1:%g", name, got, c.want)
		}
	}
}

func TestCheckedScale(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), -1, 1e9} {
		sheets, err := Checked([]Sheet{{Scale: bad}}, []Kept{{Width: 100, Height: 100}})
		if err != nil || sheets[0].Scale != 0 {
			t.Errorf("a worker's scale of %g is kept: %v, %v", bad, sheets, err)
		}
	}
}
