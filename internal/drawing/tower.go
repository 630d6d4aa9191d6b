package drawing

import (
	"bufio"
	"errors"
	"image"
	"image/draw"
	"io"
	"os"
)

// tower writes an archive of tiles out of an image that comes in parts, from the top. Of each level it holds no more
// than a row of tiles.
type tower struct {
	out     *os.File
	w       *bufio.Writer
	tiles   *Tiles
	encoder *tileEncoder
	storeys []storey // by level
}

// storey is what a level waits with until a row of tiles is whole.
type storey struct {
	part *image.RGBA // as wide as the level and as high as a tile
	rows int         // of part
	done int         // rows of the level that were written
}

// newTower begins an archive; the index is written last, in the room left for it.
func newTower(out *os.File, width, height int) (*tower, error) {
	t := pyramid(width, height)
	start := int64(len(t.head()))
	_, err := out.Seek(start, io.SeekStart)
	return &tower{
		out: out, w: bufio.NewWriter(out), tiles: t, storeys: make([]storey, len(t.levels)),
		encoder: &tileEncoder{known: map[[32]byte]entry{}, next: start},
	}, err
}

// add takes the next rows of the image: as many as are left, or whole rows of tiles.
func (t *tower) add(img *image.RGBA) error {
	b := img.Rect
	for y := b.Min.Y; y < b.Max.Y; y += TileSide {
		row := img.SubImage(image.Rect(b.Min.X, y, b.Max.X, min(y+TileSide, b.Max.Y))).(*image.RGBA)
		if err := t.write(len(t.tiles.levels)-1, row); err != nil {
			return err
		}
	}
	return nil
}

// write writes a row of tiles, and gives the level below its half of it.
func (t *tower) write(n int, row *image.RGBA) error {
	l, s := t.tiles.levels[n], &t.storeys[n]
	at := s.done / TileSide * l.columns
	for column := range l.columns {
		x := row.Rect.Min.X + column*TileSide
		part := row.SubImage(image.Rect(x, row.Rect.Min.Y, x+TileSide, row.Rect.Max.Y)).(*image.RGBA)
		e, err := t.encoder.add(t.w, part)
		if err != nil {
			return err
		}
		t.tiles.entries[l.first+at+column] = e
	}
	s.done += row.Rect.Dy()
	if n == 0 {
		return nil
	}
	half := average(row, 2)
	below, under := t.tiles.levels[n-1], &t.storeys[n-1]
	if under.part == nil {
		under.part = image.NewRGBA(image.Rect(0, 0, below.width, min(TileSide, below.height)))
	}
	place := image.Rect(0, under.rows, below.width, under.rows+half.Rect.Dy())
	draw.Draw(under.part, place, half, image.Point{}, draw.Src)
	under.rows += half.Rect.Dy()
	if under.rows < TileSide && under.done+under.rows < below.height {
		return nil
	}
	whole := under.part.SubImage(image.Rect(0, 0, below.width, under.rows)).(*image.RGBA)
	under.rows = 0
	return t.write(n-1, whole)
}

// close writes the index.
func (t *tower) close() error {
	if err := t.w.Flush(); err != nil {
		return err
	}
	_, err := t.out.WriteAt(t.tiles.head(), 0)
	return errors.Join(err, t.out.Sync())
}
