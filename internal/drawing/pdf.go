package drawing

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"groundwork/internal/fault"
)

// Size is how large a page is as displayed, in points.
type Size struct{ Width, Height float64 }

// The limits of what is read of a PDF.
const (
	// MostPages is how many pages one file may have.
	MostPages = 5000
	// mostInches is how wide and high a page may be.
	mostInches = 200
	// mostChars is how many characters one page may have.
	mostChars = 300_000
	// mostRendered is how many pixels a rendering has at most; larger pages are rendered coarser.
	mostRendered = 72_000_000
)

// pageOrder says which page is meant, counted from 1, and how large its picture should be.
type pageOrder struct {
	Page int
	DPI  float64
	Side int
	Band int // bytes of a picture that are drawn at once; 0: all
	Area Area
}

// Pages gives the size of every page of a PDF. fault.Invalid says what is wrong with the file, here as in all calls
// about PDFs.
func (f *File) Pages(ctx context.Context) ([]Size, error) {
	var sizes []Size
	if _, err := f.do(ctx, "The PDF", "pages", struct{}{}, &sizes); err != nil {
		return nil, err
	}
	if len(sizes) > MostPages {
		return nil, errHostile
	}
	for i, s := range sizes {
		if !(min(s.Width, s.Height) > 0 && max(s.Width, s.Height) <= mostInches*72+1) {
			sizes[i] = Size{}
		}
	}
	return sizes, nil
}

// Render makes a PNG of one page with so many dots an inch. A page that would have more pixels than are drawn is drawn
// coarser.
func (f *File) Render(ctx context.Context, page int, dpi float64) (Picture, error) {
	return f.picture(ctx, "render", pageOrder{Page: page, DPI: dpi})
}

// Thumbnail makes a JPEG of one page that fits into a square.
func (f *File) Thumbnail(ctx context.Context, page, side int) (Picture, error) {
	return f.picture(ctx, "thumbnail", pageOrder{Page: page, Side: side})
}

// Area is a part of a page, from 0 to 1 of its width and height, from the top left corner.
type Area struct{ X0, Y0, X1, Y1 float64 }

// Detail makes a JPEG of a part of one page that fits into a square.
func (f *File) Detail(ctx context.Context, page, side int, part Area) (Picture, error) {
	return f.picture(ctx, "detail", pageOrder{Page: page, Side: side, Area: part})
}

// Split gives the path of a PDF that has this one page; it vanishes with f.
func (f *File) Split(ctx context.Context, page int) (string, error) {
	p, err := f.picture(ctx, "split", pageOrder{Page: page})
	return p.Path, err
}

// tileOrders are the ways in which a page is drawn for its tiles, in turn: whole; in bands, by a child that may take
// twice the memory; and coarser.
var tileOrders = []struct {
	task  string
	order pageOrder
}{
	{"tiles", pageOrder{DPI: tileDPI}},
	{bandsTask, pageOrder{DPI: tileDPI, Band: 64 << 20}},
	{bandsTask, pageOrder{DPI: tileDPI / 2, Band: 16 << 20}},
	{bandsTask, pageOrder{DPI: tileDPI / 4, Band: 8 << 20}},
}

// bandsTask draws tiles once more, with more memory, by one child at a time.
const bandsTask = "bands"

// Tiles makes the archive of one page's tiles and gives its path; it vanishes with f. OpenTiles reads it. Where the
// page can only be drawn coarser than others, note says so.
func (f *File) Tiles(ctx context.Context, page int) (made Picture, note string, err error) {
	var first error
	for i, one := range tileOrders {
		o := one.order
		o.Page = page
		// What is slow is slow in bands too: only the coarsest is worth the wait.
		if i < len(tileOrders)-1 && errors.Is(first, errSlow) {
			continue
		}
		made, err = f.picture(ctx, one.task, o)
		if err == nil && o.DPI < tileDPI {
			note = fmt.Sprintf("The sheet is shown with %.0f dots to the inch in place of %.0f: %s", o.DPI,
				float64(tileDPI), fault.Of(first).Message)
		}
		if err == nil || !fault.Is(err, fault.Invalid) {
			return made, note, err
		}
		if first == nil {
			first = err
		}
	}
	return Picture{}, "", first
}

func (f *File) picture(ctx context.Context, task string, o pageOrder) (Picture, error) {
	var p Picture
	place, err := f.do(ctx, name(o.Page), task, o, &p)
	if err != nil {
		return Picture{}, err
	}
	p.in(place)
	return p, nil
}

// name is how a page is called in a sentence about it.
func name(page int) string { return fmt.Sprintf("Page %d", page) }

// in makes the name that a child gave a path; it cannot lead out of the folder.
func (p *Picture) in(place string) { p.Path = filepath.Join(place, filepath.Base(p.Path)) }
