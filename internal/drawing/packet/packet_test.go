package packet

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

// TestPacketKeepsNames shows that an entry is left out for what it is, never for a name that a file gave it, and that
// what leads to itself comes along.
func TestPacketKeepsNames(t *testing.T) {
	var out bytes.Buffer
	from := Source{
		Open:   func(int) (io.ReadSeekCloser, error) { return file{bytes.NewReader([]byte(small))}, nil },
		Begins: func(int) {}, Within: time.Minute,
	}
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

// TestPacketKeepsNothingThatActs shows which of the things that a file has pinned to its page come along.
func TestPacketKeepsNothingThatActs(t *testing.T) {
	const link = "<</Subtype/Link/A<</S/URI/URI(https://example.com/)>>>>" // as in the small file
	for annotation, kept := range map[string]int{
		link: 1, "<</Subtype/Link/A<</S/URI/URI(MailTo:ada@example.com)>>>>": 1,
		"<</Subtype/Square/Rect[0 0 9 9]/A<</S/JavaScript/JS(app.alert)>>>>":               1,
		"<</Subtype/Link/A<</S/URI/URI(javascript:alert)>>>>":                              0,
		"<</Subtype/Link/A<</S/URI/URI(https://example.com/)/Next<</S/Launch/F(cmd)>>>>>>": 0,
		"<</Subtype/Link/A<</S/Launch/F(cmd)>>>>":                                          0,
		"<</Subtype/Link/Dest[3 0 R/Fit]>>":                                                0,
		"<</Subtype/Widget/FT/Tx>>":                                                        0,
		"<</Subtype/FileAttachment>>":                                                      0, "7": 0,
	} {
		var out bytes.Buffer
		content := strings.Replace(small, link, annotation, 1)
		from := Source{Open: func(int) (io.ReadSeekCloser, error) {
			return file{bytes.NewReader([]byte(content))}, nil
		}, Begins: func(int) {}, Within: time.Minute}
		if err := Write(&out, &Packet{Sheets: []Sheet{{Name: "A101"}}}, from); err != nil {
			t.Fatalf("%s: %v", annotation, err)
		}
		s, err := read(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.page(1)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(p.dict.ArrayEntry("Annots")); got != kept {
			t.Errorf("%s: %d were kept, want %d", annotation, got, kept)
		}
		for _, word := range []string{"JavaScript", "Launch", "app.alert"} {
			if bytes.Contains(out.Bytes(), []byte(word)) {
				t.Errorf("%s: the packet has %s", annotation, word)
			}
		}
	}
}
