package draft

import (
	"strconv"
	"strings"
)

// annotate points from a plan to the sheets that show it closer: sections, elevations, details, enlarged plans.
func (v *view) annotate(l *level) {
	w, h := v.p.b.size()
	c := v.c
	if cuts := v.p.find("A", "section"); len(cuts) > 0 {
		x := (v.p.b.xs[1] + v.p.b.xs[2]) / 2
		v.section(point{x, v.pts(-112)}, point{x, h + v.pts(40)}, point{1, 0}, target{1, cuts[0]})
		y := v.p.b.bars[0].north / 2
		v.section(point{w + v.pts(52), y}, point{v.pts(-128), y}, point{0, 1}, target{2, cuts[0]})
	}
	for i, side := range []struct{ at, toward point }{
		{point{w * 0.61, h + v.pts(62)}, point{0, -1}},
		{point{w * 0.58, v.pts(-118)}, point{0, 1}},
		{point{w + v.pts(62), v.p.b.bars[0].depth() * 0.72}, point{-1, 0}},
		{point{v.pts(-128), v.p.b.bars[0].depth() * 0.75}, point{1, 0}},
	} {
		sheets := v.p.find("A", "elevation")
		if i/2 < len(sheets) && v.claim(side.at, 46, 46) {
			v.arrow(side.at, side.toward, target{1 + i%2, sheets[i/2]})
		}
	}
	for i, m := range l.rooms {
		if i%3 == 0 && m.h() > 12 {
			v.keynote(point{m.mid().x, m.mid().y - v.pts(22)}, 1+i%9)
		}
	}
	bottom := v.p.b.bars[0].depth()
	for range 4 {
		t, ok := v.refer("detail", "wall section")
		x := (0.06 + 0.88*v.r.Float64()) * w
		at := point{x, bottom}
		below := point{x + v.pts(14), bottom + v.pts(58)}
		if !ok || v.inWing(x) || !v.claim(below, 44, 44) {
			continue
		}
		c.pen(normal, black)
		c.dash("5 3")
		c.note(at, func() { c.circle(stroked, 0, 0, 13) })
		c.dash("")
		c.pen(fine, black)
		c.line(at.x+v.pts(4), at.y+v.pts(12.5), below.x-v.pts(2), below.y-v.pts(14))
		v.bubble(below, t)
	}
	for _, m := range l.rooms {
		if !strings.HasPrefix(m.name, "MEN") && !strings.HasPrefix(m.name, "STAIR 1") {
			continue
		}
		t, ok := v.refer("enlarged")
		if !ok {
			continue
		}
		from, text := point{m.mid().x + 2, m.hi.y - 3}, point{m.mid().x + v.pts(30), bottom + v.pts(100)}
		if strings.HasPrefix(m.name, "STAIR") {
			from, text = point{m.mid().x, m.lo.y + 2}, point{m.mid().x + v.pts(36), v.pts(-98)}
		}
		if v.inWing(text.x) && text.y > 0 || !v.claim(point{text.x + v.pts(40), text.y}, 150, 18) {
			continue
		}
		form := pick(v.r, []string{
			"SEE {} FOR ENLARGED PLAN", "SEE SHEET {}", "ENLARGED PLAN, SEE {v}", "RE: {} ENLARGED PLAN",
		})
		v.leader(point{text.x - v.pts(8), text.y - v.pts(2)}, from)
		v.phrase(text.x-v.pts(4), text.y, v.lettering(), form, t)
	}
	for _, x := range []float64{0.2, 0.42, 0.8} {
		at := point{w * x, v.p.b.bars[0].north + v.p.b.bars[0].hall/2}
		if v.claim(at, 60, 14) && v.r.IntN(2) == 0 {
			c.note(at, func() { c.text(0, 2, v.lettering().sized(6).centred(), "CORRIDOR") })
		}
	}
	if t, ok := v.refer("detail"); ok {
		at := point{w * (0.3 + 0.4*v.r.Float64()), bottom + v.pts(84)}
		if !v.inWing(at.x) && v.claim(point{at.x + v.pts(34), at.y - v.pts(10)}, 100, 40) {
			v.leader(point{at.x - v.pts(4), at.y - v.pts(2)}, point{at.x - v.pts(12), bottom})
			v.phrase(at.x, at.y, v.lettering(), pick(v.r, []string{"{v} TYP.", "{v}", "SEE DETAIL {v}", "SIM. {v}"}), t)
		}
	}
}

// keynote is a number in a hexagon that a list of notes explains.
func (v *view) keynote(at point, n int) {
	v.c.note(at, func() {
		v.c.pen(hair, black)
		v.c.brush(white)
		v.c.path(both, true, point{-7, 0}, point{-3.5, -6}, point{3.5, -6}, point{7, 0}, point{3.5, 6}, point{-3.5, 6})
		v.c.text(0, 2.2, v.lettering().sized(6).centred(), strconv.Itoa(n))
	})
}

// inWing is whether a place below the main bar lies in the wing.
func (v *view) inWing(x float64) bool {
	if len(v.p.b.bars) < 2 {
		return false
	}
	k := v.p.b.bars[1]
	return x > k.x-v.pts(40) && x < k.x+k.depth()+v.pts(40)
}

// section is a heavy broken line through the building with an arrow at each end.
func (v *view) section(a, b, toward point, t target) {
	c := v.c
	c.pen(strong, black)
	c.dash("26 5 6 5")
	for _, end := range []struct{ at, to point }{{a, b}, {b, a}} {
		v.claim(end.at, 50, 50)
		d := point{sign(end.to.x - end.at.x), sign(end.to.y - end.at.y)}
		c.line(end.at.x, end.at.y, end.at.x+d.x*v.pts(58), end.at.y+d.y*v.pts(58))
	}
	c.dash("")
	v.arrow(a, toward, t)
	v.arrow(b, toward, t)
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// planNotes fills the column beside a plan.
func (v *view) planNotes(lines []string, references map[string][]string) {
	r := v.notes
	old := v.c.m
	v.c.m = matrix{a: 1, d: 1}
	y := v.sheet.notes(r.x, r.y, r.w-6, "GENERAL NOTES", lines) + 16
	y = v.references(r.x, y, references)
	v.legend(r.x, y+10)
	v.north(point{r.x + r.w - 40, r.y + r.h - 40}, 20)
	v.c.m = old
}

// references are notes that send the reader to other sheets: a role and the sentences for it.
func (s *sheet) references(x, y float64, by map[string][]string) float64 {
	titled := false
	for _, role := range []string{
		"door schedule", "finishes", "detail", "plan", "framing", "equipment", "one-line",
		"general", "riser", "ceiling",
	} {
		if by[role] == nil {
			continue
		}
		t, ok := s.refer(role)
		if !ok {
			continue
		}
		if !titled {
			s.c.text(x, y, s.heading(10), "REFERENCES")
			y += 15
			titled = true
		}
		s.phrase(x, y, s.lettering(), pick(s.r, by[role]), t)
		y += s.lettering().size * 1.6
	}
	return y
}
