package drawing

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"groundwork/internal/drawing/read"
	"groundwork/internal/drawing/report"
)

// composed makes a report and gives its path.
func composed(t *testing.T, w *Workshop, r Report) string {
	t.Helper()
	var names []string
	if r.Issues != nil {
		names = r.Issues.Names()
	} else {
		names = r.Fields.Names()
	}
	r.Shots, r.Side = shots(names), 900
	f, path, err := w.Report(t.Context(), r, album(t), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return path
}

// leaf is a page of a PDF as qpdf writes it out: its pictures and where its links lead.
type leaf struct {
	pictures [][4]float64 // left, bottom, right, top, in points
	links    []target
}

type target struct {
	page int
	y    float64
}

var (
	objects   = regexp.MustCompile(`(?s)\n(\d+) 0 obj\n(.*?)\nendobj`)
	pageKids  = regexp.MustCompile(`(?s)/Kids \[(.*?)\]`)
	reference = regexp.MustCompile(`(\d+) 0 R`)
	contents  = regexp.MustCompile(`/Contents (\d+) 0 R`)
	shown     = regexp.MustCompile(`q (\S+) 0 0 (\S+) (\S+) (\S+) cm /I\w+ Do`)
	dest      = regexp.MustCompile(`(?s)/Dest \[\s*(\d+) 0 R\s*/XYZ\s*\S+\s*(\S+)\s*null\s*\]`)
)

// leaves takes a PDF apart, after qpdf found nothing wrong with it.
func leaves(t *testing.T, path string) (pages []leaf, text string) {
	t.Helper()
	if out, err := exec.Command("qpdf", "--check", path).CombinedOutput(); err != nil ||
		bytes.Contains(out, []byte("WARNING")) {
		t.Fatalf("qpdf finds: %s %v", out, err)
	}
	plain := filepath.Join(t.TempDir(), "plain.pdf")
	if out, err := exec.Command("qpdf", "--qdf", "--object-streams=disable", "--no-original-object-ids", path,
		plain).CombinedOutput(); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	content, err := os.ReadFile(plain)
	if err != nil {
		t.Fatal(err)
	}
	text = string(content)
	all := map[string]string{}
	for _, m := range objects.FindAllStringSubmatch(text, -1) {
		all[m[1]] = m[2]
	}
	kids := pageKids.FindStringSubmatch(text)
	if kids == nil {
		t.Fatal("there are no pages")
	}
	number := map[string]int{}
	for i, m := range reference.FindAllStringSubmatch(kids[1], -1) {
		number[m[1]] = i + 1
	}
	for _, m := range reference.FindAllStringSubmatch(kids[1], -1) {
		var l leaf
		page := all[m[1]]
		for _, d := range dest.FindAllStringSubmatch(page+annotations(page, all), -1) {
			to, y := number[d[1]], float(d[2])
			if to == 0 || y < 0 || y > 842 {
				t.Errorf("a link leads to page %d at %.0f", to, y)
			}
			l.links = append(l.links, target{to, y})
		}
		for _, i := range shown.FindAllStringSubmatch(all[contents.FindStringSubmatch(page)[1]], -1) {
			x, y := float(i[3]), float(i[4])
			l.pictures = append(l.pictures, [4]float64{x, y, x + float(i[1]), y + float(i[2])})
		}
		pages = append(pages, l)
	}
	return pages, text
}

// annotations are those of a page that lie in objects of their own.
func annotations(page string, all map[string]string) (out string) {
	_, list, _ := strings.Cut(page, "/Annots [")
	list, _, _ = strings.Cut(list, "]")
	for _, m := range reference.FindAllStringSubmatch(list, -1) {
		out += all[m[1]]
	}
	return out
}

func float(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return f
}

// The margin of a report, in points.
const reportMargin = 18 * 72 / 25.4

// inspect looks at every page as it is drawn: nothing stands in the margins, and nothing on something else. It gives
// what each page says.
func inspect(t *testing.T, w *Workshop, path string, cover bool) (texts []string, pages []leaf) {
	t.Helper()
	pages, plain := leaves(t, path)
	if faces, files := strings.Count(plain, "/Type /FontDescriptor"), strings.Count(plain, "/FontFile2"); faces == 0 ||
		faces != files || strings.Contains(plain, "/Subtype /Type1") {
		t.Errorf("%d typefaces are used, and %d are in the file", faces, files)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := bring(t, w, content)
	for n := range pages {
		p, err := f.Page(t.Context(), n+1)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, said(p))
		beside(t, n+1, p, pages[n])
		blank(t, w, f, n+1, cover && n == 0)
	}
	return texts, pages
}

// said is the text of a page, in the order in which it is drawn.
func said(p read.Page) string {
	var out strings.Builder
	for i, c := range p.Chars {
		if i > 0 && (c.Y0 > p.Chars[i-1].Y1 || c.X0 < p.Chars[i-1].X0) {
			out.WriteByte('\n')
		}
		out.WriteRune(c.Rune)
	}
	return out.String()
}

// beside looks at what stands where: letters inside the margins, and neither on each other nor on pictures, and no
// picture on another.
func beside(t *testing.T, page int, p read.Page, l leaf) {
	t.Helper()
	letters := slices.DeleteFunc(slices.Clone(p.Chars), func(c read.Char) bool {
		return c.Rune <= ' ' || c.X1-c.X0 < 0.5
	})
	for i, c := range letters {
		if c.X0 < reportMargin-1 || c.X1 > p.Width-reportMargin+1 || c.Y0 < reportMargin-12 ||
			c.Y1 > p.Height-reportMargin+14 {
			t.Errorf("page %d: %q stands in the margin, at %.0f, %.0f", page, c.Rune, c.X0, c.Y0)
			return
		}
		for _, o := range letters[i+1:] {
			if o.X0 == c.X0 && o.X1 == c.X1 && o.Y0 == c.Y0 {
				continue // two letters in one form
			}
			if common(c.X0, c.X1, o.X0, o.X1) > 0.5*min(c.X1-c.X0, o.X1-o.X0) &&
				common(c.Y0, c.Y1, o.Y0, o.Y1) > 0.5*min(c.Y1-c.Y0, o.Y1-o.Y0) {
				t.Errorf("page %d: %q and %q stand on each other, at %.0f, %.0f", page, c.Rune, o.Rune, c.X0, c.Y0)
				return
			}
		}
		for _, b := range l.pictures {
			if common(c.X0, c.X1, b[0], b[2]) > 1 && common(c.Y0, c.Y1, p.Height-b[3], p.Height-b[1]) > 2 {
				t.Errorf("page %d: %q stands on a picture, at %.0f, %.0f", page, c.Rune, c.X0, c.Y0)
				return
			}
		}
	}
	for i, a := range l.pictures {
		if a[0] < reportMargin-1 || a[2] > p.Width-reportMargin+1 || a[1] < reportMargin ||
			a[3] > p.Height-reportMargin {
			t.Errorf("page %d: a picture reaches into the margin: %.0f", page, a)
		}
		for _, b := range l.pictures[i+1:] {
			if common(a[0], a[2], b[0], b[2]) > 1 && common(a[1], a[3], b[1], b[3]) > 1 {
				t.Errorf("page %d: pictures stand on each other: %.0f and %.0f", page, a, b)
			}
		}
	}
}

// common is how long two stretches lie on each other.
func common(a0, a1, b0, b1 float64) float64 { return min(a1, b1) - max(a0, b0) }

// blank looks at the margins of a page as it is drawn; the cover has a band at the top.
func blank(t *testing.T, w *Workshop, f *File, page int, band bool) {
	t.Helper()
	picture, err := f.Render(t.Context(), page, 36)
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(picture.Path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	b, edge := img.Bounds(), int(math.Round(reportMargin/2))-2
	dark := 0
	for y := range b.Dy() {
		for x := range b.Dx() {
			inside := x >= edge && x < b.Dx()-edge && y >= edge-6 && y < b.Dy()-edge+8
			if r, _, _, _ := img.At(x, y).RGBA(); !inside && r < 0xf000 && !(band && y < 12) {
				dark++
			}
		}
	}
	if dark > 0 {
		t.Errorf("page %d: %d dots of the margin are not white", page, dark)
	}
}

func TestIssueReportLooksAsItShould(t *testing.T) {
	w := open(t, Config{})
	for name, n := range map[string]int{"none": 0, "one": 1, "many": 24} {
		t.Run(name, func(t *testing.T) {
			r := sampleIssues(n)
			r.Letter = n == 1
			texts, pages := inspect(t, w, composed(t, w, Report{Format: "pdf", Issues: r}), true)
			whole := strings.Join(texts, "\n")
			for i, text := range texts {
				if want := "Page " + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(texts)); !strings.Contains(text,
					want) {
					t.Errorf("page %d does not say %q", i+1, want)
				}
			}
			if n == 0 {
				if len(texts) != 1 || !strings.Contains(whole, "There are no issues in this report.") {
					t.Errorf("a report of nothing has %d pages: %s", len(texts), whole)
				}
				return
			}
			// Each row leads to its card, and each card back to its row.
			var there, back []int
			for i, l := range pages {
				for _, to := range l.links {
					if to.page > i+1 || strings.Contains(texts[i], "Table of issues") {
						there = append(there, to.page)
					} else {
						back = append(back, to.page)
					}
				}
			}
			if len(there) != n || len(back) != n {
				t.Fatalf("%d rows lead to cards and %d cards to rows; there are %d issues", len(there), len(back), n)
			}
			for i, page := range there {
				if want := "#" + strconv.Itoa(i+1); !strings.Contains(texts[page-1], want) {
					t.Errorf("row %d leads to page %d, where %s is not", i+1, page, want)
				}
				want := "\n" + strconv.Itoa(i+1)
				if title := r.Issues[i].Title; title[0] < 0x80 {
					want += title[:4]
				}
				if !strings.Contains(texts[back[i]-1], want) {
					t.Errorf("card %d leads to page %d, where its row is not", i+1, back[i])
				}
			}
			for _, want := range []string{
				"Punch list, level 2", "Harbor Street School", "Maria Lindqvist", "By status",
				"By list", "Fire damper missing at shaft 3", "USD 12,450.50", "3 days", "Ordered, arrives on Thursday.",
				"A-201, Level 2 floor plan",
			} {
				if !strings.Contains(whole, want) {
					t.Errorf("the report does not say %q", want)
				}
			}
			if n < 8 {
				return
			}
			for _, want := range []string{
				"Ρωγμή στον τοίχο", "Трещина в стене подвала", "漏水",
				"The picture cannot be shown: it is damaged.", "The file is missing.",
				"Damper data sheet.pdf (Submittals)",
			} {
				if !strings.Contains(whole, want) {
					t.Errorf("the report does not say %q", want)
				}
			}
		})
	}
}

func TestIssueReportTakesAnyText(t *testing.T) {
	w := open(t, Config{})
	long := strings.Repeat("The wall between the two rooms has to be opened again. ", 900)
	r := &report.Issues{Front: report.Front{
		Title: strings.Repeat("Long title ", 30), Project: strings.Repeat("x", 255),
		By: strings.Repeat("y", 120) + "@example.org", At: noon, Zone: "UTC",
	}, Issues: []report.Issue{
		{
			Number: 4294967295, Title: strings.Repeat("W", 255), Description: long, Room: strings.Repeat("room ", 50),
			Status: "open", List: strings.Repeat("list ", 50),
			Assignees: slices.Repeat([]string{"somebody.with.a.long.address@example.org"}, 30), Created: noon,
		},
		{
			Number: 2, Title: "漢字" + strings.Repeat("水", 200), Description: strings.Repeat("שלום עולם (12) abc ", 300),
			Status: "closed", Closed: pointer(noon), Created: noon, Comments: slices.Repeat([]report.Comment{
				{By: "محمد", At: noon, Text: strings.Repeat("تم إصلاح الجدار في الطابق الثاني ", 40)},
			}, 20),
		},
		{
			Number: 3, Title: "", Status: "pending", Created: noon, Description: "ไทย 👷 हिन्दी", MorePhotos: 7,
			Photos: slices.Repeat([]report.Photo{{Picture: "tall-1", Title: strings.Repeat("caption ", 40)}}, 12),
		},
	}}
	texts, _ := inspect(t, w, composed(t, w, Report{Format: "pdf", Issues: r}), true)
	whole := strings.Join(texts, "\n")
	for _, want := range []string{
		"Untitled", "7 more photos are with the issue.", "□ stands for characters",
		"Continued: #4294967295 WWW", "Continued: #2 漢字", "Continued: #3 Untitled",
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
}

func TestFieldReportsLookAsTheyShould(t *testing.T) {
	w := open(t, Config{})
	for _, n := range []int{1, 9} {
		r := sampleDays(n)
		texts, pages := inspect(t, w, composed(t, w, Report{Format: "pdf", Fields: r}), false)
		whole := strings.Join(texts, "\n")
		for _, want := range []string{
			"Monday, 9 November 2026", "Partly cloudy day", "3.5 to 11 °C", "14 km/h NW",
			"71 %", "Work log", "Materials", "142.5", "Concrete pump 42 m", "4.5", "Safety", "Toolbox talk held",
			"EET",
		} {
			if !strings.Contains(whole, want) {
				t.Errorf("%d reports: the export does not say %q", n, want)
			}
		}
		links := 0
		for _, l := range pages {
			links += len(l.links)
		}
		if n > 1 && links != n {
			t.Errorf("%d of %d rows lead to their reports", links, n)
		}
	}
}

func TestReportsInOtherFormats(t *testing.T) {
	w := open(t, Config{})
	for name, r := range map[string]Report{
		"issues": {Format: "xlsx", Issues: sampleIssues(3)},
		"fields": {Format: "xlsx", Fields: sampleDays(3)}, "csv": {Format: "csv", Issues: sampleIssues(3)},
	} {
		content, err := os.ReadFile(composed(t, w, r))
		if err != nil {
			t.Fatal(err)
		}
		if is := binary.BigEndian.Uint32(content) == 0x504b0304; is != (r.Format == "xlsx") {
			t.Errorf("%s is no %s", name, r.Format)
		}
	}
}

// What lies around a mark is shown, as far as there is a sheet.
func TestViewsStayOnTheSheet(t *testing.T) {
	for name, c := range map[string]struct {
		points []report.Point
		want   [4]float64
	}{
		"in the middle": {[]report.Point{{X: 0.5, Y: 0.5}}, [4]float64{
			0.5 - 4.0/36, 0.5 - 3.0/24, 0.5 + 4.0/36, 0.5 + 3.0/24,
		}},
		"in a corner": {[]report.Point{{X: 0, Y: 1}}, [4]float64{0, 1 - 6.0/24, 8.0 / 36, 1}},
		"all of it":   {[]report.Point{{X: 0, Y: 0}, {X: 1, Y: 1}}, [4]float64{0, 0, 1, 1}},
		"no place":    {nil, [4]float64{0, 0, 1, 1}},
	} {
		v := View{Width: 36 * 72, Height: 24 * 72, Kind: "rectangle", Points: c.points}
		x0, y0, x1, y1 := v.area()
		for i, got := range [4]float64{x0, y0, x1, y1} {
			if d := got - c.want[i]; d > 1e-9 || d < -1e-9 {
				t.Errorf("%s: the view is %v, not %v", name, [4]float64{x0, y0, x1, y1}, c.want)
				break
			}
		}
		if _, pin := v.marks(x0, y0, x1, y1); (pin == nil) != (c.points == nil) {
			t.Errorf("%s: the pin is %v", name, pin)
		}
	}
}
