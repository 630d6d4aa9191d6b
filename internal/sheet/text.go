package sheet

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"strings"

	"github.com/go-json-experiment/json"

	"groundwork/internal/blob"
	"groundwork/internal/drawing/read"
)

// Text is the text of a sheet and where it stands, as it is kept for searching: one object of the file store for each page, JSON in gzip, which the private part of
// the sheet's record names. A search finds sheets by the words in that private part, and the places of its hits here.
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
}

// Area is a place on a sheet as displayed, from 0 to 1, from the top left corner: x0, y0, x1, y1.
type Area [4]float64

const (
	textType = "application/gzip"
	// fine is how exactly places are kept: on the longest page, to a quarter of a point.
	fine = 1e5
)

// textOf makes the text of a page of what was read on it.
func textOf(lines []read.Line, width, height float64) Text {
	part := func(at, whole float64) float64 { return math.Round(at/whole*fine) / fine }
	t := Text{Width: width, Height: height, Lines: make([]TextLine, len(lines))}
	for i, l := range lines {
		kept := TextLine{Text: l.Text, Size: math.Round(l.Size*100) / 100, Angle: l.Angle, Words: make([]Area, len(l.Words))}
		for j, w := range l.Words {
			kept.Words[j] = Area{part(w.Box.X0, width), part(w.Box.Y0, height), part(w.Box.X1, width), part(w.Box.Y1, height)}
		}
		t.Lines[i] = kept
	}
	return t
}

// lines gives the lines as they were read.
func (t *Text) lines() []read.Line {
	lines := make([]read.Line, 0, len(t.Lines))
	for _, kept := range t.Lines {
		l := read.Line{Text: kept.Text, Size: kept.Size, Angle: kept.Angle}
		for j, word := range strings.Split(kept.Text, " ") {
			if j >= len(kept.Words) {
				break
			}
			a := kept.Words[j]
			b := read.Box{X0: a[0] * t.Width, Y0: a[1] * t.Height, X1: a[2] * t.Width, Y1: a[3] * t.Height}
			if l.Words = append(l.Words, read.Word{Text: word, Box: b}); j == 0 {
				l.Box = b
			}
			l.Box = read.Box{X0: min(l.Box.X0, b.X0), Y0: min(l.Box.Y0, b.Y0), X1: max(l.Box.X1, b.X1), Y1: max(l.Box.Y1, b.Y1)}
		}
		lines = append(lines, l)
	}
	return lines
}

// words gives each word once: that is all a search by words needs.
func (t *Text) words() string {
	var b strings.Builder
	known := map[string]bool{}
	for _, l := range t.Lines {
		for word := range strings.SplitSeq(l.Text, " ") {
			if !known[word] {
				known[word] = true
				b.WriteString(word)
				b.WriteByte(' ')
			}
		}
	}
	return strings.TrimSuffix(b.String(), " ")
}

// write puts the text into a file.
func (t *Text) write(path string) error {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(out)
	return errors.Join(json.MarshalWrite(z, t), z.Close(), out.Close())
}

// mostText bounds what a text unpacks to: the densest page that is read has less.
const mostText = 256 << 20

// ReadText reads the text of a page from the store of files.
func ReadText(ctx context.Context, blobs blob.Store, object string) (*Text, error) {
	o, err := blobs.Open(ctx, object)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	z, err := gzip.NewReader(o)
	if err != nil {
		return nil, err
	}
	t := new(Text)
	return t, json.UnmarshalRead(io.LimitReader(z, mostText), t)
}
