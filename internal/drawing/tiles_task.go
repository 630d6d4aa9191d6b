package drawing

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
)

// tileDPI is the resolution of the largest level.
const tileDPI = 200

// tilesTask draws a page and writes the archive of its tiles.
func tilesTask(d *document, o pageOrder, place string) (any, error) {
	img, free, err := d.render(o.Page, tileDPI)
	if err != nil {
		return nil, err
	}
	defer free()
	const file = "page.tiles"
	err = writeTiles(filepath.Join(place, file), img)
	return Picture{Path: file, Width: img.Rect.Dx(), Height: img.Rect.Dy()}, err
}

// writeTiles cuts an image and everything smaller into tiles. The index is written last, in the room left for it.
func writeTiles(path string, img *image.RGBA) error {
	t := pyramid(img.Rect.Dx(), img.Rect.Dy())
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	start := int64(len(t.head()))
	if _, err := out.Seek(start, io.SeekStart); err != nil {
		return err
	}
	w := bufio.NewWriter(out)
	e := &tileEncoder{known: map[[32]byte]entry{}, next: start}
	for n := len(t.levels) - 1; n >= 0; n-- {
		l := t.levels[n]
		for i := range l.columns * l.rows {
			x, y := i%l.columns*TileSide, i/l.columns*TileSide
			part := img.SubImage(image.Rect(x, y, x+TileSide, y+TileSide)).(*image.RGBA)
			if t.entries[l.first+i], err = e.add(w, part); err != nil {
				return err
			}
		}
		if n > 0 {
			img = average(img, 2)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = out.WriteAt(t.head(), 0)
	return errors.Join(err, out.Sync(), out.Close())
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

// palette gives a tile of line work in at most 256 colours: those that differ by less than eye and screen tell apart become their mean. It is nil when there
// are more, as in photographs.
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
		flat.Palette = append(flat.Palette, color.RGBA{uint8((s[0] + s[3]/2) / s[3]), uint8((s[1] + s[3]/2) / s[3]), uint8((s[2] + s[3]/2) / s[3]), 255})
	}
	return flat
}
