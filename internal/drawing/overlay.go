package drawing

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	_ "image/jpeg" // tiles of photographs
	"image/png"
)

// The colours of a comparison, told apart also by those who see red and green alike: what was taken away, what was
// added, and what stayed.
var (
	removed = [3]int{222, 60, 30}
	added   = [3]int{20, 90, 220}
	stayed  = [3]int{70, 70, 70}
)

// shades is how many steps of darkness a comparison keeps of each picture: the square of it fits into a palette.
const shades = 16

// overlayPalette has a colour for each pair of darknesses, at old*shades + new.
var overlayPalette = func() color.Palette {
	p := make(color.Palette, 0, shades*shades)
	for old := range shades {
		for now := range shades {
			both := min(old, now)
			if old-now <= 1 && now-old <= 1 {
				both = max(old, now) // not a change: two renderings of a line may differ by this much
			}
			var c [3]uint8
			for i := range c {
				dark := both*(255-stayed[i]) + max(0, old-both)*(255-removed[i]) + max(0, now-both)*(255-added[i])
				c[i] = uint8(255 - dark/(shades-1))
			}
			p = append(p, color.RGBA{c[0], c[1], c[2], 255})
		}
	}
	return p
}()

// Overlay lays two pictures of one place over each other: red is what only the old one has, blue what only the new one
// has, grey what both have. Where one of them ends, or is nil, it is blank.
func Overlay(old, now image.Image) *image.Paletted {
	var size image.Point
	for _, img := range []image.Image{old, now} {
		if img != nil {
			size = image.Pt(max(size.X, img.Bounds().Dx()), max(size.Y, img.Bounds().Dy()))
		}
	}
	weight := [2]uint8{shades, 1}
	out := image.NewPaletted(image.Rectangle{Max: size}, overlayPalette)
	for i, img := range []image.Image{old, now} {
		if img == nil {
			continue
		}
		b := img.Bounds()
		for y := range b.Dy() {
			row := out.Pix[y*out.Stride:]
			for x := range b.Dx() {
				r, g, bl, _ := img.At(b.Min.X+x, b.Min.Y+y).RGBA()
				light := (299*r + 587*g + 114*bl) / 1000
				row[x] += weight[i] * uint8(shades-1-int(light*shades>>16))
			}
		}
	}
	return out
}

// Pair is two drawings in tiles laid over each other, top left corner on top left corner: as large as both together.
type Pair struct {
	*Tiles
	both [2]*Tiles
}

// PairOf lays two drawings over each other.
func PairOf(old, now *Tiles) *Pair {
	return &Pair{pyramid(max(old.Width, now.Width), max(old.Height, now.Height)), [2]*Tiles{old, now}}
}

// Find gives the ranges of both archives that a tile of the comparison is made of, those of length 0 being blank; ok is
// false when there is no such tile.
func (p *Pair) Find(level, column, row int) (places [2]struct{ Offset, Length int64 }, ok bool) {
	if _, _, _, ok = p.Tiles.Find(level, column, row); !ok {
		return places, false
	}
	for i, t := range p.both {
		// Equal levels are equally much smaller than the whole; of a drawing that is a dot by then, the dot remains.
		places[i].Offset, places[i].Length, _, _ = t.Find(max(0, level-(p.Levels()-t.Levels())), column, row)
	}
	return places, true
}

// OverlayTiles makes the tile of a comparison from the tiles of two sheets, as OpenTiles gives them; an empty one is
// blank. The answer is a PNG. Tiles are small, so this is done where the request is, without a child.
func OverlayTiles(old, now []byte) ([]byte, error) {
	var pictures [2]image.Image
	for i, content := range [][]byte{old, now} {
		if len(content) == 0 {
			continue
		}
		c, _, err := image.DecodeConfig(bytes.NewReader(content))
		if err != nil {
			return nil, err
		}
		if c.Width > TileSide || c.Height > TileSide {
			return nil, errors.New("the picture is larger than a tile")
		}
		if pictures[i], _, err = image.Decode(bytes.NewReader(content)); err != nil {
			return nil, err
		}
	}
	if pictures[0] == nil && pictures[1] == nil {
		return nil, errors.New("a comparison needs a tile")
	}
	var out bytes.Buffer
	err := png.Encode(&out, Overlay(pictures[0], pictures[1]))
	return out.Bytes(), err
}
