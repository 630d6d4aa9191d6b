package packet

import (
	"fmt"

	"groundwork/internal/drawing/print"
)

// The cover is US Letter, upright; lengths are millimetres.
const (
	coverW, coverH = 215.9, 279.4
	edge           = 19.0
	headEnds       = 64.0 // where the index begins on the first page
	indexBegins    = 30.0 // and on others
	rowHeight      = 6.4
	numberEnds     = edge + 30
	titleEnds      = coverW - edge - 62
	versionEnds    = coverW - edge - 14
)

var (
	rowStyle  = print.Style{Size: 9.5}
	rowStrong = print.Style{Size: 9.5, Bold: true}
	smallText = print.Style{Size: 8}
	dark      = [3]int{24, 32, 44}
	grey      = [3]int{104, 112, 124}
	faint     = [3]int{214, 218, 224}
	accent    = [3]int{224, 122, 32}
)

// spot is a place on a page of the cover that leads to one of the sheets, to, in points from the bottom left corner.
type spot struct {
	page, to       int
	x0, y0, x1, y1 float64
}

// rows is how many lines the index has room for, on the first page and on others.
func rows(first bool) int {
	begins := indexBegins
	if first {
		begins = headEnds
	}
	return int((coverH - edge - 6 - begins) / rowHeight)
}

// cover draws the cover with its index and gives how many pages it has.
func (m *marks) cover(p *Packet) int {
	pages, order := 1, p.Pages()
	for room := rows(true); room < len(order); room += rows(false) {
		pages++
	}
	next := 0
	for at := range pages {
		m.turn(coverW*mm, coverH*mm)
		y := indexBegins
		if at == 0 {
			m.head(p)
			y = headEnds
		}
		m.columns(y)
		for range rows(at == 0) {
			if next == len(order) {
				break
			}
			m.row(&p.Sheets[order[next]], at, next, y, pages+next+1)
			next++
			y += rowHeight
		}
		m.ink(grey)
		m.set.Set(edge, coverH-edge+6, m.set.Fit(p.Cover.Project, smallText, 130), smallText)
		m.set.Right(coverW-edge, coverH-edge+6, m.set.Line(fmt.Sprintf("Index, page %d of %d", at+1, pages)), smallText)
	}
	return pages
}

// head draws the name of the project.
func (m *marks) head(p *Packet) {
	m.pdf.SetFillColor(accent[0], accent[1], accent[2])
	m.pdf.Rect(edge, edge, 14, 1.6, "F")
	st := print.Style{Size: 25, Bold: true}
	lines := m.set.Most(2, p.Cover.Project, st, coverW-2*edge)
	if len(lines) > 1 {
		st.Size = 19
		lines = m.set.Most(2, p.Cover.Project, st, coverW-2*edge)
	}
	m.ink(dark)
	y := edge + 14.0
	for _, l := range lines {
		m.set.Put(edge, y, coverW-2*edge, l, st)
		y += 8.6
	}
	m.ink(grey)
	small := print.Style{Size: 11}
	m.set.Set(edge, y+0.5, m.set.Fit(p.Cover.Note, small, coverW-2*edge), small)
}

// columns draws the head of the index above y.
func (m *marks) columns(y float64) {
	m.ink(grey)
	for _, c := range []struct {
		x    float64
		name string
	}{{edge, "Sheet"}, {numberEnds, "Title"}, {titleEnds + 4, "Version"}} {
		m.set.Set(c.x, y-2.4, m.set.Line(c.name), smallText)
	}
	m.set.Right(coverW-edge, y-2.4, m.set.Line("Page"), smallText)
	m.pdf.SetDrawColor(dark[0], dark[1], dark[2])
	m.pdf.SetLineWidth(0.35)
	m.pdf.Line(edge, y, coverW-edge, y)
}

// row draws the line of a sheet; all of it leads there.
func (m *marks) row(s *Sheet, cover, to int, y float64, page int) {
	base := y + 4.4
	m.ink(dark)
	m.set.Put(edge, base, numberEnds-edge-3, m.set.Fit(s.Name, rowStrong, numberEnds-edge-3), rowStrong)
	m.set.Put(numberEnds, base, titleEnds-numberEnds, m.set.Fit(s.Title, rowStyle, titleEnds-numberEnds), rowStyle)
	m.ink(grey)
	m.set.Put(titleEnds+4, base, versionEnds-titleEnds-4, m.set.Fit(s.Version, smallText, versionEnds-titleEnds-4),
		smallText)
	m.set.Right(coverW-edge, base, m.set.Line(fmt.Sprint(page)), rowStyle)
	m.pdf.SetDrawColor(faint[0], faint[1], faint[2])
	m.pdf.SetLineWidth(0.15)
	m.pdf.Line(edge, y+rowHeight, coverW-edge, y+rowHeight)
	m.spots = append(m.spots, spot{
		cover, to, edge * mm, (coverH - y - rowHeight) * mm, (coverW - edge) * mm, (coverH - y) * mm,
	})
}

// ink is the colour of letters.
func (m *marks) ink(c [3]int) { m.pdf.SetTextColor(c[0], c[1], c[2]) }

// leads gives the bodies of the links of a page of the cover.
func (m *marks) leads(b *binder, cover int) (out []string) {
	for _, s := range m.spots {
		if s.page == cover {
			out = append(out, b.lead(s.x0, s.y0, s.x1, s.y1, s.to))
		}
	}
	return out
}
