package drawing

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"groundwork/internal/draft"
	"groundwork/internal/drawing/read"
)

var scans = flag.Int("scans", 0, "measure recognition on so many generated sets of six scanned sheets")

// ways are what scanners do to a sheet.
var ways = map[string]func(*image.Gray, uint64) *image.Gray{
	"straight": func(g *image.Gray, _ uint64) *image.Gray { return g },
	"turned":   func(g *image.Gray, s uint64) *image.Gray { return turned(g, 90*int(1+s%3)) },
	"skewed":   func(g *image.Gray, s uint64) *image.Gray { return dirty(skewed(g, 1.2), s) },
}

// figures are what was recognised rightly.
type figures struct {
	sheets, numbers, wrong, sure, sureWrong, titles, dates, words, found int
	spent                                                                time.Duration
}

// It measures recognition on drawn sets, each scanned in three ways: it asserts nothing but that it runs. With -scans
// it takes minutes.
func TestMeasureScans(t *testing.T) {
	if *scans == 0 {
		return
	}
	w := open(t, Config{Children: 2, Recognition: RecognitionAuto})
	t.Log(w.Recogniser(t.Context()))
	sums := map[string]*figures{}
	for seed := range uint64(*scans) {
		var b bytes.Buffer
		o := draft.Options{Seed: 900 + seed, Sheets: 4, Plain: true}
		if seed%2 == 1 {
			o.Layout = draft.Invented
		}
		truth, err := draft.Write(&b, o)
		if err != nil {
			t.Fatal(err)
		}
		f := bring(t, w, b.Bytes())
		for way, spoil := range ways {
			if sums[way] == nil {
				sums[way] = &figures{}
			}
			measureScans(t, w, f, truth, way, func(g *image.Gray) *image.Gray { return spoil(g, seed) }, sums[way])
		}
	}
	for way, s := range sums {
		t.Logf("%s: %d sheets: numbers %d right, %d wrong (sure: %d, %d wrong), titles %d, dates %d, words %d of %d, %.1f s a page",
			way, s.sheets, s.numbers, s.wrong, s.sure, s.sureWrong, s.titles, s.dates, s.found, s.words,
			s.spent.Seconds()/float64(s.sheets))
	}
}

func measureScans(t *testing.T, w *Workshop, f *File, truth *draft.Set, way string, spoil func(*image.Gray) *image.Gray,
	sum *figures,
) {
	t.Helper()
	var kept []read.Kept
	var texts []string
	for i, p := range truth.Pages {
		in := bring(t, w, scanOf(t, spoil(scannedAt(t, f, i+1, 200)), 200))
		sizes, err := in.Pages(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if text, err := in.Text(t.Context(), 1); err != nil || !text.Bare {
			t.Fatal(text, err)
		}
		began := time.Now()
		text, err := in.Recognise(t.Context(), 1)
		sum.spent += time.Since(began)
		if err != nil || text.Note != "" {
			t.Errorf("%s %s %s: %v %s", truth.Layout, way, p.Number, err, text.Note)
		}
		kept = append(kept, read.Kept{
			Width: sizes[0].Width, Height: sizes[0].Height, Text: text.Path != "", File: "scan.pdf",
		})
		texts = append(texts, text.Path)
		has := map[string]bool{}
		for word := range strings.FieldsSeq(strings.ToUpper(text.Words)) {
			has[strings.Trim(word, ".,:;()")] = true
		}
		lines, _ := read.Take(shownPage(p))
		all := map[string]bool{}
		for _, l := range lines {
			for _, w := range l.Words {
				if word := strings.Trim(strings.ToUpper(w.Text), ".,:;()"); len(word) > 2 {
					all[word] = true
				}
			}
		}
		for word := range all {
			if sum.words++; has[word] {
				sum.found++
			}
		}
	}
	sheets, err := w.ReadSet(t.Context(), read.Evidence{Pages: kept}, func(i int) (io.ReadCloser, error) {
		return os.Open(texts[i])
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range truth.Pages {
		s := sheets[i]
		sum.sheets++
		right := s.Number.Text == p.Number
		line := ""
		switch {
		case right:
			sum.numbers++
		case s.Number.Text != "":
			sum.wrong++
			fallthrough
		default:
			line += fmt.Sprintf(" number %q (%.2f)", s.Number.Text, s.Number.Confidence)
		}
		if s.Number.Confidence >= 0.6 {
			if sum.sure++; !right {
				sum.sureWrong++
			}
		}
		if strings.EqualFold(s.Title.Text, p.Title) {
			sum.titles++
		} else {
			line += fmt.Sprintf(" title %q", s.Title.Text)
		}
		if s.Date.Text == p.Date {
			sum.dates++
		} else {
			line += fmt.Sprintf(" date %q of %q", s.Date.Text, p.Date)
		}
		if line != "" {
			t.Logf("%s %s, %s %q:%s", truth.Layout, way, p.Number, p.Title, line)
		}
	}
}

// shownPage is a drawn page as its own letters tell it.
func shownPage(p draft.Page) read.Page {
	out := read.Page{Width: p.Width, Height: p.Height}
	for _, g := range p.Glyphs {
		out.Chars = append(out.Chars, read.Char{
			Rune: g.Rune, X0: g.Box.X0, Y0: g.Box.Y0, X1: g.Box.X1, Y1: g.Box.Y1, Size: g.Size, Angle: g.Angle,
		})
	}
	return out
}
