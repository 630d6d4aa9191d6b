package drawing

import (
	"math"
	"unicode"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"

	"groundwork/internal/drawing/read"
)

// textTask reads what is written on a page: its lines as a file, and its words.
func textTask(d *document, o pageOrder, create maker) (any, error) {
	p, err := d.letters(o)
	if err != nil {
		return nil, err
	}
	lines, _ := read.Take(p)
	if len(lines) == 0 {
		return PageText{Untold: !read.Told(p), Bare: true}, nil
	}
	letters := 0
	for _, l := range lines {
		letters += len(l.Text)
	}
	const file = "text.gz"
	kept := read.Keep(lines, p.Width, p.Height)
	return PageText{Path: file, Words: kept.Words(), Bare: letters < fewLetters}, writeNew(create, file, kept.Write)
}

// fewLetters is how many letters a drawing has at least that tells its own: a stamp, or the name of a scanner, has
// fewer.
const fewLetters = 60

// letters reads the characters of a page and where they stand.
func (d *document) letters(o pageOrder) (read.Page, error) {
	size, err := d.size(o.Page)
	if err != nil {
		return read.Page{}, err
	}
	show, err := d.display(o.Page, size)
	if err != nil {
		return read.Page{}, unreadable(name(o.Page), err)
	}
	text, err := d.lib.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: d.page(o.Page)})
	if err != nil {
		return read.Page{}, unreadable(name(o.Page), err)
	}
	defer func() { _, _ = d.lib.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage}) }()
	count, err := d.lib.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text.TextPage})
	if err != nil {
		return read.Page{}, unreadable(name(o.Page), err)
	}
	if count.Count > mostChars {
		return read.Page{}, bad("%s has %d characters; at most %d are read.", name(o.Page), count.Count, mostChars)
	}
	p := read.Page{Width: size.Width, Height: size.Height, Chars: make([]read.Char, 0, count.Count)}
	for i := range count.Count {
		c, ok, err := d.char(text.TextPage, i, show)
		if err != nil {
			return read.Page{}, unreadable(name(o.Page), err)
		}
		if ok {
			p.Chars = append(p.Chars, c)
		}
	}
	return p, nil
}

// char reads one character; those without a form, a place or a meaning, and those that the library made up between
// words, are left out.
func (d *document) char(text references.FPDF_TEXTPAGE, i int, show affine) (c read.Char, ok bool, err error) {
	code, err := d.lib.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: text, Index: i})
	if err != nil {
		return c, false, err
	}
	c.Rune = rune(code.Unicode)
	if code.Unicode == 0 || code.Unicode > unicode.MaxRune || c.Rune == 0xfffe || c.Rune == 0xffff {
		return c, false, nil
	}
	// Control characters may be letters of a font that does not say which they are.
	if unicode.IsSpace(c.Rune) || unicode.IsControl(c.Rune) {
		made, err := d.lib.FPDFText_IsGenerated(&requests.FPDFText_IsGenerated{TextPage: text, Index: i})
		if err != nil || made.IsGenerated {
			return c, false, err
		}
	}
	box, err := d.lib.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: text, Index: i})
	if err != nil {
		return c, false, nil // it has no place
	}
	m, err := d.lib.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: text, Index: i})
	if err != nil {
		return c, false, nil
	}
	em, err := d.lib.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: text, Index: i})
	if err != nil {
		return c, false, err
	}
	place(&c, box.Rect, m.Matrix, em.FontSize, show)
	return c, finite(c.X0, c.Y0, c.X1, c.Y1, c.Size, c.Angle), nil
}

// place maps what the file says into display space.
func place(c *read.Char, box structs.FPDF_FS_RECTF, m structs.FPDF_FS_MATRIX, em float64, show affine) {
	ax, ay := show.point(float64(box.Left), float64(box.Top))
	bx, by := show.point(float64(box.Right), float64(box.Bottom))
	c.X0, c.X1 = min(ax, bx), max(ax, bx)
	c.Y0, c.Y1 = min(ay, by), max(ay, by)
	// The height of a letter leads along the second column of its matrix, writing along the first.
	hx, hy := show.vector(float64(m.C), float64(m.D))
	c.Size = em * math.Hypot(hx, hy)
	dx, dy := show.vector(float64(m.A), float64(m.B))
	c.Angle = math.Mod(math.Atan2(dy, dx)*180/math.Pi+360, 360)
	// Noise around a whole degree would make two directions of one.
	if whole := math.Round(c.Angle); math.Abs(whole-c.Angle) < 0.01 {
		c.Angle = math.Mod(whole, 360)
	}
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// affine maps the space of a page into the one in which it is displayed.
type affine struct{ a, b, c, d, e, f float64 }

func (m affine) point(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

func (m affine) vector(x, y float64) (float64, float64) { return m.a*x + m.c*y, m.b*x + m.d*y }

// display finds that map by asking the library for three points on a screen of a million dots.
func (d *document) display(number int, size Size) (affine, error) {
	const dots = 1_000_000
	scale := dots / max(size.Width, size.Height)
	ask := func(x, y float64) (float64, float64, error) {
		at, err := d.lib.FPDF_PageToDevice(&requests.FPDF_PageToDevice{
			Page: d.page(number), SizeX: int(math.Round(size.Width * scale)),
			SizeY: int(math.Round(size.Height * scale)), PageX: x, PageY: y,
		})
		if err != nil {
			return 0, 0, err
		}
		return float64(at.DeviceX) / scale, float64(at.DeviceY) / scale, nil
	}
	reach := max(size.Width, size.Height)
	x0, y0, err := ask(0, 0)
	if err != nil {
		return affine{}, err
	}
	x1, y1, err := ask(reach, 0)
	if err != nil {
		return affine{}, err
	}
	x2, y2, err := ask(0, reach)
	if err != nil {
		return affine{}, err
	}
	return affine{(x1 - x0) / reach, (y1 - y0) / reach, (x2 - x0) / reach, (y2 - y0) / reach, x0, y0}, nil
}
