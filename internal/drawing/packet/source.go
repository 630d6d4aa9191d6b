package packet

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// source is a PDF that pages are copied from.
type source struct {
	ctx *model.Context
	// copied are the numbers in the packet of objects that were copied, by their numbers in the source; open are those
	// whose parts are being copied.
	copied map[int]int
	open   map[int]bool
}

var noConfig = sync.OnceFunc(api.DisableConfigDir)

// read reads a PDF: readError says why it cannot be.
func read(in io.ReadSeeker) (s *source, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &readError{fmt.Errorf("the library stopped: %v", p)}
		}
	}()
	noConfig()
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode = model.ValidationRelaxed
	ctx, err := api.ReadContext(in, conf)
	if err == nil {
		err = ctx.EnsurePageCount()
	}
	if err != nil {
		return nil, &readError{err}
	}
	return &source{ctx: ctx, copied: map[int]int{}, open: map[int]bool{}}, nil
}

// page is a page of a source and how it is displayed.
type page struct {
	*source
	dict      types.Dict
	resources types.Dict
	// x0, y0, x1, y1 is what is shown of it, rotate by how many degrees it is turned clockwise.
	x0, y0, x1, y1 float64
	rotate         int
}

func (s *source) page(number int) (p *page, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &readError{fmt.Errorf("the library stopped: %v", p)}
		}
	}()
	dict, _, inherited, err := s.ctx.PageDict(number, false)
	if err != nil {
		return nil, &readError{err}
	}
	if inherited.MediaBox == nil {
		return nil, &readError{errors.New("the page has no size")}
	}
	p = &page{source: s, dict: dict, resources: inherited.Resources, rotate: ((inherited.Rotate % 360) + 360) % 360}
	m := inherited.MediaBox
	p.x0, p.y0, p.x1, p.y1 = m.LL.X, m.LL.Y, m.UR.X, m.UR.Y
	if c := inherited.CropBox; c != nil {
		x0, y0, x1, y1 := max(p.x0, c.LL.X), max(p.y0, c.LL.Y), min(p.x1, c.UR.X), min(p.y1, c.UR.Y)
		if x1 > x0 && y1 > y0 {
			p.x0, p.y0, p.x1, p.y1 = x0, y0, x1, y1
		}
	}
	if !(p.x1 > p.x0 && p.y1 > p.y0) || math.IsInf(p.x1-p.x0, 0) || math.IsInf(p.y1-p.y0, 0) {
		return nil, &readError{errors.New("the page has no size")}
	}
	return p, nil
}

// size is how wide and high the page is displayed.
func (p *page) size() (w, h float64) {
	if w, h = p.x1-p.x0, p.y1-p.y0; p.rotate%180 == 90 {
		w, h = h, w
	}
	return w, h
}

// matrix leads from the page as displayed, from its bottom left corner upwards, to the space in which the page is
// written.
func (p *page) matrix() [6]float64 {
	switch p.rotate {
	case 90:
		return [6]float64{0, 1, -1, 0, p.x1, p.y0}
	case 180:
		return [6]float64{-1, 0, 0, -1, p.x1, p.y1}
	case 270:
		return [6]float64{0, -1, 1, 0, p.x0, p.y1}
	}
	return [6]float64{1, 0, 0, 1, p.x0, p.y0}
}

// place leads from parts of the width and height as displayed, from the top left corner, to the space in which the page
// is written.
func (p *page) place(x, y float64) (float64, float64) {
	w, h := p.size()
	m := p.matrix()
	u, v := x*w, h-y*h
	return m[0]*u + m[2]*v + m[4], m[1]*u + m[3]*v + m[5]
}
