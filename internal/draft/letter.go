package draft

import (
	"math"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

type align int

const (
	left align = iota
	centre
	right
)

// style is how a text is lettered. Size is the size of the font in points; turn is clockwise in degrees as displayed.
type style struct {
	face  face
	size  float64
	align align
	turn  float64
	ink   colour
	wide  float64 // width of letters relative to the face's own; 0 means 1
	apart float64 // further space between letters, in em
}

func (s style) width(text string) float64 {
	w := s.face.measure(text, s.size) + s.apart*s.size*float64(len(text)-1)
	if s.wide != 0 {
		w *= s.wide
	}
	return w
}

func (s style) sized(size float64) style { s.size = size; return s }
func (s style) centred() style           { s.align = centre; return s }
func (s style) ended() style             { s.align = right; return s }
func (s style) in(f face) style          { s.face = f; return s }
func (s style) turned(by float64) style  { s.turn = by; return s }
func (s style) inked(k colour) style     { s.ink = k; return s }

// fitting is the style, smaller if the text would be longer than a width.
func (s style) fitting(text string, width float64) style {
	if w := s.width(text); w > width && w > 0 {
		s.size *= width / w
	}
	return s
}

// text letters one line with its base line at (x, y), and answers with the displayed box around it.
func (c *canvas) text(x, y float64, s style, text string) Box {
	text = strings.TrimSpace(text)
	if text == "" {
		return Box{}
	}
	if s.wide == 0 {
		s.wide = 1
	}
	sin, cos := math.Sincos(s.turn * math.Pi / 180)
	k := c.m.scale()
	u := point{(c.m.a*cos + c.m.c*sin) / k, (c.m.b*cos + c.m.d*sin) / k} // along the line, as displayed
	up := point{u.y, -u.x}
	at := c.m.apply(point{x, y})
	length := s.width(text)
	switch s.align {
	case centre:
		at.x, at.y = at.x-u.x*length/2, at.y-u.y*length/2
	case right:
		at.x, at.y = at.x-u.x*length, at.y-u.y*length
	}
	c.brush(s.ink)
	if c.chunks && s.apart == 0 && strings.Contains(text, " ") {
		return c.words(at, u, up, s, text)
	}
	if s.apart > 0 {
		return c.spaced(at, u, s, text)
	}
	if c.outlined {
		c.shapes(at, u, up, s, text)
		return around(at, u, up, length, s.size).times(c.zoom)
	}
	c.show(at, u, up, s, text)
	angle := math.Mod(math.Atan2(u.y, u.x)*180/math.Pi+360, 360)
	t, p := typefaces()[s.face], at
	for _, r := range text {
		c.doc.faces[s.face].used[r&255] = true
		w := t.advance[r&255] * s.size * s.wide
		c.glyphs = append(c.glyphs, Glyph{r, around(p, u, up, w, s.size).times(c.zoom), s.size * c.zoom, angle})
		p = point{p.x + u.x*w, p.y + u.y*w}
	}
	return around(at, u, up, length, s.size).times(c.zoom)
}

// words letters one word at a time.
func (c *canvas) words(at, u, up point, s style, text string) Box {
	old, length := c.m, s.width(text)
	turn := math.Atan2(u.y, u.x) * 180 / math.Pi
	along, blank := 0.0, s.face.measure(" ", s.size)*s.wide
	for _, word := range strings.Fields(text) {
		one := s.turned(turn)
		one.align = left
		c.m = matrix{a: 1, d: 1}
		c.text(at.x+u.x*along, at.y+u.y*along, one, word)
		c.m = old
		along += s.width(word) + blank
	}
	return around(at, u, up, length, s.size).times(c.zoom)
}

// spaced letters one character at a time.
func (c *canvas) spaced(at, u point, s style, text string) Box {
	old := c.m
	t, step := typefaces()[s.face], s.apart*s.size*s.wide
	turn := math.Atan2(u.y, u.x) * 180 / math.Pi
	s.apart, s.align = 0, left
	var all Box
	for i, r := range text {
		c.m = matrix{a: 1, d: 1}
		b := c.text(at.x, at.y, s.turned(turn), string(r))
		c.m = old
		if i == 0 {
			all = b
		} else if r != ' ' {
			all = Box{min(all.X0, b.X0), min(all.Y0, b.Y0), max(all.X1, b.X1), max(all.Y1, b.Y1)}
		}
		w := t.advance[r&255]*s.size*s.wide + step
		at = point{at.x + u.x*w, at.y + u.y*w}
	}
	return all
}

func around(at, u, up point, length, size float64) Box {
	b := Box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, along := range []float64{0, length} {
		for _, high := range []float64{-descent * size, ascent * size} {
			x, y := at.x+u.x*along+up.x*high, at.y+u.y*along+up.y*high
			b.X0, b.Y0, b.X1, b.Y1 = min(b.X0, x), min(b.Y0, y), max(b.X1, x), max(b.Y1, y)
		}
	}
	return b
}

func (b Box) times(k float64) Box { return Box{b.X0 * k, b.Y0 * k, b.X1 * k, b.Y1 * k} }

// show writes the text operators; the matrix of the text carries the direction.
func (c *canvas) show(at, u, up point, s style, text string) {
	o, a, b := c.media(at), c.media(point{at.x + u.x, at.y + u.y}), c.media(point{at.x + up.x, at.y + up.y})
	c.buf = append(c.buf, 'B', 'T', ' ', '/', 'F', byte('0'+int(s.face)), ' ')
	c.num(s.size * c.zoom)
	c.op("Tf ")
	if s.wide != c.squeeze {
		c.squeeze = s.wide
		c.num(s.wide * 100)
		c.op("Tz ")
	}
	c.num(a.x - o.x)
	c.num(a.y - o.y)
	c.num(b.x - o.x)
	c.num(b.y - o.y)
	c.num(o.x * c.zoom)
	c.num(o.y * c.zoom)
	c.op("Tm (")
	c.buf = append(c.buf, escape(text)...)
	c.op(")Tj ET\n")
}

// shapes draws the letters as filled outlines.
func (c *canvas) shapes(at, u, up point, s style, text string) {
	t := typefaces()[s.face]
	var b sfnt.Buffer
	old := c.m
	c.m = matrix{a: 1, d: 1}
	for _, r := range text {
		g, err := t.font.GlyphIndex(&b, r)
		if err != nil {
			continue
		}
		segments, err := t.font.LoadGlyph(&b, g, fixed.I(1000), nil)
		if err != nil {
			continue
		}
		place := func(p fixed.Point26_6) point {
			x, y := float64(p.X)/64000*s.size*s.wide, float64(p.Y)/64000*s.size
			return point{at.x + u.x*x - up.x*y, at.y + u.y*x - up.y*y}
		}
		var last point
		for i, q := range segments {
			to := place(q.Args[0])
			switch q.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					c.op("h ")
				}
				c.move(to)
			case sfnt.SegmentOpLineTo:
				c.draw(to)
			case sfnt.SegmentOpQuadTo:
				ctrl, end := to, place(q.Args[1])
				c.put(point{last.x + (ctrl.x-last.x)*2/3, last.y + (ctrl.y-last.y)*2/3})
				c.put(point{end.x + (ctrl.x-end.x)*2/3, end.y + (ctrl.y-end.y)*2/3})
				c.put(end)
				c.op("c ")
				to = end
			case sfnt.SegmentOpCubeTo:
				c.put(to)
				c.put(place(q.Args[1]))
				to = place(q.Args[2])
				c.put(to)
				c.op("c ")
			}
			last = to
		}
		if len(segments) > 0 {
			c.op("h f\n")
		}
		w := t.advance[r&255] * s.size * s.wide
		at = point{at.x + u.x*w, at.y + u.y*w}
	}
	c.m = old
}

// wrap breaks a text into lines that are at most width points long.
func (s style) wrap(text string, width float64) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && s.width(longer) > width {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
