package store

import (
	"slices"
	"sync"
)

// Page is a window of a list. Release gives it back.
type Page struct {
	Clock, Seq int64 // what the page stands for
	Total      int
	More       bool  // with After: more records follow under the bound
	Last       int64 // with After: the last position of the window, an ordinal
	Bound      int64 // with After: the bound in force
	Cut        bool  // with Words: there was too much to look through, and further records may be found by them
	Rows       []Line
	text       []byte
	first      ID // of the rows that addNext adds
	grow       func(bytes int) error
	allowed    int // bytes of text that may be held without asking grow; with no grow it does not matter
}

// LargePage is how many bytes of documents a page holds without being counted: fifty records of the usual size have a
// fifth of it.
const LargePage = 256 << 10

// Line is a record in a page. Its bytes live as long as the page.
type Line struct {
	ID        ID
	Clock     int64
	Version   int
	Tally     []byte
	Doc       []byte
	tallyEnds int
	docEnds   int
}

var pages = sync.Pool{New: func() any { return &Page{} }}

// Release gives the page's memory back; nothing of it may be used afterwards.
func (p *Page) Release() {
	if cap(p.text) > 1<<20 {
		p.text = nil
	}
	pages.Put(p)
}

func (p *Page) clear() {
	*p = Page{Rows: p.Rows[:0], text: p.text[:0]}
}

// room asks whether the page may go on growing.
func (p *Page) room() error {
	if p.grow == nil || len(p.text) <= p.allowed {
		return nil
	}
	for p.allowed < len(p.text) {
		p.allowed *= 2
	}
	return p.grow(p.allowed)
}

// add adds a row of id, clock, tally, version and doc.
func (p *Page) add(c *Cols) error {
	p.line(ID(c.Int(0)), c, 1)
	return p.room()
}

// addNext adds a row of the same without its id, where one follows on another: asking for an id costs as much as asking
// for a clock.
func (p *Page) addNext(c *Cols) error {
	p.line(p.first+ID(len(p.Rows)), c, 0)
	return p.room()
}

// line adds a row whose clock is in column at. settle completes it.
func (p *Page) line(id ID, c *Cols, at int) {
	n := len(p.Rows)
	p.Rows = slices.Grow(p.Rows, 1)[:n+1]
	l := &p.Rows[n]
	l.ID, l.Clock, l.Version = id, c.Int(at), int(c.Int(at+2))
	p.text = c.Append(at+1, p.text)
	l.tallyEnds = len(p.text)
	p.text = c.Append(at+3, p.text)
	l.docEnds = len(p.text)
}

// settle points the lines at their bytes, now that these no longer move.
func (p *Page) settle() {
	at := 0
	for i := range p.Rows {
		l := &p.Rows[i]
		l.Tally, l.Doc = p.text[at:l.tallyEnds:l.tallyEnds], p.text[l.tallyEnds:l.docEnds:l.docEnds]
		at = l.docEnds
	}
}
