package drawing

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"
)

// field is one EXIF field as cameras write it: kind 2 is text, 3 a short number, 5 fractions.
type field struct {
	tag, kind uint16
	count     uint32
	data      []byte
}

func text(tag uint16, s string) field {
	return field{tag, 2, uint32(len(s) + 1), append([]byte(s), 0)}
}

func short(tag uint16, v uint16) field {
	return field{tag, 3, 1, binary.LittleEndian.AppendUint16(nil, v)}
}

func fractions(tag uint16, pairs ...uint32) field {
	f := field{tag: tag, kind: 5, count: uint32(len(pairs) / 2)}
	for _, v := range pairs {
		f.data = binary.LittleEndian.AppendUint32(f.data, v)
	}
	return f
}

// directory writes a list of fields at an offset, with what does not fit into them behind it.
func directory(at int, fields []field) []byte {
	le := binary.LittleEndian
	out := le.AppendUint16(nil, uint16(len(fields)))
	behind := at + 2 + 12*len(fields) + 4
	var rest []byte
	for _, f := range fields {
		out = le.AppendUint16(out, f.tag)
		out = le.AppendUint16(out, f.kind)
		out = le.AppendUint32(out, f.count)
		if len(f.data) <= 4 {
			out = append(out, append(bytes.Clone(f.data), 0, 0, 0, 0)[:4]...)
			continue
		}
		out = le.AppendUint32(out, uint32(behind+len(rest)))
		rest = append(rest, f.data...)
		if len(rest)%2 == 1 {
			rest = append(rest, 0)
		}
	}
	return append(le.AppendUint32(out, 0), rest...)
}

// exif writes an EXIF block with its three directories.
func exif(top, photo, gps []field) []byte {
	pointer := func(tag uint16, to int) field {
		return field{tag, 4, 1, binary.LittleEndian.AppendUint32(nil, uint32(to))}
	}
	const first = 8
	sized := func(photoAt, gpsAt int) []byte {
		return directory(first, append(append([]field{}, top...), pointer(0x8769, photoAt), pointer(0x8825, gpsAt)))
	}
	photoAt := first + len(sized(0, 0))
	p := directory(photoAt, photo)
	gpsAt := photoAt + len(p)
	out := append([]byte("II*\x00\x08\x00\x00\x00"), sized(photoAt, gpsAt)...)
	return append(append(out, p...), directory(gpsAt, gps)...)
}

// site is the EXIF block of a photograph of a building site in Portland, Oregon, in the given orientation.
func site(orientation uint16) []byte {
	return exif(
		[]field{text(0x010f, "Camera of the tests"), short(0x0112, orientation)},
		[]field{text(0x9003, "2026:07:04 15:30:05"), text(0x9011, "-07:00")},
		[]field{
			text(1, "N"), fractions(2, 45, 1, 31, 1, 1224, 100), text(3, "W"), fractions(4, 122, 1, 40, 1, 3060, 100),
		},
	)
}

// quarters is a picture whose four corners tell which way it is turned: red, green, blue, black, clockwise from the top
// left.
func quarters(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, corners[map[[2]bool]int{
				{false, false}: 0, {true, false}: 1, {true, true}: 2, {false, true}: 3,
			}[[2]bool{x >= w/2, y >= h/2}]])
		}
	}
	return img
}

var corners = [4]color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {0, 0, 0, 255}}

// withEXIF puts an EXIF block into a JPEG.
func withEXIF(jpg, block []byte) []byte {
	out := append([]byte{}, jpg[:2]...)
	out = append(out, 0xff, 0xe1)
	out = binary.BigEndian.AppendUint16(out, uint16(len(block)+8))
	out = append(append(out, "Exif\x00\x00"...), block...)
	return append(out, jpg[2:]...)
}

// pngWithEXIF puts an EXIF block into a PNG, behind its head.
func pngWithEXIF(file, block []byte) []byte {
	const head = 8 + 25
	chunk := append([]byte("eXIf"), block...)
	out := append([]byte{}, file[:head]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(block)))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, file[head:]...)
}

func asJPEG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// fixPNG makes the checksum of a PNG's head right again.
func fixPNG(file []byte) { binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29])) }
