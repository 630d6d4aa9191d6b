package drawing

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json"

	"groundwork/internal/drawing/read"
)

// setTask reads a set as a whole.
const setTask = "set"

// PageText is what a page says: its text as a file, "" where it has none, and each of its words once. Untold is a page
// with characters that cannot be told, Bare one that tells nearly none: its letters may be shapes, or in a picture.
type PageText struct {
	Path, Words  string
	Untold, Bare bool
	// Note says what is missing.
	Note string
}

// in makes the name that a child gave a path, and checks what else it said.
func (t PageText) in(place string) PageText {
	if t.Path == "" {
		return PageText{Untold: t.Untold, Bare: t.Bare}
	}
	p := Picture{Path: t.Path}
	p.in(place)
	return PageText{Path: p.Path, Words: read.Clean(t.Words, read.MostWords), Bare: t.Bare}
}

// Text reads the text of one page, counted from 1. The file vanishes with f; read.Unpack reads it.
func (f *File) Text(ctx context.Context, page int) (PageText, error) {
	var t PageText
	place, err := f.do(ctx, name(page), "text", pageOrder{Page: page}, &t)
	if err != nil {
		return PageText{}, err
	}
	return t.in(place), nil
}

// ReadSet lets all pages of a set vote where their title block is, and gives what each says of itself; open gives the
// text of a page that has one. fault.Invalid says that the set as a whole takes too long or too much memory.
func (w *Workshop) ReadSet(ctx context.Context, e read.Evidence, open func(page int) (io.ReadCloser, error)) (
	sheets []read.Sheet, err error,
) {
	if plantedHere {
		return gather(e, open)
	}
	pages := e.Pages
	f, err := w.clear()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	err = several(len(pages), func(i int) error {
		if !pages[i].Text {
			return nil
		}
		in, err := open(i)
		if err != nil {
			return err
		}
		return f.bringNumber(i, in)
	}, func(int) {})
	if err != nil {
		return nil, err
	}
	if _, err := f.do(ctx, "The set", setTask, e, &sheets); err != nil {
		return nil, err
	}
	return read.Checked(sheets, pages)
}

// readSet is the task.
func readSet(o order) (any, error) {
	var e read.Evidence
	if err := json.Unmarshal(o.Details, &e); err != nil {
		return nil, err
	}
	return gather(e, func(i int) (io.ReadCloser, error) { return o.open(strconv.Itoa(i)) })
}

// gather reads the pages one after the other, and then all of them together.
func gather(e read.Evidence, open func(page int) (io.ReadCloser, error)) ([]read.Sheet, error) {
	pile := read.NewPile(len(e.Pages))
	for i, p := range e.Pages {
		var lines []read.Line
		if p.Text {
			in, err := open(i)
			if err != nil {
				return nil, err
			}
			text, err := read.Unpack(in)
			if err = errors.Join(err, in.Close()); err != nil {
				return nil, err
			}
			lines = text.AsRead()
		}
		pile.Add(read.Again(lines, p.Width, p.Height))
	}
	return pile.Set(e), nil
}
