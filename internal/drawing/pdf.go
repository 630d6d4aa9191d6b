package drawing

import (
	"context"
	"fmt"
	"path/filepath"
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
}

// Pages gives the size of every page of a PDF. fault.Invalid says what is wrong with the file, here as in all calls about PDFs.
func (f *File) Pages(ctx context.Context) ([]Size, error) {
	var sizes []Size
	_, err := f.do(ctx, "The PDF", "pages", struct{}{}, &sizes)
	return sizes, err
}

// Page reads one page, counted from 1: its size and its text.
func (f *File) Page(ctx context.Context, page int) (Page, error) {
	var p Page
	_, err := f.do(ctx, name(page), "text", pageOrder{Page: page}, &p)
	return p, err
}

// Render makes a PNG of one page with so many dots an inch. A page that would have more pixels than are drawn is drawn coarser.
func (f *File) Render(ctx context.Context, page int, dpi float64) (Picture, error) {
	return f.picture(ctx, "render", pageOrder{Page: page, DPI: dpi})
}

// Thumbnail makes a JPEG of one page that fits into a square.
func (f *File) Thumbnail(ctx context.Context, page, side int) (Picture, error) {
	return f.picture(ctx, "thumbnail", pageOrder{Page: page, Side: side})
}

// Split gives the path of a PDF that has this one page; it vanishes with f.
func (f *File) Split(ctx context.Context, page int) (string, error) {
	p, err := f.picture(ctx, "split", pageOrder{Page: page})
	return p.Path, err
}

// Tiles makes the archive of one page's tiles and gives its path; it vanishes with f. OpenTiles reads it.
func (f *File) Tiles(ctx context.Context, page int) (Picture, error) {
	return f.picture(ctx, "tiles", pageOrder{Page: page})
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
