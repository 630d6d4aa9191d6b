package drawing

import (
	"image"
	"math"

	"groundwork/internal/drawing/read"
)

// finest is how many dots to the inch a part of a page is drawn with.
func finest(s Size, a read.Box, o scanOrder) float64 {
	dpi := min(max(o.DPI, leastDPI), mostDPI)
	most := float64(min(max(o.Most, 1), mostScanned))
	if n := (a.X1 - a.X0) * (a.Y1 - a.Y0) * dpi * dpi / 72 / 72; n > most {
		dpi *= math.Sqrt(most / n)
	}
	// The page as a whole is bounded too, though only a part of it is drawn: its pixels are counted in 32 bits.
	if longest := max(s.Width, s.Height) / 72 * dpi; longest > mostLong {
		dpi *= mostLong / longest
	}
	return dpi
}

// mostLong is how many pixels long a page is at most of which a part is drawn.
const mostLong = 30_000

// dark is what counts as ink.
const dark = 160

// inkOf is which part of a picture is ink.
func inkOf(img *image.Gray) float64 {
	n := 0
	for _, p := range img.Pix {
		if p < dark {
			n++
		}
	}
	return float64(n) / float64(max(1, len(img.Pix)))
}
