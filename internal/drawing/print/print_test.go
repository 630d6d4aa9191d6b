package print

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"
	"github.com/go-json-experiment/json"
)

var eleven = Style{Size: 11}

// The line is what stands on the page from left to right, so that what is read to the left stands turned.
func TestTextStandsAsItsScriptRuns(t *testing.T) {
	for text, want := range map[string]string{
		"Level 2, door 12":     "Level 2, door 12",
		"abc אבג 123 דהו xyz":  "abc והד 123 גבא xyz",
		"אבג (דהו) 12 abc def": "abc def 12 (והד) גבא",
		"קיר 4":                "4 ריק",
		"Трещина Ρωγμή":        "Трещина Ρωγμή",
		"e\u0301 \u200babc":    "é abc",
		"漏水":                   "漏水",
		"emoji 👷 and ไทย":      "emoji □ and □□□",
		"bad \xff byte":        "bad □ byte",
		// Seen, waw, qaf: the first letter reaches for the second, which reaches for none.
		"سوق": string([]rune{0xfed5, 0xfeee, 0xfeb3}),
		// Lam and alef are one letter, here joined to the seen before them.
		"سلام": string([]rune{0xfee1, 0xfefc, 0xfeb3}),
		"لا":   string([]rune{0xfefb}),
		"کژ":   string([]rune{0xfb8b, 0xfb90}),
	} {
		s := New(fpdf.New("P", "mm", "A4", ""))
		if got := string(visual(s.Line(text))); got != want {
			t.Errorf("%q stands as %q (%x), not as %q (%x)", text, got, []rune(got), want, []rune(want))
		}
	}
}

func TestLinesFitAndNothingIsLost(t *testing.T) {
	s := New(fpdf.New("P", "mm", "A4", ""))
	for _, text := range []string{
		"", "one", "The damper shown on M-201 is not installed; the duct runs through the wall without one.",
		strings.Repeat("unbreakable", 40),
		"天井から水が落ちている。配管を確認してください、お願いします。" + strings.Repeat("水", 50), strings.Repeat("شق في الجدار ", 20),
		"first\n\nsecond paragraph", strings.Repeat("a ", 300),
	} {
		for _, width := range []float64{12, 40, 174} {
			var all string
			for _, l := range s.Lines(text, eleven, width) {
				if w := s.Width(l, eleven); w > width+0.01 {
					t.Errorf("a line of %q is %.1f mm long, not %.1f at most: %q", text, w, width, l.text)
				}
				all += l.text
			}
			bare := func(text string) string { return strings.Join(strings.Fields(text), "") }
			if want := bare(s.ready(text)); bare(all) != want {
				t.Errorf("at %.0f mm %q became %q", width, want, bare(all))
			}
		}
	}
}

func TestALineIsShortenedVisibly(t *testing.T) {
	s := New(fpdf.New("P", "mm", "A4", ""))
	l := s.Fit("Crack in the slab between grid lines", eleven, 30)
	if s.Width(l, eleven) > 30 || !strings.HasSuffix(l.text, "…") {
		t.Errorf("the line is %q, %.1f mm long", l.text, s.Width(l, eleven))
	}
	lines := s.Most(2, strings.Repeat("word ", 50), eleven, 30)
	if len(lines) != 2 || !strings.HasSuffix(lines[1].text, "…") {
		t.Errorf("of many lines %v is kept", lines)
	}
}

// No letter of these languages is missing from a report.
func TestLettersAreThere(t *testing.T) {
	for name, text := range map[string]string{
		"Latin": "ÀÉÎÕÜßæøåŁčđğışžőĂȚ ĳ ẞ Việt Nam", "Greek": "ΑΩαωάέήίόύώϊΰ", "Cyrillic": "АЯаяЁёЇїЄєЎўЉЊЋЏќғқңұһ",
		"Hebrew": "אבגדהוזחטיכךלמםנןסעפףצץקרשת",
		"Arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي", "Persian": "پچژکگی", "Armenian": "ԱԲԳաբգ", "Georgian": "აბგდ",
		"Chinese": "混凝土裂缝門窗", "Japanese": "ひびカタカナ漢字", "Korean": "콘크리트 균열", "signs": "€£¥°±²³×÷≤≥→✓•–—“”…№Ø",
	} {
		s := New(fpdf.New("P", "mm", "A4", ""))
		if s.Line(text); s.Lacks() {
			t.Errorf("%s: a letter of %q is missing: %q", name, text, s.Line(text).text)
		}
	}
}

// The typefaces are those that the manifest names.
func TestTypefacesAreThoseOfTheManifest(t *testing.T) {
	text, err := os.ReadFile("fonts/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest []struct {
		Folder string            `json:"folder"`
		Files  map[string]string `json:"files"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range manifest {
		for name, want := range m.Files {
			content, err := os.ReadFile(filepath.Join("fonts", m.Folder, name))
			if sum := sha256.Sum256(content); err != nil || hex.EncodeToString(sum[:]) != want {
				t.Errorf("%s/%s is another file than the manifest says: %v", m.Folder, name, err)
			}
			n++
		}
	}
	if n != faces+len(manifest) {
		t.Errorf("the manifest has %d files; there are %d typefaces, and a licence of each family", n, faces)
	}
}

// Whatever somebody wrote can be set.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		"", "abc", "שלום 12 abc", "لا إله", "水\n水", "\xff\xfe", "a\u0301\u200f\u202e(x)",
		"👷🏽‍♀️", "ـلـ",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pdf := fpdf.New("P", "mm", "A4", "")
		pdf.AddPage()
		s := New(pdf)
		for _, l := range s.Lines(text, eleven, 50) {
			if w := s.Width(l, eleven); w > 50.01 && utf8.RuneCountInString(l.text) > 1 {
				t.Errorf("a line is %.1f mm long: %q", w, l.text)
			}
			if got, want := len(visual(l)), utf8.RuneCountInString(l.text); got != want {
				t.Errorf("%d of %d letters stand on the page: %q", got, want, l.text)
			}
			s.Set(0, 10, l, eleven)
		}
		if err := pdf.Error(); err != nil {
			t.Fatal(err)
		}
	})
}
