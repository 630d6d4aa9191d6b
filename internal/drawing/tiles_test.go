package drawing

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"groundwork/internal/fault"
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
	if err := tilesAt(path, img); err != nil {
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
						got, want := color.RGBAModel.Convert(part.At(x,
							y)).(color.RGBA), level.RGBAAt(column*TileSide+x, row*TileSide+y)
						d := math.Abs(float64(got.R)-float64(want.R)) + math.Abs(float64(got.G)-float64(want.G)) +
							math.Abs(float64(got.B)-float64(want.B))
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
	if err := tilesAt(path, img); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 5000 {
		t.Errorf("%v, %v", info.Size(), err)
	}
}

func FuzzOpenTiles(f *testing.F) {
	path := f.TempDir() + "/tiles"
	if err := tilesAt(path, quarters(600, 20)); err != nil {
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

// tilesAt writes an archive to a path.
func tilesAt(path string, img *image.RGBA) error {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer out.Close()
	t, err := newTower(out, img.Rect.Dx(), img.Rect.Dy())
	if err == nil {
		err = t.add(img)
	}
	if err == nil {
		err = t.close()
	}
	return err
}

// large is a page of 20 × 30 inches with lines, a turned text, and layers that can be seen through, as large as the
// page: each takes as much memory as the picture itself.
func large(layers int) []byte {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "%d w 0 %d m 1440 %d l S ", i%5, 11*i, 9*i)
	}
	b.WriteString("BT /F1 90 Tf 0.8 0.6 -0.6 0.8 300 700 Tm (Groundwork) Tj ET ")
	b.WriteString(strings.Repeat("/G gs /X Do ", layers))
	form := "q 0.9 0.5 0.2 rg 100 100 1200 1900 re f 0.2 0.5 0.9 rg 300 300 700 1500 re f Q"
	return pdfOf([]sheet{{
		box: "0 0 1440 2160", content: b.String(),
		extra: "/Resources << /Font << /F1 3 0 R >> /XObject << /X 4 0 R >> /ExtGState << /G << /ca 0.5 >> >> >>",
	}}, fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 1440 2160] "+
		"/Group << /S /Transparency /I true >> /Length %d >>\nstream\n%s\nendstream", len(form), form))
}

// TestTilesInBands draws a page at once and in bands, and compares the archives.
func TestTilesInBands(t *testing.T) {
	f := bring(t, open(t, Config{}), large(2))
	archive := func(o pageOrder) []byte {
		o.Page, o.DPI = 1, 72
		made, err := f.picture(t.Context(), bandsTask, o)
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(made.Path)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	whole := archive(pageOrder{})
	for _, band := range []int{1, 6 << 20} {
		content := archive(pageOrder{Band: band})
		all, err := OpenTiles(bytes.NewReader(whole))
		if err != nil {
			t.Fatal(err)
		}
		part, err := OpenTiles(bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if all.Width != part.Width || all.Height != part.Height || all.Levels() < 10 {
			t.Fatalf("%d × %d, %d × %d", all.Width, all.Height, part.Width, part.Height)
		}
		apart, dots := 0, 0
		for n, l := range all.levels {
			dots += l.width * l.height
			for i := range l.columns * l.rows {
				column, row := i%l.columns, i/l.columns
				apart += differing(tile(t, whole, all, n, column, row), tile(t, content, part, n, column, row))
			}
		}
		if apart*2000 > dots {
			t.Errorf("in bands of %d bytes %d of %d dots differ", band, apart, dots)
		}
	}
}

// differing counts the dots that an eye could tell apart: where a band ends, a line is rounded once more.
func differing(a, b image.Image) (n int) {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := color.GrayModel.Convert(a.At(x, y)).(color.Gray), color.GrayModel.Convert(b.At(x, y)).(color.Gray)
			if d := int(p.Y) - int(q.Y); d*d > 64 {
				n++
			}
		}
	}
	return n
}

// TestTilesOfWhatNeedsMuchMemory gives a page less memory than it needs as a whole: it is drawn in bands, as sharp as
// any other; with less still, coarser, and the note says so; with too little there is a sentence.
func TestTilesOfWhatNeedsMuchMemory(t *testing.T) {
	content := large(1)
	for _, c := range []struct {
		memory int64
		width  int
		note   string
	}{
		{1 << 30, 4000, ""},
		{220 << 20, 4000, ""},
		{100 << 20, 2000, "The sheet is shown with 100 dots to the inch in place of 200: Page 1 needs more than 100 MB of memory to be read."},
	} {
		f := bring(t, open(t, Config{Memory: c.memory}), content)
		made, note, err := f.Tiles(t.Context(), 1)
		if err != nil || made.Width != c.width || note != c.note {
			t.Errorf("with %d MB: %d dots wide, %q, %v", c.memory>>20, made.Width, note, err)
		}
	}
	f := bring(t, open(t, Config{Memory: 30 << 20}), content)
	if _, _, err := f.Tiles(t.Context(), 1); !fault.Is(err, fault.Invalid) {
		t.Errorf("with 30 MB: %v", err)
	}
}

// An archive that a file has had written says nothing that costs the service memory.
func TestHostileArchives(t *testing.T) {
	wide := pyramid(1<<17, 1<<17)
	if _, err := OpenTiles(bytes.NewReader(wide.head())); err == nil {
		t.Errorf("an index of %d tiles was read", len(wide.entries))
	}
	one := pyramid(100, 100)
	if _, err := OpenTiles(bytes.NewReader(one.head())); err != nil {
		t.Error(err)
	}
	one.entries[0].length = 1<<31 - 1
	if _, err := OpenTiles(bytes.NewReader(one.head())); err == nil {
		t.Error("a tile of two gigabytes was believed")
	}
	strip := pyramid(1<<17, 1)
	if _, err := OpenTiles(bytes.NewReader(strip.head())); err != nil {
		t.Error(err)
	}
}
