package report

import (
	"fmt"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"groundwork/internal/drawing/print"
)

// ink is a colour.
type ink [3]int

// The colours are few and quiet: a report is about what is on its photographs.
var (
	black  = ink{31, 41, 51}
	grey   = ink{104, 117, 130}
	line   = ink{214, 220, 226}
	shade  = ink{244, 246, 248}
	accent = ink{29, 78, 104}
	alarm  = ink{178, 58, 40}
	white  = ink{255, 255, 255}

	hues = map[string]ink{
		"open": {196, 92, 62}, "in_review": {217, 164, 65}, "pending": {107, 143, 181}, "closed": {95, 143, 106},
	}
)

// The styles of text.
var (
	headline = print.Style{Bold: true, Size: 24}
	heading  = print.Style{Bold: true, Size: 13}
	strong   = print.Style{Bold: true, Size: 9}
	body     = print.Style{Size: 9}
	small    = print.Style{Size: 8}
	label    = print.Style{Size: 7}
	caption  = print.Style{Size: 7.5}
)

// leading is how far apart lines are.
func leading(s print.Style) float64 { return s.Size * 25.4 / 72 * 1.38 }

// ascent is how far the baseline lies below the top of a line.
func ascent(s print.Style) float64 { return s.Size * 25.4 / 72 * 1.06 }

const margin = 18.0

// paper is a document in the making: text flows down, and over to the next page. All lengths are millimetres.
type paper struct {
	pdf *fpdf.Fpdf
	*print.Setter
	front                    *Front
	left, right, top, bottom float64
	y                        float64
	zone                     *time.Location
	pictures                 Pictures
	// over is what stands at the top of a page to which something goes on; first is where the page then begins.
	over  string
	first float64
}

func newPaper(f *Front, kind string, pictures Pictures) *paper {
	size := "A4"
	if f.Letter {
		size = "Letter"
	}
	pdf := fpdf.New("P", "mm", size, "")
	pdf.SetAutoPageBreak(false, 0)
	pdf.SetCreationDate(time.UnixMicro(f.At).UTC())
	pdf.SetModificationDate(time.UnixMicro(f.At).UTC())
	pdf.SetTitle(f.Title, true)
	pdf.SetSubject(kind+", "+f.Project, true)
	pdf.SetAuthor(f.By, true)
	pdf.SetCreator("Groundwork", true)
	pdf.SetLang("en")
	w, h := pdf.GetPageSize()
	return &paper{
		pdf: pdf, Setter: print.New(pdf), front: f, left: margin, right: w - margin, top: margin + 8,
		bottom: h - margin - 6, zone: f.zone(), pictures: pictures,
	}
}

func (p *paper) width() float64 { return p.right - p.left }

func (p *paper) color(c ink) { p.pdf.SetTextColor(c[0], c[1], c[2]) }

func (p *paper) fill(c ink, x, y, w, h float64) {
	p.pdf.SetFillColor(c[0], c[1], c[2])
	p.pdf.Rect(x, y, w, h, "F")
}

func (p *paper) rule(c ink, x0, x1, y, thick float64) {
	p.pdf.SetDrawColor(c[0], c[1], c[2])
	p.pdf.SetLineWidth(thick)
	p.pdf.Line(x0, y, x1, y)
}

// turn begins a page.
func (p *paper) turn() {
	p.pdf.AddPage()
	p.y = p.top
	if p.over != "" {
		p.block([]print.Line{p.Fit(p.over, strong, p.width())}, strong, grey, p.left, p.y, p.width())
		p.y += leading(strong) + 2
	}
	p.first = p.y
}

// need makes sure that there is room for something that is not to be torn apart. What is higher than a page gets a
// page.
func (p *paper) need(height float64) (turned bool) {
	if p.y+height <= p.bottom || p.y == p.first {
		return false
	}
	p.turn()
	return true
}

// flow sets lines one below the other, over as many pages as they take.
func (p *paper) flow(lines []print.Line, st print.Style, c ink, x, width float64) {
	for _, l := range lines {
		p.need(leading(st))
		p.color(c)
		p.Put(x, p.y+ascent(st), width, l, st)
		p.y += leading(st)
	}
}

// block sets lines at a place, and gives how high they are.
func (p *paper) block(lines []print.Line, st print.Style, c ink, x, y, width float64) float64 {
	p.color(c)
	for i, l := range lines {
		p.Put(x, y+float64(i)*leading(st)+ascent(st), width, l, st)
	}
	return float64(len(lines)) * leading(st)
}

// section is a heading, which never stands alone at the foot of a page.
func (p *paper) section(text string, below float64) {
	p.need(leading(heading) + below)
	p.flow([]print.Line{p.Fit(text, heading, p.width())}, heading, accent, p.left, p.width())
	p.y += 2
}

// finish says on every page but the cover what it belongs to, and on all which one it is of how many.
func (p *paper) finish(w io.Writer, kind string, cover bool) error {
	if p.Lacks() {
		p.need(14)
		p.y += 6
		p.flow(p.Lines("□ stands for characters of scripts for which this report has no typeface. The spreadsheet and the CSV of the same report have them all.", caption, p.width()),
			caption, grey, p.left, p.width())
	}
	pages := p.pdf.PageCount()
	_, height := p.pdf.GetPageSize()
	foot := height - margin + 3
	for n := 1; n <= pages; n++ {
		p.pdf.SetPage(n)
		p.color(grey)
		if n > 1 || !cover {
			p.Set(p.left, margin, p.Fit(p.front.Project, small, p.width()*0.45), small)
			p.Right(p.right, margin, p.Fit(p.front.Title, small, p.width()*0.5), small)
			p.rule(line, p.left, p.right, margin+2.4, 0.2)
		}
		p.rule(line, p.left, p.right, foot-5, 0.2)
		p.Set(p.left, foot, p.Line(kind+" · "+at(p.front.At, p.zone).Format(timeForm+" MST")), caption)
		p.Right(p.right, foot, p.Line(fmt.Sprintf("Page %d of %d", n, pages)), caption)
	}
	p.pdf.SetPage(pages)
	return p.pdf.Output(w)
}
