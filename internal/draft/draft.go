// Package draft draws believable sets of construction drawings: a building made from a seed, on sheets with title
// blocks of many layouts, as a PDF file, and beside it the truth about every sheet: number, title, date and the
// references to other sheets. It feeds demonstrations and tests. It refuses to read drawings, and shares neither code
// nor constants with what reads them: a reader that knew how these were drawn would prove nothing.
package draft

import (
	"fmt"
	"io"
	"slices"
)

// Options say which set to draw. Equal options give equal bytes.
type Options struct {
	Seed uint64
	// Sheets is how many pages the set has; 0 is what the building needs.
	Sheets int
	// Layout is one of Layouts, Invented, or "" for one of Layouts that the seed chooses.
	Layout string
	// Unseen lets the seed of an invented layout also choose words, patterns, faces and forms that are kept from
	// whoever develops a reader.
	Unseen bool
	// Revision 0 is the first issue. Each further one moves a wall on some floors, clouds it, and adds a row to the
	// tables of revisions.
	Revision int
	// Plain leaves out what no demonstration wants: pages without text, turned pages and two pages with one number.
	Plain bool
}

// Set is the truth about a drawn set.
type Set struct {
	Project string
	Layout  string
	Pages   []Page
}

// Page is the truth about one page. Places are in points from the top left corner of the page as displayed.
type Page struct {
	Number, Title string
	// Date is like 2026-03-14.
	Date string
	// Discipline is what the index of the set has above it.
	Discipline    string
	Width, Height float64
	Rotate        int
	// Outlined pages have letters as shapes: nothing can be read from them.
	Outlined bool
	// Changed pages differ from the same page of the previous revision.
	Changed  bool
	Callouts []Callout
	// Glyphs are the letters in the order of drawing.
	Glyphs []Glyph
}

// Callout is a reference to another sheet of the set; Box is around the number of that sheet.
type Callout struct {
	Target string
	Text   string
	Box    Box
}

// Box is a rectangle as displayed.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Glyph is a letter with the room that its font gives it. Angle is the direction of writing in degrees, clockwise as
// displayed.
type Glyph struct {
	Rune        rune
	Box         Box
	Size, Angle float64
}

// Layouts names the families of title blocks, in a fixed order.
func Layouts() []string {
	names := make([]string, 0, len(layouts))
	for _, l := range layouts {
		names = append(names, l.name)
	}
	return names
}

// Write draws a set.
func Write(out io.Writer, o Options) (*Set, error) {
	if o.Layout != "" && o.Layout != Invented && !slices.Contains(Layouts(), o.Layout) {
		return nil, fmt.Errorf("There is no layout %q of title blocks.", o.Layout)
	}
	p := newProject(o)
	doc := newDocument()
	set := &Set{Project: p.name, Layout: p.layout.name}
	for i := range p.sheets {
		set.Pages = append(set.Pages, p.draw(doc, i))
	}
	return set, doc.write(out, p.name)
}
