package draft

import (
	"fmt"
	"strconv"
)

// facade is the main front, or the side, of the building as seen from outside.
func (s *sheet) facade(r rect, side bool, title string) {
	b, c := s.p.b, s.c
	w, _ := b.size()
	if side {
		w = b.bars[0].depth()
		if len(b.bars) > 1 {
			w += b.bars[1].length
		}
	}
	h := b.storey*float64(b.floors) + 4
	k := s.p.fitting(w, h, rect{r.x, r.y, r.w - 190, r.h - 90})
	x, ground := r.x+70, r.y+r.h-46
	c.within(matrix{k.k, 0, 0, k.k, x, ground - h*k.k}, func() {
		pt := 1 / k.k
		c.dash("")
		c.pen(strong, black)
		c.rect(stroked, 0, 0, w, h)
		c.pen(fine, black)
		c.rect(stroked, -0.7, -0.8, w+1.4, 1.6)
		c.pen(hair, grey(0.6))
		if s.r.IntN(2) == 0 {
			c.hatch(3, 0, box(0, h-b.storey, w, b.storey)...)
		}
		for f := range b.floors {
			top := 4 + b.storey*float64(f)
			for u := 6.0; u+6 < w; u += 9 {
				ww, hh := 6.0, b.storey*0.5
				if f == b.floors-1 && u > w*0.45 && u < w*0.45+9 && !side {
					ww, hh = 8, b.storey*0.75
					c.brush(white)
					c.rect(both, u, h-hh, ww, hh)
					c.line(u+4, h-hh, u+4, h)
					continue
				}
				c.pen(normal, black)
				c.brush(grey(0.93))
				c.rect(both, u, top+b.storey*0.2, ww, hh)
				c.pen(fine, black)
				c.line(u+ww/2, top+b.storey*0.2, u+ww/2, top+b.storey*0.2+hh)
				c.line(u, top+b.storey*0.2+hh*0.7, u+ww, top+b.storey*0.2+hh*0.7)
			}
			c.pen(hair, grey(0.4))
			c.line(0, top, w, top)
			c.dash("14 3 3 3")
			c.line(w, top, w+60*pt, top)
			c.dash("")
			c.note(point{w, top}, func() {
				c.text(16, -3, s.lettering().sized(6),
					s.p.floor(b.floors-f)+" EL. "+s.p.length(100+b.storey*float64(b.floors-f)))
			})
		}
		c.pen(heavy, black)
		c.line(-60*pt, h, w+60*pt, h)
		for i, g := range b.xs {
			if side || g > w {
				continue
			}
			c.pen(hair, grey(0.5))
			c.dash("14 3 3 3")
			c.line(g, -30*pt, g, h)
			c.dash("")
			c.note(point{g, -40 * pt}, func() {
				c.pen(fine, black)
				c.circle(stroked, 0, 0, 10)
				c.text(0, 3.4, s.heading(9).centred(), strconv.Itoa(i+1))
			})
		}
		for i := range 2 {
			if t, ok := s.refer("wall section", "detail"); ok {
				at := point{w*(0.3+0.4*float64(i)) + 2, -66 * pt}
				c.pen(normal, black)
				c.dash("20 4 5 4")
				c.line(at.x, at.y, at.x, h*0.3)
				c.dash("")
				s.arrow(at, point{1, 0}, t)
			}
		}
	})
	s.viewTitle(r.x+20, r.y+r.h-16, title, k.words)
}

func drawElevations(s *sheet) {
	names := []string{"NORTH ELEVATION", "SOUTH ELEVATION"}
	if s.level == 1 {
		names = []string{"EAST ELEVATION", "WEST ELEVATION"}
	}
	half := s.area.h / 2
	for i, n := range names {
		s.facade(rect{s.area.x, s.area.y + 70 + half*float64(i), s.area.w, half - 80}, s.level == 1, s.p.titled(n))
	}
}

func drawSections(s *sheet) {
	half := s.area.h / 2
	for i, n := range []string{"TRANSVERSE SECTION", "LONGITUDINAL SECTION"} {
		s.cutView(rect{s.area.x, s.area.y + 60 + half*float64(i), s.area.w, half - 70}, i == 1, s.p.titled(n))
	}
}

// cutView is a section: slabs, walls and footings cut, rooms named.
func (s *sheet) cutView(r rect, long bool, title string) {
	b, c := s.p.b, s.c
	w := b.bars[0].depth()
	stops := b.ys[:4]
	if long {
		w, _ = b.size()
		stops = b.xs
	}
	h := b.storey * float64(b.floors)
	k := s.p.fitting(w, h+6, rect{r.x, r.y, r.w - 240, r.h - 80})
	x, y := r.x+80, r.y+r.h-60-(h+5)*k.k
	c.within(matrix{k.k, 0, 0, k.k, x, y}, func() {
		c.dash("")
		for f := range b.floors + 1 {
			top := b.storey * float64(f)
			c.pen(normal, black)
			c.brush(grey(0.6))
			c.rect(both, -0.5, top-0.5, w+1, 0.9)
			c.note(point{w, top}, func() {
				c.pen(hair, black)
				c.line(6, 0, 100, 0)
				name := "ROOF"
				if f > 0 {
					name = s.p.floor(b.floors - f + 1)
				}
				c.text(40, -3, s.lettering().sized(6), name)
			})
		}
		for i, u := range stops {
			c.pen(normal, black)
			c.brush(white)
			c.rect(both, u-0.5, 0.4, 1, h-0.4)
			c.brush(grey(0.6))
			c.rect(both, u-3, h+2.5, 6, 1.5)
			c.rect(both, u-0.6, h, 1.2, 2.5)
			if i == 0 {
				continue
			}
			for f := range b.floors {
				m := point{(u + stops[i-1]) / 2, b.storey * (float64(f) + 0.55)}
				if u-stops[i-1] > 9 {
					c.note(m, func() {
						c.text(0, 0, s.lettering().sized(6).centred(), b.use.rooms[(f+i)%len(b.use.rooms)][0])
					})
				}
				c.pen(hair, grey(0.4))
				c.line(stops[i-1]+0.5, b.storey*(float64(f)+0.25), u-0.5, b.storey*(float64(f)+0.25))
			}
		}
		c.pen(hair, grey(0.3))
		c.hatch(7, 45, box(-12, h+0.2, 11.3, 3)...)
		c.hatch(7, 45, box(w+0.7, h+0.2, 11.3, 3)...)
		c.pen(heavy, black)
		c.line(-12, h+0.2, -0.6, h+0.2)
		c.line(w+0.6, h+0.2, w+12, h+0.2)
		for i := range 3 {
			t, ok := s.refer("detail", "wall section")
			if !ok {
				continue
			}
			at := point{stops[min(i, len(stops)-1)], b.storey * float64(i%b.floors)}
			c.pen(normal, black)
			c.dash("5 3")
			c.note(at, func() { c.circle(stroked, 0, 0, 15) })
			c.dash("")
			out := point{-62 / k.k, at.y + 4/k.k}
			if i > 0 {
				out = point{at.x + 40/k.k, -40 / k.k}
			}
			c.pen(fine, black)
			if i == 0 {
				c.line(at.x-15/k.k, at.y, out.x+14/k.k, out.y)
			} else {
				c.line(at.x, at.y-15/k.k, out.x-10/k.k, out.y+10/k.k)
			}
			s.bubble(out, t)
		}
	})
	s.viewTitle(r.x+20, r.y+r.h-16, title, k.words)
}

// drawRoof shows the outline from above with drains and units.
func drawRoof(s *sheet) {
	w, h := s.p.b.size()
	s.plan(w, h, func(v *view) {
		c := v.c
		v.gridLines()
		for _, k := range v.p.b.bars {
			a, z := k.at(0, 0), k.at(k.length, k.depth())
			c.dash("")
			c.pen(strong, black)
			c.rect(stroked, a.x, a.y, z.x-a.x, z.y-a.y)
			c.pen(fine, black)
			c.rect(stroked, a.x+1.2, a.y+1.2, z.x-a.x-2.4, z.y-a.y-2.4)
			c.pen(hair, grey(0.5))
			c.line(a.x+1.2, (a.y+z.y)/2, z.x-1.2, (a.y+z.y)/2)
			for i := range 4 {
				d := k.at(k.length*(0.14+0.24*float64(i)), k.depth()*(0.3+0.4*float64(i%2)))
				c.pen(normal, black)
				c.note(d, func() {
					c.circle(stroked, 0, 0, 5)
					c.line(-5, 0, 5, 0)
					c.line(0, -5, 0, 5)
					c.text(8, 2, v.lettering().sized(5.6), "RD-"+strconv.Itoa(i+1))
				})
				u := k.at(k.length*(0.2+0.24*float64(i)), k.depth()*0.42)
				c.rect(stroked, u.x, u.y, 9, 6)
				c.line(u.x, u.y, u.x+9, u.y+6)
				c.line(u.x+9, u.y, u.x, u.y+6)
				c.note(point{u.x + 4.5, u.y + 6}, func() {
					c.text(0, 8, v.lettering().sized(5.6).centred(), fmt.Sprintf("RTU-%d", i+1))
				})
			}
		}
		v.dimensions(v.p.b.xs, -24, false)
		v.dimensions(v.p.b.ys, -24, true)
		v.annotate(&level{})
		v.planNotes(generalNotes[2:7], map[string][]string{"detail": {
			"SEE {v} FOR PARAPET DETAIL.",
			"ROOF DRAIN: SEE {v}",
		}, "equipment": {"SEE {} FOR ROOFTOP UNITS."}})
		c.m = matrix{a: 1, d: 1}
		s.viewTitle(s.area.x+30, s.area.y+s.area.h-28, s.title, v.words)
	})
}
