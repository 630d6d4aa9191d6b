package drawing

import (
	"fmt"
	"image"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"groundwork/internal/draft"
	"groundwork/internal/drawing/read"
	"groundwork/internal/fault"
)

// siteWords stand in the middle of the sheet of the tests.
var siteWords = []string{"KITCHEN", "CORRIDOR", "MECHANICAL ROOM", "FIRE DAMPER ABOVE CEILING", "STAIR NORTH"}

// paperSheet is a sheet of 17 by 11 inches with a title block at its right and a note at its foot.
func paperSheet() sheet {
	var b strings.Builder
	b.WriteString("1 w 20 20 1184 752 re S 1000 20 m 1000 772 l S 1000 120 m 1204 120 l S 1000 220 m 1204 220 l S\n")
	b.WriteString("200 200 500 300 re S 200 350 m 700 350 l S 450 200 m 450 500 l S\n")
	for i, w := range siteWords {
		fmt.Fprintf(&b, "%s", words(fmt.Sprintf("12 0 0 12 %d %d", 230+40*i, 470-50*i), w))
	}
	for _, w := range []struct {
		size, x, y int
		text       string
	}{
		{8, 1010, 105, "SHEET NUMBER"},
		{36, 1020, 50, "A-214"},
		{8, 1010, 205, "SHEET TITLE"},
		{16, 1010, 160, "SECOND FLOOR PLAN"},
		{8, 1010, 300, "DATE"},
		{10, 1010, 284, "03/14/2026"},
		{10, 1010, 700, "HARBOR STREET SCHOOL"},
		{10, 1010, 684, "PROJECT NUMBER 2214"},
		{9, 1010, 620, "GENERAL CONTRACTOR"},
		{9, 1010, 606, "CONSTRUCTION DOCUMENTS"},
		{9, 60, 60, "DO NOT SCALE THE DRAWINGS. VERIFY ALL DIMENSIONS IN THE FIELD BEFORE CONSTRUCTION."},
	} {
		b.WriteString(words(fmt.Sprintf("%d 0 0 %d %d %d", w.size, w.size, w.x, w.y), w.text))
	}
	return sheet{box: "0 0 1224 792", content: b.String()}
}

const scanDPI = 150

// recognised is what comes of a scan, read by itself.
func recognised(t *testing.T, w *Workshop, content []byte) (*read.Text, read.Sheet) {
	t.Helper()
	f := bring(t, w, content)
	sizes, err := f.Pages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := f.Text(t.Context(), 1); err != nil || !plain.Bare {
		t.Fatalf("the page has a text of its own: %+v, %v", plain, err)
	}
	said, err := f.Recognise(t.Context(), 1)
	if err != nil || said.Note != "" || said.Path == "" {
		t.Fatalf("got %+v, %v", said, err)
	}
	unpack := func() io.ReadCloser {
		in, err := os.Open(said.Path)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	in := unpack()
	defer in.Close()
	text, err := read.Unpack(in)
	if err != nil {
		t.Fatal(err)
	}
	sheets, err := w.ReadSet(t.Context(), read.Evidence{Pages: []read.Kept{{
		Width: sizes[0].Width, Height: sizes[0].Height, Text: true, File: "scan.pdf",
	}}}, func(int) (io.ReadCloser, error) { return unpack(), nil })
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(f.folder); len(left) == 0 || strings.Contains(fmt.Sprint(left), " 1 ") {
		t.Errorf("answers were left: %v", left)
	}
	return text, sheets[0]
}

// at is where a word stands, in parts of the page.
func at(t *testing.T, text *read.Text, word string) (a read.Area, angle int) {
	t.Helper()
	for _, l := range text.Lines {
		for i, w := range strings.Split(l.Text, " ") {
			if strings.EqualFold(w, word) && i < len(l.Words) {
				return l.Words[i], l.Angle
			}
		}
	}
	t.Errorf("%s was not recognised in %q", word, written(text))
	return read.Area{}, -1
}

func written(t *read.Text) (out []string) {
	for _, l := range t.Lines {
		out = append(out, l.Text)
	}
	return out
}

// A scan has number, title and date, and its words where they stand, whether it lies straight, on its side, or askew
// and dirty.
func TestRecognise(t *testing.T) {
	w := open(t, Config{Children: 1, Recognition: RecognitionAuto})
	paper := scannedAt(t, bring(t, w, pdfOf([]sheet{paperSheet()})), 1, scanDPI)
	if flat, askew := skewOf(paper), skewOf(dirty(skewed(paper, 1), 1)); flat != 0 || math.Abs(askew-0.0175) > 0.002 {
		t.Errorf("the page lies askew by %v, and by %v", flat, askew)
	}
	for _, way := range []struct {
		name  string
		img   *image.Gray
		angle int
		near  float64
	}{
		{"straight", paper, 0, 0.01},
		{"turned", turned(paper, 90), 270, 0.01},
		{"askew and dirty", dirty(skewed(paper, 1), 1), 0, 0.03},
	} {
		text, s := recognised(t, w, scanOf(t, way.img, scanDPI))
		if s.Number.Text != "A-214" || s.Title.Text != "SECOND FLOOR PLAN" || s.Date.Text != "2026-03-14" {
			t.Errorf("%s: number %q, title %q, date %q of %q", way.name, s.Number.Text, s.Title.Text, s.Date.Text,
				written(text))
		}
		if c := s.Number.Confidence; c < 0.6 || c > 0.9 {
			t.Errorf("%s: the number is sure by %v", way.name, c)
		}
		for i, phrase := range siteWords {
			word := strings.Fields(phrase)[0]
			area, angle := at(t, text, word)
			// Where it was drawn, upright.
			x, y := float64(230+40*i)/1224, 1-(float64(470-50*i)+4)/792
			gotX, gotY := area[0], (area[1]+area[3])/2
			if way.angle == 270 {
				gotX, gotY = 1-area[3], (area[0]+area[2])/2
			}
			if angle != way.angle || math.Abs(gotX-x) > way.near || math.Abs(gotY-y) > way.near {
				t.Errorf("%s: %s stands at %.3v in direction %d, drawn at %.3f, %.3f", way.name, word, area, angle, x, y)
			}
		}
	}
}

// Letters that are drawn as shapes are recognised as those of a scan are.
func TestRecogniseOutlined(t *testing.T) {
	w := open(t, Config{Children: 1, Recognition: RecognitionAuto})
	for seed := range uint64(40) {
		var b strings.Builder
		truth, err := draft.Write(&b, draft.Options{Seed: seed, Sheets: 8})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range truth.Pages {
			if !p.Outlined {
				continue
			}
			f := bring(t, w, []byte(b.String()))
			plain, err := f.Text(t.Context(), i+1)
			if err != nil || !plain.Bare {
				t.Fatalf("%+v, %v", plain, err)
			}
			got, err := f.Recognise(t.Context(), i+1)
			if err != nil || !strings.Contains(" "+got.Words+" ", " "+p.Number+" ") {
				t.Errorf("%s %q was recognised as %q, %v", p.Number, p.Title, got.Words, err)
			}
			return
		}
	}
	t.Error("no set has a page with shapes for letters")
}

// Without a recogniser, nothing changes but what the service says about it.
func TestNoRecogniser(t *testing.T) {
	for setting, why := range map[string]string{
		"": "the settings", RecognitionOff: "the settings", "/no/such/program": "apt-get install tesseract-ocr",
		"/etc/passwd": "not installed",
	} {
		w := open(t, Config{Children: 1, Recognition: setting})
		r := w.Recogniser(t.Context())
		if r.Program != "" || !strings.Contains(r.Why, why) || w.Recognises(t.Context()) ||
			r.Wanted != strings.HasPrefix(setting, "/") || !strings.HasPrefix(r.String(), "off: ") {
			t.Errorf("%q gives %+v", setting, r)
		}
	}
}

// Whatever a recogniser answers, or does in place of an answer, is bounded, and a file that it fails on is soon left
// alone.
func TestOddRecognisers(t *testing.T) {
	page := pdfOf([]sheet{{content: "2 w 100 100 300 300 re S 500 50 80 600 re S 60 40 400 60 re S"}})
	for name, want := range map[string]string{
		"fake-odd": "", "fake-line": "", "fake-huge": "could not be recognised.", "fake-exit": "could not be recognised.",
		"fake-memory": "could not be recognised", "fake-never": "could not be recognised within",
		"fake-spin": "could not be recognised within",
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, Config{Children: 1, Recognition: fakePath(t, name)})
			if name == "fake-never" || name == "fake-spin" {
				w.seenWithin = 300 * time.Millisecond
			}
			f := bring(t, w, page)
			got, err := f.Recognise(t.Context(), 1)
			if want == "" {
				if err != nil || strings.Contains(got.Words, "\x1b") || strings.Contains(got.Words, "LONGLONG") {
					t.Errorf("got %+v, %v", got, err)
				}
				if words := strings.Fields(got.Words); name == "fake-odd" && strings.Join(words, " ") != "EVIL[31mWORD GOOD" {
					t.Errorf("kept %q", words)
				}
				return
			}
			invalid(t, err, want)
			for range mostUnseen {
				_, err = f.Recognise(t.Context(), 1)
			}
			invalid(t, err, "given up after 3 pages")
			if text, err := f.Text(t.Context(), 1); err != nil || !text.Bare {
				t.Errorf("the page is not as before: %+v, %v", text, err)
			}
		})
	}
}

// A picture that is not what the worker says it is never reaches the recogniser.
func TestScanIsChecked(t *testing.T) {
	good := scanned{Ink: 0.1, Scan: read.Scan{Area: read.Box{X1: 100, Y1: 50}, Width: 200, Height: 100}}
	if !good.sound(20_000) {
		t.Error("a good picture is refused")
	}
	for i, spoil := range []func(s *scanned){
		func(s *scanned) { s.Width = -200 }, func(s *scanned) { s.Width, s.Height = -200, -100 },
		func(s *scanned) { s.Height = 101 }, func(s *scanned) { s.Width = 1 << 40 }, func(s *scanned) { s.Turn = 45 },
		func(s *scanned) { s.Area.X1 = math.NaN() }, func(s *scanned) { s.Area.X0 = 100 },
		func(s *scanned) { s.Area.Y1 = math.Inf(1) },
	} {
		s := good
		if spoil(&s); s.sound(20_000) {
			t.Errorf("picture %d is taken: %+v", i, s)
		}
	}
	f := bring(t, open(t, Config{Children: 1, Recognition: fakePath(t, "fake-odd")}), []byte("hello"))
	if err := os.WriteFile(f.folder+"/x", []byte("II*\x00 no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	good.Path = f.folder + "/x"
	if _, err := f.workshop.see(t.Context(), f, good, f.folder+"/1", time.Minute); err == nil || fault.Is(err, fault.Invalid) {
		t.Errorf("got %v", err)
	}
}
