package drawing

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
	"testing"
)

// sheet is a page of a PDF of the tests.
type sheet struct {
	box     string // the media box; US letter when empty
	rotate  int
	content string
	extra   string // more entries of the page
}

// pdfOf writes a PDF of pages with Helvetica as F1. More objects follow from 4 on; the first of them is X on every
// page.
func pdfOf(pages []sheet, more ...string) []byte {
	var out bytes.Buffer
	var at []int
	object := func(body string) {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(at), body)
	}
	out.WriteString("%PDF-1.7\n")
	first := 4 + len(more)
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", first+2*i)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(pages)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for _, m := range more {
		object(m)
	}
	x := ""
	if len(more) > 0 {
		x = "/XObject << /X 4 0 R >>"
	}
	for i, p := range pages {
		if p.box == "" {
			p.box = "0 0 612 792"
		}
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [%s] /Rotate %d /Resources << /Font << /F1 3 0 R >> %s >> /Contents %d 0 R %s >>", p.box, p.rotate, x, first+2*i+1, p.extra))
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(p.content), p.content))
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return out.Bytes()
}

// words shows text with its own matrix.
func words(matrix, s string) string { return fmt.Sprintf("BT /F1 1 Tf %s Tm (%s) Tj ET\n", matrix, s) }

// deflated compresses what r gives.
func deflated(t testing.TB, r io.Reader) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := io.Copy(w, r); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// spaces is an endless content stream that draws nothing.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
