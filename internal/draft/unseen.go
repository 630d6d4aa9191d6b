package draft

import "math/rand/v2"

// The layouts in this file were drawn after the reader's first finished form, to see how it did on what it was not made
// with. It was changed twice since.

// leftStrip stands along the left edge, with the number in its lower end.
func leftStrip(s *sheet) rect {
	f := s.frame(26)
	w := s.p.trim.width
	s.c.pen(strong, black)
	s.c.line(f.x+w, f.y, f.x+w, f.y+f.h)
	number := rect{f.x, f.y + f.h - 92, w, 92}
	title := rect{f.x, number.y - 110, w, 110}
	facts := rect{f.x, title.y - 74, w, 74}
	s.stack(rect{f.x, f.y, w, facts.y - f.y}, s.p.trim.cells)
	for _, r := range []rect{number, title, facts} {
		s.c.pen(normal, black)
		s.c.rect(stroked, r.x, r.y, r.w, r.h)
	}
	s.facts(facts, 1)
	s.titleCell(title, false)
	s.numberCell(number, false, false)
	return rect{f.x + w, f.y, f.w - w, f.h}
}

// twoRows is a band along the lower edge in two rows; the number stands in the corner below the date.
func twoRows(s *sheet) rect {
	f := s.frame(40)
	const h = 150
	b := rect{f.x, f.y + f.h - h, f.w, h}
	s.grid(b, [][]part{
		{{"firm", 0.2}, {"consultants", 0.28}, {"issues", 0.24}, {"facts", 0.16}, {"one:date", 0.12}},
		{{"seal", 0.08}, {"project", 0.4}, {"title", 0.34}, {"one:rev", 0.04}, {"number", 0.14}},
	}, []float64{0.5, 0.5})
	return rect{f.x, f.y, f.w, f.h - h}
}

// topTab has the number, white on black, in a tab at the upper right that reads downwards, and the rest in a strip
// along the upper edge.
func topTab(s *sheet) rect {
	f := s.frame(40)
	const h, tab = 96, 76
	strip := rect{f.x, f.y, f.w - tab, h}
	s.grid(strip, [][]part{
		{{"title", 0.24}, {"facts", 0.12}, {"project", 0.2}, {"issues", 0.2}, {"firm", 0.16}, {"key", 0.08}},
	}, []float64{1})
	s.c.brush(black)
	s.c.rect(filled, f.x+f.w-tab, f.y, tab, 190)
	l := style{face: s.p.trim.numberFace, size: s.p.trim.numberSize, align: centre, turn: 90, ink: white}
	l = l.fitting(s.number, 170)
	s.c.text(f.x+f.w-tab/2-l.size*0.36, f.y+95, l, s.number)
	return rect{f.x, f.y + h, f.w - tab, f.h - h}
}

// anyOrder puts a strip along any edge, its cells in any order, to be read upright or along the edge: the seed decides,
// no custom does.
func anyOrder(s *sheet) rect {
	r := rand.New(rand.NewPCG(s.p.o.Seed, 61))
	f := s.frame(34)
	names := []string{"firm", "consultants", "seal", "key", "project", "issues", "facts", "title", "number"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	edge, thick := r.IntN(4), 110+60*r.Float64()
	along := func(strip rect) {
		widths := map[string]float64{
			"firm": 1.3, "consultants": 1.5, "seal": 0.8, "key": 0.9, "project": 1.4,
			"issues": 1.6, "facts": 1.2, "title": 1.6, "number": 1.3,
		}
		sum, x := 0.0, strip.x
		for _, n := range names {
			sum += widths[n]
		}
		for _, n := range names {
			w := strip.w * widths[n] / sum
			s.cell(n, rect{x, strip.y, w, strip.h})
			s.c.pen(normal, black)
			s.c.dash("")
			s.c.rect(stroked, x, strip.y, w, strip.h)
			x += w
		}
	}
	upright := func(strip rect) {
		heights := map[string]float64{
			"firm": 1.1, "consultants": 1.4, "seal": 1, "key": 0.8, "project": 0.9,
			"issues": 1.5, "facts": 0.8, "title": 0.9, "number": 0.9,
		}
		sum, y := 0.0, strip.y
		for _, n := range names {
			sum += heights[n]
		}
		for _, n := range names {
			h := strip.h * heights[n] / sum
			s.cell(n, rect{strip.x, y, strip.w, h})
			s.c.pen(normal, black)
			s.c.dash("")
			s.c.rect(stroked, strip.x, y, strip.w, h)
			y += h
		}
	}
	turn := r.IntN(3)
	switch edge {
	case 0, 1: // right, left
		if turn == 0 {
			thick += 70
		}
		strip, rest := rect{f.x + f.w - thick, f.y, thick, f.h}, rect{f.x, f.y, f.w - thick, f.h}
		if edge == 1 {
			strip.x, rest.x = f.x, f.x+thick
		}
		switch turn {
		case 0:
			upright(strip)
		case 1: // reads upwards
			s.c.within(matrix{0, -1, 1, 0, strip.x, strip.y + strip.h}, func() { along(rect{0, 0, strip.h, thick}) })
		case 2: // reads downwards
			s.c.within(matrix{0, 1, -1, 0, strip.x + thick, strip.y}, func() { along(rect{0, 0, strip.h, thick}) })
		}
		return rest
	case 2:
		along(rect{f.x, f.y + f.h - thick, f.w, thick})
		return rect{f.x, f.y, f.w, f.h - thick}
	}
	along(rect{f.x, f.y, f.w, thick})
	return rect{f.x, f.y + thick, f.w, f.h - thick}
}
