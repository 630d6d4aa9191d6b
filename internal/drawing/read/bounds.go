package read

import (
	"cmp"
	"math"
	"slices"
)

// What a file says about its text is a stranger's word: type of three million points, letters a mile off the page, a
// hundred thousand lines on one base line. Each number here is far above what drawings have. A dense sheet of 36 by 48
// inches has some 20,000 words, in about 8,000 lines, of which perhaps 3,000 stand near an edge.
const (
	// mostLines is how many lines of a page are kept: with fewer than three words a line, the densest sheet has a third
	// of it.
	mostLines = 30_000
	// mostEdge is how many lines of one page may belong to its title block, and mostEdges of all pages of a set
	// together: a line takes some 400 bytes.
	mostEdge, mostEdges = 5_000, 500_000
	// leastEdge is what each page has of that, however many there are: a title block has some 60 lines.
	leastEdge = 200
	// mostNumbers is how many numbers of a page are candidates, and mostMentions how many it may mention: an index of a
	// thousand sheets has a thousand.
	mostNumbers, mostMentions = 400, 5_000
	// mostSetNumbers is how many candidates all pages of a set have together, and leastNumbers what each page has of
	// that: of those made alike 40 are kept, and the strongest come first.
	mostSetNumbers, leastNumbers = 1_000_000, 60
	// mostCallouts is how many references one page may have, and mostSetCallouts all pages of a set together: an index
	// of a thousand sheets has a thousand.
	mostCallouts, mostSetCallouts = 2_000, 100_000
	// mostNear is how many lines around one are looked at in reading order. A band of a page that is three lines high
	// has room for no more columns than that.
	mostNear = 600
	// mostHeads is how many labels above one line are tried.
	mostHeads = 64
	// mostSpots is how many places are weighed in one vote, the strongest first.
	mostSpots = 2_000
	// mostRounds is how often pages vote again: a set has a handful of firms, each with its title block.
	mostRounds = 60
	// mostParagraphs is how many texts of a page may be its title, the strongest first.
	mostParagraphs = 1_000
	// grid is in how many columns and rows a page is divided to find where titles stand.
	grid = 50
	// widestTitle is how many cells of the grid a title covers at most: a quarter of the page.
	widestTitle = grid * grid / 4
)

// on brings a box into its page; what has its middle off the page, has no place or is larger than the page is not on
// it.
func (b *Box) on(width, height float64) bool {
	for _, n := range [4]float64{b.X0, b.Y0, b.X1, b.Y1} {
		if math.IsNaN(n) || math.IsInf(n, 0) {
			return false
		}
	}
	x, y := b.mid()
	if !(x >= 0 && x <= width && y >= 0 && y <= height) {
		return false
	}
	*b = Box{within(b.X0, width), within(b.Y0, height), within(b.X1, width), within(b.Y1, height)}
	return b.X0 <= b.X1 && b.Y0 <= b.Y1
}

func within(n, most float64) float64 { return min(max(n, 0), most) }

// drawable is whether a page has a size that a page can have.
func drawable(width, height float64) bool {
	return width > 0 && height > 0 && !math.IsInf(width, 0) && !math.IsInf(height, 0)
}

// sized is whether type of a size can stand on a page.
func sized(size, width, height float64) bool { return size > 0 && size <= max(width, height) }

// visible keeps the letters that stand on the page, and only what of them does.
func visible(p Page) []Char {
	if !drawable(p.Width, p.Height) {
		return nil
	}
	out := make([]Char, 0, len(p.Chars))
	for _, c := range p.Chars {
		b := Box{c.X0, c.Y0, c.X1, c.Y1}
		if !sized(c.Size, p.Width, p.Height) || math.IsNaN(c.Angle) || math.IsInf(c.Angle, 0) ||
			!b.on(p.Width, p.Height) {
			continue
		}
		c.X0, c.Y0, c.X1, c.Y1 = b.X0, b.Y0, b.X1, b.Y1
		c.Rune = hyphen(c.Rune)
		out = append(out, c)
	}
	return out
}

// hyphen is a letter, or a hyphen for all that look like one: fonts have several, and nobody who searches types them.
func hyphen(r rune) rune {
	switch r {
	case '\u2010', '\u2011', '\u2012', '\u2212':
		return '-'
	}
	return r
}

// sound keeps the lines that stand on the page, and only what of them does. Where they come from, anything may have
// been written.
func sound(lines []Line, width, height float64) []Line {
	if !drawable(width, height) {
		return nil
	}
	out := lines[:0]
	for _, l := range lines[:min(len(lines), mostLines)] {
		if !sized(l.Size, width, height) || l.Angle != 0 && l.Angle != 90 && l.Angle != 180 && l.Angle != 270 {
			continue
		}
		l.Words = slices.DeleteFunc(l.Words, func(w Word) bool { return !w.Box.on(width, height) })
		for i := range l.Words {
			l.Words[i].Box.on(width, height)
		}
		if len(l.Words) > 0 && l.Box.on(width, height) {
			out = append(out, l)
		}
	}
	return out
}

// outermost keeps so many lines, those nearest to an edge of the page, in their order.
func outermost(lines []Line, most int, width, height float64) []Line {
	if len(lines) <= most {
		return lines
	}
	far := func(l *Line) float64 {
		x, y := l.Box.mid()
		return min(x/width, y/height, 1-x/width, 1-y/height)
	}
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(far(&lines[a]), far(&lines[b])) })
	order = order[:most]
	slices.Sort(order)
	out := make([]Line, most)
	for i, at := range order {
		out[i] = lines[at]
	}
	return out
}

// Pile collects the leaves of a set of so many pages; it never holds much more than Set looks at.
type Pile struct {
	pages  int
	leaves []*Leaf
	held   int
}

// NewPile begins the pile of a set.
func NewPile(pages int) *Pile { return &Pile{pages: pages} }

// Add puts a leaf on the pile.
func (p *Pile) Add(l *Leaf) {
	p.leaves = append(p.leaves, l)
	if p.held += len(l.edge) + len(l.mentions); p.held <= 2*mostEdges {
		return
	}
	limit(p.leaves, p.pages)
	p.held = 0
	for _, l := range p.leaves {
		p.held += len(l.edge) + len(l.mentions)
	}
}

// Set reads the set of the pile.
func (p *Pile) Set(e Evidence) []Sheet { return SetWith(p.leaves, e) }

// limit cuts what is kept of each page so that all pages of a set have room.
func limit(leaves []*Leaf, pages int) {
	lines, mentioned, numbers := 0, 0, 0
	for _, l := range leaves {
		lines, mentioned, numbers = lines+len(l.edge), mentioned+len(l.mentions), numbers+len(l.numbers)
	}
	each := max(leastEdge, mostEdges/max(1, pages))
	for _, l := range leaves {
		if lines > mostEdges {
			l.edge = outermost(l.edge, each, l.width, l.height)
		}
		if mentioned > mostEdges {
			l.mentions = slices.Clone(l.mentions[:min(len(l.mentions), each)])
		}
		if numbers > mostSetNumbers {
			l.numbers = slices.Clone(l.numbers[:min(len(l.numbers), max(leastNumbers, mostSetNumbers/max(1, pages)))])
		}
	}
}

// curtail cuts the references of pages that have too many, or of all pages where they have too many together.
func curtail(sheets []Sheet) {
	all := 0
	for i := range sheets {
		s := &sheets[i]
		s.Callouts = s.Callouts[:min(len(s.Callouts), mostCallouts)]
		all += len(s.Callouts)
	}
	if all <= mostSetCallouts {
		return
	}
	each := mostSetCallouts / len(sheets)
	for i := range sheets {
		s := &sheets[i]
		s.Callouts = s.Callouts[:min(len(s.Callouts), each)]
	}
}
