// Package read finds what a drawing says about itself in the places of its letters: sheet number, title, date,
// discipline, scale, and the references to other sheets. Pages are taken one at a time (Take), each leaving a small
// Leaf; when all have passed, Set lets them vote where their common title block is and reads it. All of that computes
// on what a stranger wrote, so it is done by the workers of package drawing and nowhere else; what they answer goes
// through Checked. It refuses to open files, and knows drawings only as letters with places: nothing in it comes from,
// or is adjusted to, the program that draws sets for tests.
package read

import (
	"fmt"
	"path"
	"strings"
)

// Box is a place on a page as displayed, in points from the top left corner.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Word is a word and its place.
type Word struct {
	Text string
	Box  Box
	// Doubt is how unsure the word is, from 0 to 1: 0 where the file says it, more where it was recognised.
	Doubt float64
}

// Line is words that stand on one base line close together.
type Line struct {
	Text  string
	Box   Box
	Size  float64
	Angle int
	Words []Word

	u0, u1, v float64 // along the direction of writing; down across it, in the middle of the line
}

// Callout is a reference from one sheet to another sheet of the set.
type Callout struct {
	// Target is the number of the other sheet, as its title block has it; Text is what stands here.
	Target, Text string
	Box          Box
}

// Value is something that was read, with how sure the reader is, from 0 to 1. A blank value has confidence 0.
type Value struct {
	Text       string
	Confidence float64
	Box        Box
}

// Sheet is what a page says about itself. Date is like 2026-03-14.
type Sheet struct {
	Number, Title, Date Value
	Callouts            []Callout
	// Discipline is what the sheet is about, in the words of its set; "" where nothing says it.
	Discipline string
	// Scale is how much larger things are than they are drawn, as the title block says: 100 for 1:100; 0 where it does
	// not say, or says several.
	Scale float64

	angle   int  // in which the number is written
	claimed bool // a name from outside of the page agrees with the number
	heard   witnesses
	titled  titleWitnesses
}

// Leaf is what is kept of a page until its set is complete.
type Leaf struct {
	width, height float64
	letters       [4]int // in each direction
	turned        int    // the direction that was turned upright
	numbers       []candidate
	edge          []Line // lines that may belong to a title block
	mentions      []mention
	heads         []head  // what may stand above the rows of a list of drawings
	claims        []claim // what names from outside of the page say
	names         []claim // what those names and that of the file call it, some without a number
}

// Take reads one page: its text in reading order, for search, and its leaf.
func Take(p Page) ([]Line, *Leaf) {
	chars, _ := repair(visible(p))
	lines := join(chars)
	lines = lines[:min(len(lines), mostLines)]
	return lines, leafOf(lines, p.Width, p.Height)
}

// Told is whether the characters of a page can be told: there are fonts that do not say which letters they show.
func Told(p Page) bool {
	_, ok := repair(visible(p))
	return ok
}

// Again makes the leaf of a page of the lines that Take gave, as they came back from where they were kept; none makes
// that of a page without text.
func Again(lines []Line, width, height float64) *Leaf {
	lines = sound(lines, width, height)
	for i := range lines {
		lines[i].place()
	}
	return leafOf(lines, width, height)
}

// place finds a line's extent in the frame of its direction.
func (l *Line) place() {
	l.u0, l.u1, _ = frame(l.Box, l.Angle)
	if len(l.Words) > 0 {
		_, _, l.v = frame(l.Words[0].Box, l.Angle)
	}
}

func leafOf(lines []Line, width, height float64) *Leaf {
	leaf := &Leaf{width: width, height: height}
	leaf.mentions = mentions(lines)
	leaf.heads = headings(lines, leaf.mentions)
	for _, l := range lines {
		leaf.letters[l.Angle/90] += len(l.Text)
		if nearEdge(l.Box, width, height) {
			leaf.edge = append(leaf.edge, l)
		}
	}
	leaf.edge = outermost(leaf.edge, mostEdge, width, height)
	leaf.numbers = candidates(leaf.edge)
	marks(lines, leaf.numbers)
	return leaf
}

// Set reads the title blocks of all pages of one set, in their order.
func Set(leaves []*Leaf) []Sheet { return SetWith(leaves, Evidence{}) }

// SetWith is Set with what else is known; where Pages is not nil, it has one for each leaf.
func SetWith(leaves []*Leaf, e Evidence) []Sheet {
	limit(leaves, len(leaves))
	for i, l := range leaves {
		var k *Kept
		if e.Pages != nil {
			k = &e.Pages[i]
		}
		l.hear(k)
	}
	leaves = upright(leaves)
	sheets := make([]Sheet, len(leaves))
	var families [][]int
	for _, group := range sizes(leaves) {
		families = append(families, readNumbers(leaves, group, sheets)...)
	}
	settle(leaves, sheets)
	listed := lists(leaves)
	weighNumbers(leaves, sheets, listed, e.Known)
	counted(leaves, sheets)
	blocks := newBlocks(leaves, sheets, families)
	blocks.titles()
	titlesFromLists(leaves, sheets, listed)
	weighTitles(leaves, sheets, listed)
	blocks.dates()
	blocks.scales()
	disciplines(sheets, listed)
	link(leaves, sheets)
	for i, leaf := range leaves {
		leaf.restore(&sheets[i])
	}
	curtail(sheets)
	return sheets
}

// Name is what a page is called that has no number: its file and its page.
func Name(file string, page int) string {
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	return fmt.Sprintf("%s p%03d", strings.TrimSuffix(base, path.Ext(base)), page)
}

// nearEdge keeps the outer quarter of a page: title blocks stand nowhere else.
func nearEdge(b Box, w, h float64) bool {
	x, y := (b.X0+b.X1)/2/w, (b.Y0+b.Y1)/2/h
	return min(x, y, 1-x, 1-y) < 0.26
}

func (b Box) mid() (x, y float64) { return (b.X0 + b.X1) / 2, (b.Y0 + b.Y1) / 2 }

func (b Box) join(o Box) Box {
	return Box{min(b.X0, o.X0), min(b.Y0, o.Y0), max(b.X1, o.X1), max(b.Y1, o.Y1)}
}
