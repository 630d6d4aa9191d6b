package read

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// picture is a picture of a whole page of 600 by 400 points, at 72 dots to the inch.
func picture(turn int) (Page, Scan) {
	s := Scan{Area: Box{0, 0, 600, 400}, Turn: turn, Width: 600, Height: 400}
	if turn%180 != 0 {
		s.Width, s.Height = 400, 600
	}
	return Page{Width: 600, Height: 400}, s
}

// A word stands on the page where the picture has it, in all directions, and letters that the file has come first.
func TestRecognisedPlaces(t *testing.T) {
	for turn, want := range map[int]Box{
		0: {100, 40, 160, 50}, 90: {350, 100, 360, 160}, 180: {440, 350, 500, 360}, 270: {40, 240, 50, 300},
	} {
		p, s := picture(turn)
		words := Recognised(strings.NewReader("5\t1\t1\t1\t1\t1\t100\t40\t60\t10\t96\tA-101\n"), s)
		if turn == 90 {
			want = Box{600 - 50, 100, 600 - 40, 160}
		}
		sketch := NewSketch(p)
		sketch.Add(words, s)
		sketch.Add(words, s) // once more changes nothing
		lines, _ := Take(sketch.Page())
		if len(lines) != 1 || lines[0].Text != "A-101" || lines[0].Angle != turn || len(lines[0].Words) != 1 {
			t.Fatalf("turned by %d: %+v", turn, lines)
		}
		b := lines[0].Words[0].Box
		for i, off := range []float64{b.X0 - want.X0, b.Y0 - want.Y0, b.X1 - want.X1, b.Y1 - want.Y1} {
			if math.Abs(off) > 5 { // the room of a font is higher than its capitals
				t.Errorf("turned by %d, side %d: %+v, want %+v", turn, i, b, want)
			}
		}
		if d := lines[0].Words[0].Doubt; math.Abs(d-0.04) > 0.001 {
			t.Errorf("the doubt is %v", d)
		}
		again := Keep(lines, p.Width, p.Height).AsRead()
		if len(again) != 1 || again[0].Words[0].Doubt != 0.04 {
			t.Errorf("kept as %+v", again)
		}
	}
}

// What looks like a digit among digits is one.
func TestWithDigits(t *testing.T) {
	for text, want := range map[string]string{
		"A5@1": "A501", "1O2": "102", "20l7": "2017", "A-10O": "A-100", "K-O7": "K-07", "KO-7": "KO-7",
		"a@b.com": "a@b.com", "H2O": "H2O", "2Ox": "2Ox",
		"FLOOR": "FLOOR", "": "", "O1": "O1",
	} {
		if got := withDigits(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"“FIRE": "FIRE", "$5.01": "S5.01", "$": "$", "|": "", "A-101|": "A-101"} {
		if got := spelled(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// A number of recognised letters is never as sure as one that the file tells.
func TestDoubtLowersConfidence(t *testing.T) {
	sure := certainty(&candidate{text: "A-101", score: 6, label: 1}, true, 1, 10)
	for doubt, most := range map[float64]float64{0.02: 0.9, 0.4: 0.6} {
		got := certainty(&candidate{text: "A-101", score: 6, label: 1, doubt: doubt}, true, 1, 10)
		if got > most || got >= sure {
			t.Errorf("a number with a doubt of %v is sure by %v, without by %v", doubt, got, sure)
		}
	}
}

// However much a recogniser answers, and wherever it says that words stand, a page takes no more than a page does.
func TestRecognisedIsBounded(t *testing.T) {
	p, s := picture(0)
	var b strings.Builder
	for i := range 2 * mostSeen {
		fmt.Fprintf(&b, "5\t1\t1\t1\t1\t%d\t%d\t%d\t%d\t%d\t96\tWORD%d\n", i, i%7, i%5, 500-i%90, 90-i%50, i)
	}
	words := Recognised(strings.NewReader(b.String()), s)
	if len(words) != mostSeen {
		t.Errorf("%d words were kept", len(words))
	}
	sketch := NewSketch(p)
	for range 4 {
		sketch.Add(words, s)
	}
	if n := len(sketch.Page().Chars); n > mostLetters+longestSeen {
		t.Errorf("%d letters", n)
	}
	bad := Scan{Area: Box{math.NaN(), 0, math.Inf(1), 1}, Width: 600, Height: 400}
	sketch = NewSketch(p)
	sketch.Add(words, bad)
	sketch.Add(words, Scan{Area: Box{0, 0, 600, 400}})
	if n := len(sketch.Page().Chars); n > 0 {
		t.Errorf("%d letters of nowhere", n)
	}
}

func FuzzRecognised(f *testing.F) {
	f.Add("5\t1\t1\t1\t1\t1\t100\t40\t60\t10\t96\tA-101\n", 0)
	f.Add("5\t1\t1\t1\t1\t1\t0\t0\t600\t1\t50\t$1\n4\tx", 270)
	f.Fuzz(func(t *testing.T, answer string, turn int) {
		p, s := picture((turn%4 + 4) % 4 * 90)
		sketch := NewSketch(p)
		sketch.Add(Recognised(strings.NewReader(answer), s), s)
		for _, c := range sketch.Page().Chars {
			if c.Rune != ' ' && (c.X0 < 0 || c.Y0 < 0 || c.X1 > 600 || c.Y1 > 400 || !(c.Doubt > 0 && c.Doubt <= 1)) {
				t.Fatalf("%q stands at %+v", c.Rune, c)
			}
		}
		Take(sketch.Page())
	})
}
