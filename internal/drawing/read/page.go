package read

// Page is one page of a drawing set as a person sees it: turned by the file's own rotation, measured from the top left
// corner, y down.
type Page struct {
	// Width and Height are in points, as displayed.
	Width, Height float64
	// Chars are in the order in which the file draws them.
	Chars []Char
}

// Char is one character and where it stands on its page.
type Char struct {
	Rune rune
	// X0, Y0 is the top left corner of the loose box, the room that the font gives the character; X1, Y1 the bottom
	// right one.
	X0, Y0, X1, Y1 float64
	// Size is the size of the font in points, as displayed.
	Size float64
	// Angle is the direction of writing in degrees, clockwise as displayed: 0 is to the right, 90 downwards, 270
	// upwards.
	Angle float64
	// Doubt is how unsure it is that this letter stands here, from 0 to 1: 0 where the file says so, more where it was
	// recognised in a picture.
	Doubt float64
}
