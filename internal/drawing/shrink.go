package drawing

import (
	"image"
	"image/color"
	"image/draw"

	scale "golang.org/x/image/draw"
)

// shrink fits an image into a square, on white where it is transparent: it is halved by averaging as often as that
// leaves enough, and the rest is done by a sharper filter. It is never enlarged.
func shrink(src image.Image, side int) *image.RGBA {
	w, h := src.Bounds().Dx(), src.Bounds().Dy()
	factor := 1
	for max(w, h)/(2*factor) >= side {
		factor *= 2
	}
	small := average(src, factor)
	if max(w, h) <= side {
		return small
	}
	tw, th := side, max(1, (h*side+w/2)/w)
	if h > w {
		tw, th = max(1, (w*side+h/2)/h), side
	}
	if small.Rect.Dx() == tw && small.Rect.Dy() == th {
		return small
	}
	out := image.NewRGBA(image.Rect(0, 0, tw, th))
	scale.CatmullRom.Scale(out, out.Rect, small, small.Rect, draw.Src, nil)
	return out
}

// average makes one pixel of each square of factor × factor. It works in strips, so that the whole image is never held
// in a second form.
func average(src image.Image, factor int) *image.RGBA {
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	if same, is := src.(*image.RGBA); is && factor == 1 && b.Min == (image.Point{}) && same.Opaque() {
		return same
	}
	out := image.NewRGBA(image.Rect(0, 0, (w+factor-1)/factor, (h+factor-1)/factor))
	strip := image.NewRGBA(image.Rect(0, 0, w, factor))
	for y := range out.Rect.Dy() {
		rows := min(factor, h-y*factor)
		part := image.Rect(0, 0, w, rows)
		draw.Draw(strip, part, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(strip, part, src, image.Pt(b.Min.X, b.Min.Y+y*factor), draw.Over)
		row := out.Pix[y*out.Stride:]
		if factor == 1 {
			copy(row, strip.Pix[:4*w])
			continue
		}
		for x := range out.Rect.Dx() {
			var r, g, b, n uint32
			for dy := range rows {
				from := dy*strip.Stride + 4*x*factor
				for i := from; i < from+4*min(factor, w-x*factor); i += 4 {
					r, g, b, n = r+uint32(strip.Pix[i]), g+uint32(strip.Pix[i+1]), b+uint32(strip.Pix[i+2]), n+1
				}
			}
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = uint8((r+n/2)/n), uint8((g+n/2)/n), uint8((b+n/2)/n), 255
		}
	}
	return out
}

// sideways tells whether an orientation of the EXIF standard exchanges width and height.
func sideways(orientation int) bool { return orientation >= 5 && orientation <= 8 }

// turn makes an image upright that a camera stored in one of the eight orientations of the EXIF standard.
func turn(src *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 || orientation > 8 {
		return src
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	tw, th := w, h
	if sideways(orientation) {
		tw, th = h, w
	}
	out := image.NewRGBA(image.Rect(0, 0, tw, th))
	for y := range th {
		for x := range tw {
			var sx, sy int
			switch orientation {
			case 2:
				sx, sy = w-1-x, y
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sx, sy = x, h-1-y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, h-1-x
			case 7:
				sx, sy = w-1-y, h-1-x
			case 8:
				sx, sy = w-1-y, x
			}
			copy(out.Pix[y*out.Stride+4*x:][:4], src.Pix[sy*src.Stride+4*sx:][:4])
		}
	}
	return out
}
