package drawing

import (
	"bytes"
	"testing"

	"groundwork/internal/fault"
)

// FuzzPhoto reads made-up photographs. What the child would survive by being killed is left out: images that say they are large.
func FuzzPhoto(f *testing.F) {
	f.Add(withEXIF(asJPEG(f, quarters(24, 16)), site(6)))
	f.Add(pngWithEXIF(asPNG(f, quarters(24, 16)), site(3)))
	f.Add(quartersHEIC)
	f.Fuzz(func(t *testing.T, file []byte) {
		in := bytes.NewReader(file)
		kind, err := sniff(in)
		if err != nil {
			return
		}
		if size, err := kind.size(in); err == nil && size.Width*size.Height > 1<<18 {
			return
		}
		if _, err := in.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
		p, err := readPhoto(in, "")
		switch {
		case err != nil && !fault.Is(err, fault.Invalid):
			t.Errorf("not about the file: %v", err)
		case err == nil && (p.Width <= 0 || p.Height <= 0):
			t.Errorf("%d × %d", p.Width, p.Height)
		}
	})
}

// FuzzMeta reads made-up metadata.
func FuzzMeta(f *testing.F) {
	for _, o := range []uint16{0, 1, 6, 9} {
		f.Add(site(o))
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		if len(block) > 65000 {
			return
		}
		in := bytes.NewReader(withEXIF([]byte("\xff\xd8\xff\xd9"), block))
		kind, err := sniff(in)
		if err != nil {
			t.Fatal(err)
		}
		m := readMeta(in, kind)
		p := m.photo()
		if m.orientation < 1 || m.orientation > 8 || (p.Latitude == nil) != (p.Longitude == nil) {
			t.Errorf("%d %v %v", m.orientation, p.Latitude, p.Longitude)
		}
		if p.Latitude != nil && !(*p.Latitude >= -90 && *p.Latitude <= 90 && *p.Longitude >= -180 && *p.Longitude <= 180) {
			t.Errorf("%v %v", *p.Latitude, *p.Longitude)
		}
		if p.TakenAt != nil && (p.TakenAt.Year() < 0 || p.TakenAt.Year() > 10000) {
			t.Errorf("taken at %v", p.TakenAt)
		}
	})
}

// FuzzReceive reads made-up answers of a child.
func FuzzReceive(f *testing.F) {
	var whole bytes.Buffer
	if err := send(&whole, answer{Bad: "It is."}); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add([]byte("\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var a answer
		_ = receive(bytes.NewReader(text), &a)
	})
}
