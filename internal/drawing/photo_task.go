package drawing

import (
	"bufio"
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/bep/imagemeta"
	"github.com/gen2brain/heic"
)

// photoTask reads a photograph and writes its pictures.
func photoTask(o order) (any, error) {
	in, err := o.open(inputName)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readPhoto(in, o.create)
}

// readPhoto is photoTask on an open file; without a maker no picture is written.
func readPhoto(in io.ReadSeeker, create maker) (*Photo, error) {
	f, err := sniff(in)
	if err != nil {
		return nil, err
	}
	config, err := f.size(in)
	if err != nil {
		return nil, damaged(err)
	}
	switch pixels := int64(config.Width) * int64(config.Height); {
	case config.Width <= 0 || config.Height <= 0:
		return nil, bad("The image is damaged: it has no pixels.")
	case pixels > mostPixels:
		return nil, bad("The image would have %d megapixels; at most %d are read.", pixels/1_000_000,
			mostPixels/1_000_000)
	}
	if f.kind == imagemeta.HEIF && config.Width < narrowest {
		return nil, bad("The HEIC image is %d pixels wide; those of less than %d are kept but not shown.", config.Width,
			narrowest)
	}
	m := readMeta(in, f)
	p := m.photo()
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	whole, err := f.decode(bufio.NewReader(in))
	if err != nil {
		return nil, damaged(err)
	}
	large := turn(shrink(whole, DisplaySide), m.orientation)
	p.Width, p.Height = whole.Bounds().Dx(), whole.Bounds().Dy()
	if sideways(m.orientation) {
		p.Width, p.Height = p.Height, p.Width
	}
	browsers := f.kind == imagemeta.JPEG && m.orientation <= 1 && config.ColorModel != color.CMYKModel
	if create == nil {
		return p, nil
	}
	if !browsers {
		p.Display = new(Picture)
		if *p.Display, err = save(create, "display.jpg", large, 90); err != nil {
			return nil, err
		}
	}
	preview := shrink(large, PreviewSide)
	if p.Preview, err = save(create, "preview.jpg", preview, 85); err != nil {
		return nil, err
	}
	p.Thumbnail, err = save(create, "thumbnail.jpg", shrink(preview, ThumbnailSide), 82)
	return p, err
}

// save writes a picture. Its name is all that is given back of its path.
func save(create maker, name string, img image.Image, quality int) (Picture, error) {
	out, err := create(name)
	if err != nil {
		return Picture{}, err
	}
	w := bufio.NewWriter(out)
	err = errors.Join(jpeg.Encode(w, img, &jpeg.Options{Quality: quality}), w.Flush(), out.Close())
	return Picture{Path: name, Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}, err
}

// narrowest is the width below which the decoder of HEIC mixes up the rows of colour: it takes them for closer together
// than they lie.
const narrowest = 128

// format is a kind of image that is read.
type format struct {
	kind   imagemeta.ImageFormat
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// sniff tells the format from the first bytes: names and content types say what people believe.
func sniff(in io.Reader) (format, error) {
	head := make([]byte, 64)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return format{}, err
	}
	head = head[:n]
	switch {
	case n == 0:
		return format{}, bad("The image is empty.")
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return format{imagemeta.JPEG, jpeg.DecodeConfig, jpeg.Decode}, nil
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return format{imagemeta.PNG, png.DecodeConfig, png.Decode}, nil
	case isHEIC(head):
		return format{imagemeta.HEIF, nil, heic.Decode}, nil
	}
	return format{}, bad("The image is neither JPEG, PNG nor HEIC; other formats are kept but not shown.")
}

// isHEIC looks for one of the brands of HEVC images in the box that such files begin with.
func isHEIC(head []byte) bool {
	if len(head) < 16 || string(head[4:8]) != "ftyp" {
		return false
	}
	for at := 8; at+4 <= len(head); at += 4 {
		if at != 12 && slices.Contains([]string{"heic", "heix", "heim", "heis", "hevc", "hevx"},
			string(head[at:at+4])) {
			return true
		}
	}
	return false
}

// size reads how large the image says it is, before anything is decoded.
func (f format) size(in io.ReadSeeker) (image.Config, error) {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return image.Config{}, err
	}
	if f.config != nil {
		return f.config(bufio.NewReader(in))
	}
	r, err := imagemeta.Decode(imagemeta.Options{R: in, ImageFormat: f.kind, Sources: imagemeta.CONFIG})
	return image.Config{Width: r.ImageConfig.Width, Height: r.ImageConfig.Height}, err
}

// damaged says what a decoder found, in a sentence.
func damaged(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		strings.Contains(err.Error(), "short Huffman data") {
		return bad("The image is damaged: it ends too early.")
	}
	if pathErr := (*os.PathError)(nil); errors.As(err, &pathErr) {
		return err
	}
	text := err.Error()
	for _, prefix := range []string{
		"invalid JPEG format: ", "unsupported JPEG feature: ", "png: invalid format: ",
		"png: unsupported feature: ", "heic: ", "decode: ",
	} {
		text = strings.TrimPrefix(text, prefix)
	}
	text, _, _ = strings.Cut(text, "\n")
	return bad("The image is damaged: %s.", text)
}
