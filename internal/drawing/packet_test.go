package drawing

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"groundwork/internal/draft"
	"groundwork/internal/drawing/packet"
)

// drafted draws a set and cuts it into files of one page.
func drafted(t testing.TB, o draft.Options) (*draft.Set, [][]byte) {
	t.Helper()
	var out bytes.Buffer
	set, err := draft.Write(&out, o)
	if err != nil {
		t.Fatal(err)
	}
	return set, cut(t, out.Bytes())
}

// cut makes a file of each page.
func cut(t testing.TB, whole []byte) (files [][]byte) {
	t.Helper()
	api.DisableConfigDir()
	ctx, err := api.ReadValidateAndOptimize(bytes.NewReader(whole), model.NewDefaultConfiguration())
	if err != nil {
		t.Fatal(err)
	}
	for n := range ctx.PageCount {
		one, err := pdfcpu.ExtractPages(ctx, []int{n + 1}, false)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := api.WriteContext(one, &out); err != nil {
			t.Fatal(err)
		}
		files = append(files, out.Bytes())
	}
	return files
}

// of makes the packet of a drawn set.
func of(set *draft.Set) *packet.Packet {
	p := &packet.Packet{Title: set.Project}
	at := map[string]int{}
	for i := len(set.Pages) - 1; i >= 0; i-- {
		at[set.Pages[i].Number] = i
	}
	for i, page := range set.Pages {
		s := packet.Sheet{File: i, Name: page.Number, Title: page.Title, Version: "Issued for construction"}
		for _, c := range page.Callouts {
			if to, in := at[c.Target]; in {
				b := c.Box
				s.Links = append(s.Links, packet.Link{
					Sheet: to, X0: b.X0 / page.Width, Y0: b.Y0 / page.Height,
					X1: b.X1 / page.Width, Y1: b.Y1 / page.Height,
				})
			}
		}
		p.Sheets = append(p.Sheets, s)
	}
	return p
}

// bind puts a packet together and gives its bytes, which qpdf finds nothing wrong with.
func bind(t testing.TB, w *Workshop, p *packet.Packet, files [][]byte) []byte {
	t.Helper()
	content, err := tryBind(t.Context(), w, p, files)
	if err != nil {
		t.Fatal(err)
	}
	checkPDF(t, content)
	return content
}

func tryBind(ctx context.Context, w *Workshop, p *packet.Packet, files [][]byte) ([]byte, error) {
	open := func(n int) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files[n])), nil }
	f, path, err := w.Packet(ctx, p, PacketSource{Open: open}, func(int) {})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return os.ReadFile(path)
}

// checkPDF has qpdf look at a file; a warning is an error.
func checkPDF(t testing.TB, content []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "checked.pdf")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("qpdf", "--check", path).CombinedOutput(); err != nil {
		t.Errorf("qpdf: %v\n%s", err, out)
	}
}

// picture renders a page.
func picture(t *testing.T, w *Workshop, content []byte, page int, dpi float64) image.Image {
	t.Helper()
	p, err := bring(t, w, content).Render(t.Context(), page, dpi)
	if err != nil {
		t.Fatal(err)
	}
	if folder := os.Getenv("PACKET_PICTURES"); folder != "" {
		if text, err := os.ReadFile(p.Path); err == nil {
			name := strings.ReplaceAll(t.Name(), "/", "-") + "-" + strconv.Itoa(page) + ".png"
			_ = os.WriteFile(filepath.Join(folder, name), text, 0o600)
		}
	}
	in, err := os.Open(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	img, err := png.Decode(in)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// everything is one mark of each kind, in two rows.
func everything() []packet.Mark {
	mark := func(kind, colour string, at ...float64) packet.Mark {
		m := packet.Mark{Kind: kind, Color: colour}
		for i := 0; i < len(at); i += 2 {
			m.Points = append(m.Points, packet.Point{X: at[i], Y: at[i+1]})
		}
		return m
	}
	stamp := mark("stamp", "#D02020", 0.1, 0.1)
	stamp.Stamp = "AB"
	text := mark("text", "#0050C0", 0.55, 0.5, 0.75, 0.6)
	text.Text = "Verify on site: Höhe prüfen, проверить, 検査, בדיקה"
	thick := mark("line", "#D02020", 0.55, 0.3, 0.7, 0.3)
	thick.Width = 6
	area := mark("measure", "#208020", 0.75, 0.1, 0.95, 0.1, 0.95, 0.25)
	area.Closed, area.Text = true, "12.40 m²"
	length := mark("measure", "#0050C0", 0.75, 0.35, 0.95, 0.45)
	length.Text = `12'-4 1/2"`
	return []packet.Mark{
		thick, area, length, mark("photo", "#D02020", 0.85, 0.7), mark("photo", "#FFE000", 0.9, 0.7),
		stamp, mark("rectangle", "#D02020", 0.2, 0.1, 0.3, 0.2), mark("cloud", "#D02020", 0.35, 0.1, 0.5, 0.25),
		mark("ellipse", "#208020", 0.55, 0.1, 0.7, 0.2),
		mark("line", "#D02020", 0.1, 0.5, 0.2, 0.6), mark("arrow", "#2020D0", 0.25, 0.6, 0.35, 0.5),
		mark("pen", "#D02020", 0.4, 0.5, 0.42, 0.55, 0.44, 0.5, 0.46, 0.55, 0.48, 0.5),
		mark("highlight", "#FFE000", 0.1, 0.7, 0.5, 0.8), text,
	}
}

func TestPacketShowsMarks(t *testing.T) {
	w := open(t, Config{})
	for _, rotate := range []int{0, 90, 180, 270} {
		t.Run(strconv.Itoa(rotate), func(t *testing.T) {
			// What is shown begins somewhere in the page, which is wider than high as displayed.
			box := "-50 20 950 620"
			if rotate%180 == 90 {
				box = "-50 20 550 1020"
			}
			file := pdfOf([]sheet{{box: box, rotate: rotate, content: "0.9 g -50 20 50 50 re f 0 g"}})
			p := &packet.Packet{
				Title: "Marks", Sheets: []packet.Sheet{{Name: "A101", Title: "Plan", Marks: everything()}},
			}
			content := bind(t, w, p, [][]byte{file})
			img := picture(t, w, content, 1, 144)
			bounds := img.Bounds()
			if bounds.Dx() != 2000 || bounds.Dy() != 1200 {
				t.Fatalf("The page is %v.", bounds)
			}
			for _, c := range []struct {
				what string
				x, y float64
				want color.RGBA
			}{
				{"the pin", 0.1, 0.1 - 0.0095, color.RGBA{0xd0, 0x20, 0x20, 255}},
				{"the rectangle's left edge", 0.2, 0.15, color.RGBA{0xd0, 0x20, 0x20, 255}},
				{"the rectangle's right edge", 0.3, 0.15, color.RGBA{0xd0, 0x20, 0x20, 255}},
				{"inside the rectangle", 0.25, 0.15, color.RGBA{255, 255, 255, 255}},
				{"the ellipse's top", 0.625, 0.1, color.RGBA{0x20, 0x80, 0x20, 255}},
				{"the line's middle", 0.15, 0.55, color.RGBA{0xd0, 0x20, 0x20, 255}},
				{"the arrow's head", 0.3478, 0.5037, color.RGBA{0x20, 0x20, 0xd0, 255}},
				{"the pen's turn", 0.42, 0.549, color.RGBA{0xd0, 0x20, 0x20, 255}},
				{"the side of the thick line", 0.6, 0.3042, color.RGBA{0xd0, 0x20, 0x20, 255}},
				{"the closing side of the area", 0.77, 0.115, color.RGBA{0x20, 0x80, 0x20, 255}},
				{"the edge of the photo's pin", 0.85, 0.7 - 0.0085, color.RGBA{0xd0, 0x20, 0x20, 255}},
				{"the camera", 0.85 - 0.003, 0.7 - 0.001, color.RGBA{255, 255, 255, 255}},
				{"the lens", 0.85, 0.7007, color.RGBA{0xd0, 0x20, 0x20, 255}},
				{"nothing", 0.9, 0.9, color.RGBA{255, 255, 255, 255}},
			} {
				if got := color.RGBAModel.Convert(img.At(int(c.x*2000), int(c.y*1200))).(color.RGBA); !near(got, c.want,
					24) {
					t.Errorf("%s is %v, want %v.", c.what, got, c.want)
				}
			}
			if got := color.RGBAModel.Convert(img.At(400, 900)).(color.RGBA); got.B > 200 || got.R < 200 {
				t.Errorf("the highlight is %v.", got)
			}
		})
	}
}

func near(a, b color.RGBA, most int) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
		if d > most || d < -most {
			return false
		}
	}
	return true
}

// opened reads a packet with the library that did not write it.
func opened(t testing.TB, content []byte, mode int) *model.Context {
	t.Helper()
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode = mode
	ctx, err := api.ReadValidateAndOptimize(bytes.NewReader(content), conf)
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

func TestPacketOfASet(t *testing.T) {
	w := open(t, Config{})
	set, files := drafted(t, draft.Options{Seed: 7, Sheets: 12})
	p := of(set)
	p.Cover = &packet.Cover{Project: set.Project, Note: "13 sheets, 15 November 2026"}
	p.Sheets[1].Marks = everything()
	p.Sheets = append(p.Sheets, p.Sheets[1])
	content := bind(t, w, p, files)
	ctx := opened(t, content, model.ValidationStrict)
	if ctx.PageCount != 14 {
		t.Fatalf("It has %d pages, want a cover and 13.", ctx.PageCount)
	}
	bookmarks, err := pdfcpu.Bookmarks(ctx)
	if err != nil || len(bookmarks) != 14 {
		t.Fatalf("There are %d bookmarks: %v", len(bookmarks), err)
	}
	for i, b := range bookmarks {
		want := "Index"
		if i > 0 {
			want = p.Sheets[i-1].Name + " " + p.Sheets[i-1].Title
		}
		if b.Title != want || b.PageFrom != i+1 {
			t.Errorf("bookmark %d is %q of page %d, want %q of page %d", i, b.Title, b.PageFrom, want, i+1)
		}
	}
	checkLinks(t, ctx, p)
	checkFonts(t, ctx)
	for page := range 3 {
		picture(t, w, content, page+1, 50)
	}
	var apart int
	for _, f := range files {
		apart += len(f)
	}
	if len(content) > apart*2/3 {
		t.Errorf("It has %d bytes, its sheets %d: what they share is in it more than once.", len(content), apart)
	}
}

// checkLinks holds every link against what was asked for: where it is, and where it leads.
func checkLinks(t *testing.T, ctx *model.Context, p *packet.Packet) {
	t.Helper()
	page := map[int]int{}
	for n := 1; n <= ctx.PageCount; n++ {
		ref, err := ctx.PageDictIndRef(n)
		if err != nil {
			t.Fatal(err)
		}
		page[ref.ObjectNumber.Value()] = n
	}
	all := 0
	for n := 1; n <= ctx.PageCount; n++ {
		d, _, _, err := ctx.PageDict(n, false)
		if err != nil {
			t.Fatal(err)
		}
		list, err := ctx.DereferenceArray(d["Annots"])
		if err != nil {
			t.Fatal(err)
		}
		var want []int
		for i := range p.Sheets {
			if n == 1 {
				want = append(want, i+2)
			}
		}
		if n > 1 {
			for _, l := range p.Sheets[n-2].Links {
				want = append(want, l.Sheet+2)
			}
		}
		var got []int
		for _, e := range list {
			a, err := ctx.DereferenceDict(e)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, page[a.ArrayEntry("Dest")[0].(types.IndirectRef).ObjectNumber.Value()])
		}
		if !slices.Equal(got, want) {
			t.Errorf("page %d leads to %v, want %v", n, got, want)
		}
		all += len(got)
	}
	if all < 20 {
		t.Errorf("there are only %d links", all)
	}
}

// checkFonts looks whether every typeface is in the file.
func checkFonts(t *testing.T, ctx *model.Context) {
	t.Helper()
	found := 0
	for n, e := range ctx.Table {
		d, is := e.Object.(types.Dict)
		if !is || d.Type() == nil || *d.Type() != "FontDescriptor" {
			continue
		}
		found++
		if d["FontFile"] == nil && d["FontFile2"] == nil && d["FontFile3"] == nil {
			t.Errorf("object %d: the typeface %v is not in the file", n, d["FontName"])
		}
	}
	if found == 0 {
		t.Error("there is no typeface at all")
	}
}

// TestPacketPlacesLinks shows that a link lies over the words that name the other sheet, also on a page that is turned.
func TestPacketPlacesLinks(t *testing.T) {
	w := open(t, Config{})
	for _, rotate := range []int{0, 90, 180, 270} {
		file := pdfOf([]sheet{{box: "100 200 700 600", rotate: rotate}})
		width, height := 600.0, 400.0
		if rotate%180 == 90 {
			width, height = height, width
		}
		p := &packet.Packet{
			Sheets: []packet.Sheet{{Name: "A1", Links: []packet.Link{{Sheet: 0, X0: 0.1, Y0: 0.2, X1: 0.3, Y1: 0.25}}}},
		}
		content := bind(t, w, p, [][]byte{file})
		ctx := opened(t, content, model.ValidationRelaxed) // the page has a typeface that is in no file
		d, _, _, err := ctx.PageDict(1, false)
		if err != nil {
			t.Fatal(err)
		}
		var got [4]float64
		link, err := ctx.DereferenceDict(d.ArrayEntry("Annots")[0])
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range link.ArrayEntry("Rect") {
			got[i] = float64(v.(types.Float))
		}
		// From the left and from the top as displayed, in points.
		x0, y0, x1, y1 := 0.1*width, 0.2*height, 0.3*width, 0.25*height
		want := map[int][4]float64{
			0: {100 + x0, 600 - y1, 100 + x1, 600 - y0}, 90: {100 + y0, 200 + x0, 100 + y1, 200 + x1},
			180: {700 - x1, 200 + y0, 700 - x0, 200 + y1}, 270: {700 - y1, 600 - x1, 700 - y0, 600 - x0},
		}[rotate]
		for i := range want {
			if math.Abs(got[i]-want[i]) > 0.01 {
				t.Errorf("turned by %d the link is at %v, want %v", rotate, got, want)
				break
			}
		}
	}
}

func TestPacketNamesWhatIsDamaged(t *testing.T) {
	w := open(t, Config{Within: 2 * time.Second})
	good := pdfOf([]sheet{{}})
	for what, bad := range map[string][]byte{
		"no PDF": []byte("This is not a drawing."), "empty": {}, "broken off": good[:len(good)/3],
	} {
		p := &packet.Packet{Sheets: []packet.Sheet{{File: 0, Name: "A101"}, {File: 1, Name: "A102"}}}
		_, err := tryBind(t.Context(), w, p, [][]byte{good, bad})
		if err == nil {
			t.Errorf("%s: a packet was made", what)
			continue
		}
		invalid(t, err, "Sheet A102 ")
	}
}

// TestPacketNamesWhatEndsTheWorker shows that the note which a worker left names the sheet that it was at when it was
// ended.
func TestPacketNamesWhatEndsTheWorker(t *testing.T) {
	small := [][]byte{pdfOf([]sheet{{}})}
	bind(t, open(t, Config{}), &packet.Packet{Sheets: []packet.Sheet{{Name: "A1"}}}, small) // compiles the library
	w := open(t, Config{Memory: 160 << 20})
	table := deflated(t, io.LimitReader(spaces{}, 600<<20))
	bomb := fmt.Appendf([]byte("%PDF-1.7\n"),
		"1 0 obj\n<</Type/XRef/Size 4/W[1 2 1]/Root 2 0 R/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\nstartxref\n9\n%%%%EOF\n", len(table), table)
	p := &packet.Packet{}
	for i := range 12 {
		p.Sheets = append(p.Sheets, packet.Sheet{Name: fmt.Sprintf("A%d", 101+i)})
	}
	p.Sheets[10].File = 1
	_, err := tryBind(t.Context(), w, p, append(small, bomb))
	invalid(t, err, "Sheet A111 needs more than 160 MB")
}

// TestPacketTakesTheOtherWay shows that a page which one library refuses comes through the other.
func TestPacketTakesTheOtherWay(t *testing.T) {
	w := open(t, Config{})
	file := pdfOf([]sheet{{content: "1 0 0 rg 0 0 612 396 re f"}})
	// One library finds the pages by their count, the other by looking.
	odd := bytes.Replace(file, []byte("/Count 1"), []byte("        "), 1)
	if _, err := api.ReadValidateAndOptimize(bytes.NewReader(odd), model.NewDefaultConfiguration()); err == nil {
		t.Fatal("pdfcpu reads it")
	}
	p := &packet.Packet{Sheets: []packet.Sheet{{Name: "A101"}, {Name: "A102", Marks: everything()}}}
	img := picture(t, w, bind(t, w, p, [][]byte{odd}), 1, 36)
	if got := color.RGBAModel.Convert(img.At(100, 300)).(color.RGBA); !near(got, color.RGBA{255, 0, 0, 255}, 8) {
		t.Errorf("the page is %v where it is red", got)
	}
}
