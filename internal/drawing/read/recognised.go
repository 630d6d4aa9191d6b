package read

import (
	"bufio"
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Scan is a picture of a part of a page, in which a recogniser has looked for words.
type Scan struct {
	// Area is the part, as displayed.
	Area Box
	// Turn is the direction of writing on the page that is upright in the picture: 0, 90, 180 or 270.
	Turn int
	// Width and Height are those of the picture, in pixels.
	Width, Height int
	// Skew is by how much the page lay askew, clockwise, in radians, before it was set straight around its middle.
	Skew float64
}

// Seen is a word that a recogniser saw, and how sure it is, from 0 to 1.
type Seen struct {
	Text string
	Sure float64

	box  Box // in the picture, in pixels
	line [3]int
}

// What a recogniser says is a stranger's word: it was shown what a stranger drew.
const (
	// mostSeen is how many words are kept of one picture, mostAnswer how many bytes of an answer are looked at: the
	// densest sheet has 20,000 words, and a word takes some 50 bytes.
	mostSeen, mostAnswer = 30_000, 16 << 20
	// longestSeen is how many letters a word may have.
	longestSeen = 60
	// leastSure is how sure a recogniser must be of a word, and leastShort of one that has one or two letters: lines of
	// a drawing look like those.
	leastSure, leastShort = 0.5, 0.8
	// tallest is the part of a picture's longer side that a word may be high.
	tallest = 0.25
)

// Recognised reads the answer of a recogniser: lines of columns, parted by tabs, of which those of level 5 are words.
// What is not on the picture, or is no word, is left out.
func Recognised(r io.Reader, s Scan) []Seen {
	var out []Seen
	in := bufio.NewScanner(io.LimitReader(r, mostAnswer))
	in.Buffer(make([]byte, 0, 4<<10), 64<<10)
	for in.Scan() && len(out) < mostSeen {
		if w, ok := seen(in.Text(), s); ok {
			out = append(out, w)
		}
	}
	return out // what came before a line that is too long may stay
}

func seen(line string, s Scan) (w Seen, ok bool) {
	fields := strings.SplitN(line, "\t", 13)
	if len(fields) != 12 || fields[0] != "5" {
		return w, false
	}
	var n [8]int // block, paragraph, line, word; left, top, width, height
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(fields[i+2]); err != nil || n[i] < 0 || n[i] > 1<<20 {
			return w, false
		}
	}
	sure, err := strconv.ParseFloat(fields[10], 64)
	if err != nil || !(sure >= 0 && sure <= 100) {
		return w, false
	}
	x0, y0, x1, y1 := n[4], n[5], n[4]+n[6], n[5]+n[7]
	if x0 >= x1 || y0 >= y1 || x1 > s.Width || y1 > s.Height ||
		float64(y1-y0) > tallest*float64(max(s.Width, s.Height)) {
		return w, false
	}
	w = Seen{
		Text: spelled(Clean(fields[11], 4*longestSeen)), Sure: sure / 100,
		box: Box{float64(x0), float64(y0), float64(x1), float64(y1)}, line: [3]int{n[0], n[1], n[2]},
	}
	if text := withDigits(w.Text); text != w.Text {
		w.Text, w.Sure = text, w.Sure*guessed
	}
	return w, w.isWord()
}

// guessed is how much less sure a word is in which a letter was taken for a digit.
const guessed = 0.9

// withDigits is a word with digits in place of what looks like them among digits, or before them behind a hyphen: A5@1,
// 1O2, 20l7, E-O1.
func withDigits(text string) string {
	letters := []rune(text)
	digit := func(i int) bool { return i >= 0 && i < len(letters) && letters[i] >= '0' && letters[i] <= '9' }
	for i, r := range letters {
		if i > 1 && letters[i-1] == '-' && digit(i+1) && (r == 'O' || r == 'Q') {
			letters[i] = '0'
			continue
		}
		if !digit(i-1) || !digit(i+1) && (i+1 < len(letters) || !digit(i-2)) {
			continue
		}
		switch r {
		case '@', 'O', 'o', 'Q':
			letters[i] = '0'
		case 'l', 'I', '|', '!':
			letters[i] = '1'
		}
	}
	return string(letters)
}

// spelled is a word without the marks that specks and lines beside it look like. What looks like a dollar before a
// digit is an S: drawings are numbered, and priced elsewhere.
func spelled(text string) string {
	text = strings.Trim(strings.ReplaceAll(text, " ", ""), "“”‘’'\"|~_=«»*°`^{}[]")
	text = strings.ReplaceAll(strings.Map(hyphen, text), "—", "-")
	if len(text) > 1 && text[0] == '$' && text[1] >= '0' && text[1] <= '9' {
		text = "S" + text[1:]
	}
	return text
}

// isWord is whether something that was seen is a word, and no line, dot or hatch.
func (w *Seen) isWord() bool {
	good, all := 0, 0
	for _, r := range w.Text {
		all++
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			good++
		}
	}
	least := leastSure
	if good <= 2 {
		least = leastShort
	}
	// A recogniser may see words that stand on their side; another picture has them upright.
	if all > 2 && w.box.Y1-w.box.Y0 > w.box.X1-w.box.X0 {
		return false
	}
	return good > 0 && 2*good >= all && all <= longestSeen && w.Sure >= least
}

// Legible is how many letters were seen in words that are long enough, and sure enough, to be no accident: by it one
// tells how a page lies.
func Legible(words []Seen) (n int) {
	for i := range words {
		if w := &words[i]; w.Sure >= 0.75 && len(w.Text) >= 3 && isPlain(w.Text) {
			n += len(w.Text)
		}
	}
	return n
}

// isPlain is whether a text has nothing but letters and digits, as a text that stands on its head has not.
func isPlain(text string) bool {
	text = strings.Trim(text, ".,:;()-")
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-./", r)
	})
}

// Sketch collects the letters of a page that were recognised in several pictures, beside those that its file has.
type Sketch struct {
	page  Page
	taken map[[2]int][]Box
}

// NewSketch begins with the letters that can be read without recognition.
func NewSketch(p Page) *Sketch {
	s := &Sketch{page: Page{Width: p.Width, Height: p.Height}, taken: map[[2]int][]Box{}}
	if drawable(p.Width, p.Height) {
		s.page.Chars, _ = repair(visible(p))
	}
	for _, c := range s.page.Chars {
		s.take(Box{c.X0, c.Y0, c.X1, c.Y1})
	}
	return s
}

// Page is the page with everything that was added.
func (s *Sketch) Page() Page { return s.page }

// square is how wide the squares are by which places are found again, in points, and mostSquares over how many of them
// a word may reach.
const square, mostSquares = 36, 2_000

// squares calls each square that a box lies in.
func squares(b Box, each func(at [2]int) bool) {
	for x := int(b.X0 / square); x <= int(b.X1/square); x++ {
		for y := int(b.Y0 / square); y <= int(b.Y1/square); y++ {
			if !each([2]int{x, y}) {
				return
			}
		}
	}
}

func (s *Sketch) take(b Box) {
	left := mostSquares
	squares(b, func(at [2]int) bool {
		s.taken[at] = append(s.taken[at], b)
		left--
		return left > 0
	})
}

// free is whether nothing stands yet where a word stands.
func (s *Sketch) free(b Box) bool {
	x, y := b.mid()
	free, left := true, mostSquares
	squares(b, func(at [2]int) bool {
		for _, o := range s.taken[at] {
			ox, oy := o.mid()
			if inside(x, y, o) || inside(ox, oy, b) {
				free = false
				return false
			}
			if left--; left <= 0 {
				free = false // so crowded that it is one word more or less
				return false
			}
		}
		return true
	})
	return free
}

func inside(x, y float64, b Box) bool { return x >= b.X0 && x <= b.X1 && y >= b.Y0 && y <= b.Y1 }

// Add adds the words of a picture. Those that an earlier one had are not added again, nor those that the edge of the
// picture cuts, unless it is the edge of the page.
func (s *Sketch) Add(words []Seen, from Scan) {
	if !drawable(s.page.Width, s.page.Height) || from.Width < 1 || from.Height < 1 ||
		!from.Area.on(s.page.Width, s.page.Height) {
		return
	}
	lines := map[[3]int][]Seen{}
	var order [][3]int
	for _, w := range words {
		if lines[w.line] == nil {
			order = append(order, w.line)
		}
		lines[w.line] = append(lines[w.line], w)
	}
	var kept []Box
	for _, key := range order {
		all := lines[key]
		em, whole := size(all), from.place(all[0].box)
		line := base(all, em)
		for i := range all {
			whole = whole.join(from.place(all[i].box))
		}
		dx, dy := from.shift(whole)
		for i := range all {
			b := from.place(all[i].box).moved(dx, dy)
			if s.cut(b, from) || !s.free(b) || len(s.page.Chars) > mostLetters {
				continue
			}
			s.spell(&all[i], em, line, from, dx, dy)
			kept = append(kept, b)
		}
	}
	for _, b := range kept {
		s.take(b)
	}
}

// mostLetters is how many letters a page may have, as many as are read of a file.
const mostLetters = 300_000

// cut is whether a word touches an edge of its picture that is not the page's.
func (s *Sketch) cut(b Box, from Scan) bool {
	const near = 1
	a, w, h := from.Area, s.page.Width, s.page.Height
	return a.X0 > near && b.X0 < a.X0+near || a.Y0 > near && b.Y0 < a.Y0+near ||
		a.X1 < w-near && b.X1 > a.X1-near || a.Y1 < h-near && b.Y1 > a.Y1-near
}

// place is where a box of the picture stands on the page.
func (f Scan) place(b Box) Box {
	w, h := f.Area.X1-f.Area.X0, f.Area.Y1-f.Area.Y0
	if f.Turn%180 != 0 {
		w, h = h, w
	}
	x, y := w/float64(f.Width), h/float64(f.Height)
	b = turn(Box{b.X0 * x, b.Y0 * y, b.X1 * x, b.Y1 * y}, (360-f.Turn)%360, w, h)
	return Box{b.X0 + f.Area.X0, b.Y0 + f.Area.Y0, b.X1 + f.Area.X0, b.Y1 + f.Area.Y0}
}

// shift is how far what was set straight goes back. All of a line goes as its middle does: it stays a line.
func (f Scan) shift(b Box) (dx, dy float64) {
	sin, cos := math.Sincos(f.Skew)
	mx, my := f.Area.mid()
	cx, cy := b.mid()
	return cos*(cx-mx) - sin*(cy-my) + mx - cx, sin*(cx-mx) + cos*(cy-my) + my - cy
}

func (b Box) moved(dx, dy float64) Box { return Box{b.X0 + dx, b.Y0 + dy, b.X1 + dx, b.Y1 + dy} }

// spell adds the letters of a word, which share its room alike. A blank goes before it.
func (s *Sketch) spell(w *Seen, em, base float64, from Scan, dx, dy float64) {
	letters := []rune(w.Text)
	_, below := reach(w.Text)
	b := w.box
	// A speck under a word moves its box, but not those of its neighbours.
	if own := b.Y1 - below*em; math.Abs(own-base) > 0.6*em {
		base = own
	}
	// The room that a font gives its letters is a size high, with a fifth of it below the base line.
	b.Y1 = base + 0.22*em
	b.Y0 = b.Y1 - em
	wide := (b.X1 - b.X0) / float64(len(letters))
	for i := -1; i < len(letters); i++ {
		at := Box{b.X0 + wide*float64(i), b.Y0, b.X0 + wide*float64(i+1), b.Y1}
		r := ' '
		if i >= 0 {
			r = letters[i]
		}
		high := em * (from.Area.Y1 - from.Area.Y0) / float64(from.Height)
		if from.Turn%180 != 0 {
			high = em * (from.Area.X1 - from.Area.X0) / float64(from.Height)
		}
		at = from.place(at).moved(dx, dy)
		if i < 0 || at.on(s.page.Width, s.page.Height) {
			s.page.Chars = append(s.page.Chars, Char{
				Rune: r, X0: at.X0, Y0: at.Y0, X1: at.X1, Y1: at.Y1, Size: high, Angle: float64(from.Turn),
				Doubt: max(1-w.Sure, leastDoubt),
			})
		}
	}
}

// leastDoubt is how unsure each recognised letter is.
const leastDoubt = 0.02

// reach is how far the letters of a text go above and below the base line, in sizes of their font.
func reach(text string) (above, below float64) {
	above = 0.52
	for _, r := range text {
		switch {
		case strings.ContainsRune("gjpqy,;()", r):
			below = 0.21
			if r == 'j' || r == '(' || r == ')' {
				above = 0.72
			}
		case unicode.IsUpper(r), unicode.IsDigit(r), strings.ContainsRune("bdfhiklt/", r):
			above = 0.72
		}
	}
	return above, below
}

// base is the base line of a line, in pixels: the middle one of those of its words.
func base(words []Seen, em float64) float64 {
	all := make([]float64, len(words))
	for i := range words {
		_, below := reach(words[i].Text)
		all[i] = words[i].box.Y1 - below*em
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}

// size is the size of the font of a line, in pixels: the middle one of what its words say, by their letters.
func size(words []Seen) float64 {
	type vote struct {
		em    float64
		count int
	}
	var votes []vote
	all := 0
	for i := range words {
		above, below := reach(words[i].Text)
		votes = append(votes, vote{(words[i].box.Y1 - words[i].box.Y0) / (above + below), len(words[i].Text)})
		all += len(words[i].Text)
	}
	slices.SortFunc(votes, func(a, b vote) int { return cmp.Compare(a.em, b.em) })
	half := 0
	for _, v := range votes {
		if half += v.count; 2*half >= all {
			return math.Max(v.em, 1)
		}
	}
	return 1
}
