package drawing

import (
	"context"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"groundwork/internal/drawing/read"
)

// Named is what a file calls a page, beside what stands on it: its label, and the bookmarks that lead to it.
type Named struct {
	Label     string
	Bookmarks []string
}

const (
	// mostNamed is how many bytes such a name has at most, mostMarks how many bookmarks of a page are kept.
	mostNamed, mostMarks = 200, 4
	// mostOutline is how many bookmarks of a file are looked at, deepestOutline how far below each other: a set of
	// 5,000 sheets has one for each, below its discipline.
	mostOutline, deepestOutline = 20_000, 8
)

// Names gives what the file calls each of its pages.
func (f *File) Names(ctx context.Context, pages int) ([]Named, error) {
	var names []Named
	if _, err := f.do(ctx, "The PDF", "names", struct{}{}, &names); err != nil {
		return nil, err
	}
	out := make([]Named, pages)
	for i := range names[:min(len(names), pages)] {
		out[i].Label = read.Clean(names[i].Label, mostNamed)
		for _, b := range names[i].Bookmarks[:min(len(names[i].Bookmarks), mostMarks)] {
			out[i].Bookmarks = append(out[i].Bookmarks, read.Clean(b, mostNamed))
		}
	}
	return out, nil
}

// namesTask is the task. A file whose names cannot be read has none.
func namesTask(d *document, _ pageOrder, _ maker) (any, error) {
	names := make([]Named, d.pages)
	for i := range names {
		label, err := d.lib.FPDF_GetPageLabel(&requests.FPDF_GetPageLabel{Document: d.handle, Page: i})
		if err == nil {
			names[i].Label = read.Clean(label.Label, mostNamed)
		}
	}
	left := mostOutline
	d.outline(nil, names, 1, &left)
	return names, nil
}

// outline goes through the bookmarks below one, or the topmost ones.
func (d *document) outline(above *references.FPDF_BOOKMARK, names []Named, depth int, left *int) {
	first, err := d.lib.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{
		Document: d.handle, Bookmark: above,
	})
	if err != nil || depth > deepestOutline {
		return
	}
	for at := first.Bookmark; at != nil && *left > 0; *left-- {
		d.bookmark(*at, names)
		d.outline(at, names, depth+1, left)
		next, err := d.lib.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{
			Document: d.handle, Bookmark: *at,
		})
		if err != nil {
			return
		}
		at = next.Bookmark
	}
}

// bookmark keeps the title of a bookmark with the page that it leads to.
func (d *document) bookmark(at references.FPDF_BOOKMARK, names []Named) {
	dest, err := d.lib.FPDFBookmark_GetDest(&requests.FPDFBookmark_GetDest{Document: d.handle, Bookmark: at})
	if err != nil || dest.Dest == nil {
		return
	}
	page, err := d.lib.FPDFDest_GetDestPageIndex(&requests.FPDFDest_GetDestPageIndex{
		Document: d.handle, Dest: *dest.Dest,
	})
	if err != nil || page.Index < 0 || page.Index >= len(names) || len(names[page.Index].Bookmarks) == mostMarks {
		return
	}
	title, err := d.lib.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: at})
	if err == nil && title.Title != "" {
		n := &names[page.Index]
		n.Bookmarks = append(n.Bookmarks, read.Clean(title.Title, mostNamed))
	}
}
