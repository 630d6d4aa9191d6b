package draft

import (
	"math"
	"strconv"
)

// point is a place in whatever space the canvas currently draws in; y runs down.
type point struct{ x, y float64 }

// matrix maps (x, y) to (ax + cy + e, bx + dy + f).
type matrix struct{ a, b, c, d, e, f float64 }

func (m matrix) apply(p point) point {
	return point{m.a*p.x + m.c*p.y + m.e, m.b*p.x + m.d*p.y + m.f}
}

// then is m first, n afterwards.
func (m matrix) then(n matrix) matrix {
	o, x, y := n.apply(point{m.e, m.f}), point{m.a, m.b}, point{m.c, m.d}
	return matrix{n.a*x.x + n.c*x.y, n.b*x.x + n.d*x.y, n.a*y.x + n.c*y.y, n.b*y.x + n.d*y.y, o.x, o.y}
}

func (m matrix) scale() float64 { return math.Hypot(m.a, m.b) }

// colour is red, green and blue from 0 to 1.
type colour [3]float64

var (
	black = colour{}
	white = colour{1, 1, 1}
)

func grey(v float64) colour { return colour{v, v, v} }

// canvas is a page as displayed: units from the top left corner, each zoom points long. What is drawn passes through
// the current matrix; widths of lines and sizes of text do not.
type canvas struct {
	doc           *document
	width, height float64
	rotate        int
	lying         int     // how far what is drawn stays turned when the page is displayed
	zoom          float64 // points for a unit: everything is drawn larger on larger paper
	chunks        bool    // words are texts of their own
	outlined      bool    // letters become shapes: the page has no text
	buf           []byte
	m             matrix
	glyphs        []Glyph

	lineWidth    float64
	stroke, fill colour
	dashes       string
	squeeze      float64
}

func (d *document) page(width, height, zoom float64, rotate int, outlined bool) *canvas {
	c := &canvas{
		doc: d, width: width / zoom, height: height / zoom, zoom: zoom, rotate: rotate, outlined: outlined,
		m: matrix{a: 1, d: 1}, lineWidth: 1, squeeze: 1, buf: make([]byte, 0, 1<<16),
	}
	c.op("1 J 1 j\n")
	return c
}

// within draws with another matrix in front of the current one.
func (c *canvas) within(m matrix, draw func()) {
	old := c.m
	c.m = m.then(old)
	draw()
	c.m = old
}

// note draws at a place in points, whatever the scale of the view is.
func (c *canvas) note(at point, draw func()) {
	p, s := c.m.apply(at), c.m.scale()
	old := c.m
	c.m = matrix{old.a / s, old.b / s, old.c / s, old.d / s, p.x, p.y}
	draw()
	c.m = old
}

func (c *canvas) op(s string) { c.buf = append(c.buf, s...) }

func (c *canvas) num(v float64) {
	n := int64(math.Round(v * 100))
	if n < 0 {
		c.buf = append(c.buf, '-')
		n = -n
	}
	c.buf = strconv.AppendInt(c.buf, n/100, 10)
	if r := n % 100; r != 0 {
		c.buf = append(c.buf, '.', byte('0'+r/10))
		if r%10 != 0 {
			c.buf = append(c.buf, byte('0'+r%10))
		}
	}
	c.buf = append(c.buf, ' ')
}

// media maps a displayed place to the page's own space, which the file's rotation turns back.
func (c *canvas) media(p point) point {
	switch (c.rotate + c.lying) % 360 {
	case 90:
		return point{p.y, p.x}
	case 180:
		return point{c.width - p.x, p.y}
	case 270:
		return point{c.height - p.y, c.width - p.x}
	}
	return point{p.x, c.height - p.y}
}

func (c *canvas) put(p point) {
	q := c.media(c.m.apply(p))
	c.num(q.x * c.zoom)
	c.num(q.y * c.zoom)
}

// pen sets the width in points and the colour of lines.
func (c *canvas) pen(width float64, ink colour) {
	if width != c.lineWidth {
		c.lineWidth = width
		c.num(width * c.zoom)
		c.op("w ")
	}
	if ink != c.stroke {
		c.stroke = ink
		c.ink(ink, "RG ")
	}
}

// brush sets the colour of areas and letters.
func (c *canvas) brush(ink colour) {
	if ink != c.fill {
		c.fill = ink
		c.ink(ink, "rg ")
	}
}

func (c *canvas) ink(k colour, op string) {
	c.num(k[0])
	c.num(k[1])
	c.num(k[2])
	c.op(op)
}

// dash sets the pattern of lines, such as "6 3"; "" is solid.
func (c *canvas) dash(pattern string) {
	if pattern != c.dashes {
		c.dashes = pattern
		c.op("[" + pattern + "]0 d ")
	}
}

type mode string

const (
	stroked mode = "S\n"
	filled  mode = "f\n"
	both    mode = "B\n"
)

func (c *canvas) line(x0, y0, x1, y1 float64) { c.path(stroked, false, point{x0, y0}, point{x1, y1}) }

func (c *canvas) move(p point) {
	c.put(p)
	c.op("m ")
}

func (c *canvas) draw(p point) {
	c.put(p)
	c.op("l ")
}

func (c *canvas) path(how mode, closed bool, points ...point) {
	for i, p := range points {
		if i == 0 {
			c.move(p)
		} else {
			c.draw(p)
		}
	}
	if closed {
		c.op("h ")
	}
	c.op(string(how))
}

func (c *canvas) rect(how mode, x, y, w, h float64) {
	c.path(how, true, point{x, y}, point{x + w, y}, point{x + w, y + h}, point{x, y + h})
}

// curve appends an arc from angle a to b in degrees, clockwise as displayed from 3 o'clock, to the path.
func (c *canvas) curve(x, y, rx, ry, a, b float64) {
	parts := math.Ceil(math.Abs(b-a)/90 - 1e-9)
	step := (b - a) / parts * math.Pi / 180
	k := 4.0 / 3 * math.Tan(step/4)
	for i := range int(parts) {
		t := a*math.Pi/180 + float64(i)*step
		s0, c0 := math.Sincos(t)
		s1, c1 := math.Sincos(t + step)
		c.put(point{x + rx*(c0-k*s0), y + ry*(s0+k*c0)})
		c.put(point{x + rx*(c1+k*s1), y + ry*(s1-k*c1)})
		c.put(point{x + rx*c1, y + ry*s1})
		c.op("c ")
	}
}

func (c *canvas) arc(x, y, r, a, b float64) {
	s, k := math.Sincos(a * math.Pi / 180)
	c.move(point{x + r*k, y + r*s})
	c.curve(x, y, r, r, a, b)
	c.op(string(stroked))
}

func (c *canvas) circle(how mode, x, y, r float64) { c.ellipse(how, x, y, r, r) }

func (c *canvas) ellipse(how mode, x, y, rx, ry float64) {
	c.move(point{x + rx, y})
	c.curve(x, y, rx, ry, 0, 360)
	c.op("h ")
	c.op(string(how))
}

// hatch fills a polygon with parallel lines, gap points apart, rising at an angle in degrees.
func (c *canvas) hatch(gap, angle float64, corners ...point) {
	gap /= c.m.scale()
	sin, cos := math.Sincos(-angle * math.Pi / 180)
	turn := func(p point) point { return point{p.x*cos + p.y*sin, -p.x*sin + p.y*cos} }
	back := func(p point) point { return point{p.x*cos - p.y*sin, p.x*sin + p.y*cos} }
	turned := make([]point, len(corners))
	low, high := math.Inf(1), math.Inf(-1)
	for i, p := range corners {
		turned[i] = turn(p)
		low, high = min(low, turned[i].y), max(high, turned[i].y)
	}
	drawn := false
	for y := (math.Floor(low/gap) + 0.5) * gap; y < high; y += gap {
		var xs []float64
		for i, p := range turned {
			q := turned[(i+1)%len(turned)]
			if (p.y <= y) != (q.y <= y) {
				xs = insert(xs, p.x+(q.x-p.x)*(y-p.y)/(q.y-p.y))
			}
		}
		for i := 0; i+1 < len(xs); i += 2 {
			c.move(back(point{xs[i], y}))
			c.draw(back(point{xs[i+1], y}))
			drawn = true
		}
	}
	if drawn {
		c.op(string(stroked))
	}
}

func insert(xs []float64, x float64) []float64 {
	xs = append(xs, x)
	for i := len(xs) - 1; i > 0 && xs[i] < xs[i-1]; i-- {
		xs[i], xs[i-1] = xs[i-1], xs[i]
	}
	return xs
}

func box(x, y, w, h float64) []point {
	return []point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}
}

// lie turns the truth of a page as its drawing lies: by so many degrees against the clock.
func (p *Page) lie(by int) {
	turn := func(b Box) Box { return b }
	switch by {
	case 90:
		turn = func(b Box) Box { return Box{b.Y0, p.Width - b.X1, b.Y1, p.Width - b.X0} }
	case 180:
		turn = func(b Box) Box { return Box{p.Width - b.X1, p.Height - b.Y1, p.Width - b.X0, p.Height - b.Y0} }
	case 270:
		turn = func(b Box) Box { return Box{p.Height - b.Y1, b.X0, p.Height - b.Y0, b.X1} }
	}
	for i := range p.Glyphs {
		g := &p.Glyphs[i]
		g.Box, g.Angle = turn(g.Box), math.Mod(g.Angle+360-float64(by), 360)
	}
	for i := range p.Callouts {
		p.Callouts[i].Box = turn(p.Callouts[i].Box)
	}
	if by%180 != 0 {
		p.Width, p.Height = p.Height, p.Width
	}
}
