package draft

import (
	"math"
	"strings"
)

// tone is how strongly the building itself is drawn: in black with poché on its own plans, in grey below the work of
// another trade.
type tone struct {
	line, fill colour
	detail     bool // doors' numbers, furniture
}

var (
	ownTone   = tone{black, grey(0.55), true}
	underTone = tone{grey(0.6), white, false}
)

const (
	outerWall = 1.1
	innerWall = 0.45
)

// shell draws walls, openings, stairs, lifts and the rooms' names.
func (v *view) shell(l *level, t tone) {
	c := v.c
	c.dash("")
	if t.detail {
		for _, m := range l.rooms {
			v.furnish(m)
		}
	}
	c.op("2 J ")
	for _, pass := range []struct {
		extra float64
		ink   colour
	}{{1.3, t.line}, {0, t.fill}} {
		for _, outside := range []bool{false, true} {
			thick := innerWall
			if outside {
				thick = outerWall
			}
			ink := pass.ink
			if pass.extra == 0 && !outside && t.detail {
				ink = white
			}
			c.pen(thick*v.k+pass.extra, ink)
			for _, w := range l.walls {
				if w.outside == outside {
					c.move(w.a)
					c.draw(w.b)
				}
			}
			c.op(string(stroked))
		}
	}
	c.op("1 J ")
	for _, o := range l.openings {
		v.opening(o, t)
	}
	for _, m := range l.stairs {
		v.stair(m, t)
	}
	for _, m := range l.lifts {
		c.pen(fine, t.line)
		x, y, w, h := m.lo.x+0.8, m.lo.y+0.8, m.w()-1.6, min(m.h()-1.6, 8)
		c.rect(stroked, x, y, w, h)
		c.line(x, y, x+w, y+h)
		c.line(x+w, y, x, y+h)
	}
}

func (v *view) opening(o opening, t tone) {
	c := v.c
	along := point{-o.to.y, o.to.x}
	thick := innerWall
	if o.window || o.wide > 3 {
		thick = outerWall
	}
	at := func(a, n float64) point { return point{o.at.x + along.x*a + o.to.x*n, o.at.y + along.y*a + o.to.y*n} }
	half, th := o.wide/2, thick/2+1/v.k
	c.brush(white)
	c.path(filled, true, at(-half, -th), at(half, -th), at(half, th), at(-half, th))
	c.pen(fine, t.line)
	if o.window {
		for _, n := range []float64{-thick / 2, -0.1, 0.1, thick / 2} {
			a, b := at(-half, n), at(half, n)
			c.line(a.x, a.y, b.x, b.y)
		}
	}
	c.pen(normal, t.line)
	for _, a := range []float64{-half, half} {
		p, q := at(a, -thick/2), at(a, thick/2)
		c.line(p.x, p.y, q.x, q.y)
	}
	if o.window {
		return
	}
	h := at(o.hinge*half, 0)
	leaf := at(o.hinge*half, o.wide)
	c.pen(normal, t.line)
	c.line(h.x, h.y, leaf.x, leaf.y)
	from := math.Atan2(o.to.y, o.to.x) * 180 / math.Pi
	to := math.Atan2(-along.y*o.hinge, -along.x*o.hinge) * 180 / math.Pi
	turn := math.Mod(to-from+540, 360) - 180
	c.pen(hair, t.line)
	c.arc(h.x, h.y, o.wide, from, from+turn)
	if !t.detail {
		return
	}
	c.note(at(0, -thick/2), func() {
		l := v.lettering().sized(4.6).centred()
		w := l.width(o.tag)/2 + 3
		x, y := -o.to.x*(w+2), -o.to.y*7
		c.pen(hair, black)
		c.brush(white)
		c.ellipse(both, x, y, w, 5)
		c.text(x, y+1.7, l, o.tag)
	})
}

func (v *view) stair(m room, t tone) {
	c := v.c
	c.pen(hair, t.line)
	long := m.h() > m.w()
	n := 14
	at := func(u, w float64) point {
		if long {
			return point{m.lo.x + w*m.w(), m.lo.y + u*m.h()}
		}
		return point{m.lo.x + u*m.w(), m.lo.y + w*m.h()}
	}
	for i := range n {
		u := 0.2 + 0.55*float64(i)/float64(n-1)
		a, b, d, e := at(u, 0.06), at(u, 0.47), at(u, 0.53), at(u, 0.94)
		c.line(a.x, a.y, b.x, b.y)
		c.line(d.x, d.y, e.x, e.y)
	}
	a, b := at(0.2, 0.5), at(0.75, 0.5)
	c.pen(normal, t.line)
	c.line(a.x, a.y, b.x, b.y)
	a, b = at(0.24, 0.27), at(0.7, 0.27)
	c.pen(fine, t.line)
	c.line(b.x, b.y, a.x, a.y)
	c.note(a, func() { c.text(0, -4, v.lettering().sized(5.5).centred().inked(t.line), "UP") })
	b = at(0.72, 0.73)
	c.note(b, func() { c.text(0, 6, v.lettering().sized(5.5).centred().inked(t.line), "DN") })
}

// tag writes a room's name and number in its middle, over whatever is there.
func (v *view) tag(m room, number bool) {
	if m.number == "" {
		return
	}
	if v.p.invented != nil {
		m.number = v.p.invented.prefix + m.number
	}
	c := v.c
	at := m.mid()
	if strings.HasPrefix(m.name, "STAIR") || m.name == "ELEV." {
		at.y = m.hi.y - v.pts(14)
		if m.h() < m.w() {
			at = point{m.lo.x + m.w()/2, m.mid().y}
		}
	}
	c.note(at, func() {
		l := v.lettering().centred()
		lines := l.wrap(m.name, max(m.w()*v.k-8, 12))
		n := l.sized(l.size - 0.8)
		high := float64(len(lines)) * (l.size + 1)
		wide := n.width(m.number) + 6
		for _, line := range lines {
			l = l.fitting(line, m.w()*v.k-4)
			wide = max(wide, l.width(line)+4)
		}
		c.brush(white)
		c.rect(filled, -wide/2, -high-2, wide, high+14)
		for i, line := range lines {
			c.text(0, -high+float64(i+1)*(l.size+1)-3, l, line)
		}
		if !number {
			return
		}
		w := n.width(m.number) + 6
		c.pen(hair, black)
		c.rect(stroked, -w/2, 0.5, w, n.size+3)
		c.text(0, n.size+1, n, m.number)
		p := c.m.apply(point{})
		v.taken = append(v.taken, Box{p.x - wide/2, p.y - high - 2, p.x + wide/2, p.y + 12})
	})
}

// columns are solid squares on the grid where it crosses the building.
func (v *view) columns(ink colour, side float64) {
	v.c.brush(ink)
	for _, p := range v.p.b.columns() {
		v.c.rect(filled, p.x-side/2, p.y-side/2, side, side)
	}
}

// columns of the structure stand on crossings of grid lines inside a bar.
func (b *building) columns() []point {
	var out []point
	for _, x := range b.xs {
		for _, y := range b.ys {
			for _, k := range b.bars {
				lo, hi := k.at(0, 0), k.at(k.length, k.depth())
				if x >= lo.x-0.1 && x <= hi.x+0.1 && y >= lo.y-0.1 && y <= hi.y+0.1 {
					out = append(out, point{x, y})
					break
				}
			}
		}
	}
	return out
}

// furnish draws what stands in a room.
func (v *view) furnish(m room) {
	c := v.c
	c.pen(hair, grey(0.45))
	x, y, w, h := m.lo.x+1, m.lo.y+1, m.w()-2, m.h()-2
	seat := func(x, y float64) { c.rect(stroked, x-0.7, y-0.7, 1.4, 1.4) }
	switch m.furniture {
	case "desk":
		c.rect(stroked, x+w/2-2.5, y+h*0.15, 5, 2.5)
		seat(x+w/2, y+h*0.15-0.5+4)
	case "desks":
		for dx := 3.0; dx+6 < w; dx += 8 {
			for dy := 4.0; dy+5 < h; dy += 9 {
				c.rect(stroked, x+dx, y+dy, 6, 2.5)
				c.rect(stroked, x+dx, y+dy+2.5, 6, 2.5)
				seat(x+dx+3, y+dy-1)
				seat(x+dx+3, y+dy+6)
			}
		}
	case "table":
		tw, th := w*0.5, h*0.32
		c.rect(stroked, x+(w-tw)/2, y+(h-th)/2, tw, th)
		for i := 1.0; i < tw/2.6; i++ {
			seat(x+(w-tw)/2+i*2.6, y+(h-th)/2-1.2)
			seat(x+(w-tw)/2+i*2.6, y+(h+th)/2+1.2)
		}
	case "tables":
		for dx := 5.0; dx+4 < w; dx += 9 {
			for dy := 5.0; dy+4 < h; dy += 8 {
				c.circle(stroked, x+dx, y+dy, 1.8)
				for _, d := range [][2]float64{{2.8, 0}, {-2.8, 0}, {0, 2.8}, {0, -2.8}} {
					seat(x+dx+d[0], y+dy+d[1])
				}
			}
		}
	case "seats":
		for dx := 3.0; dx+3 < w; dx += 4.5 {
			for dy := 4.0; dy+4 < h; dy += 4.5 {
				c.rect(stroked, x+dx-1, y+dy, 2.4, 1.6)
				seat(x+dx+0.2, y+dy+2.5)
			}
		}
	case "bed":
		c.rect(stroked, x+w-7.5, y+h*0.25, 6.5, 3.5)
		c.rect(stroked, x+w-2.5, y+h*0.25+0.5, 1.2, 2.5)
		seat(x+2.5, y+h*0.7)
	case "sofas":
		c.rect(stroked, x+1, y+h*0.2, 2.6, 7)
		c.rect(stroked, x+w*0.5-3, y+1, 7, 2.6)
		c.rect(stroked, x+w*0.5-2, y+h*0.3, 4, 2.4)
	case "counter":
		c.rect(stroked, x, y, 2, h*0.9)
		c.circle(stroked, x+1, y+h*0.4, 0.5)
	case "shelf", "rack":
		for dx := 1.5; dx+2 < w; dx += 4 {
			c.rect(stroked, x+dx, y+h*0.12, 1.3, h*0.6)
		}
	case "toilet":
		v.fixtures(m)
	}
}

// fixtures are stalls along one wall and basins along the other.
func (v *view) fixtures(m room) {
	c := v.c
	for x := m.lo.x + 0.6; x+3 < m.hi.x-2; x += 3.2 {
		y := m.hi.y - 0.6
		c.line(x, y, x, y-5)
		c.line(x+3.2, y, x+3.2, y-5)
		c.line(x, y-5, x+1, y-5)
		c.rect(stroked, x+0.9, y-0.9, 1.4, 0.7)
		c.ellipse(stroked, x+1.6, y-1.7, 0.65, 0.9)
	}
	for y := m.lo.y + 5; y+2 < m.hi.y-8; y += 2.8 {
		c.rect(stroked, m.lo.x+0.4, y-1.2, 1.7, 2.4)
		c.ellipse(stroked, m.lo.x+1.2, y, 0.5, 0.75)
	}
}
