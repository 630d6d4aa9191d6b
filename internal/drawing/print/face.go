package print

import (
	"bytes"
	_ "embed"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The typefaces, in the order in which they are asked for a letter; fonts/manifest.json says where they come from. The
// large ones are kept compressed, since few reports need them: it makes the program 3 MB smaller.
const (
	regular = iota
	bold
	wide // Arabic, Hebrew, Armenian, Georgian, signs
	han  // Chinese, Japanese
	hangul
	faces
)

var (
	//go:embed fonts/noto/NotoSans-Regular.ttf
	notoRegular []byte
	//go:embed fonts/noto/NotoSans-Bold.ttf
	notoBold []byte
	//go:embed fonts/dejavu/DejaVuSans.ttf
	dejaVu []byte
	//go:embed fonts/droid/DroidSansFallbackFull.ttf.gz
	droid []byte
	//go:embed fonts/nanum/NanumGothicCoding.ttf.gz
	nanum []byte
)

// face is a typeface and what is known of its letters.
type face struct {
	name    string
	content func() []byte

	once   sync.Once
	parsed *sfnt.Font
	em     int

	mu     sync.RWMutex
	widths map[rune]int // in thousandths of the size; -1 where it has no such letter
}

var shelf = [faces]face{
	{name: "noto", content: func() []byte { return notoRegular }},
	{name: "notobold", content: func() []byte { return notoBold }},
	{name: "dejavu", content: func() []byte { return dejaVu }},
	{name: "droid", content: sync.OnceValue(func() []byte { return expand(droid) })},
	{name: "nanum", content: sync.OnceValue(func() []byte { return expand(nanum) })},
}

// expand gives what was compressed. It is part of the program: that it is broken is a bug of the build.
func expand(compressed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		panic(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return content
}

// width is how wide a letter is, or -1.
func (f *face) width(r rune) int {
	f.mu.RLock()
	w, known := f.widths[r]
	f.mu.RUnlock()
	if known {
		return w
	}
	f.once.Do(func() {
		var err error
		if f.parsed, err = sfnt.Parse(f.content()); err != nil {
			panic(f.name + ": " + err.Error()) // it is part of the program
		}
		f.em = int(f.parsed.UnitsPerEm())
		f.mu.Lock()
		f.widths = map[rune]int{}
		f.mu.Unlock()
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	var b sfnt.Buffer
	w = -1
	if glyph, err := f.parsed.GlyphIndex(&b, r); err == nil && glyph != 0 {
		if units, err := f.parsed.GlyphAdvance(&b, glyph, fixed.I(f.em), font.HintingNone); err == nil {
			w = (units.Round()*1000 + f.em/2) / f.em
		}
	}
	f.widths[r] = w
	return w
}

// missing stands for a letter that no typeface has.
const missing = '□'

// faceOf is the typeface in which a letter is set. There is one weight only of all but the first.
func faceOf(r rune, strong bool) int {
	first := regular
	if strong {
		first = bold
	}
	for _, f := range [...]int{first, wide, han, hangul} {
		if shelf[f].width(r) >= 0 {
			return f
		}
	}
	return -1
}

func advance(face int, r rune) int { return max(0, shelf[face].width(r)) }
