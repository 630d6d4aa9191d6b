package read

import (
	"compress/gzip"
	"errors"
	"io"
	"math"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
)

// Text is the text of a page and where it stands, as it is kept for searching and until its set is read: JSON in gzip.
type Text struct {
	// Width and Height are those of the page as displayed, in points.
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	// Lines are in reading order, one direction of writing after the other.
	Lines []TextLine `json:"lines"`
}

// TextLine is words that stand on one base line close together.
type TextLine struct {
	// Text has the words, with one blank between two.
	Text string `json:"text"`
	// Size is that of the font in points; Angle the direction of writing, clockwise: 0, 90, 180 or 270.
	Size  float64 `json:"size"`
	Angle int     `json:"angle"`
	// Words are the places of the words, in the order of Text.
	Words []Area `json:"words"`
	// Doubts are how unsure the words are, from 0 to 1, where they were recognised in a picture; otherwise it is blank.
	Doubts []float64 `json:"doubts"`
}

// Area is a place on a sheet as displayed, from 0 to 1, from the top left corner: x0, y0, x1, y1.
type Area [4]float64

const (
	// Precision is how exactly places are kept: on the longest page, to a quarter of a point.
	Precision = 1e5
	// mostText bounds what a text unpacks to: 300,000 words of one letter, each a line with its place, have 26 MB.
	mostText = 32 << 20
	// MostWords is how many bytes of words a page may give to the search, each word once: a dense sheet of 36 by 48
	// inches has some 3,000 different ones, 25 kB.
	MostWords = 128 << 10
)

// Keep makes the text of a page of what was read on it.
func Keep(lines []Line, width, height float64) *Text {
	part := func(at, whole float64) float64 { return math.Round(at/whole*Precision) / Precision }
	t := &Text{Width: width, Height: height, Lines: make([]TextLine, len(lines))}
	for i, l := range lines {
		kept := TextLine{
			Text: l.Text, Size: math.Round(l.Size*100) / 100, Angle: l.Angle, Words: make([]Area, len(l.Words)),
		}
		for j, w := range l.Words {
			if w.Doubt > 0 && kept.Doubts == nil {
				kept.Doubts = make([]float64, len(l.Words))
			}
			if kept.Doubts != nil {
				kept.Doubts[j] = math.Round(w.Doubt*100) / 100
			}
			kept.Words[j] = Area{
				part(w.Box.X0, width), part(w.Box.Y0, height), part(w.Box.X1, width), part(w.Box.Y1, height),
			}
		}
		t.Lines[i] = kept
	}
	return t
}

// AsRead gives the lines as they were read.
func (t *Text) AsRead() []Line {
	lines := make([]Line, 0, len(t.Lines))
	for _, kept := range t.Lines {
		l := Line{Text: kept.Text, Size: kept.Size, Angle: kept.Angle}
		for j, word := range strings.Split(kept.Text, " ") {
			if j >= len(kept.Words) {
				break
			}
			a := kept.Words[j]
			b := Box{X0: a[0] * t.Width, Y0: a[1] * t.Height, X1: a[2] * t.Width, Y1: a[3] * t.Height}
			w := Word{Text: word, Box: b}
			if j < len(kept.Doubts) {
				w.Doubt = within(kept.Doubts[j], 1)
			}
			if l.Words = append(l.Words, w); j == 0 {
				l.Box = b
			}
			l.Box = l.Box.join(b)
		}
		lines = append(lines, l)
	}
	return lines
}

// Words gives each word once, up to MostWords: that is all a search by words needs.
func (t *Text) Words() string {
	var b strings.Builder
	known := map[string]bool{}
	for _, l := range t.Lines {
		for word := range strings.SplitSeq(l.Text, " ") {
			if !known[word] && b.Len()+len(word) < MostWords {
				known[word] = true
				b.WriteString(word)
				b.WriteByte(' ')
			}
		}
	}
	return strings.TrimSuffix(b.String(), " ")
}

// Write packs the text.
func (t *Text) Write(w io.Writer) error {
	z := gzip.NewWriter(w)
	return errors.Join(json.MarshalWrite(z, t), z.Close())
}

// Unpack unpacks a text that Write packed. Whoever wrote it may have been taken over by a file: what is too long is
// an error, and what no page says is left out.
func Unpack(r io.Reader) (*Text, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	t := new(Text)
	if err := json.UnmarshalRead(io.LimitReader(z, mostText), t); err != nil {
		return nil, err
	}
	t.sound()
	return t, nil
}

// sound leaves out lines without a size or a direction, and words that stand nowhere on the page.
func (t *Text) sound() {
	kept := t.Lines[:0]
	for _, l := range t.Lines {
		if !(l.Size >= 0) || math.IsInf(l.Size, 0) || l.Angle < 0 || l.Angle > 270 || l.Angle%90 != 0 {
			continue
		}
		for i := range l.Words {
			for k, n := range l.Words[i] {
				if math.IsNaN(n) {
					n = 0
				}
				l.Words[i][k] = within(n, 1)
			}
		}
		kept = append(kept, l)
	}
	t.Lines = kept
}

// Clean is a text of a stranger as it may be stored: valid, without control characters, of at most so many bytes.
func Clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text[:min(len(text), most)])
	return strings.TrimSpace(strings.ToValidUTF8(text, ""))
}
