package draft

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// sheet is a page while it is drawn.
type sheet struct {
	*spec
	p        *project
	c        *canvas
	r        *rand.Rand
	index    int
	area     rect // inside the frame, without the title block
	views    int  // drawn so far
	callouts []Callout
	larger   float64 // of notes, where they are all there is
	changed  bool
}

type rect struct{ x, y, w, h float64 }

func (r rect) inset(by float64) rect { return rect{r.x + by, r.y + by, r.w - 2*by, r.h - 2*by} }
func (r rect) mid() point            { return point{r.x + r.w/2, r.y + r.h/2} }

// widths of lines in points
const (
	hair   = 0.3
	fine   = 0.5
	normal = 0.8
	strong = 1.4
	heavy  = 2.4
)

func (p *project) draw(doc *document, i int) Page {
	spec := &p.sheets[i]
	if slices.Contains(p.hiredFor, spec.discipline) {
		p = p.hired
	}
	s := &sheet{spec: spec, p: p, index: i, r: rand.New(rand.NewPCG(p.o.Seed, 1000+uint64(i)))}
	s.c = doc.page(p.size.w, p.size.h, p.size.zoom, spec.rotate, spec.outlined)
	if p.invented != nil {
		s.c.lying, s.c.chunks = p.invented.lying, p.invented.chunks
	}
	s.changed = p.changes(spec)
	s.area = p.layout.draw(s).inset(14)
	spec.draw(s)
	if p.trim.listed && (spec.role == "plan" || spec.discipline != "A" && spec.level > 0) {
		s.referenceDrawings()
	}
	doc.finish(s.c)
	page := Page{
		Number: spec.number, Title: spec.title, Discipline: disciplineNames[spec.discipline], Date: p.sheetDate(spec).Format("2006-01-02"), Width: p.size.w,
		Height: p.size.h, Rotate: spec.rotate,
		Outlined: spec.outlined, Changed: s.changed, Callouts: s.callouts, Glyphs: s.c.glyphs,
	}
	page.lie(s.c.lying)
	return page
}

// changes says whether the set's revision touches a sheet: every third floor, in the drawings of some disciplines.
func (p *project) changes(s *spec) bool {
	switch s.role {
	case "plan", "ceiling", "hvac", "power":
		return p.o.Revision > 0 && (s.level+p.o.Revision)%3 != 0
	}
	return false
}

func (s *sheet) levelShown() *level {
	revision := 0
	if s.changed {
		revision = s.p.o.Revision
	}
	return s.p.b.level(max(s.level, 1), revision)
}

// lettering is the set's style of notes.
func (s *sheet) lettering() style {
	l := s.p.letters
	if s.larger > 0 {
		l.size *= s.larger
	}
	return l
}

func (s *sheet) heading(size float64) style {
	return style{face: s.p.head, size: size, wide: s.p.letters.wide}
}

// viewTitle writes number, name and scale below a view, from its lower left corner.
func (s *sheet) viewTitle(x, y float64, title, scale string) {
	s.views++
	c := s.c
	c.dash("")
	c.pen(normal, black)
	c.circle(stroked, x+13, y, 13)
	if s.p.invented != nil && s.p.invented.ownViews {
		c.text(x+13, y-1.5, s.heading(8).centred(), s.p.invented.viewName(s.views))
		c.line(x, y, x+26, y)
		c.text(x+13, y+7, s.heading(6).centred().fitting(s.number, 24), s.number)
	} else {
		c.text(x+13, y+4.5, s.heading(12).centred(), strconv.Itoa(s.views))
	}
	h := s.heading(11)
	w := max(h.width(title), 120) + 10
	c.text(x+32, y-4, h, title)
	c.pen(strong, black)
	c.line(x+26, y, x+32+w, y)
	c.text(x+32, y+9, s.lettering(), "SCALE: "+scale)
}

// target is a sheet, and perhaps a view on it, that a reference points to.
type target struct {
	view  int
	sheet *spec
}

// refer chooses a sheet with one of the roles, preferring the sheet's own discipline; false when the set has none.
func (s *sheet) refer(roles ...string) (target, bool) {
	all := s.p.find(s.discipline, roles...)
	if len(all) == 0 || s.r.IntN(5) == 0 {
		all = s.p.find("", roles...)
	}
	var others []*spec
	for _, t := range all {
		if t.number != s.number {
			others = append(others, t)
		}
	}
	if len(others) == 0 {
		return target{}, false
	}
	t := target{sheet: pick(s.r, others)}
	t.view = 1 + s.r.IntN(max(t.sheet.views, 1))
	return t, true
}

// known keeps a reference for the truth, unless no page of the set shows that number as text.
func (s *sheet) known(t target, text string, at Box) {
	if s.outlined {
		return
	}
	for i := range s.p.sheets {
		if o := &s.p.sheets[i]; o.number == t.sheet.number && !o.outlined {
			s.callouts = append(s.callouts, Callout{o.number, text, at})
			return
		}
	}
}

// bubble is a circle with the view above the sheet.
func (s *sheet) bubble(at point, t target) {
	if s.p.invented != nil {
		s.c.note(at, func() { s.inventedMark(t) })
		return
	}
	s.c.note(at, func() {
		c := s.c
		size := 6.6
		l := s.lettering().sized(size).centred()
		r := max(14, l.width(t.sheet.number)/2+3.5)
		c.pen(normal, black)
		c.dash("")
		c.brush(white)
		c.circle(both, 0, 0, r)
		c.line(-r, 0, r, 0)
		c.text(0, -3.2, l.sized(size+1), strconv.Itoa(t.view))
		box := c.text(0, size+2, l, t.sheet.number)
		s.known(t, strconv.Itoa(t.view)+"/"+t.sheet.number, box)
	})
}

// arrow is a bubble with a solid pointer: a section or an elevation looked at in a direction.
func (s *sheet) arrow(at point, toward point, t target) {
	s.c.note(at, func() {
		c := s.c
		c.pen(normal, black)
		c.dash("")
		c.brush(black)
		d, n := toward, point{-toward.y, toward.x}
		const r = 15
		c.path(filled, true, point{n.x * r * 1.35, n.y * r * 1.35}, point{d.x * r * 1.75, d.y * r * 1.75}, point{
			-n.x * r * 1.35, -n.y * r * 1.35,
		})
	})
	s.bubble(at, t)
}

// phrase letters a note in which {} stands for a reference, written in the way of the set.
func (s *sheet) phrase(x, y float64, l style, format string, t target) {
	reference := t.sheet.number
	if s.p.invented != nil {
		format = s.p.invented.say(format, t.view)
	}
	if strings.Contains(format, "{v}") {
		format = strings.ReplaceAll(format, "{v}", strconv.Itoa(t.view)+"/{}")
	}
	before, after, _ := strings.Cut(format, "{}")
	whole := before + reference + after
	at := s.c.text(x, y, l, whole)
	l.align = left
	at.X0 += l.width(before) * s.c.zoom
	at.X1 = at.X0 + l.width(reference)*s.c.zoom
	s.known(t, whole, at)
}

// leader is a line with an arrow head from a text to what it speaks of.
func (s *sheet) leader(from, to point) {
	c := s.c
	c.dash("")
	c.pen(fine, black)
	c.line(from.x, from.y, to.x, to.y)
	c.note(to, func() {
		c.brush(black)
		c.circle(filled, 0, 0, 1.6)
	})
}

// notes letters a column of numbered notes and answers with the y below it.
func (s *sheet) notes(x, y, w float64, title string, lines []string) float64 {
	l := s.lettering()
	k := l.size / 6.8
	s.c.text(x, y, s.heading(10*k), title)
	s.c.pen(normal, black)
	s.c.dash("")
	s.c.line(x, y+3.5*k, x+w, y+3.5*k)
	y += 17 * k
	for i, n := range lines {
		s.c.text(x, y, l, strconv.Itoa(i+1)+".")
		for _, line := range l.wrap(n, w-18*k) {
			s.c.text(x+18*k, y, l, line)
			y += l.size * 1.35
		}
		y += 3 * k
	}
	return y
}
