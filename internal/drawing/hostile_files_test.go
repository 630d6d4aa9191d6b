package drawing

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"groundwork/internal/drawing/read"
)

// paper writes a PDF of pages that share one content, with Helvetica as F.
func paper(pages int, box, content string) []byte {
	var out bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(at), fmt.Sprintf(format, args...))
	}
	out.WriteString("%PDF-1.4\n")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 5+i)
	}
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), pages)
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	object("<</Length %d>>\nstream\n%s\nendstream", len(content), content)
	for range pages {
		object("<</Type/Page/Parent 2 0 R/MediaBox[%s]/Resources<</Font<</F 3 0 R>>>>/Contents 4 0 R>>", box)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return out.Bytes()
}

// numbered is what makes a page have a title: a sheet's number in the corner.
const numbered = "BT /F 20 Tf 560 20 Td (A101) Tj ET\n"

// Small files that say what no drawing says are read as soon as others; what is said of them is on their pages.
func TestHostileFiles(t *testing.T) {
	w := open(t, Config{Memory: 512 << 20, Within: 20 * time.Second})
	letter := "0 0 612 792"
	cases := map[string][]byte{
		"type of three million points": paper(1, letter, numbered+"BT /F 3000000 Tf 10 10 Td (FLOOR PLAN) Tj ET"),
		"text far off the page": paper(1, letter,
			numbered+"BT /F 12 Tf 1 0 0 1 10 10 Tm [(FLOOR) -2000000000 (PLAN)] TJ ET"),
		"a matrix that stretches": paper(1, letter,
			numbered+"BT /F 1 Tf 9000000 0 0 12 10 10 Tm (FLOOR PLAN) Tj ET"),
		"a matrix without height":   paper(1, letter, numbered+"BT /F 1 Tf 12 0 0 0 10 10 Tm (FLOOR PLAN) Tj ET"),
		"a matrix without anything": paper(1, letter, numbered+"BT /F 1 Tf 0 0 0 0 10 10 Tm (FLOOR PLAN) Tj ET"),
		"numbers that are too large": paper(1, letter,
			numbered+"BT /F 1 Tf 1e39 0 0 1e39 1e39 1e39 Tm (FLOOR PLAN) Tj ET"),
		"a page of minus size": paper(1, "612 792 0 0",
			numbered+"BT /F 3000000 Tf 10 10 Td (FLOOR PLAN) Tj ET"),
		"a page of two million points":  paper(1, "0 0 2000000 2000000", numbered),
		"a page of a thousandth":        paper(1, "0 0 0.001 0.001", "BT /F 12 Tf 0 0 Td (A101) Tj ET"),
		"many pages of very large type": paper(50, letter, numbered+"BT /F 3000000 Tf 10 10 Td (FLOOR PLAN) Tj ET"),
	}
	for name, content := range cases {
		t.Run(name, func(t *testing.T) {
			sheets, err := readAll(t, w, content)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range sheets {
				for _, v := range []read.Value{s.Number, s.Title} {
					if b := v.Box; b.X0 < 0 || b.Y0 < 0 || b.X1 > 14_400 || b.Y1 > 14_400 {
						t.Errorf("%q stands at %v", v.Text, b)
					}
				}
			}
		})
	}
}
