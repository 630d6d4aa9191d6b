// Package packet owns putting sheets together into one PDF: their pages in order with what is drawn on them, bookmarks, links from sheet to sheet, and a cover
// with an index. It reads bytes from outside, so only a child process calls it. It refuses to know records, and everything of ours but how letters are set.
package packet

import (
	"errors"
	"fmt"
	"io"
	"time"

	"groundwork/internal/fault"
)

// Packet is what to put together.
type Packet struct {
	// Title is what the whole is called.
	Title string
	// Cover, where it is not nil, comes first, with an index.
	Cover  *Cover
	Sheets []Sheet
}

// Cover is what the first page says beside the index.
type Cover struct {
	// Project stands large above, Note small below it.
	Project, Note string
}

// Sheet is one page of the packet.
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
	// Kind is stamp, rectangle, cloud, ellipse, line, arrow, pen, highlight or text.
	Kind string
	// Color is like #FF0000.
	Color       string
	Stamp, Text string
	Points      []Point
}

// Point is a place on a sheet, from 0 to 1.
type Point struct{ X, Y float64 }

// Link is a place on a sheet that leads to another one of the packet, which it names by its place there.
type Link struct {
	Sheet          int
	X0, Y0, X1, Y1 float64
}

// Source opens a file by its number, as a whole PDF. Mended is asked when what Source gave cannot be read: it gives the page as another library copies it.
type Source struct {
	Open, Mended func(file int) (io.ReadSeekCloser, error)
	// Begins is told which sheet is next.
	Begins func(sheet int)
	// Within is how long one sheet may take.
	Within time.Duration
}

// Write puts the packet together: fault.Invalid names the sheet that cannot be read.
func Write(w io.Writer, p *Packet, from Source) error {
	b := newBinder(w, p)
	for i := range p.Sheets {
		from.Begins(i)
		done := make(chan error, 1)
		go func() { done <- b.add(i, from) }()
		select {
		case err := <-done:
			if err != nil {
				return err
			}
		case <-time.After(from.Within): // no library can be told to stop; the process ends soon
			return fault.New(fault.Invalid, "Sheet %s cannot be put into the packet: its file could not be read within %v.", p.Sheets[i].Name, from.Within)
		}
	}
	return b.finish()
}

// binder is a packet under way.
type binder struct {
	*writer
	packet *Packet
	// pages are the objects of the sheets' pages, covers those of the cover's.
	pages, covers []int
	marks         *marks
}

func newBinder(w io.Writer, p *Packet) *binder {
	b := &binder{writer: newWriter(w), packet: p, marks: newMarks()}
	if p.Cover != nil {
		b.covers = b.reserve(b.marks.cover(p))
	}
	b.pages = b.reserve(len(p.Sheets))
	return b
}

// add writes the page of a sheet. What the first library refuses, the second may still copy.
func (b *binder) add(i int, from Source) error {
	s := &b.packet.Sheets[i]
	err := b.page(i, s, from.Open)
	var unreadable *readError
	if errors.As(err, &unreadable) {
		err = b.page(i, s, from.Mended)
	}
	if errors.As(err, &unreadable) || fault.Is(err, fault.Invalid) {
		return &fault.Error{Kind: fault.Invalid, Message: fmt.Sprintf("Sheet %s cannot be put into the packet: its file is damaged.", s.Name), Cause: err}
	}
	return err
}

// readError is about a file that was brought, not about the packet.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// page writes the page of a sheet as a library reads it.
func (b *binder) page(i int, s *Sheet, open func(int) (io.ReadSeekCloser, error)) (err error) {
	in, err := open(s.File)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	src, err := read(in)
	if err != nil {
		return err
	}
	page, err := src.page(1)
	if err != nil {
		return err
	}
	overlay := 0
	if len(s.Marks) > 0 {
		overlay = b.reserve(1)[0]
	}
	links, err := b.links(page, s)
	if err != nil {
		return err
	}
	body, err := b.copyPage(page, overlay, links)
	if err != nil {
		return err
	}
	if overlay != 0 {
		b.marks.draw(page, overlay, s.Marks)
	}
	return b.write(b.pages[i], body)
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
		b.write(catalog[0], fmt.Sprintf("<</Type/Catalog/Pages %d 0 R/Outlines %d 0 R/PageMode/UseOutlines>>", root, outline)),
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
	for i, s := range b.packet.Sheets {
		entries = append(entries, entry{s.label(), b.pages[i]})
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
	return n[0], b.write(n[0], fmt.Sprintf("<</Type/Outlines/First %d 0 R/Last %d 0 R/Count %d>>", n[1], n[len(n)-1], len(entries)))
}

// label is a sheet in a list: its number and its title.
func (s *Sheet) label() string {
	if s.Title == "" {
		return s.Name
	}
	return s.Name + " " + s.Title
}
