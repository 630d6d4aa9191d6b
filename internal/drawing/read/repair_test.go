package read

import (
	"fmt"
	"strings"
	"testing"
)

// coded puts a text with the codes that a font without Unicode gives it.
func coded(p *Page, x, y, size float64, text string) {
	for i, r := range text {
		at := x + float64(i)*size*0.6
		p.Chars = append(p.Chars, Char{
			Rune: r - glyphShift, X0: at, Y0: y - size, X1: at + size*0.6, Y1: y, Size: size,
		})
	}
}

// Codes that are shifted become the letters that people see; what cannot be told is never shown.
func TestShiftedCodes(t *testing.T) {
	p := Page{Width: 1000, Height: 800}
	for i, text := range []string{"Phase", "Author", "FIRST FLOOR PLAN", "Sheet number", "A-101", "Drawn by", "Existing wall"} {
		coded(&p, 700, 500+30*float64(i), 10, text)
	}
	put(&p, 20, 40, 12, 0, "SECTION AT NORTH WALL")
	lines, leaf := Take(p)
	var texts []string
	for _, l := range lines {
		texts = append(texts, l.Text)
	}
	got := strings.Join(texts, "|")
	for _, want := range []string{"Phase", "FIRST FLOOR PLAN", "A-101", "SECTION AT NORTH WALL"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
	if n := Set([]*Leaf{leaf})[0].Number.Text; n != "A-101" {
		t.Errorf("the number is %q", n)
	}

	lost := Page{Width: 1000, Height: 800}
	for i := range 20 {
		for k := range 8 {
			x := 700 + 6*float64(k)
			y := 20 * float64(i)
			lost.Chars = append(lost.Chars, Char{
				Rune: rune(1 + (i*7+k*3)%60), X0: x, Y0: y, X1: x + 6, Y1: y + 10, Size: 10,
			})
		}
	}
	if lines, leaf := Take(lost); len(lines) > 0 || fmt.Sprint(Set([]*Leaf{leaf})[0].Number) != fmt.Sprint(Value{}) {
		t.Errorf("%d lines were shown", len(lines))
	}
}
