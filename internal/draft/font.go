package draft

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/gofont/gosmallcaps"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// face is one of the type faces that a set can be lettered in.
type face int

const (
	regular face = iota
	medium
	bold
	italic
	mono
	boldItalic
	monoBold
	smallCaps
	faceCount
)

// typeface is a face made ready: advances of Latin-1 in em, and the tables of its file.
type typeface struct {
	name    string
	font    *sfnt.Font
	advance [256]float64
	tables  map[string][]byte
}

const (
	ascent  = 0.95 // of the em, above the base line
	descent = 0.21
	capital = 0.72 // height of a capital
)

// typefaces parses the faces once; they are never changed afterwards.
var typefaces = sync.OnceValue(func() [faceCount]*typeface {
	return [faceCount]*typeface{
		parse("GoRegular", goregular.TTF), parse("GoMedium", gomedium.TTF), parse("GoBold", gobold.TTF),
		parse("GoItalic", goitalic.TTF), parse("GoMono", gomono.TTF), parse("GoBoldItalic", gobolditalic.TTF),
		parse("GoMonoBold", gomonobold.TTF), parse("GoSmallcaps", gosmallcaps.TTF),
	}
})

func parse(name string, data []byte) *typeface {
	f, err := sfnt.Parse(data)
	if err != nil {
		panic(err)
	}
	t := &typeface{name: name, font: f, tables: map[string][]byte{}}
	var b sfnt.Buffer
	for r := rune(32); r < 256; r++ {
		if g, err := f.GlyphIndex(&b, r); err == nil && g != 0 {
			a, _ := f.GlyphAdvance(&b, g, fixed.I(1000), font.HintingNone)
			t.advance[r] = float64(a) / 64000
		}
	}
	for i := range int(binary.BigEndian.Uint16(data[4:])) {
		e := data[12+16*i:]
		t.tables[string(e[:4])] = data[binary.BigEndian.Uint32(e[8:]):][:binary.BigEndian.Uint32(e[12:])]
	}
	return t
}

// measure is the length of a text in points.
func (f face) measure(s string, size float64) float64 {
	t, w := typefaces()[f], 0.0
	for _, r := range s {
		w += t.advance[r&255]
	}
	return w * size
}

// subset remembers which characters of a face a document shows.
type subset struct{ used [256]bool }

// objects are the font, its descriptor and its file, to be stored from object number at.
func (s *subset) objects(f face, at int) (fontObject, descriptor, file []byte) {
	t := typefaces()[f]
	var widths bytes.Buffer
	for _, a := range t.advance[32:] {
		fmt.Fprintf(&widths, "%d ", int(a*1000+0.5))
	}
	fontObject = fmt.Appendf(nil,
		"<</Type/Font/Subtype/TrueType/BaseFont/GWDRAF+%s/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 255/Widths[%s]/FontDescriptor %d 0 R>>",
		t.name, widths.Bytes(), at+1)
	descriptor = fmt.Appendf(nil,
		"<</Type/FontDescriptor/FontName/GWDRAF+%s/Flags 32/FontBBox[-200 -220 1200 960]/ItalicAngle 0/Ascent %d/Descent %d/CapHeight %d/StemV 80/FontFile2 %d 0 R>>",
		t.name, int(ascent*1000), -int(descent*1000), int(capital*1000), at+2)
	data := s.cut(t)
	return fontObject, descriptor, stream(fmt.Sprintf("/Length1 %d", len(data)), data)
}

// cut makes a font file in which the outlines of unused glyphs are empty; glyphs keep their numbers.
func (s *subset) cut(t *typeface) []byte {
	be := binary.BigEndian
	loca, glyf := t.tables["loca"], t.tables["glyf"]
	long := be.Uint16(t.tables["head"][50:]) == 1
	place := func(g int) int {
		if long {
			return int(be.Uint32(loca[4*g:]))
		}
		return 2 * int(be.Uint16(loca[2*g:]))
	}
	count := int(be.Uint16(t.tables["maxp"][4:]))
	keep := make([]bool, count)
	var take func(g int)
	take = func(g int) {
		if keep[g] {
			return
		}
		keep[g] = true
		outline := glyf[place(g):place(g+1)]
		if len(outline) < 10 || int16(be.Uint16(outline)) >= 0 {
			return
		}
		for p := 10; ; {
			flags := be.Uint16(outline[p:])
			take(int(be.Uint16(outline[p+2:])))
			p += 6
			if flags&1 != 0 {
				p += 2
			}
			switch {
			case flags&8 != 0:
				p += 2
			case flags&0x40 != 0:
				p += 4
			case flags&0x80 != 0:
				p += 8
			}
			if flags&0x20 == 0 {
				return
			}
		}
	}
	take(0)
	var b sfnt.Buffer
	for r, used := range s.used {
		if g, err := t.font.GlyphIndex(&b, rune(r)); used && err == nil {
			take(int(g))
		}
	}
	newLoca, newGlyf := make([]byte, len(loca)), []byte{}
	for g := range count + 1 {
		if long {
			be.PutUint32(newLoca[4*g:], uint32(len(newGlyf)))
		} else {
			be.PutUint16(newLoca[2*g:], uint16(len(newGlyf)/2))
		}
		if g < count && keep[g] {
			newGlyf = append(newGlyf, glyf[place(g):place(g+1)]...)
		}
	}
	return assemble(t.tables, map[string][]byte{"loca": newLoca, "glyf": newGlyf})
}

// assemble writes the tables that a viewer needs; head's checksum of the whole file is not looked at by any.
func assemble(old, changed map[string][]byte) []byte {
	names := []string{"cmap", "cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep"}
	be := binary.BigEndian
	head := []byte{0, 1, 0, 0, 0, byte(len(names)), 0, 128, 0, 3, 0, 32}
	var body []byte
	for _, n := range names {
		data := old[n]
		if c, is := changed[n]; is {
			data = c
		}
		sum := uint32(0)
		for i := 0; i < len(data); i += 4 {
			var word [4]byte
			copy(word[:], data[i:])
			sum += be.Uint32(word[:])
		}
		head = append(head, n...)
		head = be.AppendUint32(head, sum)
		head = be.AppendUint32(head, uint32(12+16*len(names)+len(body)))
		head = be.AppendUint32(head, uint32(len(data)))
		body = append(body, data...)
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
	}
	return append(head, body...)
}
