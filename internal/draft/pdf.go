package draft

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"strconv"
)

// document collects pages and writes them as one PDF file. Pages are compressed as they are finished, so that only one
// is held as text.
type document struct {
	objects [][]byte // object n is objects[n-1]
	pages   []int
	faces   [faceCount]*subset
}

const (
	catalogObject = 1
	pagesObject   = 2
	fontsObject   = 3 // faceCount font objects follow, three each
)

func newDocument() *document {
	d := &document{objects: make([][]byte, fontsObject-1+3*int(faceCount))}
	for f := range d.faces {
		d.faces[f] = &subset{}
	}
	return d
}

func (d *document) add(body []byte) int {
	d.objects = append(d.objects, body)
	return len(d.objects)
}

func stream(dict string, data []byte) []byte {
	var z bytes.Buffer
	w, _ := zlib.NewWriterLevel(&z, zlib.DefaultCompression)
	_, _ = w.Write(data)
	_ = w.Close()
	return fmt.Appendf(nil, "<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream", dict, z.Len(), z.Bytes())
}

// finish takes a page whose content is complete.
func (d *document) finish(c *canvas) {
	content := d.add(stream("", c.buf))
	fonts := ""
	for f, s := range d.faces {
		if s.used == (subset{}).used {
			continue
		}
		fonts += fmt.Sprintf("/F%d %d 0 R", f, fontsObject+3*f)
	}
	w, h := c.width*c.zoom, c.height*c.zoom
	if (c.rotate+c.lying)%180 != 0 {
		w, h = h, w
	}
	d.pages = append(d.pages, d.add(fmt.Appendf(nil,
		"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %s %s]/Rotate %d/Contents %d 0 R/Resources<</Font<<%s>>>>>>",
		pagesObject, short(w), short(h), c.rotate, content, fonts)))
}

func short(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

// write puts the file together: it has no date and no random id, so that equal sets are equal bytes.
func (d *document) write(out io.Writer, title string) error {
	var kids bytes.Buffer
	for _, p := range d.pages {
		fmt.Fprintf(&kids, "%d 0 R ", p)
	}
	d.objects[catalogObject-1] = fmt.Appendf(nil, "<</Type/Catalog/Pages %d 0 R>>", pagesObject)
	d.objects[pagesObject-1] = fmt.Appendf(nil, "<</Type/Pages/Count %d/Kids[%s]>>", len(d.pages), kids.Bytes())
	for f, s := range d.faces {
		at := fontsObject + 3*f
		if s.used == (subset{}).used {
			d.objects[at-1], d.objects[at], d.objects[at+1] = []byte("null"), []byte("null"), []byte("null")
			continue
		}
		font, descriptor, file := s.objects(face(f), at)
		d.objects[at-1], d.objects[at], d.objects[at+1] = font, descriptor, file
	}
	info := d.add(fmt.Appendf(nil, "<</Title(%s)/Producer(Groundwork)>>", escape(title)))
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(d.objects))
	for i, body := range d.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, body)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root %d 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1,
		catalogObject, info, at)
	_, err := out.Write(b.Bytes())
	return err
}

// escape writes a string as the inside of a PDF literal, in Latin-1.
func escape(s string) []byte {
	out := make([]byte, 0, len(s)+2)
	for _, r := range s {
		switch {
		case r == '(' || r == ')' || r == '\\':
			out = append(out, '\\', byte(r))
		case r < 256:
			out = append(out, byte(r))
		default:
			out = append(out, '?')
		}
	}
	return out
}
