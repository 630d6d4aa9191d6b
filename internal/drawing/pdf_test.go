package drawing

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"groundwork/internal/drawing/read"
)

// TestText writes the same word at the same place of the displayed page, however the page is stored.
func TestText(t *testing.T) {
	w := open(t, Config{})
	// The word stands 100 points from the left and 200 from the top of a displayed page of 800 × 600, 20 points large,
	// and is written to the right.
	cases := map[string]sheet{
		"plain":    {box: "0 0 800 600", content: words("20 0 0 20 100 400", "Hx")},
		"moved":    {box: "-50 30 750 630", content: words("20 0 0 20 50 430", "Hx")},
		"turned":   {box: "0 0 600 800", rotate: 90, content: words("0 20 -20 0 200 100", "Hx")},
		"upside":   {box: "0 0 800 600", rotate: 180, content: words("-20 0 0 -20 700 200", "Hx")},
		"turned 3": {box: "0 0 600 800", rotate: 270, content: words("0 -20 20 0 400 700", "Hx")},
		"cropped": {
			box: "-500 -500 2000 2000", extra: "/CropBox [0 0 800 600]",
			content: words("20 0 0 20 100 400", "Hx"),
		},
		"scaled": {box: "0 0 800 600", content: "q 2 0 0 2 0 0 cm " + words("10 0 0 10 50 200", "Hx") + " Q"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := bring(t, w, pdfOf([]sheet{c}))
			p, err := f.Page(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(p.Width-800) > 0.01 || math.Abs(p.Height-600) > 0.01 || len(p.Chars) != 2 {
				t.Fatalf("got %+v", p)
			}
			h, x := p.Chars[0], p.Chars[1]
			if h.Rune != 'H' || x.Rune != 'x' || math.Abs(h.Size-20) > 0.01 || h.Angle != 0 {
				t.Errorf("got %+v", h)
			}
			// H is 0.722 em wide; its loose box reaches above and below the line of writing.
			if math.Abs(h.X0-100) > 0.2 || math.Abs(h.X1-114.44) > 0.2 || h.Y0 > 186 || h.Y0 < 176 || h.Y1 < 200 ||
				h.Y1 > 208 || math.Abs(x.X0-h.X1) > 0.2 {
				t.Errorf("H is at %.2f %.2f %.2f %.2f, x begins at %.2f", h.X0, h.Y0, h.X1, h.Y1, x.X0)
			}
			inkInside(t, f, p)
		})
	}
}

// inkInside renders the page and expects all that is dark inside the boxes of the characters: another witness of where
// they are.
func inkInside(t *testing.T, f *File, p read.Page) {
	t.Helper()
	picture, err := f.Render(t.Context(), 1, 72)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(picture.Path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	ink := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, _, _, _ := img.At(x, y).RGBA(); r>>8 > 100 {
				continue
			}
			ink++
			inside := false
			for _, c := range p.Chars {
				inside = inside || float64(x) >= c.X0-1 && float64(x) <= c.X1+1 && float64(y) >= c.Y0-1 &&
					float64(y) <= c.Y1+1
			}
			if !inside {
				t.Fatalf("the dot at %d, %d is in no character", x, y)
			}
		}
	}
	if ink < 20 {
		t.Errorf("only %d dots are dark", ink)
	}
}

func TestAngle(t *testing.T) {
	w := open(t, Config{})
	for want, matrix := range map[float64]string{
		0: "10 0 0 10 300 300", 270: "0 10 -10 0 300 300",
		90: "0 -10 10 0 300 300", 180: "-10 0 0 -10 300 300", 330: "8.66025 5 -5 8.66025 300 300",
	} {
		p, err := bring(t, w, pdfOf([]sheet{{content: words(matrix, "N")}})).Page(t.Context(), 1)
		if err != nil || len(p.Chars) != 1 {
			t.Fatal(p, err)
		}
		if c := p.Chars[0]; math.Abs(c.Angle-want) > 0.1 || math.Abs(c.Size-10) > 0.1 {
			t.Errorf("got %v of %v; want %v of 10", c.Angle, c.Size, want)
		}
	}
}

func TestPages(t *testing.T) {
	f := bring(t, open(t, Config{}), pdfOf([]sheet{{}, {rotate: 90}, {box: "0 0 2592 1728"}, {box: "0 0 20000 20000"}}))
	got, err := f.Pages(t.Context())
	want := []Size{{612, 792}, {792, 612}, {2592, 1728}, {}}
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, %v", got, err)
	}
	_, err = f.Page(t.Context(), 4)
	invalid(t, err, "Page 4 is 278 inches long; at most 200 are read.")
	_, err = f.Page(t.Context(), 5)
	invalid(t, err, "The PDF has 4 pages; there is no page 5.")
}

func TestBadPDF(t *testing.T) {
	good := pdfOf([]sheet{{content: words("20 0 0 20 100 400", "Hx")}})
	api.DisableConfigDir()
	var locked bytes.Buffer
	conf := model.NewDefaultConfiguration()
	conf.UserPW, conf.OwnerPW = "open", "sesame"
	if err := api.Encrypt(bytes.NewReader(good), &locked, conf); err != nil {
		t.Fatal(err)
	}
	many := pdfOf(make([]sheet, 10000))
	bomb := deflated(t, bytes.NewReader(deflated(t, io.LimitReader(spaces{}, 1<<28))))
	w := open(t, Config{Within: 10 * time.Second, Memory: 512 << 20})
	cases := map[string]struct {
		file  []byte
		words string
	}{
		"empty":      {nil, "The PDF is empty."},
		"text":       {[]byte("Dear colleagues, please find attached"), "no PDF"},
		"head only":  {good[:20], "no PDF"},
		"no pages":   {pdfOf(nil), "PDF"},
		"locked":     {locked.Bytes(), "protected by a password"},
		"many pages": {many, "The PDF has 10000 pages; at most 5000 are read."},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := bring(t, w, c.file).Pages(t.Context())
			invalid(t, err, c.words)
		})
	}
	t.Run("bomb", func(t *testing.T) {
		body := fmt.Sprintf(
			"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Filter [/FlateDecode /FlateDecode] /Length %d >>\nstream\n%s\nendstream", len(bomb), bomb)
		f := bring(t, w, pdfOf([]sheet{{content: "/X Do"}}, body))
		_, err := f.Thumbnail(t.Context(), 1, 300)
		t.Logf("a bomb of %d bytes: %v", len(bomb), err)
		if err != nil {
			invalid(t, err, "Page 1")
		}
	})
	t.Run("image bomb", func(t *testing.T) {
		data := deflated(t, io.LimitReader(spaces{}, 1<<20))
		body := fmt.Sprintf(
			"<< /Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream", len(data), data)
		f := bring(t, w, pdfOf([]sheet{{content: "q 600 0 0 700 0 0 cm /X Do Q"}}, body))
		_, err := f.Thumbnail(t.Context(), 1, 300)
		t.Logf("an image bomb: %v", err)
		if err != nil {
			invalid(t, err, "Page 1")
		}
	})
	t.Run("laughs", func(t *testing.T) {
		// Each form draws the next one twenty times.
		var forms []string
		const depth = 12
		for i := range depth {
			body := strings.Repeat("/X Do ", 20)
			resources := fmt.Sprintf("/Resources << /XObject << /X %d 0 R >> >>", 4+i+1)
			if i == depth-1 {
				body, resources = "0 0 5 5 re f", ""
			}
			forms = append(forms,
				fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 99 99] %s /Length %d >>\nstream\n%s\nendstream", resources, len(body), body))
		}
		quick := open(t, Config{Within: 3 * time.Second})
		f := bring(t, quick, pdfOf([]sheet{{content: "/X Do"}}, forms...))
		_, err := f.Thumbnail(t.Context(), 1, 300)
		invalid(t, err, "Page 1")
		t.Log(err)
	})
	if p, err := bring(t, w, good).Page(t.Context(), 1); err != nil || len(p.Chars) != 2 {
		t.Errorf("afterwards a good one gives %v, %v", p, err)
	}
}

// TestLargestPage survives 200 inches by drawing them coarser.
func TestLargestPage(t *testing.T) {
	f := bring(t, open(t, Config{}),
		pdfOf([]sheet{{box: "0 0 14400 14400", content: words("900 0 0 900 1000 1000", "Hx")}}))
	if p, err := f.Thumbnail(t.Context(), 1, 300); err != nil || p.Width != 300 {
		t.Errorf("got %+v, %v", p, err)
	}
	for size, want := range map[Size][2]int{
		{2592, 1728}: {7200, 4800}, {14400, 14400}: {8485, 8485},
		{14400, 1}: {40000, 2},
	} {
		if w, h := size.pixels(200); w != want[0] || h != want[1] {
			t.Errorf("%v is drawn with %d × %d", size, w, h)
		}
	}
}

func TestSplit(t *testing.T) {
	w := open(t, Config{})
	whole := pdfOf([]sheet{
		{content: words("20 0 0 20 100 400", "one")}, {rotate: 90, content: words("20 0 0 20 100 400", "two")},
	})
	torn := bytes.Replace(whole, []byte("startxref"), []byte("startnot!"), 1)
	// A font of an unknown kind is refused by the first library, and the second one draws it.
	odd := bytes.Replace(whole, []byte("/Subtype /Type1"), []byte("/Subtype /Tipe1"), 1)
	for name, file := range map[string][]byte{"whole": whole, "torn": torn, "odd": odd} {
		t.Run(name, func(t *testing.T) {
			f := bring(t, w, file)
			for i, text := range []string{"one", "two"} {
				path, err := f.Split(t.Context(), i+1)
				if err != nil {
					t.Fatal(err)
				}
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				part := bring(t, w, content)
				sizes, err := part.Pages(t.Context())
				if err != nil || len(sizes) != 1 {
					t.Fatalf("%d pages, %v", len(sizes), err)
				}
				before, err := f.Page(t.Context(), i+1)
				if err != nil {
					t.Fatal(err)
				}
				after, err := part.Page(t.Context(), 1)
				if err != nil || fmt.Sprint(after) != fmt.Sprint(before) || len(after.Chars) != 3 ||
					string(after.Chars[0].Rune) != text[:1] {
					t.Errorf("page %d became %v, %v; it was %v", i+1, after, err, before)
				}
			}
		})
	}
}

func TestThumbnail(t *testing.T) {
	f := bring(t, open(t, Config{}), pdfOf([]sheet{{box: "0 0 2592 1728", content: "1 0 0 rg 0 864 1296 864 re f"}}))
	p, err := f.Thumbnail(t.Context(), 1, 300)
	if err != nil {
		t.Fatal(err)
	}
	img := see(t, p)
	if img.Bounds() != image.Rect(0, 0, 300, 200) {
		t.Errorf("it is %v", img.Bounds())
	}
	for at, red := range map[image.Point]bool{{50, 50}: true, {250, 50}: false, {50, 150}: false} {
		if r, g, _, _ := img.At(at.X, at.Y).RGBA(); r>>8 < 240 || (g>>8 < 20) != red {
			t.Errorf("at %v it is %x %x", at, r, g)
		}
	}
}
