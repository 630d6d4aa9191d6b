package packet

import "testing"

func TestMeasured(t *testing.T) {
	const a1w, a1h = 2384, 1684
	square := []Point{{0, 0}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}}
	for _, c := range []struct {
		at          []Point
		w, h, scale float64
		area        bool
		want        string
	}{
		{[]Point{{0, 0}, {1, 0}}, a1w, a1h, 100, false, "84.10 m"},
		{[]Point{{0, 0}, {0, 0.001}}, a1w, a1h, 100, false, "59 mm"},
		{square, a1w, a1h, 100, true, "1249.08 m²"},
		{[]Point{{0, 0}, {0.5, 0}}, 3024, 2160, 96, false, `168'-0"`},
		{[]Point{{0, 0}, {0.1, 0}}, 3024, 2160, 12, false, `4'-2 3/8"`},
		{square, 3024, 2160, 96, true, "20160.0 sq ft"},
		{square, a1w, a1h, 0, true, ""},
		{nil, a1w, a1h, 100, true, "0.00 m²"},
		{square[:1], a1w, a1h, 100, false, "0 mm"},
	} {
		if got := Measured(c.at, c.w, c.h, c.scale, c.area); got != c.want {
			t.Errorf("%v on %g × %g at 1:%g is %q, not %q", c.at, c.w, c.h, c.scale, got, c.want)
		}
	}
}
