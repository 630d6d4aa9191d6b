package demo

import (
	"bytes"
	"encoding/binary"
	"time"
)

// Where the school would stand.
var (
	latitude  = [6]uint32{43, 1, 4, 1, 2340, 100}
	longitude = [6]uint32{89, 1, 22, 1, 4120, 100}
)

// exif gives a JPEG file the time and the place at which a telephone would say that it was taken.
func exif(file []byte, taken time.Time) []byte {
	type entry struct {
		tag, kind uint16
		count     uint32
		value     []byte
	}
	order := binary.BigEndian
	number := func(n uint32) []byte { return order.AppendUint32(nil, n) }
	degrees := func(of [6]uint32) (b []byte) {
		for _, n := range of {
			b = order.AppendUint32(b, n)
		}
		return b
	}
	const (
		text, long, rational = 2, 4, 5
		first                = 8
	)
	stamp := []byte(taken.UTC().Format("2006:01:02 15:04:05\x00"))
	photo := []entry{{0x9003, text, 20, stamp}, {0x9011, text, 7, []byte("+00:00\x00")}}
	place := []entry{
		{1, text, 2, []byte("N\x00")},
		{2, rational, 3, degrees(latitude)},
		{3, text, 2, []byte("W\x00")},
		{4, rational, 3, degrees(longitude)},
	}
	// directory writes entries that begin at an offset; what does not fit into four bytes follows them.
	directory := func(at uint32, entries []entry) []byte {
		out := order.AppendUint16(nil, uint16(len(entries)))
		beside := at + 2 + 12*uint32(len(entries)) + 4
		var rest []byte
		for _, e := range entries {
			out = order.AppendUint16(order.AppendUint16(out, e.tag), e.kind)
			out = order.AppendUint32(out, e.count)
			if len(e.value) > 4 {
				out = order.AppendUint32(out, beside+uint32(len(rest)))
				rest = append(rest, e.value...)
				rest = append(rest, make([]byte, len(rest)%2)...)
				continue
			}
			out = append(append(out, e.value...), make([]byte, 4-len(e.value))...)
		}
		return append(order.AppendUint32(out, 0), rest...)
	}
	root := []entry{{0x8769, long, 1, number(0)}, {0x8825, long, 1, number(0)}}
	photoAt := first + uint32(len(directory(first, root)))
	placeAt := photoAt + uint32(len(directory(photoAt, photo)))
	root[0].value, root[1].value = number(photoAt), number(placeAt)
	body := bytes.Join([][]byte{
		[]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08"), directory(first, root),
		directory(photoAt, photo), directory(placeAt, place),
	}, nil)
	segment := order.AppendUint16([]byte{0xFF, 0xE1}, uint16(len(body)+2))
	return bytes.Join([][]byte{file[:2], segment, body, file[2:]}, nil)
}
