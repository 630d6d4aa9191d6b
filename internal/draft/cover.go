package draft

import (
	"fmt"
	"math"
	"strings"
)

// drawCover has the project's name, a view of the building, the index of sheets and the figures of the code.
func drawCover(s *sheet) {
	a, c, p := s.area, s.c, s.p
	s.paragraph(rect{a.x + 60, a.y + 30, a.w - 120, 90}, style{face: p.head, size: 54, align: centre}, p.name)
	c.text(a.x+a.w/2, a.y+150, style{face: regular, size: 18, align: centre}, strings.Join(p.address, ", "))
	c.text(a.x+a.w/2, a.y+178, style{face: medium, size: 14, align: centre}, p.phase)
	c.pen(heavy, black)
	c.dash("")
	c.line(a.x+60, a.y+200, a.x+a.w-60, a.y+200)
	s.perspective(rect{a.x + 80, a.y + 250, a.w*0.55 - 100, a.h * 0.36})
	if p.invented == nil || !p.invented.unlisted {
		s.indexTable(a.x+a.w*0.58, a.y+240)
	}
	y := a.y + a.h*0.36 + 330
	s.larger = 1.3
	s.notes(a.x+80, y, a.w*0.24, "CODE SUMMARY", []string{
		"CONSTRUCTION TYPE II-B, WITH SPRINKLERS THROUGHOUT.",
		fmt.Sprintf("STORIES: %d. BUILDING HEIGHT %s.", p.b.floors, p.length(p.b.storey*float64(p.b.floors))),
		"OCCUPANCY GROUP B, ACCESSORY A-3.", "APPLICABLE CODE ADOPTED 07/01/2023.",
		"EGRESS WIDTH 0.2 IN. PER OCCUPANT.",
	})
	s.notes(a.x+80+a.w*0.28, y, a.w*0.24, "PROJECT TEAM", []string{
		"OWNER: " + strings.ToUpper(p.client), "ARCHITECT: " + p.firm.name, "STRUCTURAL: " + p.others[0].name,
		"MEP: " + p.others[1].name, "CIVIL: " + p.others[2].name,
	})
}

// disciplineNames are what the index calls the disciplines.
var disciplineNames = map[string]string{
	"G": "GENERAL", "C": "CIVIL", "A": "ARCHITECTURAL", "S": "STRUCTURAL",
	"FP": "FIRE PROTECTION", "P": "PLUMBING", "M": "MECHANICAL", "E": "ELECTRICAL",
}

// indexTable lists the sheets; every row refers to its sheet.
func (s *sheet) indexTable(x, y float64) {
	c, p, l := s.c, s.p, s.lettering().sized(8)
	c.text(x, y, s.heading(14),
		pick(s.r, []string{"SHEET INDEX", "DRAWING INDEX", "LIST OF DRAWINGS", "INDEX OF DRAWINGS"}))
	top, bottom := y+24, s.area.y+s.area.h-20
	room := s.area.x + s.area.w - x
	lines := len(p.sheets) + 2*len(disciplines)
	step := min(max((bottom-top)/float64(lines), 12.5), 19)
	l.size = step * 0.62
	cols := max(1, int(math.Ceil(float64(lines)*step/(bottom-top))))
	if wide := room / float64(cols); wide < 200 {
		k := max(wide/200, 0.45)
		l.size *= k
		step *= k
		cols = max(1, int(math.Ceil(float64(lines)*step/(bottom-top))))
	}
	wide := room / float64(cols)
	y = top
	last := ""
	for i := range p.sheets {
		t := &p.sheets[i]
		if t.discipline != last {
			if last != "" {
				y += step * 0.6
			}
			if y+3*step > bottom {
				x, y = x+wide, top
			}
			c.text(x, y, l.in(p.head), disciplineNames[t.discipline])
			y += step
			last = t.discipline
		}
		if y > bottom {
			x, y = x+wide, top
		}
		at := c.text(x+8, y, l, t.number)
		title := l.fitting(t.title, wide-l.size*8-8)
		c.text(x+8+l.size*7, y, title, t.title)
		if t.number != s.number {
			s.known(target{sheet: t}, "index", at)
		}
		y += step
	}
}

// perspective is the building as a solid seen from a corner.
func (s *sheet) perspective(r rect) {
	c, b := s.c, s.p.b
	w, _ := b.size()
	d := b.bars[0].depth()
	h := b.storey * float64(b.floors)
	k := min(r.w/(w*0.87+d*0.87), r.h/(h+(w+d)*0.3))
	at := func(x, y, z float64) point {
		return point{r.x + r.w*0.04 + (x*0.87+(d-y)*0.5)*k, r.y + r.h - (z+(d-y)*0.28-x*0.12+w*0.12)*k}
	}
	c.dash("")
	c.pen(normal, black)
	c.brush(grey(0.97))
	c.path(both, true, at(0, d, 0), at(w, d, 0), at(w, d, h), at(0, d, h))
	c.brush(grey(0.88))
	c.path(both, true, at(w, d, 0), at(w, 0, 0), at(w, 0, h), at(w, d, h))
	c.brush(white)
	c.path(both, true, at(0, d, h), at(w, d, h), at(w, 0, h), at(0, 0, h))
	for f := range b.floors {
		z := b.storey * float64(f)
		c.pen(fine, black)
		c.brush(grey(0.75))
		for x := 5.0; x+6 < w; x += 9 {
			c.path(both, true, at(x, d, z+3), at(x+6, d, z+3), at(x+6, d, z+9), at(x, d, z+9))
		}
		for y := 5.0; y+6 < d; y += 9 {
			c.path(both, true, at(w, y, z+3), at(w, y+6, z+3), at(w, y+6, z+9), at(w, y, z+9))
		}
		c.pen(hair, black)
		p, q, o := at(0, d, z), at(w, d, z), at(w, 0, z)
		c.path(stroked, false, p, q, o)
	}
	for i := range 7 {
		t := at(w*(float64(i)+0.3)/7, d+22+float64(i%3)*6, 0)
		s.tree(t, 9+float64(i%3)*3)
	}
}

func (s *sheet) tree(at point, r float64) {
	c := s.c
	c.pen(hair, grey(0.35))
	c.brush(white)
	c.circle(both, at.x, at.y, r)
	for i := range 9 {
		sin, cos := math.Sincos(float64(i) * 2 * math.Pi / 9)
		c.line(at.x, at.y, at.x+cos*r*0.9, at.y+sin*r*0.9)
	}
}

// drawGeneral is columns of notes, symbols and abbreviations.
func drawGeneral(s *sheet) {
	s.larger = 1.45
	a := s.area
	w := a.w/4 - 24
	own := engineeringNotes[s.discipline]
	titles := []string{"GENERAL NOTES", "DEMOLITION NOTES", "FINISH NOTES", "COORDINATION NOTES"}
	if s.discipline == "S" {
		titles = []string{"DESIGN CRITERIA", "CONCRETE", "STRUCTURAL STEEL", "SPECIAL INSPECTIONS"}
	}
	for i, t := range titles[:3] {
		var lines []string
		for j := range 11 {
			list := generalNotes
			if own != nil && j < len(own) {
				list = own
			}
			lines = append(lines, list[(i*5+j)%len(list)])
		}
		y := s.notes(a.x+20+(w+28)*float64(i), a.y+40, w, t, lines)
		s.notes(a.x+20+(w+28)*float64(i), y+30, w, titles[3]+fmt.Sprintf(" %d", i+1), lines[3:9])
	}
	x := a.x + 20 + (w+28)*3
	short := []string{
		"A.F.F. ABOVE FINISH FLOOR", "BLDG BUILDING", "CJ CONTROL JOINT", "CLG CEILING", "CMU CONCRETE MASONRY UNIT",
		"CONC CONCRETE", "DTL DETAIL", "DWG DRAWING", "EL ELEVATION", "EQ EQUAL", "FD FLOOR DRAIN", "GYP GYPSUM",
		"HM HOLLOW METAL", "N.T.S. NOT TO SCALE", "O.C. ON CENTER", "SIM SIMILAR", "TYP TYPICAL",
		"U.N.O. UNLESS NOTED OTHERWISE", "V.I.F. VERIFY IN FIELD", "W/ WITH",
	}
	y := s.notes(x, a.y+40, w, "ABBREVIATIONS", short)
	y = s.references(x, y+24, map[string][]string{
		"detail": {"TYPICAL DETAILS: SEE {}"},
		"plan":   {"FLOOR PLANS BEGIN ON SHEET {}"}, "door schedule": {"DOORS: SEE {}"},
	})
	s.legend(x, y+30)
}

// drawSite shows the lot: streets, contours, parking, trees and the building.
func drawSite(s *sheet) {
	bw, bh := s.p.b.size()
	s.plan(bw*1.7, bh*2+90, func(v *view) {
		c := v.c
		w, h := bw*1.7, bh*2+90
		c.dash("")
		for i := range 7 {
			c.pen(hair, grey(0.5))
			y := h * float64(i) / 7
			for j := range 12 {
				x := w * float64(j) / 12
				p, q := point{x, y + 9*math.Sin(float64(i)+float64(j)*0.6)}, point{
					x + w/12, y + 9*math.Sin(float64(i)+float64(j+1)*0.6),
				}
				c.line(p.x, p.y, q.x, q.y)
			}
			c.note(point{w * 0.03, y + 9*math.Sin(float64(i))}, func() {
				c.text(0, -2, v.lettering().sized(5.4), fmt.Sprintf("%d", 412+2*i))
			})
		}
		c.pen(heavy, black)
		c.dash("30 5 5 5 5 5")
		c.rect(stroked, 0, 0, w, h)
		c.dash("")
		ox, oy := w*0.2, 30.0
		for _, k := range v.p.b.bars {
			a, z := k.at(0, 0), k.at(k.length, k.depth())
			c.brush(white)
			c.pen(heavy, black)
			c.rect(both, ox+a.x, oy+a.y, z.x-a.x, z.y-a.y)
			c.pen(hair, grey(0.4))
			c.hatch(6, 45, box(ox+a.x, oy+a.y, z.x-a.x, z.y-a.y)...)
		}
		c.note(point{ox + bw/2, oy + v.p.b.bars[0].depth()/2}, func() {
			c.brush(white)
			c.rect(filled, -90, -14, 180, 28)
			c.text(0, 4, v.heading(10).centred(), "PROPOSED BUILDING")
		})
		py := oy + bh + 40
		for row := range 3 {
			y := py + float64(row)*42
			if y+18 > h-6 {
				break
			}
			c.pen(fine, black)
			for x := w * 0.12; x < w*0.85; x += 9 {
				c.line(x, y, x, y+18)
			}
			c.line(w*0.12, y+18*float64((row+1)%2), w*0.85, y+18*float64((row+1)%2))
		}
		for i := range 14 {
			p := c.m.apply(point{w * (0.06 + 0.065*float64(i)), h*0.045 + 6*float64(i%2)})
			old := c.m
			c.m = matrix{a: 1, d: 1}
			s.tree(p, 11)
			c.m = old
		}
		c.note(point{w / 2, h}, func() {
			c.text(0, 40, v.heading(13).centred(), strings.ToUpper(streets[v.p.o.Seed%uint64(len(streets))]))
		})
		v.planNotes(append(append([]string{}, engineeringNotes["C"]...), generalNotes[5:8]...), map[string][]string{
			"plan": {"SEE {} FOR FLOOR PLAN."}, "detail": {"PAVING: SEE {v}"},
		})
		c.m = matrix{a: 1, d: 1}
		s.viewTitle(s.area.x+30, s.area.y+s.area.h-28, s.title, v.words)
	})
}
