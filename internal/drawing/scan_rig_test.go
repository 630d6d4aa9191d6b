package drawing

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// scannedAt draws a page of a PDF as a scanner would see it.
func scannedAt(t testing.TB, f *File, page int, dpi float64) *image.Gray {
	t.Helper()
	p, err := f.Render(t.Context(), page, dpi)
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	img, err := png.Decode(in)
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewGray(img.Bounds())
	draw.Draw(out, out.Rect, img, image.Point{}, draw.Src)
	return out
}

// skewed is a picture that lies askew on the scanner, by so many degrees.
func skewed(img *image.Gray, degrees float64) *image.Gray {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewGray(img.Rect)
	for y := range h {
		for x := range w {
			dx, dy := float64(x-w/2), float64(y-h/2)
			fx, fy := cos*dx+sin*dy+float64(w/2), cos*dy-sin*dx+float64(h/2)
			x0, y0 := int(math.Floor(fx)), int(math.Floor(fy))
			ax, ay := fx-float64(x0), fy-float64(y0)
			at := func(x, y int) float64 {
				if x < 0 || y < 0 || x >= w || y >= h {
					return 255
				}
				return float64(img.Pix[y*img.Stride+x])
			}
			v := (at(x0, y0)*(1-ax)+at(x0+1, y0)*ax)*(1-ay) + (at(x0, y0+1)*(1-ax)+at(x0+1, y0+1)*ax)*ay
			out.Pix[y*out.Stride+x] = byte(v)
		}
	}
	return out
}

// dirty is a picture from an old copy: grey paper that is darker at one side, noise, and specks.
func dirty(img *image.Gray, seed uint64) *image.Gray {
	r := rand.New(rand.NewPCG(seed, 1))
	w, h := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewGray(img.Rect)
	for y := range h {
		for x := range w {
			paper := 235 - 40*float64(x)/float64(w)
			v := 50 + (paper-50)*float64(img.Pix[y*img.Stride+x])/255 + r.NormFloat64()*8
			out.Pix[y*out.Stride+x] = byte(min(max(v, 0), 255))
		}
	}
	for range w * h / 12000 {
		x, y := r.IntN(w-2), r.IntN(h-2)
		for i := range 1 + r.IntN(3) {
			out.Pix[(y+i/2)*out.Stride+x+i%2] = byte(r.IntN(120))
		}
	}
	return out
}

// scanOf is a PDF with a page that is nothing but a picture.
func scanOf(t testing.TB, img *image.Gray, dpi float64) []byte {
	t.Helper()
	w, h := img.Rect.Dx(), img.Rect.Dy()
	packed := deflated(t, bytes.NewReader(img.Pix))
	x := fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", w, h, len(packed), packed)
	wide, high := float64(w)*72/dpi, float64(h)*72/dpi
	return pdfOf([]sheet{{
		box: fmt.Sprintf("0 0 %.2f %.2f", wide, high), content: fmt.Sprintf("%.2f 0 0 %.2f 0 0 cm /X Do", wide, high),
	}}, x)
}
