// Package print owns setting text on the pages of a PDF: typefaces for the world's scripts, their directions and joined
// letters, and where lines end. It refuses to know what a page is about, and everything of ours.
package print

import (
	"strings"

	"codeberg.org/go-pdf/fpdf"
)

// Style is how letters look; Size is in points.
type Style struct {
	Bold bool
	Size float64
}

// Setter sets text on one document.
type Setter struct {
	pdf    *fpdf.Fpdf
	loaded [faces]bool
	lacks  bool
}

// New gives a setter for a document whose unit is the millimetre. Only typefaces that are used become part of it.
func New(pdf *fpdf.Fpdf) *Setter { return &Setter{pdf: pdf} }

// Lacks tells whether letters were set for which no typeface has a form; a box stands in their places.
func (s *Setter) Lacks() bool { return s.lacks }

// millimetres is how long a point is.
const millimetres = 25.4 / 72

// Line is one line of text, ready to be set.
type Line struct {
	text string
	// Right says that its paragraph runs from right to left.
	Right bool
}

// Line gives text as one line, however long.
func (s *Setter) Line(text string) Line {
	text = s.ready(strings.Join(strings.Fields(text), " "))
	return Line{text, rightward(text)}
}

// Width is how long a line is.
func (s *Setter) Width(l Line, st Style) float64 {
	sum := 0
	for _, r := range l.text {
		sum += advance(faceOf(r, st.Bold), r)
	}
	return float64(sum) * st.Size * millimetres / 1000
}

// Fit gives text as one line that is no longer than width; what had to go is shown by an ellipsis.
func (s *Setter) Fit(text string, st Style, width float64) Line {
	l := s.Line(text)
	if s.Width(l, st) <= width {
		return l
	}
	return s.cut(l, st, width)
}

func (s *Setter) cut(l Line, st Style, width float64) Line {
	runes := []rune(l.text)
	for n := len(runes); ; n-- {
		short := Line{strings.TrimRight(string(runes[:n]), " ") + "…", l.Right}
		if n == 0 || s.Width(short, st) <= width {
			return short
		}
	}
}

// Set puts a line on the page: x is where it begins on the left, y its baseline.
func (s *Setter) Set(x, y float64, l Line, st Style) {
	var run []rune
	var face int
	flush := func() {
		if len(run) == 0 {
			return
		}
		part := string(run)
		s.choose(face, st.Size)
		s.pdf.Text(x, y, part)
		x += s.Width(Line{text: part}, st)
		run = run[:0]
	}
	for _, r := range visual(l) {
		if f := faceOf(r, st.Bold); f != face || len(run) == 0 {
			flush()
			face = f
		}
		run = append(run, r)
	}
	flush()
}

// Put sets a line into a box of a width, at its beginning: on the left, or on the right where the script begins there.
func (s *Setter) Put(x, y, width float64, l Line, st Style) {
	if l.Right {
		x += width - s.Width(l, st)
	}
	s.Set(x, y, l, st)
}

// Right sets a line that ends at x.
func (s *Setter) Right(x, y float64, l Line, st Style) { s.Set(x-s.Width(l, st), y, l, st) }

// choose makes a typeface the document's current one.
func (s *Setter) choose(face int, size float64) {
	f := &shelf[face]
	if !s.loaded[face] {
		s.pdf.AddUTF8FontFromBytes(f.name, "", f.content())
		s.loaded[face] = true
	}
	s.pdf.SetFont(f.name, "", size)
}

// Mark adds a line to the document's outline, which viewers show beside the pages.
func (s *Setter) Mark(text string, level int, y float64) {
	s.choose(regular, 10) // the outline is written in the encoding of the current typeface
	s.pdf.Bookmark(plain(text), level, y)
}
