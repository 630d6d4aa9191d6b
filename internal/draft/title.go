package draft

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// layout is a family of title blocks; draw makes frame and block and leaves the area for the drawing.
type layout struct {
	name string
	draw func(*sheet) rect
}

// trim is what one firm made of its layout: words, sizes, faces, the order of cells.
type trim struct {
	labels                       bool
	number, title, date, project string
	job, scale, by               string
	colon                        string
	numberFace, titleFace, face  face
	numberSize, titleSize        float64
	width                        float64
	centred                      bool
	boxed                        bool
	total                        bool // "12 OF 45"
	cells                        []string
	logo                         int
	apart                        float64
	listed                       bool // a table of reference drawings stands beside the block
	stamp                        bool // path and time of plotting in the margin
	revision                     bool // a letter beside the number
	factDate                     bool // a field of its own for the date; otherwise only the table of issues has it
}

func newTrim(r *rand.Rand, _ *project) trim {
	t := trim{
		labels: true,
		number: pick(r, []string{
			"SHEET NO.", "SHEET NUMBER", "SHEET", "DRAWING NO.", "DWG NO", "DWG. NO.",
			"DRAWING NUMBER", "SHEET NO", "SHEET #", "Sheet No.", "NO.", "PLATE",
		}),
		title: pick(r, []string{
			"SHEET TITLE", "DRAWING TITLE", "TITLE", "SHEET NAME", "DRAWING", "SHEET CONTENTS", "Sheet Title",
		}),
		date:    pick(r, []string{"DATE", "ISSUE DATE", "DATE ISSUED", "ISSUED", "Date", "DATE OF ISSUE"}),
		project: pick(r, []string{"PROJECT", "PROJECT NAME", "JOB", "PROJECT TITLE", "PROJECT:"}),
		job:     pick(r, []string{"PROJECT NO.", "JOB NO.", "PROJECT NUMBER", "COMM. NO.", "PROJ. NO.", "FILE NO."}),
		scale:   "SCALE", by: pick(r, []string{"DRAWN", "DRAWN BY", "BY"}),
		colon:      pick(r, []string{"", ":", ""}),
		numberFace: pick(r, []face{bold, bold, medium, regular, mono}), titleFace: pick(r,
			[]face{bold, medium, medium, regular}), face: pick(r, []face{regular, regular, medium, italic}),
		numberSize: 26 + 22*r.Float64(), titleSize: 11 + 6*r.Float64(), width: 195 + 65*r.Float64(),
		centred: r.IntN(2) == 0, boxed: r.IntN(2) == 0, total: r.IntN(4) == 0, logo: r.IntN(4), factDate: r.IntN(4) > 0,
		stamp: r.IntN(3) == 0, revision: r.IntN(4) == 0,
	}
	if r.IntN(4) == 0 {
		t.numberSize = 11 + 6*r.Float64()
	}
	t.listed = r.IntN(4) == 0
	if r.IntN(5) == 0 {
		t.apart = 0.12 + 0.2*r.Float64()
	}
	t.cells = []string{"firm", "consultants", "seal", "key", "project", "issues"}
	r.Shuffle(len(t.cells)-1, func(i, j int) { t.cells[i+1], t.cells[j+1] = t.cells[j+1], t.cells[i+1] })
	return t
}

var layouts = []layout{
	{"right strip", func(s *sheet) rect { return s.rightStrip(stripPlan{}) }},
	{"right strip without labels", func(s *sheet) rect { return s.rightStrip(stripPlan{bare: true}) }},
	{"right strip, title turned", func(s *sheet) rect { return s.rightStrip(stripPlan{turnTitle: true}) }},
	{"right strip, all turned", turnedStrip},
	{"bottom strip", func(s *sheet) rect { return s.bottomStrip(false) }},
	{"bottom right block", cornerBlock},
	{"number in a circle", func(s *sheet) rect { return s.rightStrip(stripPlan{round: true}) }},
	{"ruled block", ruledBlock},
	{"number at the top", func(s *sheet) rect { return s.rightStrip(stripPlan{top: true}) }},
	{"number twice", numberTwice},
	{"number at the left", func(s *sheet) rect { return s.bottomStrip(true) }},
	{"narrow strip, number turned", func(s *sheet) rect {
		return s.rightStrip(stripPlan{turnTitle: true, turnNumber: true, narrow: true})
	}},
	{"labels beside", func(s *sheet) rect { return s.rightStrip(stripPlan{beside: true}) }},
	{"left strip", leftStrip},
	{"two rows", twoRows},
	{"tab at the top", topTab},
	{"strip in any order", anyOrder},
}

// sheetDate is the day in a sheet's title block: that of the first issue, or of the revision that changed it, where the
// table of issues is all there is.
func (p *project) sheetDate(s *spec) time.Time {
	if p.trim.factDate || !p.changes(s) {
		return p.issued
	}
	return p.revised(p.o.Revision)
}

func (p *project) revised(n int) time.Time { return p.issued.AddDate(0, 0, 24*n+9) }

// frame draws the border of a sheet and answers with what is inside.
func (s *sheet) frame(leftMargin float64) rect {
	c := s.c
	r := rect{leftMargin, 26, c.width - leftMargin - 26, c.height - 52}
	c.pen(heavy, black)
	c.dash("")
	c.rect(stroked, r.x, r.y, r.w, r.h)
	if s.p.invented != nil && s.p.invented.zones {
		s.zones(r)
	}
	if s.p.trim.stamp {
		c.text(16, c.height-60, style{face: mono, size: 5, turn: 270},
			fmt.Sprintf(`P:\%s\CAD\Sheets\%s.dwg`, s.p.job, s.number))
		c.text(16, c.height*0.4, style{face: mono, size: 5, turn: 270},
			s.p.issued.AddDate(0, 0, 3).Format("1/2/2006 3:04:05 PM"))
	}
	return r
}

func (s *sheet) label(x, y float64, words string) {
	if !s.p.trim.labels || words == "" {
		return
	}
	s.c.text(x, y, style{face: s.p.trim.face, size: 5.6, ink: grey(0.15)}, words+s.p.trim.colon)
}

type stripPlan struct {
	bare, turnTitle, turnNumber, round, top, narrow, beside bool
}

// rightStrip stacks the cells in a strip along the right edge, all to be read upright except where the plan turns them.
func (s *sheet) rightStrip(k stripPlan) rect {
	t := &s.p.trim
	t.labels = !k.bare
	f := s.frame(54)
	w := t.width
	if k.narrow {
		w = 118
	}
	strip := rect{f.x + f.w - w, f.y, w, f.h}
	s.c.pen(strong, black)
	s.c.line(strip.x, strip.y, strip.x, strip.y+strip.h)
	number := rect{strip.x, strip.y + strip.h - 100, w, 100}
	title := rect{strip.x, number.y - 96, w, 96}
	if k.turnNumber {
		number.y, number.h = number.y-60, 160
		title.y -= 60
	}
	if k.turnTitle {
		title.h = 330
		title.y = number.y - title.h
	}
	facts := rect{strip.x, title.y - 74, w, 74}
	rest := rect{strip.x, strip.y, w, facts.y - strip.y}
	if k.top {
		number.y = strip.y
		title.y = number.y + number.h
		facts.y = strip.y + strip.h - facts.h
		rest.y, rest.h = title.y+title.h, facts.y-title.y-title.h
	}
	s.stack(rest, t.cells)
	for _, r := range []rect{number, title, facts} {
		s.c.pen(normal, black)
		s.c.rect(stroked, r.x, r.y, r.w, r.h)
	}
	s.facts(facts, 1)
	if k.beside {
		s.besideCells(title, number)
	} else {
		s.titleCell(title, k.turnTitle)
		s.numberCell(number, k.turnNumber, k.round)
	}
	return rect{f.x, f.y, f.w - w, f.h}
}

// stack shares a column among the cells of a strip.
func (s *sheet) stack(r rect, cells []string) {
	weights := map[string]float64{"firm": 1.1, "consultants": 1.5, "seal": 1, "key": 0.8, "project": 0.9, "issues": 1.7}
	sum := 0.0
	for _, c := range cells {
		sum += weights[c]
	}
	y := r.y
	for _, name := range cells {
		h := r.h * weights[name] / sum
		s.cell(name, rect{r.x, y, r.w, h})
		s.c.pen(normal, black)
		s.c.line(r.x, y+h, r.x+r.w, y+h)
		y += h
	}
}

// bottomStrip lays the cells side by side along the lower edge.
func (s *sheet) bottomStrip(numberFirst bool) rect {
	t := &s.p.trim
	f := s.frame(40)
	const h = 128
	strip := rect{f.x, f.y + f.h - h, f.w, h}
	s.c.pen(strong, black)
	s.c.line(strip.x, strip.y, strip.x+strip.w, strip.y)
	s.row(strip, t.cells, numberFirst)
	return rect{f.x, f.y, f.w, f.h - h}
}

func (s *sheet) row(strip rect, cells []string, numberFirst bool) {
	widths := map[string]float64{
		"firm": 1.5, "consultants": 1.9, "seal": 0.75, "key": 0.8, "project": 1.6,
		"issues": 1.8, "facts": 1.2, "title": 1.8, "number": 1.2,
	}
	names := append(append([]string{}, cells...), "facts", "title", "number")
	if numberFirst {
		names = append([]string{"number", "title"}, names[:len(names)-2]...)
	}
	sum := 0.0
	for _, n := range names {
		sum += widths[n]
	}
	x := strip.x
	for _, n := range names {
		r := rect{x, strip.y, strip.w * widths[n] / sum, strip.h}
		s.cell(n, r)
		s.c.pen(normal, black)
		s.c.line(r.x, r.y, r.x, r.y+r.h)
		x += r.w
	}
}

// turnedStrip is a bottom strip set upright along the right edge, so that all of it reads upwards.
func turnedStrip(s *sheet) rect {
	f := s.frame(40)
	const h = 132
	s.c.pen(strong, black)
	s.c.line(f.x+f.w-h, f.y, f.x+f.w-h, f.y+f.h)
	// u runs up the sheet from its lower right corner, v to the right.
	s.c.within(matrix{0, -1, 1, 0, f.x + f.w - h, f.y + f.h}, func() {
		s.row(rect{0, 0, f.h, h}, s.p.trim.cells, true)
	})
	return rect{f.x, f.y, f.w - h, f.h}
}

// cornerBlock is a block in the lower right corner; the drawing flows around it.
func cornerBlock(s *sheet) rect {
	f := s.frame(40)
	const w, h = 520, 330
	b := rect{f.x + f.w - w, f.y + f.h - h, w, h}
	s.c.pen(strong, black)
	s.c.rect(stroked, b.x, b.y, b.w, b.h)
	s.grid(b, [][]part{
		{{"firm", 0.6}, {"seal", 0.4}},
		{{"project", 0.5}, {"issues", 0.5}},
		{{"title", 0.62}, {"number", 0.38}},
		{{"facts", 1}},
	}, []float64{0.26, 0.3, 0.28, 0.16})
	return rect{f.x, f.y, f.w - w - 20, f.h}
}

type part struct {
	name  string
	share float64
}

func (s *sheet) grid(b rect, rows [][]part, heights []float64) {
	y := b.y
	for i, row := range rows {
		x := b.x
		for _, p := range row {
			r := rect{x, y, b.w * p.share, b.h * heights[i]}
			s.cell(p.name, r)
			s.c.pen(fine, black)
			s.c.dash("")
			s.c.rect(stroked, r.x, r.y, r.w, r.h)
			x += r.w
		}
		y += b.h * heights[i]
	}
}

// ruledBlock is the small ruled table of engineering offices.
func ruledBlock(s *sheet) rect {
	f := s.frame(58)
	const w, h = 560, 236
	b := rect{f.x + f.w - w, f.y + f.h - h, w, h}
	s.grid(b, [][]part{
		{{"issues", 0.55}, {"firm", 0.45}},
		{{"project", 0.55}, {"title", 0.45}},
		{{"one:job", 0.2}, {"one:scale", 0.22}, {"one:date", 0.22}, {"number", 0.28}, {"one:rev", 0.08}},
	}, []float64{0.4, 0.36, 0.24})
	s.c.pen(strong, black)
	s.c.rect(stroked, b.x, b.y, b.w, b.h)
	return rect{f.x, f.y, f.w - w - 20, f.h}
}

// numberTwice repeats the number at the binding edge, turned.
func numberTwice(s *sheet) rect {
	a := s.rightStrip(stripPlan{})
	c := s.c
	c.pen(normal, black)
	c.rect(stroked, 60, 32, 40, 92)
	c.text(60+26, 32+46, style{face: s.p.trim.numberFace, size: 18, align: centre, turn: 270}, s.number)
	return rect{a.x + 50, a.y, a.w - 50, a.h}
}

func (s *sheet) sequence() string { return fmt.Sprintf("%d OF %d", s.index+1, len(s.p.sheets)) }

func initials(r *rand.Rand) string {
	return strings.ToUpper(pick(r, surnames)[:1] + pick(r, surnames)[:1])
}
