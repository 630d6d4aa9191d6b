package read

// direction is that in which most letters of a page are written. Some files keep their drawings lying on the side.
func direction(lines []Line) int {
	count := map[int]int{}
	most := 0
	for _, l := range lines {
		count[l.Angle] += len(l.Text)
	}
	for _, angle := range []int{90, 180, 270} {
		if count[angle] > count[most] {
			most = angle
		}
	}
	return most
}

// upright turns the leaf, and gives copies of its lines that are turned with it.
func (leaf *Leaf) upright(lines []Line) []Line {
	if leaf.turned == 0 {
		return lines
	}
	w, h := leaf.width, leaf.height
	if leaf.turned != 180 {
		leaf.width, leaf.height = h, w
	}
	out := make([]Line, len(lines))
	for i, l := range lines {
		l.Box, l.Angle = turn(l.Box, leaf.turned, w, h), (l.Angle+360-leaf.turned)%360
		words := make([]Word, len(l.Words))
		for k, word := range l.Words {
			words[k] = Word{word.Text, turn(word.Box, leaf.turned, w, h)}
		}
		l.Words = words
		l.place()
		out[i] = l
	}
	return out
}

// restore puts what was read on a turned leaf back where the page has it.
func (leaf *Leaf) restore(s *Sheet) {
	if leaf.turned == 0 {
		return
	}
	back := func(b *Box) { *b = turn(*b, 360-leaf.turned, leaf.width, leaf.height) }
	for _, v := range []*Value{&s.Number, &s.Title, &s.Date} {
		if v.Text != "" {
			back(&v.Box)
		}
	}
	for i := range s.Callouts {
		back(&s.Callouts[i].Box)
	}
}

// turn is where a box of a page of w by h comes to when text in a direction is turned upright.
func turn(b Box, direction int, w, h float64) Box {
	switch direction {
	case 90:
		return Box{b.Y0, w - b.X1, b.Y1, w - b.X0}
	case 180:
		return Box{w - b.X1, h - b.Y1, w - b.X0, h - b.Y0}
	case 270:
		return Box{h - b.Y1, b.X0, h - b.Y0, b.X1}
	}
	return b
}
