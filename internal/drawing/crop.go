package drawing

import (
	"bytes"
	"errors"
	"image"
	"image/draw"
	"io"
	"math"

	"groundwork/internal/drawing/report"
)

// View is the part of a sheet that surrounds a mark: the sheet's size in points, and the mark's kind and points, from 0
// to 1 from the top left corner. Without points it is the whole sheet.
type View struct {
	Width, Height float64
	Kind          string
	Points        []report.Point
}

// A view shows at least so many inches of a sheet, across and down: enough to see where one is, close enough to read.
const viewWide, viewHigh = 8.0, 6.0

// area is what a view shows of its sheet, as parts of its width and height.
func (v *View) area() (x0, y0, x1, y1 float64) {
	if len(v.Points) == 0 || !(v.Width > 0) || !(v.Height > 0) {
		return 0, 0, 1, 1
	}
	x0, y0, x1, y1 = 1, 1, 0, 0
	for _, p := range v.Points {
		x0, y0, x1, y1 = min(x0, p.X), min(y0, p.Y), max(x1, p.X), max(y1, p.Y)
	}
	w, h := v.Width/72, v.Height/72
	scale := max(1, 1.4*(x1-x0)*w/viewWide, 1.4*(y1-y0)*h/viewHigh)
	x0, x1 = around((x0+x1)/2, viewWide*scale/w)
	y0, y1 = around((y0+y1)/2, viewHigh*scale/h)
	return x0, y0, x1, y1
}

// around is a stretch of a length with a middle, moved so that it lies between 0 and 1.
func around(middle, length float64) (from, to float64) {
	if length >= 1 {
		return 0, 1
	}
	from = min(max(0, middle-length/2), 1-length)
	return from, from + length
}

// marks gives the lines of the mark and its pin as they lie in an area.
func (v *View) marks(x0, y0, x1, y1 float64) (lines []report.Mark, pin *report.Point) {
	if len(v.Points) == 0 {
		return nil, nil
	}
	in := func(x, y float64) report.Point { return report.Point{X: (x - x0) / (x1 - x0), Y: (y - y0) / (y1 - y0)} }
	first, last := v.Points[0], v.Points[len(v.Points)-1]
	middle := in((first.X+last.X)/2, (first.Y+last.Y)/2)
	switch v.Kind {
	case "rectangle", "cloud", "highlight":
		box := []report.Point{in(first.X, first.Y), in(last.X, first.Y), in(last.X, last.Y), in(first.X, last.Y)}
		return []report.Mark{{Points: box, Closed: true}}, &middle
	case "ellipse":
		const steps = 48
		round := make([]report.Point, steps)
		for i := range round {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / steps)
			round[i] = in((first.X+last.X)/2+cos*(last.X-first.X)/2, (first.Y+last.Y)/2+sin*(last.Y-first.Y)/2)
		}
		return []report.Mark{{Points: round, Closed: true}}, &middle
	case "line", "arrow", "pen", "measure":
		path := make([]report.Point, len(v.Points))
		for i, p := range v.Points {
			path[i] = in(p.X, p.Y)
		}
		return []report.Mark{{Points: path}}, &path[len(path)-1]
	}
	pinned := in(first.X, first.Y)
	return nil, &pinned
}

// cut gives a part of the image from the smallest level on which it is at least so wide, or the largest there is.
func (t *Tiles) cut(r io.ReaderAt, x0, y0, x1, y1 float64, wide int) (*image.RGBA, error) {
	n := len(t.levels) - 1
	for n > 0 && float64(t.levels[n-1].width)*(x1-x0) >= float64(wide) {
		n--
	}
	l := t.levels[n]
	area := image.Rect(int(x0*float64(l.width)), int(y0*float64(l.height)), int(math.Ceil(x1*float64(l.width))),
		int(math.Ceil(y1*float64(l.height)))).Intersect(image.Rect(0, 0, l.width, l.height))
	if area.Empty() {
		return nil, errors.New(notATiling)
	}
	out := image.NewRGBA(image.Rectangle{Max: area.Size()})
	for row := area.Min.Y / TileSide; row*TileSide < area.Max.Y; row++ {
		for column := area.Min.X / TileSide; column*TileSide < area.Max.X; column++ {
			tile, err := t.tile(r, n, column, row)
			if err != nil {
				return nil, err
			}
			at := image.Pt(column*TileSide, row*TileSide).Sub(area.Min)
			draw.Draw(out, tile.Bounds().Sub(tile.Bounds().Min).Add(at), tile, tile.Bounds().Min, draw.Src)
		}
	}
	return out, nil
}

// tile reads one tile.
func (t *Tiles) tile(r io.ReaderAt, level, column, row int) (image.Image, error) {
	offset, length, _, ok := t.Find(level, column, row)
	if !ok || length > mostTile {
		return nil, errors.New(notATiling)
	}
	content := make([]byte, length)
	if _, err := r.ReadAt(content, offset); err != nil {
		return nil, err
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err == nil && (c.Width > TileSide || c.Height > TileSide) {
		err = errors.New(notATiling)
	}
	if err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(content))
	return img, err
}

// mostTile is how many bytes a tile has at most: one without any compression.
const mostTile = 4*TileSide*TileSide + 4<<10
