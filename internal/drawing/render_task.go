package drawing

import (
	"bufio"
	"errors"
	"image"
	"image/png"
	"math"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
)

// render draws a page on white. The image is a view into the library's memory and is gone after the call of free.
func (d *document) render(number int, dpi float64) (img *image.RGBA, free func(), err error) {
	size, err := d.size(number)
	if err != nil {
		return nil, nil, err
	}
	w, h := size.pixels(dpi)
	return d.renderPart(number, w, h, 0, h)
}

// renderPart draws some rows of a page that is w × h large as a whole, as render does.
func (d *document) renderPart(number, w, h, from, rows int) (img *image.RGBA, free func(), err error) {
	return d.renderArea(number, w, h, image.Rect(0, from, w, from+rows))
}

// renderArea draws a part of a page that is whole × high large as a whole, as render does.
func (d *document) renderArea(number, whole, high int, part image.Rectangle) (
	img *image.RGBA, free func(), err error,
) {
	w, rows := part.Dx(), part.Dy()
	made, err := d.lib.FPDFBitmap_Create(&requests.FPDFBitmap_Create{Width: w, Height: rows, Alpha: 1})
	if err != nil {
		return nil, nil, unreadable(name(number), err)
	}
	free = func() { _, _ = d.lib.FPDFBitmap_Destroy(&requests.FPDFBitmap_Destroy{Bitmap: made.Bitmap}) }
	_, err = d.lib.FPDFBitmap_FillRect(&requests.FPDFBitmap_FillRect{
		Bitmap: made.Bitmap, Width: w, Height: rows, Color: 0xffffffff,
	})
	if err == nil {
		_, err = d.lib.FPDF_RenderPageBitmap(&requests.FPDF_RenderPageBitmap{
			Bitmap: made.Bitmap, Page: d.page(number), StartX: -part.Min.X, StartY: -part.Min.Y,
			SizeX: whole, SizeY: high,
			Flags: enums.FPDF_RENDER_FLAG_ANNOT | enums.FPDF_RENDER_FLAG_REVERSE_BYTE_ORDER |
				enums.FPDF_RENDER_FLAG_RENDER_LIMITEDIMAGECACHE,
		})
	}
	if err != nil {
		free()
		return nil, nil, unreadable(name(number), err)
	}
	pixels, err := d.lib.FPDFBitmap_GetBuffer(&requests.FPDFBitmap_GetBuffer{Bitmap: made.Bitmap})
	if err != nil || len(pixels.Buffer) < 4*w*rows {
		free()
		return nil, nil, unreadable(name(number), err)
	}
	return &image.RGBA{Pix: pixels.Buffer, Stride: 4 * w, Rect: image.Rect(0, 0, w, rows)}, free, nil
}

// pixels is how large a page becomes, which is less than asked for when that were too much.
func (s Size) pixels(dpi float64) (w, h int) {
	scale := dpi / 72
	if n := s.Width * s.Height * scale * scale; n > mostRendered {
		scale *= math.Sqrt(mostRendered / n)
	}
	return max(1, int(s.Width*scale)), max(1, int(s.Height*scale))
}

// The resolutions that may be asked for.
const leastDPI, mostDPI = 1, 600

func renderTask(d *document, o pageOrder, create maker) (any, error) {
	img, free, err := d.render(o.Page, min(max(o.DPI, leastDPI), mostDPI))
	if err != nil {
		return nil, err
	}
	defer free()
	const file = "page.png"
	out, err := create(file)
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriter(out)
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err = errors.Join(encoder.Encode(w, img), w.Flush(), out.Close())
	return Picture{Path: file, Width: img.Rect.Dx(), Height: img.Rect.Dy()}, err
}

// thumbnailTask draws a page twice as large as asked for and shrinks it, which keeps thin lines.
func thumbnailTask(d *document, o pageOrder, create maker) (any, error) {
	size, err := d.size(o.Page)
	if err != nil {
		return nil, err
	}
	side := min(max(o.Side, 16), DisplaySide)
	img, free, err := d.render(o.Page, min(2*float64(side)*72/max(size.Width, size.Height), mostDPI))
	if err != nil {
		return nil, err
	}
	defer free()
	return save(create, "thumbnail.jpg", shrink(img, side), 85)
}

// detailDPI is with how many dots to the inch a part of a page is drawn at most: as tiles are.
const detailDPI = tileDPI

// detailTask draws a part of a page so that it fits into a square.
func detailTask(d *document, o pageOrder, create maker) (any, error) {
	size, err := d.size(o.Page)
	if err != nil {
		return nil, err
	}
	side := float64(min(max(o.Side, 16), DisplaySide))
	a := o.Area
	longest := max((a.X1-a.X0)*size.Width, (a.Y1-a.Y0)*size.Height)
	if !(a.X0 >= 0 && a.Y0 >= 0 && a.X1 <= 1 && a.Y1 <= 1 && a.X0 < a.X1 && a.Y0 < a.Y1) || !(longest > 0) {
		return nil, bad("%s has no such part.", name(o.Page))
	}
	w, h := size.pixels(min(side*72/longest, detailDPI))
	part := image.Rect(int(a.X0*float64(w)), int(a.Y0*float64(h)), int(math.Ceil(a.X1*float64(w))),
		int(math.Ceil(a.Y1*float64(h)))).Intersect(image.Rect(0, 0, w, h))
	if part.Empty() {
		return nil, bad("%s has no such part.", name(o.Page))
	}
	img, free, err := d.renderArea(o.Page, w, h, part)
	if err != nil {
		return nil, err
	}
	defer free()
	return save(create, "detail.jpg", img, 80)
}
