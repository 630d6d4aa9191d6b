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

// mostSkew is how far askew a page may lie that is set straight, and leastSkew how far it must, in radians: 3 degrees,
// and a tenth of one.
const mostSkew, leastSkew = 0.052, 0.0018

// skewOf is by how much the lines of a picture, and what is written, lie askew: set straight by that angle, the upper
// edges of ink fall into the fewest rows.
func skewOf(img *image.Gray) float64 {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	type point struct{ x, y float32 }
	const most = 100_000
	var edge []point
	// Columns are left out where there is too much ink, each as good as the next.
	for step := 1 + w*h/(24<<20)*2; ; step *= 2 {
		edge = edge[:0]
		for y := 1; y < h; y++ {
			row, above := img.Pix[y*img.Stride:], img.Pix[(y-1)*img.Stride:]
			for x := 0; x < w; x += step {
				if row[x] < dark && above[x] >= dark {
					edge = append(edge, point{float32(x - w/2), float32(y - h/2)})
				}
			}
		}
		if len(edge) <= most || step >= w {
			break
		}
	}
	best, most2 := 0.0, 0.0
	reach := h/2 + int(mostSkew*float64(w)) + 2
	rows := make([]int32, 2*reach+2)
	for angle := -mostSkew; angle <= mostSkew; angle += leastSkew {
		clear(rows)
		sin, cos := math.Sincos(angle)
		for _, p := range edge {
			rows[int(cos*float64(p.y)-sin*float64(p.x))+reach]++
		}
		sum := 0.0
		for _, n := range rows {
			sum += float64(n) * float64(n)
		}
		if sum > most2*1.001 {
			best, most2 = angle, sum
		}
	}
	if math.Abs(best) < leastSkew {
		return 0
	}
	return best
}

// straightened is a picture turned back by the angle by which it lies askew.
func straightened(img *image.Gray, skew float64) *image.Gray {
	if skew == 0 {
		return img
	}
	const one = 1 << 12
	sin, cos := math.Sincos(skew)
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewGray(img.Rect)
	at := func(x, y int) int {
		if x < 0 || y < 0 || x >= w || y >= h {
			return 255
		}
		return int(img.Pix[y*img.Stride+x])
	}
	for y := range h {
		dy := float64(y) - float64(h)/2
		for x := range w {
			dx := float64(x) - float64(w)/2
			fx, fy := int((cos*dx-sin*dy+float64(w)/2)*one), int((sin*dx+cos*dy+float64(h)/2)*one)
			x0, y0, ax, ay := fx>>12, fy>>12, fx&(one-1), fy&(one-1)
			top := at(x0, y0)*(one-ax) + at(x0+1, y0)*ax
			low := at(x0, y0+1)*(one-ax) + at(x0+1, y0+1)*ax
			out.Pix[y*out.Stride+x] = byte((top>>12*(one-ay) + low>>12*ay) >> 12)
		}
	}
	return out
}
