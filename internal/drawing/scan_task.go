package drawing

import (
	"errors"
	"image"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"

	"groundwork/internal/drawing/read"
)

// scanOrder says which part of a page is drawn for recognition, and how.
type scanOrder struct {
	Page int
	// Area is the part as displayed, from 0 to 1: x0, y0, x1, y1.
	Area [4]float64
	// Turn is the direction of writing that becomes upright.
	Turn int
	// DPI is how finely, as long as there are no more pixels than Most.
	DPI  float64
	Most int
}

// scanned is a picture for recognition: grey, a byte a pixel, without a head. Ink is which part of it is dark.
type scanned struct {
	Path string
	read.Scan
	Ink float64
}

const (
	scanTask  = "scan"
	heardTask = "heard"
	// mostScanned is how many pixels a picture for recognition has at most.
	mostScanned = 40_000_000
)

// scan is the task that draws a part of a page for recognition.
func (d *document) scan(o order) (any, error) {
	var what scanOrder
	if err := json.Unmarshal(o.Details, &what); err != nil {
		return nil, err
	}
	if err := d.open(inputName, o.hatch); err != nil {
		return nil, err
	}
	if what.Page < 1 || what.Page > d.pages || what.Turn < 0 || what.Turn > 270 || what.Turn%90 != 0 {
		return nil, errOrder
	}
	return scan(d, what, o.create)
}

// heard is the task that makes a text of what was recognised.
func (d *document) heard(o order) (any, error) {
	var what heardOrder
	if err := json.Unmarshal(o.Details, &what); err != nil {
		return nil, err
	}
	if err := d.open(inputName, o.hatch); err != nil {
		return nil, err
	}
	if what.Page < 1 || what.Page > d.pages || len(what.Answers) != len(what.Scans) {
		return nil, errOrder
	}
	return d.hear(what, func(name string) (io.ReadCloser, error) { return o.open(name) }, o.create)
}

// scan draws a part of a page in grey.
func scan(d *document, o scanOrder, create maker) (any, error) {
	size, err := d.size(o.Page)
	if err != nil {
		return nil, err
	}
	a := read.Box{
		X0: o.Area[0] * size.Width, Y0: o.Area[1] * size.Height,
		X1: o.Area[2] * size.Width, Y1: o.Area[3] * size.Height,
	}
	dpi := finest(size, a, o)
	w, h := max(1, int(size.Width*dpi/72)), max(1, int(size.Height*dpi/72))
	part := image.Rect(int(o.Area[0]*float64(w)), int(o.Area[1]*float64(h)), int(o.Area[2]*float64(w)),
		int(o.Area[3]*float64(h)))
	if part.Empty() || !part.In(image.Rect(0, 0, w, h)) {
		return nil, bad("%s has no such part.", name(o.Page))
	}
	img, free, err := d.renderArea(o.Page, w, h, part)
	if err != nil {
		return nil, err
	}
	grey := greyOf(img)
	free()
	ink := inkOf(grey)
	skew := skewOf(grey)
	grey = straightened(grey, skew)
	grey = turned(grey, o.Turn)
	// The part as it was drawn, to the pixel.
	x, y := size.Width/float64(w), size.Height/float64(h)
	made := scanned{Path: "scan.grey", Ink: ink, Scan: read.Scan{
		Area: read.Box{
			X0: float64(part.Min.X) * x, Y0: float64(part.Min.Y) * y,
			X1: float64(part.Max.X) * x, Y1: float64(part.Max.Y) * y,
		},
		Turn: o.Turn, Width: grey.Rect.Dx(), Height: grey.Rect.Dy(), Skew: skew,
	}}
	return made, writeNew(create, made.Path, func(w io.Writer) error {
		_, err := w.Write(grey.Pix)
		return err
	})
}

// heardOrder names the answers of a recogniser about pictures of a page, each by its number.
type heardOrder struct {
	Page    int
	Scans   []read.Scan
	Answers []int
}

// heard is what became of them: how legible each picture was, and the text of the page.
type heard struct {
	Legible []int
	PageText
}

// hear makes the text of a page of what was recognised in its pictures, beside the letters that its file has.
func (d *document) hear(o heardOrder, open func(name string) (io.ReadCloser, error), create maker) (any, error) {
	p, err := d.letters(pageOrder{Page: o.Page})
	if err != nil {
		return nil, err
	}
	var out heard
	page := read.NewSketch(p)
	for i, s := range o.Scans {
		in, err := open(strconv.Itoa(o.Answers[i]))
		if err != nil {
			return nil, err
		}
		words := read.Recognised(in, s)
		if err := in.Close(); err != nil {
			return nil, err
		}
		out.Legible = append(out.Legible, read.Legible(words))
		page.Add(words, s)
	}
	lines, _ := read.Take(page.Page())
	if len(lines) == 0 {
		return out, nil
	}
	kept := read.Keep(lines, p.Width, p.Height)
	out.PageText = PageText{Path: "text.gz", Words: kept.Words()}
	return out, writeNew(create, out.Path, kept.Write)
}

// greyOf is a picture in grey.
func greyOf(img *image.RGBA) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, img.Rect.Dx(), img.Rect.Dy()))
	for y := range out.Rect.Dy() {
		from, to := img.Pix[y*img.Stride:], out.Pix[y*out.Stride:]
		for x := range out.Rect.Dx() {
			r, g, b := uint32(from[4*x]), uint32(from[4*x+1]), uint32(from[4*x+2])
			to[x] = byte((77*r + 150*g + 29*b) >> 8)
		}
	}
	return out
}

// turned turns a picture so that what is written in a direction can be read.
func turned(img *image.Gray, direction int) *image.Gray {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if direction == 0 {
		return img
	}
	out := image.NewGray(image.Rect(0, 0, w, h))
	if direction%180 != 0 {
		out = image.NewGray(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			at := 0
			switch direction {
			case 90:
				at = (w-1-x)*out.Stride + y
			case 180:
				at = (h-1-y)*out.Stride + w - 1 - x
			case 270:
				at = x*out.Stride + h - 1 - y
			}
			out.Pix[at] = img.Pix[y*img.Stride+x]
		}
	}
	return out
}

// errOrder is about an order that no service gives.
var errOrder = errors.New("there is no such picture")
