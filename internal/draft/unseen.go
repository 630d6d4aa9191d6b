package draft

// The layouts in this file were drawn after the reader was finished, to see how it does on what it was not made with.

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

// topTab has the number, white on black, in a tab at the upper right that reads downwards, and the rest in a strip along the upper edge.
func topTab(s *sheet) rect {
	f := s.frame(40)
	const h, tab = 96, 76
	strip := rect{f.x, f.y, f.w - tab, h}
	s.grid(strip, [][]part{{{"title", 0.24}, {"facts", 0.12}, {"project", 0.2}, {"issues", 0.2}, {"firm", 0.16}, {"key", 0.08}}}, []float64{1})
	s.c.brush(black)
	s.c.rect(filled, f.x+f.w-tab, f.y, tab, 190)
	l := style{face: s.p.trim.numberFace, size: s.p.trim.numberSize, align: centre, turn: 90, ink: white}
	l = l.fitting(s.number, 170)
	s.c.text(f.x+f.w-tab/2-l.size*0.36, f.y+95, l, s.number)
	return rect{f.x, f.y + h, f.w - tab, f.h - h}
}
