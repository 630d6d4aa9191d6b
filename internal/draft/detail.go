package draft

import (
	"math"
	"strconv"
)

// drawDetails fills the sheet with a raster of details, each with its own number.
func drawDetails(s *sheet) {
	n := max(s.spec.views, 4)
	cols := int(math.Ceil(math.Sqrt(float64(n) * 1.3)))
	if n == 4 {
		cols = 4
	}
	rows := (n + cols - 1) / cols
	w, h := s.area.w/float64(cols), s.area.h/float64(rows)
	names := []string{
		"PARAPET AT ROOF", "WINDOW HEAD", "WINDOW SILL", "WALL BASE", "SLAB EDGE", "COLUMN BASE PLATE",
		"FOOTING AT GRADE", "DOOR JAMB", "STAIR NOSING", "BEAM CONNECTION", "PIPE PENETRATION", "CEILING AT SOFFIT",
	}
	switch {
	case s.role == "wall section":
		names = []string{
			"WALL SECTION AT WINDOW", "WALL SECTION AT ENTRY", "WALL SECTION AT STAIR", "WALL SECTION AT CORNER",
		}
	case s.discipline == "S":
		names = []string{
			"SPREAD FOOTING", "BASE PLATE", "BEAM TO COLUMN", "BEAM TO BEAM", "SLAB EDGE", "STEP IN FOOTING",
			"GRADE BEAM", "BRACE CONNECTION", "OPENING IN DECK", "CONTROL JOINT", "PIER", "MASONRY LINTEL",
		}
	case s.discipline == "M":
		names = []string{
			"DUCT HANGER", "VAV BOX PIPING", "ROOF CURB", "PIPE SUPPORT", "FIRE DAMPER", "CONDENSATE TRAP",
			"EXPANSION TANK", "PUMP PIPING",
		}
	}
	for i := range n {
		r := rect{s.area.x + w*float64(i%cols), s.area.y + h*float64(i/cols), w, h}
		s.c.pen(hair, grey(0.4))
		s.c.dash("")
		s.c.rect(stroked, r.x, r.y, r.w, r.h)
		s.detail(r.inset(10), i+s.index)
		s.viewTitle(r.x+12, r.y+r.h-22, names[i%len(names)], map[bool]string{
			true: "1:5", false: `3" = 1'-0"`,
		}[s.p.metric])
	}
}

// detail draws one of a few assemblies: layers of material cut, with leaders to their names.
func (s *sheet) detail(r rect, kind int) {
	c := s.c
	draw := rect{r.x + r.w*0.08, r.y + r.h*0.06, r.w * 0.5, r.h * 0.72}
	type layer struct {
		name        string
		gap, angle  float64
		fill        float64
		wide, cross float64
	}
	walls := []layer{{"FACE BRICK", 5, 45, 0, 0.2, 0}, {"AIR SPACE", 0, 0, 0, 0.08, 0}, {
		"RIGID INSULATION", 6, 45, 0, 0.12, 1,
	}, {"SHEATHING", 0, 0, 0.8, 0.04, 0}, {"METAL STUDS AT 16\" O.C.", 0, 0, 0, 0.28, 0}, {
		"GYPSUM BOARD", 0, 0, 0.85, 0.04, 0,
	}}
	if kind%3 == 1 {
		walls = []layer{{"CONCRETE WALL", 9, 45, 0.9, 0.32, 0}, {"WATERPROOFING", 0, 0, 0.2, 0.02, 0}, {
			"PROTECTION BOARD", 4, 135, 0, 0.08, 0,
		}, {"DRAINAGE FILL", 7, 45, 0, 0.3, 1}}
	}
	horizontal := kind%2 == 1
	at := 0.0
	var names []string
	var spots []point
	for _, l := range walls {
		q := rect{draw.x + draw.w*at, draw.y, draw.w * l.wide, draw.h}
		if horizontal {
			q = rect{draw.x, draw.y + draw.h*at, draw.w, draw.h * l.wide}
		}
		if l.fill > 0 {
			c.brush(grey(l.fill))
			c.rect(filled, q.x, q.y, q.w, q.h)
		}
		if l.gap > 0 {
			c.pen(hair, grey(0.35))
			c.hatch(l.gap, l.angle, box(q.x, q.y, q.w, q.h)...)
			if l.cross > 0 {
				c.hatch(l.gap, 180-l.angle, box(q.x, q.y, q.w, q.h)...)
			}
		}
		c.pen(strong, black)
		c.rect(stroked, q.x, q.y, q.w, q.h)
		names = append(names, l.name)
		spots = append(spots, point{q.x + q.w*0.5, q.y + q.h*(0.25+0.1*float64(len(spots)))})
		if horizontal {
			spots[len(spots)-1] = point{q.x + q.w*(0.9-0.08*float64(len(spots))), q.y + q.h*0.5}
		}
		at += l.wide
	}
	// a slab or beam meets the wall
	c.brush(grey(0.92))
	c.pen(strong, black)
	if horizontal {
		c.rect(both, draw.x+draw.w*0.2, draw.y+draw.h*0.3, draw.w*0.16, draw.h*0.6)
	} else {
		c.rect(both, draw.x+draw.w*0.36, draw.y+draw.h*0.56, draw.w*0.62, draw.h*0.12)
		c.pen(hair, grey(0.4))
		c.hatch(6, 45, box(draw.x+draw.w*0.36, draw.y+draw.h*0.56, draw.w*0.62, draw.h*0.12)...)
	}
	l := s.lettering()
	x := r.x + r.w*0.66
	for i, n := range names {
		y := draw.y + 10 + float64(i)*min(24, draw.h/float64(len(names)+2))
		l := l.fitting(n, r.x+r.w-x-4)
		c.text(x, y, l, n)
		s.leader(point{x - 4, y - 2.4}, spots[i])
	}
	if s.r.IntN(3) > 0 {
		t, ok := s.refer("detail", "wall section", "plan", "framing")
		if ok {
			form := pick(s.r, []string{"SEE {}", "RE: {}", "SEE {v}", "REFER TO SHEET {}", "{v}", "SIM. TO {v}"})
			l := l
			for l.width(form+t.sheet.number+"99") > r.x+r.w-x-2 && l.size > 4.5 {
				l.size -= 0.3
			}
			s.phrase(x, draw.y+draw.h-4, l, form, t)
		}
	}
	c.pen(hair, black)
	y := draw.y + draw.h + 10
	c.line(draw.x, y, draw.x+draw.w*0.5, y)
	for _, f := range []float64{0, 0.5} {
		c.pen(strong, black)
		c.line(draw.x+draw.w*f-3, y+3, draw.x+draw.w*f+3, y-3)
	}
	c.text(draw.x+draw.w*0.25, y-2.5, l.sized(6).centred(), s.p.length(0.5+float64(kind%7)/4))
}

// drawEnlarged shows parts of a floor at a larger scale.
func drawEnlarged(s *sheet) {
	l := s.p.b.level(max(s.level, 1), 0)
	var parts []room
	for _, m := range l.rooms {
		if m.furniture == "toilet" || m.name == "STAIR 1" {
			parts = append(parts, m)
		}
	}
	if len(parts) == 0 {
		parts = l.rooms[:min(3, len(l.rooms))]
	}
	w := s.area.w / float64(len(parts))
	for i, m := range parts {
		r := rect{s.area.x + w*float64(i), s.area.y, w, s.area.h}
		inner := rect{r.x + 50, r.y + 50, r.w - 100, r.h - 170}
		k := min(inner.w/m.w(), inner.h/m.h(), 60)
		s.c.within(matrix{
			k, 0, 0, k, inner.x + (inner.w-m.w()*k)/2 - m.lo.x*k, inner.y + (inner.h-m.h()*k)/2 - m.lo.y*k,
		}, func() {
			v := &view{sheet: s, scale: scale{k: k}, notes: rect{x: 1e9}}
			one := &level{rooms: []room{m}, walls: []wall{{a: m.lo, b: point{m.hi.x, m.lo.y}}, {
				a: point{m.hi.x, m.lo.y}, b: m.hi,
			}, {a: m.hi, b: point{m.lo.x, m.hi.y}}, {a: point{m.lo.x, m.hi.y}, b: m.lo}}}
			for _, o := range l.openings {
				if !o.window && o.tag == m.number {
					one.openings = append(one.openings, o)
				}
			}
			if m.furniture == "" {
				one.stairs = one.rooms
			}
			v.shell(one, ownTone)
			v.tag(m, true)
		})
		if t, ok := s.refer("detail"); ok {
			at := point{r.x + r.w*0.7, r.y + r.h - 96}
			s.leader(point{at.x, at.y - 14}, point{at.x - 30, inner.y + inner.h*0.7})
			s.bubble(at, t)
		}
		s.viewTitle(r.x+30, r.y+r.h-30, "ENLARGED PLAN - "+m.name+" "+m.number, map[bool]string{
			true: "1:25", false: `1/2" = 1'-0"`,
		}[s.p.metric])
	}
}

// legend explains symbols below the notes of a plan.
func (s *sheet) legend(x, y float64) {
	c := s.c
	c.text(x, y, s.heading(10), "LEGEND")
	for i, n := range []string{"EXTERIOR WALL", "INTERIOR PARTITION", "COLUMN", "GRID LINE", "DETAIL REFERENCE"} {
		yy := y + 18 + float64(i)*17
		c.text(x+52, yy+2.5, s.lettering(), n)
		c.pen(fine, black)
		switch i {
		case 0, 1:
			c.brush(grey(0.55 + 0.45*float64(i)))
			c.rect(both, x, yy-3, 40, 6-float64(i)*2)
		case 2:
			c.brush(black)
			c.rect(filled, x+16, yy-4, 8, 8)
		case 3:
			c.dash("14 3 3 3")
			c.line(x, yy, x+40, yy)
			c.dash("")
		case 4:
			c.circle(stroked, x+20, yy, 7)
			c.line(x+13, yy, x+27, yy)
		}
	}
}

// table letters rows below a heading and answers with the y below it. The first row is the head.
func (s *sheet) table(x, y float64, title string, widths []float64, rows [][]string) float64 {
	c, l := s.c, s.lettering()
	total := 0.0
	for _, w := range widths {
		total += w
	}
	c.text(x, y, s.heading(11), title)
	y += 6
	top := y
	const h = 13
	c.dash("")
	for i, row := range rows {
		at := x
		for j, cell := range row {
			k := l
			if i == 0 {
				k.face = s.p.head
			}
			c.text(at+4, y+9.3, k.fitting(cell, widths[j]-7), cell)
			at += widths[j]
		}
		y += h
		c.pen(hair, black)
		if i == 0 {
			c.pen(normal, black)
		}
		c.line(x, y, x+total, y)
	}
	c.pen(hair, black)
	at := x
	for _, w := range widths[:len(widths)-1] {
		at += w
		c.line(at, top, at, y)
	}
	c.pen(strong, black)
	c.rect(stroked, x, top, total, y-top)
	return y + 24
}

func (s *sheet) rowsPerColumn() int { return int((s.area.h - 60) / 13) }

func drawDoors(s *sheet) {
	head := []string{"DOOR", "WIDTH", "HEIGHT", "TYPE", "MATERIAL", "FRAME", "RATING", "HDW", "REMARKS"}
	widths := []float64{46, 48, 48, 36, 62, 44, 44, 34, 110}
	var rows [][]string
	for n := 1; n <= s.p.b.floors; n++ {
		for i, o := range s.p.b.level(n, 0).openings {
			if !o.window {
				rows = append(rows, []string{
					o.tag, s.p.length(o.wide), s.p.length(7), string(rune('A' + i%4)),
					pick(s.r, []string{"WOOD", "HM", "ALUM"}), "HM", pick(s.r, []string{"-", "20 MIN", "45 MIN", "-"}),
					strconv.Itoa(1 + i%9), pick(s.r, []string{"", "", "", "CLOSER", "CARD READER", "VISION PANEL"}),
				})
			}
		}
	}
	s.columnsOf("DOOR SCHEDULE", head, widths, rows)
}

func drawFinishes(s *sheet) {
	head := []string{"ROOM", "NAME", "FLOOR", "BASE", "NORTH", "SOUTH", "CEILING", "HEIGHT"}
	widths := []float64{44, 116, 46, 44, 44, 44, 52, 50}
	var rows [][]string
	for n := 1; n <= s.p.b.floors; n++ {
		for _, m := range s.p.b.level(n, 0).rooms {
			rows = append(rows, []string{
				m.number, m.name, pick(s.r, []string{"CPT-1", "LVT-2", "CT-1", "VCT"}), "RB-1",
				"P-1", "P-2", pick(s.r, []string{"ACT-1", "GYP", "ACT-2"}), s.p.length(9),
			})
		}
	}
	s.columnsOf("ROOM FINISH SCHEDULE", head, widths, rows)
}

// columnsOf breaks a long table into columns, as many as the sheet has room for.
func (s *sheet) columnsOf(title string, head []string, widths []float64, rows [][]string) {
	total := 30.0
	for _, w := range widths {
		total += w
	}
	each := s.rowsPerColumn() - 6
	x := s.area.x + 20
	for x+total-30 < s.area.x+s.area.w && len(rows) > 0 {
		n := min(each, len(rows))
		s.table(x, s.area.y+30, title, widths, append([][]string{head}, rows[:n]...))
		rows = rows[n:]
		title = title + " (CONT.)"
		if len(title) > 40 {
			title = title[:len(title)-8]
		}
		x += total
	}
	if t, ok := s.refer("detail"); ok {
		s.phrase(s.area.x+20, s.area.y+s.area.h-14, s.lettering(),
			pick(s.r, []string{"SEE {} FOR DETAILS.", "REFER TO SHEET {} FOR HEAD, JAMB AND SILL DETAILS."}), t)
	}
}
