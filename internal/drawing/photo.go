package drawing

import (
	"context"
	"os"
	"time"
)

// Photo is what is known of a photograph, and the pictures that were made of it. They are upright, in JPEG, and carry
// no metadata: no place, no camera.
type Photo struct {
	// Width and Height are those of the upright photograph.
	Width, Height int
	// TakenAt is nil when the camera did not say. TakenOffset is the camera's distance from UTC in minutes; when nil,
	// TakenAt is the camera's own wall clock read as UTC.
	TakenAt     *time.Time
	TakenOffset *int
	// Latitude and Longitude are in degrees, both or neither.
	Latitude, Longitude *float64
	// Thumbnail and Preview fit into a square of ThumbnailSide and PreviewSide.
	Thumbnail, Preview Picture
	// Display is what every browser shows, at most DisplaySide wide and high. It is nil when the photograph itself is
	// that: an upright JPEG.
	Display *Picture
}

// TooLarge says why the file of a photograph is not worth bringing; it is nil when it is.
func TooLarge(size int64) error {
	if size <= MostPhoto {
		return nil
	}
	return bad("The image has %d MB; at most %d are read.", size>>20, MostPhoto>>20)
}

// Picture is an image in a file that vanishes with the File it was made of.
type Picture struct {
	Path          string
	Width, Height int
}

// The sides of the squares into which the pictures fit, in pixels.
const (
	ThumbnailSide = 320
	PreviewSide   = 1600
	DisplaySide   = 4096
)

// MostPhoto is how many bytes the file of a photograph may have to be looked at.
const MostPhoto = 128 << 20

// mostPixels is how many a photograph may have. Today's largest sensors in telephones have twice that, and give a
// quarter of it unless asked.
const mostPixels = 100_000_000

// Photo reads a JPEG, PNG or HEIC photograph, whatever its name says. fault.Invalid says what is wrong with it.
func (f *File) Photo(ctx context.Context) (Photo, error) {
	info, err := os.Stat(f.input())
	if err != nil {
		return Photo{}, err
	}
	if err := TooLarge(info.Size()); err != nil {
		return Photo{}, err
	}
	var p Photo
	place, err := f.do(ctx, "The image", "photo", struct{}{}, &p)
	if err != nil {
		return Photo{}, err
	}
	p.Thumbnail.in(place)
	p.Preview.in(place)
	if p.Display != nil {
		p.Display.in(place)
	}
	return p, nil
}
