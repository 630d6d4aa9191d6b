// Package packet owns putting sheets together into one PDF: their pages in order with what is drawn on them, bookmarks,
// links from sheet to sheet, and a cover with an index. It reads bytes from outside, so only a child process calls it.
// It refuses to know records, and everything of ours but how letters are set.
package packet

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"groundwork/internal/fault"
)

// Packet is what to put together.
type Packet struct {
	// Title is what the whole is called.
	Title string
	// Cover, where it is not nil, comes first, with an index.
	Cover *Cover
	// Sheets are those that are in it, each once; Order is which of them each page shows, where that is not each sheet
	// once.
	Sheets []Sheet
	Order  []int
}

// Pages is which sheet each page shows.
func (p *Packet) Pages() []int {
	if len(p.Order) > 0 {
		return p.Order
	}
	all := make([]int, len(p.Sheets))
	for i := range all {
		all[i] = i
	}
	return all
}

// Cover is what the first page says beside the index.
type Cover struct {
	// Project stands large above, Note small below it.
	Project, Note string
}

// Sheet is a page of the packet, or several that are alike.
type Sheet struct {
	// File says which file it is the first page of; several sheets may share one.
	File int
	// Name is its number, Title what it shows, Version the set it came with.
	Name, Title, Version string
	Marks                []Mark
	Links                []Link
}

// Mark is something drawn on a sheet. Points are parts of the width and height as displayed, from the top left corner.
type Mark struct {
	// Kind is stamp, rectangle, cloud, ellipse, line, arrow, pen, highlight, text, photo or measure. A measure has its
	// value as Text.
	Kind string
	// Width is how thick its lines are, as a multiple of the usual thickness; 0 is the usual one.
	Width float64
	// Closed is whether its last point is joined to its first.
	Closed bool
	// Color is like #FF0000.
	Color       string
	Stamp, Text string
	Points      []Point
}

// Point is a place on a sheet, from 0 to 1.
type Point struct{ X, Y float64 }

// Link is a place on a sheet that leads to another one, by its place among the sheets: to the first page that shows it.
type Link struct {
	Sheet          int
	X0, Y0, X1, Y1 float64
}

// Source opens a file by its number, as a whole PDF. Mended is asked when what Source gave cannot be read: it gives the
// page as another library copies it.
type Source struct {
	Open, Mended func(file int) (io.ReadSeekCloser, error)
	// Marks, where it is not nil, gives what is drawn on a sheet, in place of what the sheet has itself.
	Marks func(sheet int) ([]Mark, error)
	// Begins is told which page is next.
	Begins func(page int)
	// Within is how long one sheet may take.
	Within time.Duration
}

// Write puts the packet together: fault.Invalid names the sheet that cannot be read.
func Write(w io.Writer, p *Packet, from Source) error {
	b := newBinder(w, p)
	for i, at := range b.order {
		from.Begins(i)
		done := make(chan error, 1)
		go func() { done <- b.add(i, at, from) }()
		select {
		case err := <-done:
			if err != nil {
				return err
			}
		case <-time.After(from.Within): // no library can be told to stop; the process ends soon
			return fault.New(fault.Invalid,
				"Sheet %s cannot be put into the packet: its file could not be read within %v.", p.Sheets[at].Name,
				from.Within)
		}
	}
	return b.finish()
}

// binder is a packet under way.
type binder struct {
	*writer
	packet *Packet
	// order is which sheet each page shows, first where each sheet is first, times how often it is shown.
	order, first, times []int
	// faces are the sheets that are shown again, as they were written the first time.
	faces map[int]*face
	// pages are the objects of the sheets' pages, covers those of the cover's.
	pages, covers []int
	marks         *marks
}

func newBinder(w io.Writer, p *Packet) *binder {
	b := &binder{writer: newWriter(w), packet: p, marks: newMarks(), order: p.Pages(), faces: map[int]*face{}}
	b.first, b.times = make([]int, len(p.Sheets)), make([]int, len(p.Sheets))
	for i, at := range b.order {
		if b.times[at] == 0 {
			b.first[at] = i
		}
		b.times[at]++
	}
	if p.Cover != nil {
		b.covers = b.reserve(b.marks.cover(p))
	}
	b.pages = b.reserve(len(b.order))
	return b
}

// add writes page i, which shows a sheet. What the first library refuses, the second may still copy. A sheet that was
// shown before is not read again: all of it but what is pinned to one page alone is in the packet already.
func (b *binder) add(i, at int, from Source) error {
	if f := b.faces[at]; f != nil {
		return b.bind(b.pages[i], f)
	}
	s := &b.packet.Sheets[at]
	drawn := s.Marks
	if from.Marks != nil {
		var err error
		if drawn, err = from.Marks(at); err != nil {
			return err
		}
	}
	f, err := b.page(s, drawn, from.Open)
	var unreadable *readError
	if errors.As(err, &unreadable) {
		f, err = b.page(s, drawn, from.Mended)
	}
	if errors.As(err, &unreadable) || fault.Is(err, fault.Invalid) && !errors.Is(err, errTooLarge) {
		return &fault.Error{
			Kind:    fault.Invalid,
			Message: fmt.Sprintf("Sheet %s cannot be put into the packet: its file is damaged.", s.Name), Cause: err,
		}
	}
	if err != nil {
		return err
	}
	if b.times[at] > 1 {
		b.faces[at] = f
	}
	return b.bind(b.pages[i], f)
}

// bind writes a page: the face of its sheet, and what is pinned to it, which no two pages may share.
func (b *binder) bind(page int, f *face) (err error) {
	var pinned []string
	for _, body := range f.pinned {
		if pinned, err = b.pin(pinned, body); err != nil {
			return err
		}
	}
	return b.write(page, "<<"+f.entries+"/Annots["+strings.Join(pinned, " ")+"]>>")
}

// readError is about a file that was brought, not about the packet.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// page writes what the page of a sheet refers to, as a library reads it, and gives the rest.
func (b *binder) page(s *Sheet, drawn []Mark, open func(int) (io.ReadSeekCloser, error)) (f *face, err error) {
	in, err := open(s.File)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	src, err := read(in)
	if err != nil {
		return nil, err
	}
	page, err := src.page(1)
	if err != nil {
		return nil, err
	}
	overlay := 0
	if len(drawn) > 0 {
		overlay = b.reserve(1)[0]
	}
	if f, err = b.copyPage(page, overlay); err != nil {
		return nil, err
	}
	f.pinned = append(f.pinned, b.links(page, s)...)
	if overlay != 0 {
		b.marks.draw(page, overlay, drawn)
	}
	return f, nil
}

// finish writes the cover, what is drawn, the bookmarks and the end of the file.
func (b *binder) finish() error {
	if err := b.overlay(); err != nil {
		return err
	}
	outline, err := b.outline()
	if err != nil {
		return err
	}
	root, err := b.tree()
	if err != nil {
		return err
	}
	catalog := b.reserve(2)
	err = errors.Join(
		b.write(catalog[0], fmt.Sprintf("<</Type/Catalog/Pages %d 0 R/Outlines %d 0 R/PageMode/UseOutlines>>", root,
			outline)),
		b.write(catalog[1], fmt.Sprintf("<</Title %s/Producer(Groundwork)>>", text(b.packet.Title))),
	)
	if err != nil {
		return err
	}
	return b.end(catalog[0], catalog[1])
}

// tree writes the one node that holds all pages, whose number they know already.
func (b *binder) tree() (int, error) {
	kids := ""
	for _, n := range append(b.covers, b.pages...) {
		kids += fmt.Sprintf("%d 0 R ", n)
	}
	return b.root, b.write(b.root, fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(b.covers)+len(b.pages), kids))
}

// outline writes the bookmarks, one for each sheet and one for the index.
func (b *binder) outline() (int, error) {
	type entry struct {
		title string
		page  int
	}
	var entries []entry
	if len(b.covers) > 0 {
		entries = append(entries, entry{"Index", b.covers[0]})
	}
	for i, at := range b.order {
		entries = append(entries, entry{b.packet.Sheets[at].label(), b.pages[i]})
	}
	n := b.reserve(1 + len(entries))
	for i, e := range entries {
		item := fmt.Sprintf("<</Title %s/Parent %d 0 R/Dest[%d 0 R/Fit]", text(e.title), n[0], e.page)
		if i > 0 {
			item += fmt.Sprintf("/Prev %d 0 R", n[i])
		}
		if i+1 < len(entries) {
			item += fmt.Sprintf("/Next %d 0 R", n[i+2])
		}
		if err := b.write(n[i+1], item+">>"); err != nil {
			return 0, err
		}
	}
	return n[0], b.write(n[0],
		fmt.Sprintf("<</Type/Outlines/First %d 0 R/Last %d 0 R/Count %d>>", n[1], n[len(n)-1], len(entries)))
}

// label is a sheet in a list: its number and its title.
func (s *Sheet) label() string {
	if s.Title == "" {
		return s.Name
	}
	return s.Name + " " + s.Title
}
