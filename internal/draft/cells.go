package draft

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// cell draws one part of a title block into its rectangle.
func (s *sheet) cell(name string, r rect) {
	s.c.dash("")
	switch name {
	case "firm":
		s.firmCell(r)
	case "consultants":
		s.consultantCell(r)
	case "seal":
		s.sealCell(r)
	case "key":
		s.keyCell(r)
	case "project":
		s.projectCell(r)
	case "issues":
		s.issueCell(r)
	case "facts":
		s.facts(r, 1)
	case "title":
		s.titleCell(r, false)
	case "number":
		s.numberCell(r, false, false)
	default:
		s.oneFact(r, strings.TrimPrefix(name, "one:"))
	}
}

func (s *sheet) scaleText() string {
	if s.spec.views == 0 {
		return "NONE"
	}
	return "AS NOTED"
}

// fact is a field by its key: the words before it and its value.
func (s *sheet) fact(key string) (label, value string) {
	t := &s.p.trim
	r := rand.New(rand.NewPCG(s.p.o.Seed, 50))
	switch key {
	case "job":
		return t.job, s.p.job
	case "scale":
		return t.scale, s.scaleText()
	case "date":
		return t.date, s.p.date(s.p.sheetDate(s.spec))
	case "by":
		return t.by, initials(r)
	case "checked":
		initials(r)
		return "CHECKED", initials(r)
	case "rev":
		if s.changed {
			return "REV", strconv.Itoa(s.p.o.Revision)
		}
		return "REV", "-"
	}
	return s.inventedFact(key)
}

func (s *sheet) oneFact(r rect, key string) {
	label, value := s.fact(key)
	s.label(r.x+5, r.y+9, label)
	l := style{face: s.p.trim.face, size: 8.5, align: centre}
	s.c.text(r.x+r.w/2, r.y+r.h/2+8, l.fitting(value, r.w-8), value)
}

// facts is the little table of who, when and how.
func (s *sheet) facts(r rect, _ int) {
	keys := []string{"job", "by", "checked", "scale"}
	if s.p.trim.factDate {
		keys = append(keys, "date")
	}
	if s.p.invented != nil {
		keys = s.p.invented.facts
	}
	step := (r.h - 8) / float64(len(keys))
	for i, k := range keys {
		label, value := s.fact(k)
		y := r.y + 4 + step*float64(i) + step*0.68
		size := min(7, step*0.6)
		s.c.text(r.x+8, y, style{face: s.p.trim.face, size: size}.fitting(label, r.w*0.46-8), label+s.p.trim.colon)
		s.c.text(r.x+r.w*0.54, y, style{face: s.p.trim.face, size: size}.fitting(value, r.w*0.43), value)
	}
}

// paragraph letters lines into a rectangle, as large as given or as fits.
func (s *sheet) paragraph(r rect, l style, text string) {
	lines := l.wrap(text, r.w)
	for n := 0; n < 14; n++ {
		lines = l.wrap(text, r.w)
		widest := 0.0
		for _, line := range lines {
			widest = max(widest, l.width(line))
		}
		if float64(len(lines))*l.size*1.25 <= r.h && widest <= r.w {
			break
		}
		l.size *= 0.92
	}
	x := r.x
	if l.align == centre {
		x += r.w / 2
	}
	y := r.y + (r.h-float64(len(lines))*l.size*1.25)/2 + l.size*0.95
	for _, line := range lines {
		s.c.text(x, y, l, line)
		y += l.size * 1.25
	}
}

func (s *sheet) titleCell(r rect, turned bool) {
	t := &s.p.trim
	l := style{face: t.titleFace, size: t.titleSize, apart: t.apart}
	if t.centred {
		l.align = centre
	}
	s.label(r.x+6, r.y+10, t.title)
	if turned {
		s.c.within(matrix{0, -1, 1, 0, r.x, r.y + r.h}, func() {
			s.paragraph(rect{12, 14, r.h - 34, r.w - 24}, l, s.title)
		})
		return
	}
	s.paragraph(rect{r.x + 10, r.y + 14, r.w - 20, r.h - 20}, l, s.title)
}

func (s *sheet) numberCell(r rect, turned, round bool) {
	t, c := &s.p.trim, s.c
	l := style{face: t.numberFace, size: t.numberSize, align: centre, apart: t.apart}
	room, foot := r.w-24, 0.0
	if t.total && !turned {
		foot = 12
		c.text(r.x+r.w/2, r.y+r.h-7, style{face: t.face, size: 7, align: centre}, "SHEET "+s.sequence())
	}
	if round {
		rad := min(r.w, r.h-foot)/2 - 8
		c.pen(strong, black)
		c.circle(stroked, r.x+r.w/2, r.y+(r.h-foot)/2, rad)
		l = l.fitting(s.number, rad*1.7)
		c.text(r.x+r.w/2, r.y+(r.h-foot)/2+l.size*0.36, l, s.number)
		return
	}
	s.label(r.x+6, r.y+10, t.number)
	if turned {
		l = l.turned(270).fitting(s.number, r.h-30)
		c.text(r.x+r.w/2+l.size*0.36, r.y+r.h/2+4, l, s.number)
		return
	}
	l = l.fitting(s.number, room)
	y := r.y + 4 + (r.h-foot)/2 + l.size*0.36
	if t.boxed {
		c.pen(strong, black)
		w := l.width(s.number) + 16
		c.rect(stroked, r.x+r.w/2-w/2, y-l.size*0.86, w, l.size*1.05)
	}
	c.text(r.x+r.w/2, y, l, s.number)
	if t.revision && s.changed {
		c.text(r.x+r.w-6, r.y+10, style{face: t.face, size: 6, align: right}, "REV "+strconv.Itoa(s.p.o.Revision))
	}
}

// besideCells writes labels before their values on one line.
func (s *sheet) besideCells(title, number rect) {
	t, c := &s.p.trim, s.c
	small := style{face: t.face, size: 7}
	c.text(title.x+8, title.y+14, small, t.title+":")
	l := style{face: t.titleFace, size: t.titleSize}
	s.paragraph(rect{title.x + 8, title.y + 20, title.w - 16, title.h - 26}, l, s.title)
	y := number.y + number.h/2 + 8
	c.text(number.x+8, y, small, t.number+":")
	x := number.x + 8 + small.width(t.number+": ") + 5
	n := style{face: t.numberFace, size: min(t.numberSize, 30)}
	c.text(x, y, n.fitting(s.number, number.x+number.w-8-x), s.number)
	c.text(number.x+8, number.y+number.h-10, small.sized(6), "SHEET "+s.sequence())
}

func (s *sheet) firmCell(r rect) {
	c, f := s.c, s.p.firm
	if s.discipline != "A" && s.discipline != "G" {
		f = s.p.others[map[string]int{"S": 0, "M": 1, "P": 1, "E": 1, "FP": 1, "C": 2}[s.discipline]]
	}
	side := min(r.h*0.42, 46)
	x, y := r.x+8, r.y+8
	c.pen(strong, black)
	c.brush(black)
	switch s.p.trim.logo {
	case 0:
		c.rect(filled, x, y, side, side)
		c.text(x+side/2, y+side*0.68, style{face: bold, size: side * 0.5, align: centre, ink: white}, f.initial)
	case 1:
		c.circle(stroked, x+side/2, y+side/2, side/2)
		c.text(x+side/2, y+side*0.64, style{face: medium, size: side * 0.42, align: centre}, f.initial)
	case 2:
		for i := range 4 {
			h := side * float64(i+1) / 4
			c.rect(filled, x+side*float64(i)/4, y+side-h, side/4-2, h)
		}
	case 3:
		c.path(stroked, true, point{x, y + side}, point{x + side/2, y}, point{x + side, y + side})
		c.path(stroked, false, point{x + side*0.25, y + side}, point{x + side/2, y + side/2},
			point{x + side*0.75, y + side})
	}
	text := rect{r.x + 8, y + side + 4, r.w - 16, r.h - side - 16}
	if r.w > 2*r.h {
		text = rect{x + side + 8, r.y + 6, r.w - side - 24, r.h - 12}
	}
	s.paragraph(rect{text.x, text.y, text.w, text.h * 0.5}, style{face: bold, size: 9.5}, f.name)
	s.lines(rect{text.x, text.y + text.h*0.52, text.w, text.h * 0.48}, f.lines)
}

// lines letters short lines from the top of a rectangle, as many as there is room for.
func (s *sheet) lines(r rect, lines []string) {
	size := min(6.2, r.h/float64(len(lines))/1.25)
	l := style{face: s.p.trim.face, size: max(size, 3.4)}
	y := r.y + l.size
	for _, line := range lines {
		s.c.text(r.x, y, l.fitting(line, r.w), line)
		y += l.size * 1.3
	}
}

func (s *sheet) consultantCell(r rect) {
	s.label(r.x+6, r.y+10, "CONSULTANTS")
	roles := []string{"STRUCTURAL", "MECHANICAL / ELECTRICAL", "CIVIL"}
	across := r.w > 2*r.h
	for i, f := range s.p.others {
		q := rect{r.x + 8, r.y + 14 + (r.h-16)*float64(i)/3, r.w - 16, (r.h - 16) / 3}
		if across {
			q = rect{r.x + 8 + (r.w-8)*float64(i)/3, r.y + 16, (r.w-8)/3 - 8, r.h - 22}
		}
		s.lines(q, append([]string{roles[i], f.name}, f.lines...))
	}
}

func (s *sheet) sealCell(r rect) {
	c := s.c
	rad := min(r.w, r.h)/2 - 9
	m := r.mid()
	c.pen(fine, grey(0.25))
	c.circle(stroked, m.x, m.y, rad)
	c.circle(stroked, m.x, m.y, rad*0.68)
	for i := range 60 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 30)
		c.line(m.x+cos*rad, m.y+sin*rad, m.x+cos*(rad+2.5), m.y+sin*(rad+2.5))
	}
	l := style{face: s.p.trim.face, size: min(5, rad*0.13), align: centre, ink: grey(0.25)}
	c.text(m.x, m.y-rad*0.78, l, "REGISTERED")
	c.text(m.x, m.y+rad*0.88, l, "PROFESSIONAL")
	c.text(m.x, m.y-l.size*0.3, l, strings.ToUpper(pick(rand.New(rand.NewPCG(s.p.o.Seed, 51)), surnames)))
	c.text(m.x, m.y+l.size*1.1, l, fmt.Sprintf("NO. %d", 10000+s.p.o.Seed%80000))
}

// keyCell is the outline of the building with north.
func (s *sheet) keyCell(r rect) {
	c := s.c
	s.label(r.x+6, r.y+10, "KEY PLAN")
	w, h := s.p.b.size()
	k := min((r.w-50)/w, (r.h-34)/h)
	c.pen(fine, black)
	c.within(matrix{k, 0, 0, k, r.x + 12, r.y + (r.h-k*h)/2 + 4}, func() {
		for i, b := range s.p.b.bars {
			a, z := b.at(0, 0), b.at(b.length, b.depth())
			c.rect(stroked, a.x, a.y, z.x-a.x, z.y-a.y)
			if i == s.index%len(s.p.b.bars) {
				c.pen(hair, grey(0.4))
				c.hatch(3, 45, box(a.x, a.y, z.x-a.x, z.y-a.y)...)
				c.pen(fine, black)
			}
		}
	})
	s.north(point{r.x + r.w - 20, r.y + r.h/2}, 11)
}

func (s *sheet) north(at point, rad float64) {
	c := s.c
	c.pen(fine, black)
	c.circle(stroked, at.x, at.y, rad)
	c.brush(black)
	c.path(filled, true, point{at.x, at.y - rad}, point{at.x + rad*0.45, at.y + rad*0.7}, point{at.x, at.y + rad*0.35})
	c.path(stroked, true, point{at.x, at.y - rad}, point{at.x - rad*0.45, at.y + rad*0.7}, point{at.x, at.y + rad*0.35})
	c.text(at.x, at.y-rad-2.5, style{face: s.p.head, size: 7, align: centre}, "N")
}

func (s *sheet) projectCell(r rect) {
	s.label(r.x+6, r.y+10, s.p.trim.project)
	l := style{face: s.p.trim.titleFace, size: 12}
	s.paragraph(rect{r.x + 8, r.y + 13, r.w - 16, r.h*0.5 - 10}, l, s.p.name)
	s.lines(rect{r.x + 8, r.y + r.h*0.55, r.w - 16, r.h * 0.4}, append(append([]string{}, s.p.address...), s.p.client))
}

// issueCell is the table of issues and revisions.
func (s *sheet) issueCell(r rect) {
	c := s.c
	rows := [][3]string{{"", s.p.phase, s.p.date(s.p.issued)}}
	if s.changed {
		rows = append(rows, [3]string{strconv.Itoa(s.p.o.Revision), []string{
			"ADDENDUM", "BULLETIN", "OWNER CHANGES",
		}[s.p.o.Seed%3] + " " + strconv.Itoa(s.p.o.Revision), s.p.date(s.p.revised(s.p.o.Revision))})
	}
	if s.p.trim.factDate {
		rows = append([][3]string{{"", phases[s.p.o.Seed%3], s.p.date(s.p.issued.AddDate(0, -2, -5))}}, rows...)
	}
	h := min(12, (r.h-6)/8)
	l := style{face: s.p.trim.face, size: h * 0.52}
	x1, x2 := r.x+r.w*0.12, r.x+r.w*0.66
	y := r.y + 4
	for i := 0; y+h < r.y+r.h-2; i++ {
		cells := [3]string{"NO.", "DESCRIPTION", "DATE"}
		if i > 0 {
			cells = [3]string{}
			if i <= len(rows) {
				cells = rows[i-1]
			}
		}
		c.text(r.x+5, y+h*0.72, l, cells[0])
		c.text(x1+4, y+h*0.72, l.fitting(cells[1], x2-x1-8), cells[1])
		c.text(x2+4, y+h*0.72, l.fitting(cells[2], r.x+r.w-x2-8), cells[2])
		c.pen(hair, black)
		c.line(r.x, y+h, r.x+r.w, y+h)
		y += h
	}
	c.line(x1, r.y, x1, y)
	c.line(x2, r.y, x2, y)
}

// referenceDrawings is a small table in the lower right of the drawing, as engineers have it: numbers under a head that
// a title block could have.
func (s *sheet) referenceDrawings() {
	c, l := s.c, s.lettering().sized(6)
	const w, h = 226, 11
	var rows []*spec
	for i := range s.p.sheets {
		if t := &s.p.sheets[i]; t.level == s.level && t.number != s.number && len(rows) < 5 && len(t.title) < 44 {
			rows = append(rows, t)
		}
	}
	a := s.area
	x, y := a.x+a.w-w-4, a.y+a.h-84-h*float64(len(rows)+2)
	c.dash("")
	c.pen(fine, black)
	c.rect(stroked, x, y, w, h*float64(len(rows)+2))
	c.text(x+w/2, y+8, l.centred().in(s.p.head), "REFERENCE DRAWINGS")
	c.text(x+5, y+h+8, l, "DWG NO.")
	c.text(x+70, y+h+8, l, "TITLE")
	for i, t := range rows {
		at := y + h*float64(i+2)
		c.line(x, at, x+w, at)
		b := c.text(x+5, at+8, l, t.number)
		c.text(x+70, at+8, l.fitting(t.title, w-74), t.title)
		s.known(target{sheet: t}, "reference drawing", b)
	}
	c.line(x+64, y+h, x+64, y+h*float64(len(rows)+2))
}
