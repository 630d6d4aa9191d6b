package packet

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"groundwork/internal/drawing/print"
)

// mm is how many points a millimetre has: what is drawn is measured in these, as letters are set so.
const mm = 72 / 25.4

// marks are drawn on pages of a document of their own, each as large as the sheet is displayed. They come over the
// sheets when all are drawn: a typeface is then in the packet once, with the letters that are used.
type marks struct {
	pdf   *fpdf.Fpdf
	set   *print.Setter
	drawn []drawn
	spots []spot
}

// drawn says which object of the packet a page becomes.
type drawn struct {
	number, object int
	w, h           float64
}

func newMarks() *marks {
	pdf := fpdf.NewCustom(&fpdf.InitType{UnitStr: "mm"})
	pdf.SetAutoPageBreak(false, 0)
	pdf.SetMargins(0, 0, 0)
	pdf.SetCreationDate(time.Unix(0, 0))
	return &marks{pdf: pdf, set: print.New(pdf)}
}

// turn begins a page of a size in points.
func (m *marks) turn(w, h float64) {
	m.pdf.AddPageFormat("P", fpdf.SizeType{Wd: w / mm, Ht: h / mm})
	m.pdf.SetAlpha(1, "Normal")
	m.pdf.SetLineCapStyle("round")
	m.pdf.SetLineJoinStyle("round")
}

// draw draws what stands on a sheet.
func (m *marks) draw(p *page, object int, all []Mark) {
	w, h := p.size()
	m.turn(w, h)
	m.drawn = append(m.drawn, drawn{m.pdf.PageNo(), object, w, h})
	on := &easel{marks: m, w: w / mm, h: h / mm}
	// A mark is as easily seen on a large sheet as on a small one.
	on.line = min(max(max(w, h)/1000, 0.8), 4) / mm
	for i := range all {
		on.mark(&all[i])
	}
}

// Strokes is about how many lines and curves it takes to draw a mark, each of some 30 bytes: that is what a packet is
// measured by.
func (k *Mark) Strokes() int {
	switch k.Kind {
	case "pen", "measure":
		return max(len(k.Points), 10)
	case "cloud":
		return 400 // arcs around the whole sheet
	case "text":
		return 10 + len(k.Text)/10
	default:
		return 10
	}
}

// easel is a sheet that is drawn on; all lengths are millimetres.
type easel struct {
	*marks
	w, h, line float64
	ink        [3]int
}

// mark draws one mark; one that has too few points is not drawn.
func (e *easel) mark(k *Mark) {
	var at []fpdf.PointType
	for _, p := range k.Points {
		at = append(at, fpdf.PointType{X: p.X * e.w, Y: p.Y * e.h})
	}
	if len(at) == 0 || k.Kind != "stamp" && k.Kind != "text" && k.Kind != "photo" && len(at) < 2 {
		return
	}
	e.ink = colour(k.Color)
	e.pdf.SetDrawColor(e.ink[0], e.ink[1], e.ink[2])
	e.pdf.SetFillColor(e.ink[0], e.ink[1], e.ink[2])
	thick := *e
	if k.Width > 0 {
		thick.line *= k.Width
	}
	e.pdf.SetLineWidth(thick.line)
	first, last := at[0], at[len(at)-1]
	x, y, w, h := min(first.X, last.X), min(first.Y, last.Y), math.Abs(first.X-last.X), math.Abs(first.Y-last.Y)
	switch k.Kind {
	case "stamp":
		e.pin(first, k.Stamp)
	case "rectangle":
		e.pdf.Rect(x, y, w, h, "D")
	case "cloud":
		thick.cloud(x, y, w, h)
	case "ellipse":
		e.pdf.Ellipse(x+w/2, y+h/2, w/2, h/2, 0, "D")
	case "line":
		e.pdf.Line(first.X, first.Y, last.X, last.Y)
	case "arrow":
		thick.arrow(first, last)
	case "pen":
		e.path(at, false)
	case "measure":
		e.path(at, k.Closed)
		e.measure(at, k.Text)
	case "photo":
		e.camera(first)
	case "highlight":
		e.pdf.SetAlpha(0.4, "Multiply")
		e.pdf.Rect(x, y, w, h, "F")
		e.pdf.SetAlpha(1, "Normal")
	case "text":
		e.text(at, k.Text)
	}
}

// pin is a disc with one or two letters.
func (e *easel) pin(at fpdf.PointType, letters string) {
	r := 7 * e.line
	e.pdf.SetFillColor(255, 255, 255)
	e.pdf.Circle(at.X, at.Y, r+e.line*0.8, "F")
	e.pdf.SetFillColor(e.ink[0], e.ink[1], e.ink[2])
	e.pdf.Circle(at.X, at.Y, r, "F")
	if letters == "" {
		return
	}
	e.pdf.SetTextColor(255, 255, 255)
	if light(e.ink) {
		e.pdf.SetTextColor(0, 0, 0)
	}
	st := print.Style{Bold: true, Size: 8 * e.line * mm}
	l := e.set.Line(letters)
	if wide := e.set.Width(l, st); wide > 1.6*r {
		st.Size *= 1.6 * r / wide
	}
	// Capitals are about seven tenths of their size high.
	e.set.Set(at.X-e.set.Width(l, st)/2, at.Y+0.36*st.Size/mm, l, st)
}

// path draws a line through points.
func (e *easel) path(at []fpdf.PointType, closed bool) {
	e.pdf.MoveTo(at[0].X, at[0].Y)
	for _, p := range at[1:] {
		e.pdf.LineTo(p.X, p.Y)
	}
	if closed {
		e.pdf.ClosePath()
	}
	e.pdf.DrawPath("D")
}

// measure writes what a line measures, in the middle of its points, and dots where they are.
func (e *easel) measure(at []fpdf.PointType, value string) {
	middle := fpdf.PointType{}
	for _, p := range at {
		e.pdf.Circle(p.X, p.Y, 1.5*e.line, "F")
		middle.X, middle.Y = middle.X+p.X/float64(len(at)), middle.Y+p.Y/float64(len(at))
	}
	if value == "" {
		return
	}
	st := print.Style{Size: 8 * e.line * mm}
	wide := e.set.Width(e.set.Line(value), st) + 6*e.line // with its edges, and no less than the words take
	middle.X, middle.Y = middle.X-wide/2, middle.Y-1.5*st.Size/mm
	e.text([]fpdf.PointType{middle, {X: middle.X + wide, Y: middle.Y}}, value)
}

// camera is a pin that stands for a photo.
func (e *easel) camera(at fpdf.PointType) {
	e.pin(at, "")
	r := 7 * e.line
	e.pdf.SetFillColor(255, 255, 255)
	if light(e.ink) {
		e.pdf.SetFillColor(0, 0, 0)
	}
	e.pdf.Rect(at.X-0.55*r, at.Y-0.3*r, 1.1*r, 0.75*r, "F")
	e.pdf.Rect(at.X-0.2*r, at.Y-0.45*r, 0.4*r, 0.2*r, "F")
	e.pdf.SetFillColor(e.ink[0], e.ink[1], e.ink[2])
	e.pdf.Circle(at.X, at.Y+0.07*r, 0.24*r, "F")
}

// cloud is a rectangle of arcs that bulge outwards.
func (e *easel) cloud(x, y, w, h float64) {
	corners := [5]fpdf.PointType{{X: x, Y: y}, {X: x + w, Y: y}, {X: x + w, Y: y + h}, {X: x, Y: y + h}, {X: x, Y: y}}
	e.pdf.MoveTo(x, y)
	for i := range 4 {
		a, b := corners[i], corners[i+1]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		if length == 0 {
			continue
		}
		n := min(max(1, math.Round(length/(11*e.line))), 500)
		dx, dy := (b.X-a.X)/n, (b.Y-a.Y)/n
		// Clockwise, y down: outside lies to the left. Two thirds of a chord make a half circle of it.
		ox, oy := dy*2/3, -dx*2/3
		for range int(n) {
			e.pdf.CurveBezierCubicTo(a.X+ox, a.Y+oy, a.X+dx+ox, a.Y+dy+oy, a.X+dx, a.Y+dy)
			a.X, a.Y = a.X+dx, a.Y+dy
		}
	}
	e.pdf.DrawPath("D")
}

// arrow is a line with a head at its end.
func (e *easel) arrow(from, to fpdf.PointType) {
	length := math.Hypot(to.X-from.X, to.Y-from.Y)
	if length == 0 {
		return
	}
	ux, uy := (to.X-from.X)/length, (to.Y-from.Y)/length
	head := min(8*e.line, length)
	back := fpdf.PointType{X: to.X - ux*head, Y: to.Y - uy*head}
	e.pdf.Line(from.X, from.Y, back.X, back.Y)
	half := head * 0.4
	e.pdf.Polygon([]fpdf.PointType{
		to, {X: back.X - uy*half, Y: back.Y + ux*half}, {X: back.X + uy*half, Y: back.Y - ux*half},
	}, "FD")
}

// text sets words on a white ground: inside a box, or from a point as far as the sheet goes.
func (e *easel) text(at []fpdf.PointType, words string) {
	st := print.Style{Size: 8 * e.line * mm}
	pad := 2.5 * e.line
	x, y, width := at[0].X, at[0].Y, e.w-at[0].X
	if len(at) > 1 {
		x, y, width = min(x, at[1].X), min(y, at[1].Y), math.Abs(at[1].X-x)
	}
	lines := e.set.Most(200, words, st, max(width-2*pad, st.Size/mm))
	if len(lines) == 0 {
		return
	}
	widest := 0.0
	for _, l := range lines {
		widest = max(widest, e.set.Width(l, st))
	}
	step := 1.3 * st.Size / mm
	w, h := widest+2*pad, float64(len(lines))*step+2*pad
	if len(at) > 1 {
		w, h = max(w, width), max(h, math.Abs(at[1].Y-at[0].Y))
	}
	e.pdf.SetFillColor(255, 255, 255)
	e.pdf.SetAlpha(0.85, "Normal")
	e.pdf.Rect(x, y, w, h, "F")
	e.pdf.SetAlpha(1, "Normal")
	e.pdf.SetLineWidth(e.line / 2)
	e.pdf.Rect(x, y, w, h, "D")
	e.pdf.SetTextColor(e.ink[0], e.ink[1], e.ink[2])
	for i, l := range lines {
		e.set.Put(x+pad, y+pad+float64(i)*step+st.Size/mm, w-2*pad, l, st)
	}
}

// colour reads #RRGGBB; what is none is red.
func colour(hex string) [3]int {
	v, err := strconv.ParseUint(hex[min(1, len(hex)):], 16, 32)
	if err != nil || len(hex) != 7 {
		return [3]int{255, 0, 0}
	}
	return [3]int{int(v >> 16 & 255), int(v >> 8 & 255), int(v & 255)}
}

// light tells whether black is read better on a colour than white.
func light(c [3]int) bool { return 299*c[0]+587*c[1]+114*c[2] > 160_000 }

// overlay writes what was drawn into the packet.
func (b *binder) overlay() error {
	if b.marks.pdf.PageNo() == 0 {
		return nil
	}
	var out bytes.Buffer
	if err := b.marks.pdf.Output(&out); err != nil {
		return fmt.Errorf("the marks cannot be drawn: %w", err)
	}
	src, err := read(bytes.NewReader(out.Bytes()))
	if err != nil {
		return err
	}
	for i, object := range b.covers {
		p, err := src.page(i + 1)
		if err != nil {
			return err
		}
		f, err := b.copyPage(p, 0)
		if err != nil {
			return err
		}
		f.pinned = append(f.pinned, b.marks.leads(b, i)...)
		if err := b.bind(object, f); err != nil {
			return err
		}
	}
	for _, d := range b.marks.drawn {
		if err := b.form(src, d); err != nil {
			return err
		}
	}
	return nil
}

// form writes a page as something that is drawn on another one.
func (b *binder) form(src *source, d drawn) error {
	p, err := src.page(d.number)
	if err != nil {
		return err
	}
	content, _, err := src.ctx.DereferenceStreamDict(p.dict["Contents"])
	if err != nil || content == nil {
		return fmt.Errorf("the marks cannot be read: %w", err)
	}
	resources, err := b.dict(src, p.resources, 0, nil)
	if err != nil {
		return err
	}
	shared, err := b.put(body{text: resources})
	if err != nil {
		return err
	}
	head, err := b.dict(src, content.Dict, 0, map[string]string{
		"Type": "/XObject", "Subtype": "/Form", "BBox": fmt.Sprintf("[0 0 %s %s]", number(d.w), number(d.h)),
		"Resources": fmt.Sprintf("%d 0 R", shared),
		"Length":    fmt.Sprint(len(content.Raw)),
	})
	if err != nil {
		return err
	}
	return b.writeBody(d.object, body{head, true, content.Raw})
}
