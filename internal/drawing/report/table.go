package report

import "groundwork/internal/drawing/print"

// column is a column of a table; a width of 0 takes what the others leave.
type column struct {
	name  string
	width float64
	right bool
}

// cell is what stands in one; it may have a colour, and a dot before it.
type cell struct {
	text string
	c    ink
	dot  *ink
}

// table sets rows under a head that is repeated on every page.
type table struct {
	p       *paper
	columns []column
	most    int // lines of a cell
	row     func(y, height float64)
}

func (p *paper) table(columns []column, most int) *table {
	rest, open := p.width(), -1
	for i, c := range columns {
		rest -= c.width
		if c.width == 0 {
			open = i
		}
	}
	if open >= 0 {
		columns[open].width = rest
	}
	return &table{p: p, columns: columns, most: most}
}

const (
	cellPad = 1.3
	cellGap = 2.5
	headRow = 7.0
)

func (t *table) head() {
	p, x := t.p, t.p.left
	for _, c := range t.columns {
		l := p.Fit(c.name, label, max(0, c.width-cellGap))
		p.color(grey)
		if c.right {
			p.Right(x+c.width-cellGap, p.y+ascent(label), l, label)
		} else {
			p.Set(x, p.y+ascent(label), l, label)
		}
		x += c.width
	}
	p.rule(black, p.left, p.right, p.y+headRow-2.2, 0.3)
	p.y += headRow - 1
}

// begin sets the head, with room for a row under it.
func (t *table) begin() {
	t.p.need(headRow + 8)
	t.head()
}

// add sets a row; it is never torn apart.
func (t *table) add(cells []cell) {
	p := t.p
	lines, height := make([][]print.Line, len(cells)), 0.0
	for i, c := range cells {
		w := t.columns[i].width - cellGap
		if c.dot != nil {
			w -= 3.4
		}
		if c.text != "" {
			lines[i] = p.Most(t.most, c.text, small, w)
		}
		height = max(height, float64(max(1, len(lines[i])))*leading(small))
	}
	if p.need(height + 2*cellPad) {
		t.head()
	}
	top := p.y
	x := p.left
	for i, c := range cells {
		cx, w := x, t.columns[i].width-cellGap
		if c.dot != nil {
			p.fill(*c.dot, cx, top+cellPad+1, 2.2, 2.2)
			cx, w = cx+3.4, w-3.4
		}
		if t.columns[i].right {
			p.color(c.c)
			for n, l := range lines[i] {
				p.Right(cx+w, top+cellPad+float64(n)*leading(small)+ascent(small), l, small)
			}
		} else {
			p.block(lines[i], small, c.c, cx, top+cellPad, w)
		}
		x += t.columns[i].width
	}
	p.y = top + height + 2*cellPad
	p.rule(line, p.left, p.right, p.y, 0.15)
	if t.row != nil {
		t.row(top, p.y-top)
	}
}
