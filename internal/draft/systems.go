package draft

import (
	"fmt"
	"strconv"
)

func drawEquipment(s *sheet) {
	x, y := s.area.x+30, s.area.y+40
	for i, title := range []string{"AIR HANDLING UNIT SCHEDULE", "VAV BOX SCHEDULE", "PUMP SCHEDULE", "FAN SCHEDULE"} {
		prefix := []string{"AHU", "M", "P", "EF"}[i]
		rows := [][]string{{"TAG", "LOCATION", "AIRFLOW", "E.S.P.", "MOTOR", "VOLTS", "WEIGHT", "REMARKS"}}
		for n := range 7 + s.r.IntN(6) {
			rows = append(rows, []string{
				fmt.Sprintf("%s-%d", prefix, 101+n), pick(s.r, []string{
					"ROOF", "CEILING", "MECH ROOM",
				}), fmt.Sprintf("%d CFM", 200+50*s.r.IntN(90)), "1.25 IN", fmt.Sprintf("%d HP", 1+s.r.IntN(15)),
				"460/3/60",
				fmt.Sprintf("%d LB", 90+s.r.IntN(2000)), "NOTE " + strconv.Itoa(1+n%4),
			})
		}
		y = s.table(x, y, title, []float64{70, 110, 90, 60, 60, 70, 70, 130}, rows)
		if y > s.area.y+s.area.h*0.62 && i < 3 {
			x, y = x+700, s.area.y+40
			if x+660 > s.area.x+s.area.w {
				return
			}
		}
	}
	s.references(x, y+10, tradeNotes)
}

// drawRiser shows the stacks of the building from floor to floor.
func drawRiser(s *sheet) {
	a, c := s.area, s.c
	n := s.p.b.floors
	step := min(150, (a.h-220)/float64(n))
	base := a.y + a.h - 130
	c.dash("")
	for f := range n + 1 {
		y := base - step*float64(f)
		c.pen(fine, grey(0.3))
		c.dash("12 4")
		c.line(a.x+60, y, a.x+a.w-280, y)
		c.dash("")
		name := "ROOF"
		if f < n {
			name = s.p.floor(f + 1)
		}
		c.text(a.x+62, y-4, s.lettering(), name)
		for i := range 5 {
			x := a.x + 220 + float64(i)*(a.w-560)/5
			if f == n {
				c.pen(strong, black)
				c.line(x, base+30, x, y-20)
				c.text(x+5, y-12, s.lettering().sized(6), "VTR")
				continue
			}
			for j := range 3 {
				bx := x + 28 + 34*float64(j)
				c.pen(normal, black)
				c.line(x, y-14, bx, y-14)
				c.line(bx, y-14, bx, y-30)
				c.circle(stroked, bx, y-34, 4)
				c.text(bx+3, y-18, s.lettering().sized(4.8), pick(s.r, []string{"WC", "LAV", "UR", "SK", "FD"}))
			}
			c.text(x-4, y-step/2, s.lettering().sized(5.6).ended(), pick(s.r, []string{"4\"", "3\"", "2\""}))
		}
	}
	c.pen(heavy, black)
	c.line(a.x+200, base+30, a.x+a.w-320, base+36)
	c.text(a.x+a.w-420, base+28, s.lettering(), "6\" SAN TO SEWER")
	y := s.notes(a.x+a.w-246, a.y+20, 236, "PLUMBING NOTES", engineeringNotes["P"])
	s.references(a.x+a.w-246, y+14, map[string][]string{
		"plan": {"SEE {} FOR FLOOR PLANS."}, "detail": {"SEE {v} FOR CLEANOUT."},
	})
	s.viewTitle(a.x+30, a.y+a.h-28, "SANITARY RISER DIAGRAM", "NONE")
}

// drawOneLine shows the way of power from the street to the panels, and the panels' schedules.
func drawOneLine(s *sheet) {
	a, c := s.area, s.c
	l := s.lettering()
	top := a.y + 80
	c.dash("")
	c.pen(strong, black)
	cx := a.x + a.w*0.3
	c.circle(stroked, cx, top, 22)
	c.circle(stroked, cx, top+28, 22)
	c.text(cx+34, top+16, l, "UTILITY TRANSFORMER 750 KVA")
	c.line(cx, top+50, cx, top+110)
	c.rect(stroked, a.x+60, top+110, a.w*0.6, 44)
	c.text(a.x+70, top+136, s.heading(10), "MSB 1600A 480/277V")
	n := min(6, s.p.b.floors+2)
	for i := range n {
		x := a.x + 110 + float64(i)*(a.w*0.6-80)/float64(n)
		c.pen(normal, black)
		c.line(x, top+154, x, top+230)
		c.arc(x, top+186, 7, 270, 450)
		c.rect(stroked, x-34, top+230, 68, 40)
		c.text(x, top+248, l.centred(), fmt.Sprintf("PANEL E-%d.1", i+1))
		c.text(x, top+260, l.sized(5.6).centred(), "225A 42 POLE")
		rows := [][]string{{"CKT", "LOAD", "VA", "BKR"}}
		for k := range 18 {
			rows = append(rows, []string{strconv.Itoa(k + 1), pick(s.r, []string{
				"LIGHTING", "RECEPTACLES", "SPARE", "VAV BOXES", "COPIER",
			}), strconv.Itoa(200 + 60*s.r.IntN(20)), "20/1"})
		}
		if w := (a.w - 300) / float64(n); float64(i)*w+190 < a.w-280 {
			s.table(a.x+40+float64(i)*w, top+340, fmt.Sprintf("PANEL E-%d.1", i+1), []float64{28, 84, 36, 34}, rows)
		}
	}
	y := s.notes(a.x+a.w-246, a.y+20, 236, "ELECTRICAL NOTES", engineeringNotes["E"])
	s.references(a.x+a.w-246, y+14, map[string][]string{
		"plan": {"SEE {} FOR FLOOR PLANS."}, "equipment": {"RE: {} FOR MECHANICAL LOADS."},
	})
	s.viewTitle(a.x+30, a.y+a.h-28, "POWER ONE-LINE DIAGRAM", "NONE")
}
