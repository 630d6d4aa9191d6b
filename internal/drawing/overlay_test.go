package drawing

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"testing"

	"groundwork/internal/draft"
)

// red and blue say of a pixel that only the old, or only the new picture has something there.
func red(c color.Color) bool {
	r, _, b, _ := c.RGBA()
	return r > b+0x3000
}

func blue(c color.Color) bool {
	r, _, b, _ := c.RGBA()
	return b > r+0x3000
}

func TestOverlayPixels(t *testing.T) {
	dot := func(v uint8) image.Image {
		img := image.NewGray(image.Rect(5, 5, 6, 6)) // pictures need not begin at 0
		img.Pix[0] = v
		return img
	}
	for _, c := range []struct {
		old, now    uint8
		gone, added bool
	}{
		{255, 255, false, false},
		{0, 0, false, false},
		{0, 255, true, false},
		{255, 0, false, true},
		{120, 120, false, false},
		{0, 128, true, false},
		{128, 0, false, true},
		{100, 112, false, false},
	} {
		got := Overlay(dot(c.old), dot(c.now)).At(0, 0)
		if red(got) != c.gone || blue(got) != c.added {
			t.Errorf("%d then %d is %v", c.old, c.now, got)
		}
	}
	if got := Overlay(dot(255), dot(255)).At(0, 0); got != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("Blank is %v.", got)
	}
	wide := image.NewGray(image.Rect(0, 0, 3, 1))
	if got := Overlay(wide, dot(0)); got.Rect != image.Rect(0, 0, 3, 1) || !red(got.At(2, 0)) || red(got.At(0, 0)) {
		t.Errorf("%v %v", got.Rect, got.Pix)
	}
}

func TestOverlayTilesRefuses(t *testing.T) {
	var big bytes.Buffer
	if err := png.Encode(&big, image.NewGray(image.Rect(0, 0, TileSide+1, 1))); err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2][]byte{
		"nothing": {}, "no picture": {[]byte("hello"), nil},
		"too large": {big.Bytes(), nil}, "cut off": {big.Bytes()[:40], nil},
	} {
		if _, err := OverlayTiles(pair[0], pair[1]); err == nil {
			t.Errorf("%s was accepted.", name)
		}
	}
}

// Drawings that differ a little, so that one needs a level more, lie over each other at every level: each tile has a
// part of both, or of the one that reaches there.
func TestPairOfUnequals(t *testing.T) {
	small, large := pyramid(512, 300), pyramid(513, 300)
	for _, both := range [][2]*Tiles{{small, large}, {large, small}} {
		for i := range both {
			for e := range both[i].entries {
				both[i].entries[e] = entry{offset: uint32(e), length: 1}
			}
		}
		p := PairOf(both[0], both[1])
		if p.Width != 513 || p.Height != 300 || p.Levels() != large.Levels() {
			t.Fatalf("%d × %d, %d levels", p.Width, p.Height, p.Levels())
		}
		for level := range p.Levels() {
			l := p.levels[level]
			for i := range l.columns * l.rows {
				places, ok := p.Find(level, i%l.columns, i/l.columns)
				if !ok || places[0].Length+places[1].Length == 0 {
					t.Errorf("tile %d/%d_%d: %v %v", level, i%l.columns, i/l.columns, places, ok)
				}
				alone := i%l.columns > 0 // where only the large one has something
				if (places[0].Length*places[1].Length == 0) != alone {
					t.Errorf("tile %d/%d_%d is made of %v", level, i%l.columns, i/l.columns, places)
				}
			}
		}
		if _, ok := p.Find(p.Levels(), 0, 0); ok {
			t.Error("there is a level too many")
		}
	}
}

// BenchmarkOverlayTiles lays a dense tile over another.
func BenchmarkOverlayTiles(b *testing.B) {
	img := image.NewGray(image.Rect(0, 0, TileSide, TileSide))
	for i := range img.Pix {
		img.Pix[i] = 255
		if i%7 == 0 || i/TileSide%9 == 0 {
			img.Pix[i] = uint8(i % 200)
		}
	}
	var tile bytes.Buffer
	if err := png.Encode(&tile, img); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := OverlayTiles(tile.Bytes(), tile.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}

// A revised sheet shows what went and what came; a sheet that stayed shows neither.
func TestOverlayOfARevision(t *testing.T) {
	w := open(t, Config{})
	var files [2]*File
	var set *draft.Set
	for revision := range files {
		var b bytes.Buffer
		var err error
		if set, err = draft.Write(&b, draft.Options{Seed: 3, Sheets: 6, Plain: true, Revision: revision}); err != nil {
			t.Fatal(err)
		}
		files[revision] = bring(t, w, b.Bytes())
	}
	seen := map[bool]bool{}
	for i, page := range set.Pages {
		if seen[page.Changed] {
			continue
		}
		seen[page.Changed] = true
		var pictures [2]image.Image
		for revision, f := range files {
			p, err := f.Render(t.Context(), i+1, 50)
			if err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(p.Path)
			if err != nil {
				t.Fatal(err)
			}
			if pictures[revision], err = png.Decode(bytes.NewReader(content)); err != nil {
				t.Fatal(err)
			}
		}
		both := Overlay(pictures[0], pictures[1])
		reds, blues := 0, 0
		for y := range both.Rect.Dy() {
			for x := range both.Rect.Dx() {
				if c := both.At(x, y); red(c) {
					reds++
				} else if blue(c) {
					blues++
				}
			}
		}
		if page.Changed != (reds > 20 && blues > 20) || !page.Changed && reds+blues > 0 {
			t.Errorf("%s: changed is %v, with %d red and %d blue pixels.", page.Number, page.Changed, reds, blues)
		}
		if folder := os.Getenv("DRAFT_KEEP"); folder != "" { // to look at it
			var b bytes.Buffer
			if err := png.Encode(&b, both); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(folder+"/overlay-"+page.Number+".png", b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) != 2 {
		t.Errorf("Seen: %v.", seen)
	}
}
