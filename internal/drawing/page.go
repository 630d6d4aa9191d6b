package drawing

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
)

// Page is one page of a drawing set as a person sees it: turned by the file's own rotation, measured from the top left corner, y down.
type Page struct {
	// Width and Height are in points, as displayed.
	Width, Height float64
	// Chars are in the order in which the file draws them.
	Chars Chars
}

// Char is one character and where it stands on its page.
type Char struct {
	Rune rune
	// X0, Y0 is the top left corner of the loose box, the room that the font gives the character; X1, Y1 the bottom right one.
	X0, Y0, X1, Y1 float64
	// Size is the size of the font in points, as displayed.
	Size float64
	// Angle is the direction of writing in degrees, clockwise as displayed: 0 is to the right, 90 downwards, 270 upwards.
	Angle float64
}

// Chars travel from a child as one text: read number by number, the thousands of a page would cost the service as much as its other work on the page.
type Chars []Char

const packedChar = 4 + 6*8

// numbers are the measures of a character, in the order in which they travel.
func (c *Char) numbers() [6]*float64 {
	return [6]*float64{&c.X0, &c.Y0, &c.X1, &c.Y1, &c.Size, &c.Angle}
}

// AppendText implements encoding.TextAppender.
func (cs Chars) AppendText(b []byte) ([]byte, error) {
	packed := make([]byte, 0, len(cs)*packedChar)
	for i := range cs {
		packed = binary.LittleEndian.AppendUint32(packed, uint32(cs[i].Rune))
		for _, n := range cs[i].numbers() {
			packed = binary.LittleEndian.AppendUint64(packed, math.Float64bits(*n))
		}
	}
	return base64.StdEncoding.AppendEncode(b, packed), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (cs *Chars) UnmarshalText(text []byte) error {
	packed, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	if len(packed)%packedChar != 0 {
		return fmt.Errorf("%d bytes are not whole characters", len(packed))
	}
	*cs = make(Chars, len(packed)/packedChar)
	for i := range *cs {
		c, from := &(*cs)[i], packed[i*packedChar:]
		c.Rune = rune(binary.LittleEndian.Uint32(from))
		for j, n := range c.numbers() {
			*n = math.Float64frombits(binary.LittleEndian.Uint64(from[4+8*j:]))
		}
	}
	return nil
}
