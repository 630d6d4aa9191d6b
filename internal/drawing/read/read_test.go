package read

import (
	"fmt"
	"reflect"
	"testing"
)

// put letters a text on a page: a fixed width of letters, from (x, y) of its base line, in a direction.
func put(p *Page, x, y, size float64, angle int, text string) {
	for _, r := range text {
		c := Char{Rune: r, Size: size, Angle: float64(angle)}
		w := size * 0.5
		switch angle {
		case 0:
			c.X0, c.X1, c.Y0, c.Y1 = x, x+w, y-size, y+size*0.2
			x += w
		case 90:
			c.X0, c.X1, c.Y0, c.Y1 = x-size*0.2, x+size, y, y+w
			y += w
		case 180:
			c.X0, c.X1, c.Y0, c.Y1 = x-w, x, y-size*0.2, y+size
			x -= w
		case 270:
			c.X0, c.X1, c.Y0, c.Y1 = x-size, x+size*0.2, y-w, y
			y -= w
		}
		p.Chars = append(p.Chars, c)
	}
}

func TestLinesInEveryDirection(t *testing.T) {
	for _, angle := range []int{0, 90, 180, 270} {
		p := Page{Width: 1000, Height: 800}
		put(&p, 500, 400, 10, angle, "FIRST FLOOR PLAN")
		put(&p, 200, 100, 10, angle, "ELSEWHERE")
		lines, _ := Take(p)
		if len(lines) != 2 || lines[0].Text != "FIRST FLOOR PLAN" && lines[1].Text != "FIRST FLOOR PLAN" ||
			len(lines[0].Words)+len(lines[1].Words) != 4 {
			t.Errorf("%d degrees: %+v", angle, lines)
		}
	}
}

// Letters that a file draws in no order, and letters set far apart, are still words.
func TestWordsFromSingleLetters(t *testing.T) {
	p := Page{Width: 1000, Height: 800}
	for i, r := range []rune("A-101") {
		put(&p, 900+float64(i)*12, 700, 20, 0, string(r))
	}
	for _, i := range []int{3, 0, 4, 2, 1} {
		put(&p, 100+float64(i)*5, 300, 10, 0, string("SCALE"[i]))
	}
	lines, _ := Take(p)
	if len(lines) != 2 || lines[0].Text != "SCALE" || lines[1].Text != "A-101" {
		t.Errorf("%+v", lines)
	}
}

// On every page a larger number than the sheet's own stands somewhere else: only together do the pages tell which place
// is meant.
func TestTheVoteDecides(t *testing.T) {
	var leaves []*Leaf
	for i := range 8 {
		p := Page{Width: 1000, Height: 800}
		put(&p, 20, 60, 8, 0, fmt.Sprintf("A-10%d", i))
		put(&p, 800-60*float64(i), 760-40*float64(i%4), 30, 0, fmt.Sprintf("B%d", 9-i))
		_, leaf := Take(p)
		leaves = append(leaves, leaf)
	}
	for i, s := range Set(leaves) {
		if s.Number.Text != fmt.Sprintf("A-10%d", i) {
			t.Errorf("Page %d: %+v", i, s.Number)
		}
		if alone := Set(leaves[i : i+1])[0]; alone.Number.Text == s.Number.Text {
			t.Errorf("Page %d needs no vote: %+v", i, alone.Number)
		} else if alone.Number.Confidence >= s.Number.Confidence {
			t.Errorf("Page %d: alone %.2f sure, together %.2f", i, alone.Number.Confidence, s.Number.Confidence)
		}
	}
}

func TestDates(t *testing.T) {
	for text, want := range map[string][2]string{ // month first, day first
		"03/04/2026": {"2026-03-04", "2026-04-03"}, "14.03.2026": {"2026-03-14", "2026-03-14"},
		"3/14/26":    {"2026-03-14", "2026-03-14"},
		"2026-03-04": {"2026-03-04", "2026-03-04"}, "March 4, 2026": {"2026-03-04", "2026-03-04"},
		"04-MAR-2026":  {"2026-03-04", "2026-03-04"},
		"4 Sept. 2026": {"2026-09-04", "2026-09-04"}, "SEPTEMBER 2026": {"2026-09-01", "2026-09-01"},
	} {
		d, ok := parseDate(text)
		if !ok || d.write(false) != want[0] || d.write(true) != want[1] {
			t.Errorf("%s: %v, %s, %s", text, ok, d.write(false), d.write(true))
		}
	}
	for _, text := range []string{"13/14/2026", "2026", "A-101", "PLAN 2, 2026", "0/1/2026", "1:100", "3/14"} {
		if d, ok := parseDate(text); ok {
			t.Errorf("%s became %+v", text, d)
		}
	}
}

// What looks like a number is a reference only where something makes it one.
func TestCallouts(t *testing.T) {
	page := func(number string, more func(*Page)) *Leaf {
		p := Page{Width: 1000, Height: 800}
		put(&p, 930, 770, 20, 0, number)
		more(&p)
		_, leaf := Take(p)
		return leaf
	}
	none := func(*Page) {}
	sheets := Set([]*Leaf{page("A-101", func(p *Page) {
		put(p, 100, 100, 8, 0, "3/A-501")
		put(p, 100, 140, 8, 0, "SEE A-201 FOR MORE.")
		put(p, 208, 300, 8, 0, "7")
		put(p, 200, 312, 8, 0, "A-301")
		put(p, 406, 300, 15, 0, "4") // the head of a section: its view is larger than its sheet
		put(p, 400, 316, 8, 0, "A-201")
		put(p, 100, 180, 8, 0, "A-501")      // a door
		put(p, 100, 220, 8, 0, "SEE A-999")  // no such sheet
		put(p, 100, 240, 8, 0, "SEE A-101")  // this sheet
		put(p, 100, 260, 8, 0, "10/12/2026") // no view of anything
	}), page("A-201", none), page("A-301", none), page("A-501", none)})
	var got []string
	for _, c := range sheets[0].Callouts {
		got = append(got, c.Text+" "+c.Target)
	}
	if want := []string{"3/A-501 A-501", "A-201 A-201", "7/A-301 A-301", "4/A-201 A-201"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
}

func TestAPageWithoutText(t *testing.T) {
	lines, leaf := Take(Page{Width: 1000, Height: 800})
	if s := Set([]*Leaf{leaf})[0]; len(lines) != 0 || !reflect.DeepEqual(s, Sheet{}) {
		t.Errorf("%+v", s)
	}
	if got := Name(`C:\plans\Level 1.v2.pdf`, 7); got != "Level 1.v2 p007" {
		t.Error(got)
	}
}

// Whatever stands on a page, reading ends, finds the same twice, and is never more than sure.
func FuzzPage(f *testing.F) {
	f.Add("A-101\nSEE A-102\n3/A-101\n", 8.0, 3.0, 90)
	f.Add("DATE\n1/2/2026\nSHEET NO.\n\n", 1e-9, -1e300, 45)
	f.Fuzz(func(t *testing.T, text string, size, step float64, angle int) {
		p := Page{Width: 1000, Height: 800}
		x, y := 10.0, 10.0
		for _, r := range text {
			if r == '\n' {
				x, y = 10, y+step
				continue
			}
			p.Chars = append(p.Chars, Char{
				Rune: r, X0: x, X1: x + size, Y0: y, Y1: y + size, Size: size, Angle: float64(angle),
			})
			x += size
		}
		lines, leaf := Take(p)
		again, other := Take(p)
		if fmt.Sprint(lines) != fmt.Sprint(again) {
			t.Fatal("The same page was read differently.")
		}
		first, second := Set([]*Leaf{leaf, leaf}), Set([]*Leaf{other, other})
		if fmt.Sprint(first) != fmt.Sprint(second) {
			t.Fatal("The same set was read differently.")
		}
		for _, s := range first {
			for _, v := range []Value{s.Number, s.Title, s.Date} {
				if v.Confidence < 0 || v.Confidence > 1 || (v.Text == "") != (v.Confidence == 0) {
					t.Fatalf("%+v", v)
				}
			}
		}
	})
}
