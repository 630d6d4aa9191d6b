package read

import "slices"

// upright turns leaves so that they read upright: some files keep their drawings lying on the side. Pages of one size
// lie alike, and most of what is written on them together tells how.
func upright(leaves []*Leaf) []*Leaf {
	out := make([]*Leaf, len(leaves))
	for _, group := range sizes(leaves) {
		var letters [4]int
		for _, i := range group {
			for k, n := range leaves[i].letters {
				letters[k] += n
			}
		}
		most := 0
		for k := range letters {
			if letters[k] > letters[most] {
				most = k
			}
		}
		for _, i := range group {
			out[i] = leaves[i].turn(most * 90)
		}
	}
	return out
}

// turn is the leaf with what is written in a direction turned upright, and its numbers scored by where they then stand.
func (leaf *Leaf) turn(direction int) *Leaf {
	w, h := leaf.width, leaf.height
	out := &Leaf{
		width: w, height: h, turned: direction, numbers: slices.Clone(leaf.numbers), edge: leaf.edge,
		mentions: leaf.mentions, heads: leaf.heads, claims: leaf.claims, names: leaf.names,
	}
	if direction%180 != 0 {
		out.width, out.height = h, w
	}
	if direction != 0 {
		out.edge, out.mentions = slices.Clone(leaf.edge), slices.Clone(leaf.mentions)
		for i := range out.edge {
			l := &out.edge[i]
			l.Box, l.Angle = turn(l.Box, direction, w, h), (l.Angle+360-direction)%360
			l.Words = slices.Clone(l.Words)
			for k := range l.Words {
				l.Words[k].Box = turn(l.Words[k].Box, direction, w, h)
			}
			l.place()
		}
		for i := range out.mentions {
			out.mentions[i].box = turn(out.mentions[i].box, direction, w, h)
		}
		out.heads = slices.Clone(leaf.heads)
		for i := range out.heads {
			out.heads[i].box = turn(out.heads[i].box, direction, w, h)
		}
		for i := range out.numbers {
			c := &out.numbers[i]
			c.box, c.angle = turn(c.box, direction, w, h), (c.angle+360-direction)%360
		}
	}
	for i := range out.numbers {
		out.numbers[i].stand(out.width, out.height)
	}
	slices.SortStableFunc(out.numbers, strongestFirst)
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
