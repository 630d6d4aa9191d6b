package packet

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"groundwork/internal/fault"
)

type file struct{ *bytes.Reader }

func (file) Close() error { return nil }

const small = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Rotate 90/Resources<</Font<</P 4 0 R>>>>/Contents 5 0 R/Annots[<</Subtype/Link/A<</S/URI/URI(https://example.com/)>>>>]>>endobj\n" +
	"4 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Self 4 0 R>>endobj\n5 0 obj<</Length 8>>stream\n0 0 m S \nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

// FuzzPacket puts files of any bytes into packets: one is made, or the sheet is named.
func FuzzPacket(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("%PDF-1.7\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		p := &Packet{Title: "T", Sheets: []Sheet{{Name: "A101", Marks: []Mark{
			{Kind: "line", Color: "#00FF00", Points: []Point{{0, 0}, {1, 1}}},
		}, Links: []Link{{0, 0, 0, 1, 1}}}}}
		from := Source{
			Open: func(int) (io.ReadSeekCloser, error) { return file{bytes.NewReader(content)}, nil },
			Mended: func(int) (io.ReadSeekCloser, error) {
				return nil, fault.New(fault.Invalid, "It cannot be mended.")
			},
			Begins: func(int) {}, Within: time.Second,
		}
		var out bytes.Buffer
		err := Write(&out, p, from)
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Kind != fault.Invalid ||
				!strings.HasPrefix(e.Message, "Sheet A101 cannot be put into the packet: its file ") {
				t.Fatalf("the error is %v", err)
			}
			return
		}
		again, err := read(bytes.NewReader(out.Bytes()))
		if err == nil {
			_, err = again.page(1)
		}
		if err != nil {
			t.Fatalf("the packet cannot be read: %v\n%q", err, out.Bytes())
		}
	})
}
