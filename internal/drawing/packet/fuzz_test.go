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
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Rotate 90/Resources<</Font<</P 4 0 R>>>>/Contents 5 0 R/Annots[<</Subtype/Link/A<</S/URI/URI(x)>>>>]>>endobj\n" +
	"4 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Self 4 0 R>>endobj\n5 0 obj<</Length 8>>stream\n0 0 m S \nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"

// FuzzPacket puts files of any bytes into packets: one is made, or the sheet is named.
func FuzzPacket(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("%PDF-1.7\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		p := &Packet{Title: "T", Sheets: []Sheet{{Name: "A101", Marks: []Mark{{Kind: "line", Color: "#00FF00", Points: []Point{{0, 0}, {1, 1}}}}, Links: []Link{{0, 0, 0, 1, 1}}}}}
		from := Source{
			Open:   func(int) (io.ReadSeekCloser, error) { return file{bytes.NewReader(content)}, nil },
			Mended: func(int) (io.ReadSeekCloser, error) { return nil, fault.New(fault.Invalid, "It cannot be mended.") },
			Begins: func(int) {}, Within: time.Second,
		}
		var out bytes.Buffer
		err := Write(&out, p, from)
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Kind != fault.Invalid || !strings.HasPrefix(e.Message, "Sheet A101 cannot be put into the packet: its file ") {
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

// TestPacketKeepsNames shows that an entry is left out for what it is, never for a name that a file gave it, and that what leads to itself comes along.
func TestPacketKeepsNames(t *testing.T) {
	var out bytes.Buffer
	from := Source{Open: func(int) (io.ReadSeekCloser, error) { return file{bytes.NewReader([]byte(small))}, nil }, Begins: func(int) {}, Within: time.Minute}
	if err := Write(&out, &Packet{Sheets: []Sheet{{Name: "A101"}, {Name: "A102"}}}, from); err != nil {
		t.Fatal(err)
	}
	s, err := read(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.page(2)
	if err != nil {
		t.Fatal(err)
	}
	fonts, err := s.ctx.DereferenceDict(p.resources["Font"])
	if err != nil || fonts["P"] == nil {
		t.Fatalf("the typeface P is gone: %v %v", p.resources, err)
	}
	font, err := s.ctx.DereferenceDict(fonts["P"])
	if err != nil || font["Self"] == nil {
		t.Errorf("the typeface is %v: %v", font, err)
	}
	if p.rotate != 90 || len(p.dict.ArrayEntry("Annots")) != 1 {
		t.Errorf("the page is %v", p.dict)
	}
}
