package draft

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// inventBlock makes up a title block: where it stands, which cells it has, and how they look.
func (p *project) inventBlock(v inventor, i *invention) {
	t := &p.trim
	i.edge = pick(v.Rand, []string{"right", "right", "right", "bottom", "bottom", "corner", "corner", "left", "top"})
	i.reads, i.rows = 0, nil
	i.low, i.far = !v.one(4), !v.one(4)
	if i.edge == "right" || i.edge == "left" {
		i.reads = pick(v.Rand, []int{0, 0, 0, 270, 270, 90})
	}
	i.thick = v.between(96, 165)
	if i.reads == 0 && (i.edge == "right" || i.edge == "left") {
		i.thick = v.between(150, 270)
	}
	t.factDate = !v.one(4)
	cells := []string{"firm", "project", "facts"}
	for _, c := range []string{"consultants", "seal", "key", "rights", "stamp"} {
		if !v.one(3) {
			cells = append(cells, c)
		}
	}
	if !t.factDate || !v.one(3) {
		cells = append(cells, "issues")
	}
	v.Shuffle(len(cells), func(a, b int) { cells[a], cells[b] = cells[b], cells[a] })
	i.apartBox = i.edge != "corner" && v.one(6)
	i.order = placeOwn(v, cells)
	i.weights = map[string]float64{}
	usual := map[string]float64{
		"firm": 1.3, "consultants": 1.6, "seal": 0.9, "key": 0.9, "project": 1.4, "issues": 1.7,
		"facts": 1.3, "title": 1.6, "number": 1.3, "rights": 1, "stamp": 1,
	}
	for _, c := range i.order {
		i.weights[c] = usual[c] * v.between(0.8, 1.25)
	}
	for left := len(i.order); left > 0; {
		n := min(left, 1+v.IntN(3))
		i.rows = append(i.rows, n)
		left -= n
	}
	i.ruled = v.IntN(4)
	i.labelAt = pick(v.Rand, []string{"above", "above", "beside", "below", "missing"})
	t.labels = i.labelAt != "missing"
	i.labelSize = v.between(4.4, 7)
	i.number = pick(v.Rand, []string{"plain", "plain", "boxed", "round", "tab"})
	i.side = pick(v.Rand, []align{centre, centre, left, right})
	i.foot = pick(v.Rand, []string{"", "", "sequence", "discipline"})
	i.status = of(v, []string{"", "", "letter", "digit"}, []string{"P01", "C1"})
	i.again = v.one(5)
	i.wide = v.between(0.75, 1.1)
	t.apart = 0
	if v.one(5) {
		t.apart = v.between(0.08, 0.35)
	}
	t.numberSize, t.titleSize = v.between(20, 52), v.between(9, 18)
	if v.one(4) {
		t.numberSize = v.between(10, 16)
	}
	t.centred, t.logo, t.stamp, t.listed = v.one(2), v.IntN(4), v.one(3), v.one(4)
	i.facts = []string{"job", "by", "checked", "scale"}
	for _, f := range []string{"approved", "phase", "permit", "file", "status", "printed"} {
		if v.one(4) {
			i.facts = append(i.facts, f)
		}
	}
	if t.factDate {
		i.facts = append(i.facts, "date")
	}
	v.Shuffle(len(i.facts), func(a, b int) { i.facts[a], i.facts[b] = i.facts[b], i.facts[a] })
}

// placeOwn puts number and title among the cells: mostly at an end and next to each other, but not always.
func placeOwn(v inventor, cells []string) []string {
	at := []int{0, len(cells), len(cells)}[v.IntN(3)]
	if v.one(4) {
		at = v.IntN(len(cells) + 1)
	}
	cells = slices.Insert(cells, at, "number")
	switch {
	case v.one(5):
		return slices.Insert(cells, v.IntN(len(cells)+1), "title")
	case at == 0 || at < len(cells)-1 && v.one(2):
		return slices.Insert(cells, at+1, "title")
	}
	return slices.Insert(cells, at, "title")
}

// inventedBlock draws the block that the seed made up.
func inventedBlock(s *sheet) rect {
	i := s.p.invented
	if i.bareCover && s.role == "cover" {
		return s.inventedCover()
	}
	f := s.frame(pick(rand.New(rand.NewPCG(s.p.o.Seed, 98)), []float64{26, 40, 56}))
	order := i.order
	if i.apartBox {
		order = slices.DeleteFunc(slices.Clone(order), func(n string) bool { return n == "number" })
	}
	var rest rect
	switch i.edge {
	case "right", "left":
		strip := rect{f.x + f.w - i.thick, f.y, i.thick, f.h}
		rest = rect{f.x, f.y, f.w - i.thick, f.h}
		if i.edge == "left" {
			strip.x, rest.x = f.x, f.x+i.thick
		}
		switch i.reads {
		case 0:
			s.inventedCells(strip, order, true)
		case 270:
			s.c.within(matrix{0, -1, 1, 0, strip.x, strip.y + strip.h}, func() {
				s.inventedCells(rect{0, 0, strip.h, strip.w}, order, false)
			})
		case 90:
			s.c.within(matrix{0, 1, -1, 0, strip.x + strip.w, strip.y}, func() {
				s.inventedCells(rect{0, 0, strip.h, strip.w}, order, false)
			})
		}
	case "bottom":
		s.inventedCells(rect{f.x, f.y + f.h - i.thick, f.w, i.thick}, order, false)
		rest = rect{f.x, f.y, f.w, f.h - i.thick}
	case "top":
		s.inventedCells(rect{f.x, f.y, f.w, i.thick}, order, false)
		rest = rect{f.x, f.y + i.thick, f.w, f.h - i.thick}
	default:
		rest = s.inventedCorner(f)
	}
	if i.apartBox {
		rest = s.numberApart(rest)
	}
	if i.again {
		at, turn := point{f.x + 16, f.y + 70}, 270.0
		if i.edge == "left" || i.edge == "top" || i.edge == "corner" && !i.low && !i.far || i.apartBox {
			at, turn = point{f.x + f.w - 20, f.y + f.h - 300}, 90
		}
		if i.edge == "right" || i.edge == "bottom" || i.edge == "corner" || turn == 90 && i.edge == "top" {
			s.c.text(at.x, at.y, style{
				face: s.p.trim.numberFace, size: 12, align: centre, turn: turn,
			}.fitting(s.number, 120), s.number)
		}
	}
	return rest
}

// inventedCover has the number in the lower right corner, and the title above it.
func (s *sheet) inventedCover() rect {
	f := s.frame(40)
	t := &s.p.trim
	at := point{f.x + f.w - 30, f.y + f.h - 24}
	l := style{face: t.numberFace, size: t.numberSize, align: right}.fitting(s.number, 260)
	s.c.text(at.x, at.y, l, s.number)
	s.c.text(at.x, at.y-l.size*1.1-8, style{face: t.titleFace, size: t.titleSize, align: right}.fitting(s.title, 500),
		s.title)
	s.c.text(at.x, at.y-l.size*1.1-14-t.titleSize*1.4, style{face: t.face, size: 7, align: right},
		s.p.date(s.p.sheetDate(s.spec)))
	return rect{f.x, f.y, f.w, f.h - 120}
}

// zones names the parts of a sheet along its border.
func (s *sheet) zones(r rect) {
	l := style{face: s.p.trim.face, size: 7, align: centre}
	const across, down = 8, 6
	for n := range across {
		x := r.x + r.w*(float64(n)+0.5)/across
		s.c.text(x, r.y-6, l, fmt.Sprint(across-n))
		s.c.text(x, r.y+r.h+12, l, fmt.Sprint(across-n))
	}
	for n := range down {
		y := r.y + r.h*(float64(n)+0.5)/down
		s.c.text(r.x-8, y, l, string(rune('A'+down-1-n)))
		s.c.text(r.x+r.w+8, y, l, string(rune('A'+down-1-n)))
	}
}

// inventedCells shares a strip among cells, below each other or side by side.
func (s *sheet) inventedCells(strip rect, order []string, stacked bool) {
	i := s.p.invented
	sum := 0.0
	for _, n := range order {
		sum += i.weights[n]
	}
	at := 0.0
	for _, n := range order {
		part := i.weights[n] / sum
		r := rect{strip.x + strip.w*at, strip.y, strip.w * part, strip.h}
		if stacked {
			r = rect{strip.x, strip.y + strip.h*at, strip.w, strip.h * part}
		}
		s.inventedCell(n, r)
		at += part
	}
}

// inventedCorner is a block of rows in one corner; the drawing stands beside it.
func (s *sheet) inventedCorner(f rect) rect {
	i := s.p.invented
	w, h := 330+i.thick*1.6, 60*float64(len(i.rows))+i.thick
	b := rect{f.x, f.y, w, h}
	rest := rect{f.x + w + 20, f.y, f.w - w - 20, f.h}
	if i.far {
		b.x, rest.x = f.x+f.w-w, f.x
	}
	if i.low {
		b.y = f.y + f.h - h
	}
	n := 0
	for row, count := range i.rows {
		s.inventedCells(rect{b.x, b.y + h*float64(row)/float64(len(i.rows)), w, h / float64(len(i.rows))},
			i.order[n:n+count], false)
		n += count
	}
	return rest
}

// numberApart puts the number into a corner that the strip leaves free.
func (s *sheet) numberApart(rest rect) rect {
	i := s.p.invented
	const w, h = 190, 84
	r := rect{rest.x + rest.w - w, rest.y + rest.h - h, w, h}
	if i.edge == "bottom" || i.edge == "right" && !i.low {
		r.y = rest.y
	}
	if i.edge == "right" || !i.far {
		r.x = rest.x
	}
	s.inventedCell("number", r)
	if r.y == rest.y {
		return rect{rest.x, rest.y + h, rest.w, rest.h - h}
	}
	return rect{rest.x, rest.y, rest.w, rest.h - h}
}

func (s *sheet) inventedCell(name string, r rect) {
	i, c := s.p.invented, s.c
	switch name {
	case "title":
		s.inventedTitle(r)
	case "number":
		s.inventedNumber(r)
	case "rights":
		s.paragraph(rect{
			r.x + 6, r.y + 6, r.w - 12, r.h - 12,
		}, style{face: s.p.trim.face, size: 5}, "THIS DRAWING IS THE PROPERTY OF "+s.p.firm.name+
			" AND MAY NOT BE COPIED OR USED FOR OTHER WORK WITHOUT WRITTEN CONSENT.")
	case "stamp":
		s.paragraph(rect{r.x + 8, r.y + 6, r.w - 16, r.h - 12}, style{
			face: bold, size: 12, align: centre, ink: colour{0.7, 0, 0},
		}, []string{
			"PRELIMINARY NOT FOR CONSTRUCTION", "PERMIT DRAWINGS", "PROGRESS PRINT", "BID DOCUMENTS",
		}[s.p.o.Seed%4])
	default:
		s.cell(name, r)
	}
	c.dash("")
	switch i.ruled {
	case 1:
		c.pen(normal, black)
		c.rect(stroked, r.x, r.y, r.w, r.h)
	case 2:
		c.pen(fine, black)
		c.line(r.x, r.y, r.x+r.w, r.y)
		c.line(r.x, r.y, r.x, r.y+r.h)
	case 3:
		c.pen(heavy, black)
		c.rect(stroked, r.x, r.y, r.w, r.h)
	}
}

// labelled writes a label where this set has them and answers with the room that is left.
func (s *sheet) labelled(r rect, words string) rect {
	i := s.p.invented
	words += s.p.trim.colon
	l := style{face: s.p.trim.face, size: i.labelSize, ink: grey(0.1)}
	r = rect{r.x + 6, r.y + 5, r.w - 12, r.h - 10}
	switch i.labelAt {
	case "above":
		s.c.text(r.x, r.y+l.size, l.fitting(words, r.w), words)
		return rect{r.x, r.y + l.size*1.4, r.w, r.h - l.size*1.4}
	case "below":
		s.c.text(r.x, r.y+r.h-1, l.fitting(words, r.w), words)
		return rect{r.x, r.y, r.w, r.h - l.size*1.5}
	case "beside":
		if w := l.width(words); w < r.w*0.4 {
			s.c.text(r.x, r.y+r.h/2+l.size*0.36, l, words)
			return rect{r.x + w + 6, r.y, r.w - w - 6, r.h}
		}
		s.c.text(r.x, r.y+l.size, l.fitting(words, r.w), words)
		return rect{r.x, r.y + l.size*1.4, r.w, r.h - l.size*1.4}
	}
	return r
}

func (s *sheet) inventedTitle(r rect) {
	t := &s.p.trim
	l := style{face: t.titleFace, size: t.titleSize, apart: t.apart, wide: s.p.invented.wide}
	if t.centred {
		l.align = centre
	}
	s.paragraph(s.labelled(r, t.title), l, s.title)
}

func (s *sheet) inventedNumber(r rect) {
	i, t, c := s.p.invented, &s.p.trim, s.c
	r = s.labelled(r, t.number)
	small := style{face: t.face, size: 6.4, align: centre}
	if foot := s.footing(); foot != "" {
		c.text(r.x+r.w/2, r.y+r.h-2, small.fitting(foot, r.w), foot)
		r.h -= 11
	}
	if status := s.revisionMark(); status != "" {
		c.text(r.x+r.w-12, r.y+r.h/2-2, small.sized(5), "REV")
		c.text(r.x+r.w-12, r.y+r.h/2+8, small.sized(8), status)
		r.w -= 30
	}
	l := style{face: t.numberFace, size: min(t.numberSize, r.h*0.8), align: centre, apart: t.apart, wide: i.wide}
	m := r.mid()
	switch i.number {
	case "round":
		rad := min(r.w, r.h) / 2
		c.pen(strong, black)
		c.circle(stroked, m.x, m.y, rad)
		l = l.fitting(s.number, rad*1.7)
	case "tab":
		c.brush(black)
		c.rect(filled, r.x, r.y, r.w, r.h)
		l.ink = white
		l = l.fitting(s.number, r.w-12)
	default:
		l = l.fitting(s.number, r.w-16)
		w := l.width(s.number)
		switch i.side {
		case left:
			m.x = r.x + 4 + w/2
		case right:
			m.x = r.x + r.w - 4 - w/2
		}
		if i.number == "boxed" {
			c.pen(strong, black)
			c.rect(stroked, m.x-w/2-6, m.y-l.size*0.55, w+12, l.size*1.1)
		}
	}
	c.text(m.x, m.y+l.size*0.36, l, s.number)
}

func (s *sheet) footing() string {
	switch s.p.invented.foot {
	case "sequence":
		return "SHEET " + s.sequence()
	case "discipline":
		return map[string]string{
			"G": "GENERAL", "C": "CIVIL", "A": "ARCHITECTURAL", "S": "STRUCTURAL",
			"FP": "FIRE PROTECTION", "P": "PLUMBING", "M": "MECHANICAL", "E": "ELECTRICAL",
		}[s.discipline]
	}
	return ""
}

// revisionMark differs from sheet to sheet, as sheets are revised one by one.
func (s *sheet) revisionMark() string {
	n := (s.index*7 + int(s.p.o.Seed%5)) % 4
	switch s.p.invented.status {
	case "letter":
		return string(rune('A' + n))
	case "digit":
		return fmt.Sprint(n)
	case "P01":
		return fmt.Sprintf("P%02d", n+1)
	case "C1":
		return fmt.Sprintf("C%d", n+1)
	}
	return ""
}

// inventedFact is a field that only invented blocks have.
func (s *sheet) inventedFact(key string) (label, value string) {
	r := rand.New(rand.NewPCG(s.p.o.Seed, 53))
	switch key {
	case "approved":
		return "APPROVED", initials(r)
	case "phase":
		return "PHASE", s.p.phase
	case "permit":
		return "PERMIT NO.", fmt.Sprintf("B%02d-%04d", 22+r.IntN(4), r.IntN(9999))
	case "file":
		return "FILE", strings.ReplaceAll(s.p.job, " ", "") + "_" + s.number + ".RVT"
	case "status":
		return "STATUS", pick(r, []string{"S2", "S4", "A1", "FINAL", "FOR REVIEW"})
	case "printed":
		return "PRINTED", s.p.issued.AddDate(0, 0, 4).Format("1/2/2006 3:04 PM")
	}
	return "", ""
}

// inventedMark is a reference in the form of this set, around a place.
func (s *sheet) inventedMark(t target) {
	c, i := s.c, s.p.invented
	const size = 6.6
	l := s.lettering().sized(size).centred()
	view, number := i.viewName(t.view), t.sheet.number
	half := max(14, l.width(number)/2+3.5)
	c.pen(normal, black)
	c.dash("")
	c.brush(white)
	over := func(view string) Box {
		c.text(0, -3.2, l.sized(size+1), view)
		return c.text(0, size+2, l, number)
	}
	var at Box
	switch i.mark {
	case "square":
		c.rect(both, -half, -14, 2*half, 28)
		c.line(-half, 0, half, 0)
		at = over(view)
	case "under":
		c.circle(both, 0, 0, half)
		c.line(-half, 0, half, 0)
		at = c.text(0, -3.2, l, number)
		c.text(0, size+2, l.sized(size+1), view)
	case "bare":
		c.circle(both, 0, 0, half)
		at = over(view)
	case "named":
		c.circle(both, 0, 0, half+3)
		c.line(-half-3, 0, half+3, 0)
		at = over("DET " + view)
	case "inline":
		whole := view + "/" + number
		w := l.width(whole)
		c.rect(both, -w/2-4, -7, w+8, 14)
		at = c.text(w/2, 2.4, style{face: l.face, size: l.size, wide: l.wide, align: right}, number)
		c.text(-w/2, 2.4, style{face: l.face, size: l.size, wide: l.wide}, view+"/")
	case "beside":
		a, b := l.width(view)+8, l.width(number)+8
		c.rect(both, -(a+b)/2, -8, a, 16)
		c.rect(both, -(a+b)/2+a, -8, b, 16)
		c.text(-(a+b)/2+a/2, 2.4, l, view)
		at = c.text((a+b)/2-b/2, 2.4, l, number)
	default:
		c.circle(both, 0, 0, half)
		c.line(-half, 0, half, 0)
		at = over(view)
	}
	s.known(t, view+"/"+number, at)
}
