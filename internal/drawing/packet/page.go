package packet

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// overlayName is what a page calls the drawing on it.
const overlayName = "GroundworkMarks"

// face is a page but for what belongs to one page alone: its entries, and the bodies of what is pinned to it.
type face struct {
	entries string
	pinned  []string
}

// copyPage gives the face of a page of the packet: how the source shows it, then the object overlay over it, if there
// is one.
func (b *binder) copyPage(p *page, overlay int) (f *face, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &readError{fmt.Errorf("the library stopped: %v", r)}
		}
	}()
	entries := []string{
		"/Type/Page", fmt.Sprintf("/Parent %d 0 R", b.root),
		fmt.Sprintf("/MediaBox[%s %s %s %s]", number(p.x0), number(p.y0), number(p.x1), number(p.y1)),
		fmt.Sprintf("/Rotate %d", p.rotate),
	}
	for _, key := range []string{"Group", "UserUnit"} {
		if o, found := p.dict.Find(key); found {
			text, err := b.object(p.source, o, 0)
			if err != nil {
				return nil, err
			}
			entries = append(entries, "/"+key+" "+text)
		}
	}
	resources, err := b.resources(p, overlay)
	if err != nil {
		return nil, err
	}
	contents, err := b.contents(p, overlay)
	if err != nil {
		return nil, err
	}
	kept, err := b.annotations(p)
	if err != nil {
		return nil, err
	}
	entries = append(entries, "/Resources "+resources, "/Contents["+contents+"]")
	return &face{strings.Join(entries, ""), kept}, nil
}

// resources writes what the page is drawn with.
func (b *binder) resources(p *page, overlay int) (string, error) {
	d := types.Dict{}
	maps.Copy(d, p.resources)
	if overlay == 0 {
		return b.dict(p.source, d, 0, nil)
	}
	pictures, err := p.ctx.DereferenceDict(d["XObject"])
	if err != nil {
		return "", &readError{err}
	}
	inside, err := b.dict(p.source, pictures, 0, map[string]string{overlayName: fmt.Sprintf("%d 0 R", overlay)})
	if err != nil {
		return "", err
	}
	return b.dict(p.source, d, 0, map[string]string{"XObject": inside})
}

// contents gives the streams that draw the page. What the source sets up is put back before the overlay is drawn.
func (b *binder) contents(p *page, overlay int) (string, error) {
	var streams []string
	add := func(o types.Object) error {
		text, err := b.object(p.source, o, 0)
		if err == nil && text != "null" {
			streams = append(streams, text)
		}
		return err
	}
	o, _ := p.dict.Find("Contents")
	if list, err := p.ctx.Dereference(o); err != nil {
		return "", &readError{err}
	} else if array, is := list.(types.Array); is {
		for _, e := range array {
			if err := add(e); err != nil {
				return "", err
			}
		}
	} else if o != nil {
		if err := add(o); err != nil {
			return "", err
		}
	}
	if overlay == 0 {
		return strings.Join(streams, " "), nil
	}
	m := p.matrix()
	var cm []string
	for _, v := range m {
		cm = append(cm, number(v))
	}
	before, err := b.put(stream("q\n"))
	if err != nil {
		return "", err
	}
	after, err := b.put(stream("\nQ\nq " + strings.Join(cm, " ") + " cm /" + overlayName + " Do Q\n"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d 0 R %s %d 0 R", before, strings.Join(streams, " "), after), nil
}

// annotations keeps what the source itself has pinned to the page, as far as it is to be seen or leads to the web. What
// would act, or leads into the source, goes.
func (b *binder) annotations(p *page) (kept []string, err error) {
	o, found := p.dict.Find("Annots")
	if !found {
		return nil, nil
	}
	list, err := p.ctx.DereferenceArray(o)
	if err != nil {
		return nil, nil // what cannot be read is not shown by anybody
	}
	for _, e := range list {
		d, err := p.ctx.DereferenceDict(e)
		if err != nil || d == nil || d.Subtype() == nil {
			continue
		}
		d = maps.Clone(d)
		link := *d.Subtype() == "Link"
		if link && !p.web(d) || slices.Contains([]string{
			"Widget", "Popup", "FileAttachment", "Movie", "Screen",
			"Sound", "3D", "RichMedia",
		}, *d.Subtype()) {
			continue
		}
		for _, key := range []string{"AA", "Popup", "IRT", "Dest", "PA", "P", "Parent"} {
			delete(d, key)
		}
		if !link {
			delete(d, "A")
		}
		text, err := b.dict(p.source, d, 0, nil)
		if err != nil {
			return nil, err
		}
		kept = append(kept, text)
	}
	return kept, nil
}

// pin writes an annotation, which belongs to one page only, and adds it to a list.
func (w *writer) pin(list []string, body string) ([]string, error) {
	n := w.reserve(1)[0]
	return append(list, fmt.Sprintf("%d 0 R", n)), w.write(n, body)
}

// web tells whether a link does nothing but lead to a page on the web, or to somebody's mail.
func (p *page) web(link types.Dict) bool {
	action, err := p.ctx.DereferenceDict(link["A"])
	if err != nil || action == nil {
		return false
	}
	kind := action.NameEntry("S")
	_, next := action.Find("Next")
	if kind == nil || *kind != "URI" || next {
		return false
	}
	address, err := p.ctx.DereferenceText(action["URI"])
	if err != nil {
		return false
	}
	scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(address)), ":")
	return scheme == "http" || scheme == "https" || scheme == "mailto"
}

// links gives the bodies of the places on a sheet that lead to others of the packet.
func (b *binder) links(p *page, s *Sheet) (out []string) {
	for _, l := range s.Links {
		x0, y0 := p.place(l.X0, l.Y0)
		x1, y1 := p.place(l.X1, l.Y1)
		out = append(out, b.lead(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1), b.first[l.Sheet]))
	}
	return out
}

// lead is the body of a link to a page.
func (b *binder) lead(x0, y0, x1, y1 float64, page int) string {
	return fmt.Sprintf("<</Type/Annot/Subtype/Link/Border[0 0 0]/Rect[%s %s %s %s]/Dest[%d 0 R/Fit]>>", number(x0),
		number(y0), number(x1), number(y1), b.pages[page])
}

// number writes a length in points; a thousandth is less than anybody draws.
func number(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
