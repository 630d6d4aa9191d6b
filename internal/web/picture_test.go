package web_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/chromedp"
)

// picture writes what the tab shows into a file, in so few colours that it is small.
func (p *tab) picture(path string) {
	p.t.Helper()
	// Neither the port of this run nor the name of the test's release is worth showing, and no key is shown that was
	// ever one.
	eval[bool](p, `(() => {
		const release = document.querySelector('.bar > .pill'), example = document.querySelectorAll('pre code')[1];
		if (release) release.textContent = 'dev';
		if (example) example.textContent = 'curl -u "$KEY:" https://build.example.com/me';
		for (const shown of document.querySelectorAll('.secret')) shown.textContent = shown.textContent.replace(/^(gw._)\w{38}$/, '$1this_is_where_your_new_key_is_shown_once');
		for (const shown of document.querySelectorAll('code')) shown.textContent = shown.textContent.replace(location.origin, 'https://build.example.com').replace(/http:\/\/127\.0\.0\.1:\d+/, 'https://sync.example.com');
		for (const shown of document.querySelectorAll('time')) shown.textContent = shown.textContent.replace(/.* (\d{4}), \d\d:\d\d/, '2 March $1, 09:30');
		for (const shown of document.querySelectorAll('code')) shown.textContent = shown.textContent.replace(/^\w{8}-\w{4}-\w{4}-\w{4}-\w{12}$/, '5b1f0c52-7a3d-4e0b-9c11-2f6d8e4a7b90');
		return true;
	})()`)
	shot, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		p.t.Fatal(err)
	}
	if old, err := os.ReadFile(path); err == nil {
		if was, err := png.Decode(bytes.NewReader(old)); err == nil && alike(was, full) {
			return // a browser draws the same page a little differently each time
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, reduce(full)); err != nil {
		p.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// alike tells whether nobody would see a difference between two pictures: of a thousand points at most one differs.
func alike(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	bounds, differ := a.Bounds(), 0
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			p, q := color.RGBAModel.Convert(a.At(x, y)).(color.RGBA), color.RGBAModel.Convert(b.At(x, y)).(color.RGBA)
			if max(p.R, q.R)-min(p.R, q.R) > 48 || max(p.G, q.G)-min(p.G, q.G) > 48 ||
				max(p.B, q.B)-min(p.B, q.B) > 48 {
				differ++
			}
		}
	}
	return differ*1000 <= bounds.Dx()*bounds.Dy()
}

// reduce draws a picture with at most 256 colours: those that it uses most and that differ enough to be told apart.
func reduce(full image.Image) image.Image {
	bounds, counts := full.Bounds(), map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	used := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var palette color.Palette
	far := func(a, b color.RGBA) bool {
		r, g, b2 := int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B)
		return r*r+g*g+b2*b2 > 200
	}
	for _, c := range used {
		if len(palette) < 64 || len(palette) < 256 && !slices.ContainsFunc(palette, func(had color.Color) bool {
			return !far(c, had.(color.RGBA))
		}) {
			palette = append(palette, c)
		}
	}
	out, index := image.NewPaletted(bounds, palette), map[color.RGBA]uint8{}
	for _, c := range used {
		index[c] = uint8(palette.Index(c))
	}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			out.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	return out
}
