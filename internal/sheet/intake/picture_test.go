package intake

import (
	"testing"

	"groundwork/internal/drawing/read"
)

// TestTitleArea: the picture has the number in it, with title and date where they stand near, and never leaves the
// page.
func TestTitleArea(t *testing.T) {
	number := read.Value{Text: "A-101", Box: read.Box{X0: 2300, Y0: 1600, X1: 2360, Y1: 1620}}
	near := read.Value{Text: "PLAN", Box: read.Box{X0: 2250, Y0: 1500, X1: 2380, Y1: 1520}}
	far := read.Value{Text: "2026-01-02", Box: read.Box{X0: 10, Y0: 10, X1: 60, Y1: 20}}
	const width, height = 2448.0, 1728.0
	for name, said := range map[string]read.Sheet{
		"nothing": {}, "number": {Number: number}, "title": {Number: number, Title: near}, "date": {Number: number, Date: far},
		"corner": {Number: read.Value{Text: "A-1", Box: read.Box{X0: 0, Y0: 0, X1: 20, Y1: 10}}},
	} {
		a := titleArea(width, height, &said)
		if a.X0 < 0 || a.Y0 < 0 || a.X1 > 1 || a.Y1 > 1 || a.X0 >= a.X1 || a.Y0 >= a.Y1 {
			t.Errorf("%s: %+v lies outside of the page", name, a)
		}
		for _, v := range []read.Value{said.Number, said.Title} {
			if v.Text != "" && (a.X0*width > v.Box.X0 || a.X1*width < v.Box.X1 || a.Y0*height > v.Box.Y0 ||
				a.Y1*height < v.Box.Y1) {
				t.Errorf("%s: %s is not in the picture %+v", name, v.Text, a)
			}
		}
		if (a.X1-a.X0)*(a.Y1-a.Y0) > 0.1 {
			t.Errorf("%s: %+v is most of the page", name, a)
		}
	}
	if a := titleArea(200, 100, &read.Sheet{}); a.X0 != 0 || a.Y0 != 0 {
		t.Errorf("of a page smaller than a title block the picture is %+v", a)
	}
}
