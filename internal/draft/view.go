package draft

import (
	"fmt"
	"math"
	"strconv"
)

// scale is a customary scale: its words, and units on paper for a foot.
type scale struct {
	words string
	k     float64
}

var (
	feet = []scale{
		{`1/4" = 1'-0"`, 18},
		{`3/16" = 1'-0"`, 13.5},
		{`1/8" = 1'-0"`, 9},
		{`3/32" = 1'-0"`, 6.75},
		{`1/16" = 1'-0"`, 4.5},
		{`1/32" = 1'-0"`, 2.25},
	}
	metres = []scale{
		{"1:50", 17.28}, {"1:75", 11.52}, {"1:100", 8.64}, {"1:150", 5.76}, {"1:200", 4.32}, {"1:400", 2.16},
	}
)

// fitting is the largest customary scale at which w by h feet fit into a rectangle.
func (p *project) fitting(w, h float64, r rect) scale {
	list := feet
	if p.metric {
		list = metres
	}
	for _, s := range list {
		s.k /= p.size.zoom
		if w*s.k <= r.w && h*s.k <= r.h {
			return s
		}
	}
	s := list[len(list)-1]
	s.k /= p.size.zoom
	return s
}

// length writes feet the way of the set.
func (p *project) length(v float64) string {
	if p.metric {
		return strconv.Itoa(int(math.Round(v*304.8/5) * 5))
	}
	inches := int(math.Round(v * 12))
	return fmt.Sprintf("%d'-%d\"", inches/12, inches%12)
}

// view is a part of a sheet drawn in feet at a scale.
type view struct {
	*sheet
	scale
	taken []Box
	notes rect // a column for notes
	room  rect
}

// margins around a plan, in points: dimensions and bubbles stand above and to the left.
const (
	marginTop, marginLeft, marginRight, marginBottom = 150, 150, 96, 150
	noteColumn                                       = 236
)

// plan opens a view in which the whole building fits, beside a column of notes, and draws in it.
func (s *sheet) plan(w, h float64, draw func(*view)) {
	a := s.area
	v := &view{sheet: s, notes: rect{a.x + a.w - noteColumn, a.y + 14, noteColumn, a.h - 14}}
	v.room = rect{
		a.x + marginLeft, a.y + marginTop, a.w - noteColumn - 20 - marginLeft - marginRight,
		a.h - marginTop - marginBottom,
	}
	v.scale = s.p.fitting(w, h, v.room)
	x := v.room.x + (v.room.w-w*v.k)/2
	y := v.room.y + (v.room.h-h*v.k)*0.45
	s.c.within(matrix{v.k, 0, 0, v.k, x, y}, func() { draw(v) })
	s.c.dash("")
}

// pts is a length on paper as a length in the view.
func (v *view) pts(n float64) float64 { return n / v.k }

// claim reserves a rectangle around a place in the view, w by h points; false when something stands there already.
func (v *view) claim(at point, w, h float64) bool {
	p := v.c.m.apply(at)
	b := Box{p.x - w/2, p.y - h/2, p.x + w/2, p.y + h/2}
	a := v.area
	if b.X0 < a.x || b.Y0 < a.y || b.X1 > v.notes.x || b.Y1 > a.y+a.h {
		return false
	}
	for _, t := range v.taken {
		if b.X0 < t.X1 && b.X1 > t.X0 && b.Y0 < t.Y1 && b.Y1 > t.Y0 {
			return false
		}
	}
	v.taken = append(v.taken, b)
	return true
}

// gridLines draws the axes with their bubbles above and to the left.
func (v *view) gridLines() {
	c, b := v.c, v.p.b
	w, h := b.size()
	for i, x := range b.xs {
		c.pen(hair, grey(0.35))
		c.dash("14 3 3 3")
		c.line(x, v.pts(-58), x, h+v.pts(24))
		v.axis(point{x, v.pts(-72)}, strconv.Itoa(i+1))
	}
	for i, y := range b.ys {
		c.pen(hair, grey(0.35))
		c.dash("14 3 3 3")
		c.line(v.pts(-58), y, w+v.pts(24), y)
		at := point{v.pts(-72), y}
		for !v.claim(at, 28, 28) {
			at.x -= v.pts(30)
		}
		c.line(at.x+v.pts(13), y, v.pts(-58), y)
		v.axis(at, string(rune('A'+i+i/8)))
	}
	c.dash("")
}

func (v *view) axis(at point, name string) {
	v.claim(at, 28, 28)
	v.c.note(at, func() {
		v.c.dash("")
		v.c.pen(normal, black)
		v.c.brush(white)
		v.c.circle(both, 0, 0, 13)
		v.c.text(0, 4, v.heading(11).centred(), name)
	})
}

// dimensions are a chain between places along a line and the overall length outside it.
func (v *view) dimensions(places []float64, off float64, upright bool) {
	v.chain(places, off, upright)
	v.chain([]float64{places[0], places[len(places)-1]}, off-17, upright)
}

func (v *view) chain(places []float64, off float64, upright bool) {
	c, o := v.c, v.pts(off)
	at := func(along, across float64) point {
		if upright {
			return point{across, along}
		}
		return point{along, across}
	}
	c.pen(hair, black)
	c.dash("")
	from, to := at(places[0], o), at(places[len(places)-1], o)
	c.line(from.x, from.y, to.x, to.y)
	for i, p := range places {
		a, z := at(p, o-v.pts(4)), at(p, v.pts(-8))
		c.line(a.x, a.y, z.x, z.y)
		t := v.pts(3)
		c.pen(strong, black)
		m := at(p, o)
		c.line(m.x-t, m.y+t, m.x+t, m.y-t)
		c.pen(hair, black)
		if i == 0 {
			continue
		}
		l := v.lettering().sized(6).centred()
		text := v.p.length(p - places[i-1])
		if l.width(text) > (p-places[i-1])*v.k-4 {
			continue
		}
		m = at((p+places[i-1])/2, o)
		if upright {
			l = l.turned(270)
			m.x -= v.pts(2.5)
		} else {
			m.y -= v.pts(2.5)
		}
		c.text(m.x, m.y, l, text)
	}
}

// cloud is the scalloped outline around a revised part, with its triangle.
func (v *view) cloud(a, b point) {
	c := v.c
	lo, hi := point{min(a.x, b.x), min(a.y, b.y)}, point{max(a.x, b.x), max(a.y, b.y)}
	red := colour{0.75, 0, 0}
	c.pen(strong, red)
	c.dash("")
	scallop := func(from, to point, start float64) {
		n := max(2, int(math.Hypot(to.x-from.x, to.y-from.y)*v.k/16))
		for i := range n {
			f := (float64(i) + 0.5) / float64(n)
			r := math.Hypot(to.x-from.x, to.y-from.y) / float64(n) / 2
			c.arc(from.x+(to.x-from.x)*f, from.y+(to.y-from.y)*f, r, start, start+180)
		}
	}
	scallop(lo, point{hi.x, lo.y}, 180)
	scallop(point{hi.x, lo.y}, hi, 270)
	scallop(hi, point{lo.x, hi.y}, 0)
	scallop(point{lo.x, hi.y}, lo, 90)
	c.note(point{hi.x, lo.y}, func() {
		c.path(stroked, true, point{12, -14}, point{22, 4}, point{2, 4})
		c.text(12, 1.5, style{face: v.p.head, size: 7, align: centre, ink: red}, strconv.Itoa(v.p.o.Revision))
	})
}
