package drawing

import (
	"bytes"
	_ "embed"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"testing"
	"time"

	"github.com/gen2brain/heic"
)

// quartersHEIC is quarters(192, 128) with the EXIF block of site(1), encoded by heif-enc 1.15.1 (x265) with -q 40: 806
// bytes.
//
//go:embed testdata/quarters.heic
var quartersHEIC []byte

// TestNoLibraryIsLoaded holds that HEIC is decoded inside WebAssembly whatever is installed and however this was built.
func TestNoLibraryIsLoaded(t *testing.T) {
	if heic.Dynamic() == nil {
		t.Error("a library of this machine decodes HEIC")
	}
}

// see decodes a picture.
func see(t *testing.T, p Picture) image.Image {
	t.Helper()
	content, err := os.ReadFile(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, trace := range []string{"Exif", "GPS", "http://ns.adobe"} {
		if bytes.Contains(content, []byte(trace)) {
			t.Errorf("%s carries metadata: %s", p.Path, trace)
		}
	}
	img, err := jpeg.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	if img.Bounds().Dx() != p.Width || img.Bounds().Dy() != p.Height {
		t.Errorf("%s is %v; said are %d × %d", p.Path, img.Bounds(), p.Width, p.Height)
	}
	return img
}

// upright expects the four corners where they belong.
func upright(t *testing.T, name string, img image.Image) {
	t.Helper()
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	for i, at := range [4]image.Point{{w / 4, h / 4}, {3 * w / 4, h / 4}, {3 * w / 4, 3 * h / 4}, {w / 4, 3 * h / 4}} {
		got, want := color.RGBAModel.Convert(img.At(at.X, at.Y)).(color.RGBA), corners[i]
		for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
			if math.Abs(float64(d)) > 40 {
				t.Errorf("%s: corner %d is %v; want %v", name, i, got, want)
				break
			}
		}
	}
}

// stored is how a camera stores the upright picture in an orientation: the inverse of turn, written by another rule,
// where the rows and columns of the file go.
func stored(img *image.RGBA, orientation int) *image.RGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	// For each orientation: does row 0 of the file lie at top, bottom, left or right, and column 0?
	type place struct{ rows, columns string }
	p := map[int]place{
		1: {"top", "left"}, 2: {"top", "right"}, 3: {"bottom", "right"}, 4: {"bottom", "left"},
		5: {"left", "top"}, 6: {"right", "top"}, 7: {"right", "bottom"}, 8: {"left", "bottom"},
	}[orientation]
	fw, fh := w, h
	if p.rows == "left" || p.rows == "right" {
		fw, fh = h, w
	}
	out := image.NewRGBA(image.Rect(0, 0, fw, fh))
	for row := range fh {
		for col := range fw {
			var x, y int
			for _, edge := range []struct {
				side string
				n    int
			}{{p.rows, row}, {p.columns, col}} {
				switch edge.side {
				case "top":
					y = edge.n
				case "bottom":
					y = h - 1 - edge.n
				case "left":
					x = edge.n
				case "right":
					x = w - 1 - edge.n
				}
			}
			out.SetRGBA(col, row, img.RGBAAt(x, y))
		}
	}
	return out
}

func TestPhoto(t *testing.T) {
	w := open(t, Config{})
	turned := bytes.Replace(quartersHEIC, []byte("pixi\x00"), []byte("irot\x03"), 1)
	cases := map[string]struct {
		file          []byte
		width, height int
		display       bool
		exif          bool
		turned        bool
	}{
		"jpeg": {file: asJPEG(t, quarters(640, 480)), width: 640, height: 480},
		"jpeg with exif": {
			file: withEXIF(asJPEG(t, quarters(640, 480)), site(1)), width: 640, height: 480,
			exif: true,
		},
		"png": {file: asPNG(t, quarters(2000, 1000)), width: 2000, height: 1000, display: true},
		"png with exif": {
			file: pngWithEXIF(asPNG(t, stored(quarters(300, 200), 8)), site(8)), width: 300,
			height: 200, display: true, exif: true,
		},
		"heic":        {file: quartersHEIC, width: 192, height: 128, display: true, exif: true},
		"heic turned": {file: turned, width: 128, height: 192, display: true, exif: true, turned: true},
		"large":       {file: asJPEG(t, quarters(5000, 2000)), width: 5000, height: 2000},
		"jpeg then script": {
			file: append(asJPEG(t, quarters(640, 480)), "<script>alert(1)</script>"...), width: 640,
			height: 480,
		},
	}
	for o := 2; o <= 8; o++ {
		cases["jpeg turned "+string(rune('0'+o))] = struct {
			file          []byte
			width, height int
			display       bool
			exif          bool
			turned        bool
		}{
			file: withEXIF(asJPEG(t, stored(quarters(640, 480), o)), site(uint16(o))), width: 640, height: 480,
			display: true, exif: true,
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := bring(t, w, c.file).Photo(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if p.Width != c.width || p.Height != c.height {
				t.Errorf("it is %d × %d", p.Width, p.Height)
			}
			pictures := map[int]Picture{ThumbnailSide: p.Thumbnail, PreviewSide: p.Preview}
			if (p.Display != nil) != c.display {
				t.Errorf("display: %v", p.Display)
			} else if c.display {
				pictures[DisplaySide] = *p.Display
			}
			for side, picture := range pictures {
				img := see(t, picture)
				if want := min(side, max(c.width, c.height)); max(picture.Width, picture.Height) != want {
					t.Errorf("a picture for %d is %d × %d", side, picture.Width, picture.Height)
				}
				got, want := float64(picture.Width)/float64(picture.Height), float64(c.width)/float64(c.height)
				if math.Abs(got-want)/want > 0.01 {
					t.Errorf("a picture for %d is %d × %d", side, picture.Width, picture.Height)
				}
				if !c.turned {
					upright(t, name, img)
				}
			}
			if c.turned { // by three quarters against the clock: what was top left is now top right
				img := see(t, *p.Display)
				if got := color.RGBAModel.Convert(img.At(96, 48)).(color.RGBA); got.R < 180 || got.G > 60 {
					t.Errorf("the top right corner is %v", got)
				}
			}
			checkMeta(t, p, c.exif)
		})
	}
}

func checkMeta(t *testing.T, p Photo, has bool) {
	t.Helper()
	if !has {
		if p.TakenAt != nil || p.TakenOffset != nil || p.Latitude != nil || p.Longitude != nil {
			t.Errorf("from nothing: %+v", p)
		}
		return
	}
	if p.TakenAt == nil || !p.TakenAt.Equal(time.Date(2026, 7, 4, 22, 30, 5, 0, time.UTC)) || p.TakenOffset == nil ||
		*p.TakenOffset != -420 {
		t.Errorf("taken at %v, %v", p.TakenAt, p.TakenOffset)
	}
	if p.Latitude == nil || math.Abs(*p.Latitude-45.520067) > 1e-5 || p.Longitude == nil ||
		math.Abs(*p.Longitude+122.675167) > 1e-5 {
		t.Errorf("taken in %v, %v", p.Latitude, p.Longitude)
	}
}

func TestTooLarge(t *testing.T) {
	f := bring(t, open(t, Config{}), asJPEG(t, quarters(64, 48)))
	if err := os.Truncate(f.input(), MostPhoto); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Photo(t.Context()); err != nil {
		t.Errorf("got %v", err)
	}
	if err := os.Truncate(f.input(), MostPhoto+1); err != nil {
		t.Fatal(err)
	}
	_, err := f.Photo(t.Context())
	invalid(t, err, "The image has 128 MB; at most 128 are read.")
}

func TestTransparentIsWhite(t *testing.T) {
	p, err := bring(t, open(t, Config{}), asPNG(t, image.NewNRGBA(image.Rect(0, 0, 700, 500)))).Photo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := see(t, p.Thumbnail).At(10, 10).RGBA(); r>>8 < 250 || g>>8 < 250 || b>>8 < 250 {
		t.Errorf("it is %x %x %x", r, g, b)
	}
}

// claims gives a small PNG file with many pixels.
func claims(t testing.TB, w, h int) []byte {
	t.Helper()
	var whole bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&whole, hollow{w, h}); err != nil {
		t.Fatal(err)
	}
	return whole.Bytes()
}

// hollow is an image of one colour that takes no memory.
type hollow struct{ w, h int }

func (h hollow) ColorModel() color.Model { return color.NRGBAModel }
func (h hollow) Bounds() image.Rectangle { return image.Rect(0, 0, h.w, h.h) }
func (h hollow) At(int, int) color.Color { return color.NRGBA{} }

func TestBadPhoto(t *testing.T) {
	w := open(t, Config{Memory: 256 << 20})
	whole := withEXIF(asJPEG(t, quarters(640, 480)), site(6))
	huge := bytes.Clone(asPNG(t, quarters(8, 8)))
	copy(huge[16:], "\x00\x00\x75\x30\x00\x00\x75\x30") // 30,000 × 30,000
	fixPNG(huge)
	cases := map[string]struct {
		file  []byte
		words string
	}{
		"empty":          {nil, "The image is empty."},
		"text":           {[]byte("<html><script>alert(1)</script>"), "neither JPEG, PNG nor HEIC"},
		"gif":            {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "neither JPEG, PNG nor HEIC"},
		"cut jpeg":       {whole[:len(whole)/2], "The image is damaged: it ends too early."},
		"cut in exif":    {whole[:40], "The image is damaged: it ends too early."},
		"cut png":        {asPNG(t, quarters(64, 64))[:60], "The image is damaged"},
		"cut heic":       {quartersHEIC[:600], "The image is damaged"},
		"heic head only": {quartersHEIC[:32], "The image is damaged"},
		"broken jpeg":    {append([]byte("\xff\xd8\xff\xdb\x00\x43\x07"), whole[300:]...), "The image is damaged"},
		"bomb":           {huge, "The image would have 900 megapixels; at most 100 are read."},
		"heavy":          {claims(t, 9000, 9000), "The image needs more than 256 MB of memory to be read."},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			begun := time.Now()
			_, err := bring(t, w, c.file).Photo(t.Context())
			invalid(t, err, c.words)
			if d := time.Since(begun); d > 20*time.Second {
				t.Errorf("it took %v", d)
			}
		})
	}
	if _, err := bring(t, w, whole).Photo(t.Context()); err != nil {
		t.Errorf("afterwards a good one fails: %v", err)
	}
}
