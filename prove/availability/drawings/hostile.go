package drawings

import (
	"fmt"
	"math"
	"strings"

	"groundwork/prove/estate"
	"groundwork/prove/lab"
)

const (
	letterPaper = "0 0 612 792"
	largePaper  = "0 0 3456 2592"
)

// set makes a PDF of pages of one size that share one content and its resources; more are the objects from 5 on.
func set(pages int, box, content, resources string, more ...string) []byte {
	var kids strings.Builder
	first := 5 + len(more)
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", first+i)
	}
	objects := append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), pages),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", estate.PDFStream("", content),
	}, more...)
	for range pages {
		objects = append(objects, fmt.Sprintf(
			"<< /Type /Page /Parent 2 0 R /MediaBox [%s] /Contents 4 0 R /Resources << /Font << /F 3 0 R >> %s >> >>", box, resources))
	}
	return estate.PDF(objects...)
}

// number is what a title block has, so that all of the reading is done.
const number = "BT /F 20 Tf 560 20 Td (A101) Tj ET\n"

// hostile are files that are PDFs by the letter and that no drawing program writes.
func hostile(t *lab.Trial) map[string][]byte {
	text := func(what string) []byte { return set(1, letterPaper, number+"BT "+what+" ET", "") }
	all := map[string][]byte{
		"type of three million points":   text("/F 3000000 Tf 10 10 Td (FLOOR PLAN) Tj"),
		"type of a millionth":            text("/F 0.000001 Tf 10 10 Td (FLOOR PLAN) Tj"),
		"text two billion points away":   text("/F 12 Tf 1 0 0 1 10 10 Tm [(FLOOR) -2000000000 (PLAN)] TJ"),
		"a matrix that stretches":        text("/F 1 Tf 9000000 0 0 12 10 10 Tm (FLOOR PLAN) Tj"),
		"a matrix without height":        text("/F 1 Tf 12 0 0 0 10 10 Tm (FLOOR PLAN) Tj"),
		"a matrix of nothing":            text("/F 1 Tf 0 0 0 0 10 10 Tm (FLOOR PLAN) Tj"),
		"a matrix of too large numbers":  text("/F 1 Tf 1e39 0 0 1e39 1e39 1e39 Tm (FLOOR PLAN) Tj"),
		"a matrix that turns by a trice": text("/F 12 Tf 1 0.0000001 -0.0000001 1 10 10 Tm (FLOOR PLAN) Tj"),
		"a page of a thousandth":         set(1, "0 0 0.001 0.001", number, ""),
		"a page of two million points":   set(1, "0 0 2000000 2000000", number, ""),
		"a page of 200 inches":           set(1, "0 0 14400 14400", number, ""),
		"a page one point high":          set(1, "0 0 14400 1", number, ""),
		"a page upside down":             set(1, "612 792 0 0", number, ""),
		"pages that contain themselves": estate.PDF("<< /Type /Catalog /Pages 2 0 R >>",
			"<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 >>", "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 9 >>"),
		"lines":                      set(1, largePaper, lines(t.ShortOrFull(40_000, 400_000)), ""),
		"words":                      set(1, largePaper, words(t.ShortOrFull(50_000, 500_000), 3456), ""),
		"patterns":                   patterns(),
		"pages":                      set(t.ShortOrFull(150, 10_000), letterPaper, number, ""),
		"a set whose edges are full": set(t.ShortOrFull(fullEdges, 4*fullEdges), largePaper, words(4500, 800), ""),
	}
	all["forms in forms"] = forms(t.ShortOrFull(200, 2000))
	return all
}

// fullEdges is how many pages the set has whose edges are full, in the short form.
const fullEdges = 100

// lines are strokes all over a page.
func lines(n int) string {
	var b strings.Builder
	b.WriteString(number)
	for i := range n {
		x, y := math.Mod(float64(i)*7.31, 3400), math.Mod(float64(i)*3.17, 2500)
		fmt.Fprintf(&b, "%.1f %.1f m %.1f %.1f l S\n", x, y, x+20, y+float64(i%17))
	}
	return b.String()
}

// words are short words in columns, up to so far from the left edge.
func words(n int, wide float64) string {
	var b strings.Builder
	b.WriteString("BT /F 4 Tf\n")
	columns := int(wide / 20)
	for i := range n {
		fmt.Fprintf(&b, "1 0 0 1 %d %.1f Tm (%s) Tj\n", 4+20*(i%columns), 2585-math.Mod(6*float64(i/columns), 2580),
			fmt.Sprintf("B%d", i%9000))
	}
	b.WriteString("ET\n" + number)
	return b.String()
}

// forms are forms that draw the next one.
func forms(deep int) []byte {
	var more []string
	for i := range deep {
		resources, body := fmt.Sprintf("/Resources << /XObject << /X %d 0 R >> >>", 6+i), "0 0 1 1 re f /X Do"
		if i == deep-1 {
			resources, body = "", "0 0 5 5 re f"
		}
		more = append(more, estate.PDFStream("/Type /XObject /Subtype /Form /BBox [0 0 99 99] "+resources, body))
	}
	return set(1, letterPaper, number+"/X Do", "/XObject << /X 5 0 R >>", more...)
}

// patterns fill a page with tiles of a hundredth of a point.
func patterns() []byte {
	return set(1, letterPaper, number+"/Pattern cs /P scn 0 0 612 792 re f", "/Pattern << /P 5 0 R >>",
		estate.PDFStream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep 0.01 /YStep 0.01 "+
			"/Resources << >>", "0 0 0.005 0.005 re f"))
}
