package drawing

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
)

// tileDPI is the resolution of the largest level.
const tileDPI = 200

// tilesTask draws a page and writes the archive of its tiles. Where the order has a band, the page is drawn as often as
// bands of that many bytes make it up: what lies outside of a band takes no memory, neither as a picture nor as a layer
// of a transparent group.
func tilesTask(d *document, o pageOrder, create maker) (any, error) {
	size, err := d.size(o.Page)
	if err != nil {
		return nil, err
	}
	w, h := size.pixels(min(max(o.DPI, leastDPI), mostDPI))
	rows := h
	if o.Band > 0 {
		rows = max(TileSide, o.Band/(4*w)/TileSide*TileSide)
	}
	const file = "page.tiles"
	out, err := create(file)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	t, err := newTower(out, w, h)
	if err != nil {
		return nil, err
	}
	for y := 0; y < h; y += rows {
		img, free, err := d.renderPart(o.Page, w, h, y, min(rows, h-y))
		if err != nil {
			return nil, err
		}
		err = t.add(img)
		free()
		if err != nil {
			return nil, err
		}
	}
	return Picture{Path: file, Width: w, Height: h}, t.close()
}

// tileEncoder writes tiles one after the other, and none twice.
type tileEncoder struct {
	known map[[32]byte]entry
	next  int64
	text  bytes.Buffer
	bins  [1 << 15]uint16
}

func (e *tileEncoder) add(w io.Writer, part *image.RGBA) (entry, error) {
	e.text.Reset()
	flat := e.palette(part)
	var err error
	if flat != nil {
		err = (&png.Encoder{}).Encode(&e.text, flat)
	} else {
		err = jpeg.Encode(&e.text, part, &jpeg.Options{Quality: 80})
	}
	if err != nil {
		return entry{}, err
	}
	sum := sha256.Sum256(e.text.Bytes())
	if same, known := e.known[sum]; known {
		return same, nil
	}
	if e.next+int64(e.text.Len()) > math.MaxUint32 {
		return entry{}, errors.New("the archive of tiles is too large")
	}
	at := entry{offset: uint32(e.next), length: uint32(e.text.Len()), jpeg: flat == nil}
	e.known[sum] = at
	e.next += int64(e.text.Len())
	_, err = w.Write(e.text.Bytes())
	return at, err
}

// palette gives a tile of line work in at most 256 colours: those that differ by less than eye and screen tell apart
// become their mean. It is nil when there are more, as in photographs.
func (e *tileEncoder) palette(part *image.RGBA) *image.Paletted {
	b := part.Rect
	flat := image.NewPaletted(image.Rect(0, 0, b.Dx(), b.Dy()), nil)
	clear(e.bins[:])
	var sums [256][4]uint64
	count := 0
	for y := range b.Dy() {
		row := part.Pix[y*part.Stride : y*part.Stride+4*b.Dx()]
		to := flat.Pix[y*flat.Stride:]
		for x := range b.Dx() {
			r, g, bl := row[4*x], row[4*x+1], row[4*x+2]
			bin := int(r>>3)<<10 | int(g>>3)<<5 | int(bl>>3)
			at := e.bins[bin]
			if at == 0 {
				if count == len(sums) {
					return nil
				}
				count++
				at = uint16(count)
				e.bins[bin] = at
			}
			s := &sums[at-1]
			s[0], s[1], s[2], s[3] = s[0]+uint64(r), s[1]+uint64(g), s[2]+uint64(bl), s[3]+1
			to[x] = uint8(at - 1)
		}
	}
	for _, s := range sums[:count] {
		flat.Palette = append(flat.Palette, color.RGBA{
			uint8((s[0] + s[3]/2) / s[3]), uint8((s[1] + s[3]/2) / s[3]), uint8((s[2] + s[3]/2) / s[3]), 255,
		})
	}
	return flat
}
