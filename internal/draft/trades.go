package draft

import "fmt"

// building opens the plan of a floor: grid, shell in a tone, tags, dimensions, the title below; over draws the sheet's
// own matter between.
func (s *sheet) building(t tone, title string, references map[string][]string, over func(*view, *level)) {
	w, h := s.p.b.size()
	l := s.levelShown()
	s.plan(w, h, func(v *view) {
		v.gridLines()
		v.shell(l, t)
		v.columns(t.line, 1.4)
		for _, m := range l.rooms {
			v.tag(m, true)
		}
		if v.p.b.use.name == "residential" {
			v.units(l)
		}
		v.dimensions(v.p.b.xs, -24, false)
		v.dimensions(v.p.b.ys, -24, true)
		over(v, l)
		if s.changed && l.cloud != nil {
			v.cloud(l.cloud[0], l.cloud[1])
		}
		notes := generalNotes[s.index%3:][:7]
		if own := engineeringNotes[s.discipline]; own != nil {
			notes = append(append([]string{}, own...), notes[:2]...)
		}
		v.planNotes(notes, references)
		v.c.m = matrix{a: 1, d: 1}
		s.viewTitle(s.area.x+30, s.area.y+s.area.h-28, title, v.words)
	})
}

// units names the types of dwellings in large letters, which look like numbers of sheets.
func (v *view) units(l *level) {
	for i, m := range l.rooms {
		if m.w() < 20 || m.h() < 14 {
			continue
		}
		v.c.note(point{m.mid().x, m.lo.y + m.h()*0.3}, func() {
			v.c.text(0, 8, v.heading(24).centred().inked(grey(0.25)), string(rune('A'+i%4))+string(rune('1'+i%3)))
		})
	}
}

func drawPlan(s *sheet) {
	s.building(ownTone, s.title, map[string][]string{
		"door schedule": {"SEE SHEET {} FOR DOOR SCHEDULE.", "REFER TO {} FOR DOOR TYPES.", "DOOR SCHEDULE: SEE {}"},
		"finishes":      {"SEE {} FOR ROOM FINISHES.", "REFER TO SHEET {} FOR FINISHES."},
		"ceiling":       {"SEE {} FOR CEILING PLAN."},
		"detail":        {"SEE {v} FOR PARTITION TYPES.", "PARTITION TYPES: RE: {v}"},
	}, func(v *view, l *level) { v.annotate(l) })
}

func drawCeiling(s *sheet) {
	s.building(underTone, s.title, map[string][]string{"detail": {"SEE {v} FOR CEILING DETAILS."}},
		func(v *view, l *level) {
			c := v.c
			for _, m := range l.rooms {
				if m.furniture == "" || m.furniture == "rack" {
					continue
				}
				c.pen(hair, grey(0.65))
				for x := m.lo.x + 2; x < m.hi.x-0.5; x += 2 {
					c.line(x, m.lo.y+0.4, x, m.hi.y-0.4)
				}
				for y := m.lo.y + 4; y < m.hi.y-0.5; y += 4 {
					c.line(m.lo.x+0.4, y, m.hi.x-0.4, y)
				}
				c.pen(normal, black)
				for x := m.lo.x + 4; x+2 < m.hi.x-1; x += 8 {
					for y := m.lo.y + 4; y+4 < m.hi.y-1; y += 8 {
						c.brush(white)
						c.rect(both, x, y, 2, 4)
						c.line(x, y, x+2, y+4)
					}
				}
				v.tag(m, true)
			}
		})
}

func drawFraming(s *sheet) {
	s.building(tone{grey(0.78), white, false}, s.title, map[string][]string{
		"detail":  {"SEE {} FOR TYPICAL DETAILS.", "TYPICAL CONNECTIONS: SEE {v}"},
		"general": {"SEE {} FOR GENERAL STRUCTURAL NOTES.", "RE: {} FOR DESIGN LOADS."},
	}, func(v *view, _ *level) {
		c := v.c
		l := v.lettering().sized(5.6).centred()
		for i, k := range v.p.b.bars {
			lo, hi := k.at(0, 0), k.at(k.length, k.depth())
			for _, y := range v.p.b.ys {
				if y < lo.y-0.1 || y > hi.y+0.1 {
					continue
				}
				c.pen(strong, black)
				c.line(lo.x, y, hi.x, y)
				for j := 1; j < len(v.p.b.xs) && i == 0; j++ {
					c.note(point{(v.p.b.xs[j] + v.p.b.xs[j-1]) / 2, y}, func() {
						c.text(0, -3, l, pick(v.r, []string{"W18x35", "W16x26", "W21x44", "W24x55"}))
					})
				}
			}
			for _, x := range v.p.b.xs {
				if x < lo.x-0.1 || x > hi.x+0.1 {
					continue
				}
				c.pen(strong, black)
				c.line(x, lo.y, x, hi.y)
			}
			c.pen(fine, grey(0.2))
			for x := lo.x + 6; x < hi.x; x += 6 {
				c.line(x, lo.y+0.8, x, hi.y-0.8)
			}
		}
		for _, p := range v.p.b.columns() {
			if v.level == 1 {
				c.pen(normal, black)
				c.dash("4 2")
				c.rect(stroked, p.x-3, p.y-3, 6, 6)
				c.dash("")
				c.note(point{p.x + 3, p.y + 3}, func() {
					c.text(2, 7, v.lettering().sized(5.2), fmt.Sprintf("F%d", 4+int(p.x+p.y)%4))
				})
			}
		}
		v.columns(black, 1.2)
		v.structureMarks()
	})
}

// structureMarks refer from a framing plan to details of its connections.
func (v *view) structureMarks() {
	w, _ := v.p.b.size()
	bottom := v.p.b.bars[0].depth()
	for i := range 4 {
		t, ok := v.refer("detail")
		at := point{w * (float64(i) + 0.6) / 4.4, bottom + v.pts(50)}
		if !ok || v.inWing(at.x) || !v.claim(at, 40, 40) {
			continue
		}
		v.c.pen(fine, black)
		v.c.line(at.x, at.y, at.x, bottom-v.pts(20))
		v.bubble(at, t)
	}
	if t, ok := v.refer("plan"); ok {
		at := point{w * 0.75, v.pts(-108)}
		if v.claim(at, 120, 14) {
			v.phrase(at.x, at.y, v.lettering().centred(),
				pick(v.r, []string{"RE: {} FOR SLAB EDGE", "SEE {} FOR OPENINGS", "RE: ARCH {}"}), t)
		}
	}
}

// tradeNotes sends the reader of a trade's plan on.
var tradeNotes = map[string][]string{
	"equipment": {"SEE {} FOR EQUIPMENT SCHEDULES.", "EQUIPMENT: RE: {}"},
	"one-line":  {"SEE SHEET {} FOR ONE-LINE DIAGRAM.", "PANELS: SEE {}"},
	"riser":     {"SEE {} FOR RISER DIAGRAMS."}, "detail": {"SEE {v} FOR HANGER DETAILS.", "TYPICAL DETAIL: {v}"},
	"plan": {"SEE {} FOR ROOM NAMES AND DIMENSIONS."},
}

func drawDucts(s *sheet) {
	s.building(underTone, s.title, tradeNotes, func(v *view, l *level) {
		c := v.c
		unit := 0
		for _, h := range l.halls {
			long := h.w() > h.h()
			if min(h.w(), h.h()) < 5 || max(h.w(), h.h()) < 30 {
				continue
			}
			c.pen(normal, black)
			m := h.mid()
			if long {
				c.rect(stroked, h.lo.x+12, m.y-1.2, h.w()-24, 2.4)
			} else {
				c.rect(stroked, m.x-1.2, h.lo.y+4, 2.4, h.h()-16)
			}
		}
		for i, m := range l.rooms {
			if m.furniture == "" || m.furniture == "rack" {
				continue
			}
			unit++
			d := m.door
			q := m.mid()
			q.y -= m.h() * 0.25
			c.pen(fine, black)
			v.run(d, q, 0.5)
			c.brush(white)
			c.rect(both, q.x-1, q.y-1, 2, 2)
			c.line(q.x-1, q.y-1, q.x+1, q.y+1)
			c.line(q.x-1, q.y+1, q.x+1, q.y-1)
			l, side := v.lettering().sized(4.8), 1.0
			if d.x > q.x { // the duct comes from there
				l, side = l.ended(), -1
			}
			c.note(point{q.x + 1.4*side, q.y}, func() {
				c.text(side, -1, l, "S-1")
				c.text(side, 4.5, l, fmt.Sprintf("%d CFM", 100+int(m.area())/50*10))
			})
			if i%5 == 0 {
				c.note(point{d.x, d.y}, func() {
					c.pen(normal, black)
					c.brush(white)
					c.rect(both, -9, -5, 18, 10)
					c.text(0, 13, v.lettering().sized(5).centred(), v.namesake("M", unit))
				})
			}
		}
		v.tradeMarks()
	})
}

// namesake is a tag of equipment that has the name of a sheet, as pumps, panels and boxes often do; it refers to
// nothing.
func (s *sheet) namesake(discipline string, n int) string {
	var names []string
	for i := range s.p.sheets {
		if t := &s.p.sheets[i]; t.discipline == discipline {
			names = append(names, t.number)
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("%s-%d", discipline, n+1)
	}
	return names[n%len(names)]
}

// run is a duct of a width from a door into a room: across, then along.
func (v *view) run(a, b point, half float64) {
	c := v.c
	c.line(a.x-half, a.y, a.x-half, b.y)
	c.line(a.x+half, a.y, a.x+half, b.y)
	c.line(a.x, b.y-half, b.x, b.y-half)
	c.line(a.x, b.y+half, b.x, b.y+half)
}

// tradeMarks refer from a trade's plan to its details, from outside the building.
func (v *view) tradeMarks() {
	w, _ := v.p.b.size()
	bottom := v.p.b.bars[0].depth()
	for i := range 2 {
		t, ok := v.refer("detail")
		at := point{w * (0.15 + 0.5*float64(i) + 0.1*v.r.Float64()), bottom + v.pts(54)}
		if ok && !v.inWing(at.x) && v.claim(at, 44, 44) {
			v.leader(point{at.x, at.y - v.pts(12)}, point{at.x - v.pts(10), bottom - v.pts(24)})
			v.bubble(at, t)
		}
	}
}

func drawPlumbing(s *sheet) {
	s.building(underTone, s.title, tradeNotes, func(v *view, l *level) {
		c := v.c
		for _, m := range l.rooms {
			if m.furniture != "toilet" && m.furniture != "counter" && m.name != "JAN." {
				continue
			}
			c.pen(normal, grey(0.3))
			if m.furniture == "toilet" {
				v.fixtures(m)
			}
			c.pen(strong, black)
			y := m.hi.y - 1.2
			c.line(m.lo.x+1, y, m.hi.x-1, y)
			c.dash("9 3")
			c.line(m.lo.x+1, y-1.2, m.hi.x-1, y-1.2)
			c.dash("12 3 2 3")
			c.line(m.lo.x+2, y-2, m.lo.x+2, v.p.b.bars[0].north+v.p.b.bars[0].hall/2)
			c.dash("")
			c.circle(stroked, m.lo.x+2, y-2, 0.6)
			c.note(point{m.lo.x + 3, m.lo.y + 2.5}, func() {
				c.text(0, 0, v.lettering().sized(5),
					pick(v.r, []string{"4\" SAN", "3\" V", v.namesake("P", 0), "1 1/2\" CW", "2\" HW"}))
			})
			v.tag(m, true)
		}
		v.tradeMarks()
	})
}

func drawLighting(s *sheet) {
	s.building(underTone, s.title, tradeNotes, func(v *view, l *level) {
		c := v.c
		for _, m := range l.rooms {
			var last *point
			for x := m.lo.x + 4; x+2 < m.hi.x; x += 8 {
				for y := m.lo.y + 4; y+4 < m.hi.y; y += 9 {
					c.pen(normal, black)
					c.brush(white)
					c.rect(both, x-1, y-2, 2, 4)
					p := point{x, y}
					if last != nil {
						c.pen(hair, black)
						c.move(*last)
						mid := point{(last.x+p.x)/2 + 1.5, (last.y+p.y)/2 - 1.5}
						c.put(mid)
						c.put(mid)
						c.put(p)
						c.op("c S\n")
					}
					last = &p
				}
			}
			v.tag(m, true)
			c.note(m.door, func() { c.text(5, 11, style{face: bold, size: 6}, "$") })
		}
		v.tradeMarks()
	})
}

func drawPower(s *sheet) {
	s.building(underTone, s.title, tradeNotes, func(v *view, l *level) {
		c := v.c
		for i, m := range l.rooms {
			c.pen(normal, black)
			for _, p := range []point{
				{m.lo.x + 0.9, m.mid().y + 3},
				{m.hi.x - 0.9, m.mid().y + 3},
				{m.mid().x + 3, m.lo.y + 0.9},
			} {
				c.brush(white)
				c.note(p, func() {
					c.circle(both, 0, 0, 3.2)
					c.line(-1, -5.5, -1, 5.5)
					c.line(1, -5.5, 1, 5.5)
				})
			}
			c.note(point{m.lo.x + 0.9, m.mid().y + 3}, func() {
				c.text(5, -4, v.lettering().sized(4.8), fmt.Sprintf("%d", 1+2*(i%20)))
			})
			if i%9 == 4 {
				c.note(point{m.hi.x - 1, m.hi.y - 3}, func() {
					c.brush(black)
					c.rect(filled, -14, -3, 14, 6)
					c.text(-7, -6, v.lettering().sized(5).centred(), v.namesake("E", i/9))
				})
			}
		}
		v.tradeMarks()
	})
}

func drawSprinklers(s *sheet) {
	s.building(underTone, s.title, tradeNotes, func(v *view, l *level) {
		c := v.c
		for _, k := range v.p.b.bars {
			a, b := k.at(4, k.north+k.hall*0.3), k.at(k.length-4, k.north+k.hall*0.3)
			c.pen(heavy, black)
			c.line(a.x, a.y, b.x, b.y)
			for u := 7.0; u < k.length-4; u += 11 {
				a, b := k.at(u, 4), k.at(u, k.depth()-4)
				c.pen(normal, black)
				c.line(a.x, a.y, b.x, b.y)
				for w := 5.0; w < k.depth()-3; w += 10 {
					p := k.at(u, w)
					c.brush(white)
					c.note(p, func() { c.circle(both, 0, 0, 2.4) })
				}
			}
		}
		for _, m := range l.rooms {
			v.tag(m, true)
		}
		v.tradeMarks()
	})
}
