package drawing

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"groundwork/internal/fault"
)

// FuzzPhoto reads made-up photographs. What the child would survive by being killed is left out: images that say they
// are large.
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
		p, err := readPhoto(in, nil)
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
		if p.Latitude != nil &&
			!(*p.Latitude >= -90 && *p.Latitude <= 90 && *p.Longitude >= -180 && *p.Longitude <= 180) {
			t.Errorf("%v %v", *p.Latitude, *p.Longitude)
		}
		if p.TakenAt != nil && (p.TakenAt.Year() < 0 || p.TakenAt.Year() > 10000) {
			t.Errorf("taken at %v", p.TakenAt)
		}
	})
}

// FuzzPDF hands made-up PDFs to a child, as everything that reads them lives in one: whatever happens there, what comes
// back is about the file.
func FuzzPDF(f *testing.F) {
	seed := pdfOf([]sheet{{content: words("20 0 0 20 100 400", "A-101")}, {rotate: 90, content: "0 0 9 9 re f"}})
	f.Add(seed)
	w, err := Open(Config{
		Folder: f.TempDir(), Cache: compiled, Children: 1, Memory: 512 << 20, Within: 20 * time.Second,
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { w.Close() })
	// The library is compiled before anybody looks at the time.
	first, err := w.Bring(bytes.NewReader(seed))
	if err == nil {
		_, err = first.Pages(f.Context())
		err = errors.Join(err, first.Close())
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		file := bring(t, w, content)
		sizes, err := file.Pages(t.Context())
		if len(sizes) > 0 {
			_, text := file.Text(t.Context(), 1)
			_, small := file.Thumbnail(t.Context(), 1, 64)
			_, split := file.Split(t.Context(), 1)
			err = errors.Join(err, text, small, split)
		}
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("not about the file: %v", err)
		}
	})
}

// FuzzReceive reads made-up answers of a child.
func FuzzReceive(f *testing.F) {
	var whole bytes.Buffer
	if err := send(&whole, message{Answer: &answer{Bad: "It is."}}, mostMessage); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add([]byte("\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m message
		_ = receive(bytes.NewReader(text), &m, mostMessage)
	})
}
