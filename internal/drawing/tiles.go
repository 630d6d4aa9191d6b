package drawing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// TileSide is how wide and high a tile is, in pixels.
const TileSide = 512

// Tiles is the index of an archive of tiles: a pyramid of images, each half as large as the one above, cut into
// squares. Level 0 is one pixel, as in the Deep Zoom layout that viewers read. The archive is one file: this index,
// then the tiles. A tile is one range of it.
type Tiles struct {
	Width, Height int
	levels        []level
	entries       []entry
}

// level is one size of the pyramid.
type level struct{ width, height, columns, rows, first int }

// entry is where a tile lies; equal tiles lie in one place.
type entry struct {
	offset, length uint32
	jpeg           bool
}

const (
	tileMagic = "GWTILES1"
	tileHead  = len(tileMagic) + 8
	tileEntry = 8
	jpegFlag  = 1 << 31
	mostTiled = 1 << 17 // pixels along one side
	// mostTiles is how many tiles an archive may have: what is drawn, 72 million pixels, has 275 at the largest size,
	// and 256 where it is one pixel high.
	mostTiles  = 4096
	notATiling = "the archive of tiles is damaged"
)

// pyramid lays out the levels of an image.
func pyramid(w, h int) *Tiles {
	t := &Tiles{Width: w, Height: h}
	top := bits.Len(uint(max(w, h) - 1))
	first := 0
	for n := range top + 1 {
		shrink := top - n
		l := level{width: ceil(w, shrink), height: ceil(h, shrink), first: first}
		l.columns, l.rows = (l.width+TileSide-1)/TileSide, (l.height+TileSide-1)/TileSide
		first += l.columns * l.rows
		t.levels = append(t.levels, l)
	}
	t.entries = make([]entry, first)
	return t
}

// ceil halves a length n times, rounding up.
func ceil(length, n int) int { return (length + 1<<n - 1) >> n }

// head is the beginning of the archive.
func (t *Tiles) head() []byte {
	be := binary.BigEndian
	out := be.AppendUint32([]byte(tileMagic), uint32(t.Width))
	out = be.AppendUint32(out, uint32(t.Height))
	for _, e := range t.entries {
		length := e.length
		if e.jpeg {
			length |= jpegFlag
		}
		out = be.AppendUint32(be.AppendUint32(out, e.offset), length)
	}
	return out
}

// OpenTiles reads the index of an archive. A worker wrote it that a file may have taken over: one that says what no
// drawing needs is damaged.
func OpenTiles(r io.ReaderAt) (*Tiles, error) {
	head := make([]byte, tileHead)
	if _, err := r.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("%s: %w", notATiling, err)
	}
	be := binary.BigEndian
	w, h := int(be.Uint32(head[len(tileMagic):])), int(be.Uint32(head[len(tileMagic)+4:]))
	if string(head[:len(tileMagic)]) != tileMagic || w < 1 || h < 1 || w > mostTiled || h > mostTiled {
		return nil, errors.New(notATiling)
	}
	if (w+TileSide-1)/TileSide*((h+TileSide-1)/TileSide) > mostTiles {
		return nil, errors.New(notATiling)
	}
	t := pyramid(w, h)
	text := make([]byte, tileEntry*len(t.entries))
	if _, err := r.ReadAt(text, int64(tileHead)); err != nil {
		return nil, fmt.Errorf("%s: %w", notATiling, err)
	}
	for i := range t.entries {
		length := be.Uint32(text[tileEntry*i+4:])
		if length&^jpegFlag > mostTile {
			return nil, errors.New(notATiling)
		}
		t.entries[i] = entry{be.Uint32(text[tileEntry*i:]), length &^ jpegFlag, length&jpegFlag != 0}
	}
	return t, nil
}

// Levels is how many sizes there are; the last one is the whole image.
func (t *Tiles) Levels() int { return len(t.levels) }

// Find gives the range of the archive that holds a tile, and its content type; ok is false when there is no such tile.
func (t *Tiles) Find(level, column, row int) (offset, length int64, contentType string, ok bool) {
	if level < 0 || level >= len(t.levels) {
		return 0, 0, "", false
	}
	l := t.levels[level]
	if column < 0 || column >= l.columns || row < 0 || row >= l.rows {
		return 0, 0, "", false
	}
	e := t.entries[l.first+row*l.columns+column]
	contentType = "image/png"
	if e.jpeg {
		contentType = "image/jpeg"
	}
	return int64(e.offset), int64(e.length), contentType, true
}

// Descriptor is what a viewer of the Deep Zoom layout reads first. Tiles are asked for as level/column_row.png,
// whatever they are.
func (t *Tiles) Descriptor() string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?><Image xmlns="http://schemas.microsoft.com/deepzoom/2008" Format="png" Overlap="0" TileSize="%d"><Size Width="%d" Height="%d"/></Image>`,
		TileSide, t.Width, t.Height)
}
