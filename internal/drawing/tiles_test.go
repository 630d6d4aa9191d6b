package drawing

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// tile decodes one tile out of an archive by its range.
func tile(t *testing.T, archive []byte, tiles *Tiles, level, column, row int) image.Image {
	t.Helper()
	offset, length, kind, ok := tiles.Find(level, column, row)
	if !ok || offset+length > int64(len(archive)) {
		t.Fatalf("tile %d/%d_%d is at %d + %d of %d", level, column, row, offset, length, len(archive))
	}
	img, format, err := image.Decode(bytes.NewReader(archive[offset : offset+length]))
	if err != nil || "image/"+format != kind {
		t.Fatalf("tile %d/%d_%d is %s and said to be %s: %v", level, column, row, format, kind, err)
	}
	return img
}

// TestTiles puts the tiles of every level together again and holds them against the image.
func TestTiles(t *testing.T) {
	const w, h = 1300, 700
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for y := range h {
		for x := range w {
			c := color.RGBA{255, 255, 255, 255}
			switch {
			case x < 500 && y < 500: // a photograph
				c = color.RGBA{uint8(x / 2), uint8(y / 2), uint8(r.IntN(30) + 100), 255}
			case x%50 == 0 || y%50 == 0: // lines
				c = color.RGBA{200, 0, 0, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	path := t.TempDir() + "/tiles"
	if err := writeTiles(path, img); err != nil {
		t.Fatal(err)
	}
	archive, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tiles, err := OpenTiles(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	if tiles.Levels() != 12 || tiles.Width != w || tiles.Height != h {
		t.Fatalf("%d levels of %d × %d", tiles.Levels(), tiles.Width, tiles.Height)
	}
	if _, _, kind, _ := tiles.Find(11, 0, 0); kind != "image/jpeg" {
		t.Errorf("the photograph is %s", kind)
	}
	if _, _, kind, _ := tiles.Find(11, 2, 1); kind != "image/png" {
		t.Errorf("the lines are %s", kind)
	}
	level := img
	for n := 11; n >= 0; n-- {
		b := level.Bounds()
		seen := 0
		for row := 0; row*TileSide < b.Dy(); row++ {
			for column := 0; column*TileSide < b.Dx(); column++ {
				part := tile(t, archive, tiles, n, column, row)
				_, _, kind, _ := tiles.Find(n, column, row)
				var sum, most float64
				for y := range part.Bounds().Dy() {
					for x := range part.Bounds().Dx() {
						got, want := color.RGBAModel.Convert(part.At(x, y)).(color.RGBA), level.RGBAAt(column*TileSide+x, row*TileSide+y)
						d := math.Abs(float64(got.R)-float64(want.R)) + math.Abs(float64(got.G)-float64(want.G)) + math.Abs(float64(got.B)-float64(want.B))
						sum, most = sum+d, max(most, d)
						seen++
					}
				}
				if kind == "image/png" && most > 21 || sum/float64(part.Bounds().Dx()*part.Bounds().Dy()) > 30 {
					t.Errorf("tile %d/%d_%d (%s) differs by %v", n, column, row, kind, most)
				}
			}
		}
		if seen != b.Dx()*b.Dy() {
			t.Errorf("level %d has %d dots of %d", n, seen, b.Dx()*b.Dy())
		}
		level = average(level, 2)
	}
	for _, at := range [][3]int{{-1, 0, 0}, {12, 0, 0}, {11, 3, 0}, {11, 0, 2}, {11, -1, 0}, {0, 0, 1}} {
		if _, _, _, ok := tiles.Find(at[0], at[1], at[2]); ok {
			t.Errorf("there is a tile %v", at)
		}
	}
}

// TestEmptyTilesAreKeptOnce holds that white paper costs nothing.
func TestEmptyTilesAreKeptOnce(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 4096, 4096))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	path := t.TempDir() + "/tiles"
	if err := writeTiles(path, img); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 5000 {
		t.Errorf("%v, %v", info.Size(), err)
	}
}

func FuzzOpenTiles(f *testing.F) {
	path := f.TempDir() + "/tiles"
	if err := writeTiles(path, quarters(600, 20)); err != nil {
		f.Fatal(err)
	}
	archive, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(archive)
	f.Add(archive[:20])
	f.Fuzz(func(t *testing.T, archive []byte) {
		tiles, err := OpenTiles(bytes.NewReader(archive))
		if err != nil {
			return
		}
		for n := range tiles.Levels() {
			if _, _, _, ok := tiles.Find(n, 0, 0); !ok {
				t.Errorf("level %d has no tile", n)
			}
		}
	})
}
