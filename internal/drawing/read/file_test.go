package read

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"

	"groundwork/internal/draft"
	"groundwork/internal/drawing"
)

// TestMain lets this test program be the child that opens PDF files.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == drawing.WorkerCommand {
		os.Exit(drawing.Work())
	}
	os.Exit(m.Run())
}

// Files pass through the library that the service reads PDFs with: turned pages, embedded fonts, boxes as it measures them.
func TestFilesAreRead(t *testing.T) {
	folder := t.TempDir()
	shop, err := drawing.Open(drawing.Config{Folder: folder, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shop.Close(); err != nil {
			t.Error(err)
		}
	})
	var all, made tally
	sets := []draft.Options{{Seed: 41, Sheets: 5, Layout: draft.Layouts()[3]}, {Seed: 46, Sheets: 5, Layout: draft.Layouts()[0]}}
	for seed := uint64(heldOut + 2); seed < heldOut+100; seed += 60 {
		sets = append(sets, draft.Options{Seed: seed, Sheets: 6, Layout: draft.Invented, Unseen: true})
	}
	if *whole {
		sets = sets[2:]
		for i := range sets {
			sets[i].Sheets = 24
		}
		for i, layout := range draft.Layouts() {
			sets = append(sets, draft.Options{Seed: 70 + uint64(i), Sheets: 36, Layout: layout})
		}
	}
	for _, o := range sets {
		one := throughFile(t, shop, o)
		t.Logf("%-32s %s", o.Layout, one)
		if o.Layout == draft.Invented {
			made.add(one)
		} else {
			all.add(one)
		}
	}
	made.hold(t, "files of invented layouts", 0.95, 0.90, 0.90, 0.98, 0)
	t.Logf("%-32s %s", "all", all)
	all.hold(t, "files", 0.98, 0.95, 0.95, 0.98, 0.95)
}

// A leaf that is made again of lines that were kept votes and reads as the first one did.
func TestAgain(t *testing.T) {
	var leaves, again []*Leaf
	set, err := draft.Write(io.Discard, draft.Options{Seed: 12, Sheets: 12})
	if err != nil {
		t.Fatal(err)
	}
	for _, truth := range set.Pages {
		page := drawing.Page{Width: truth.Width, Height: truth.Height}
		for _, g := range truth.Glyphs {
			page.Chars = append(page.Chars, drawing.Char{Rune: g.Rune, X0: g.Box.X0, Y0: g.Box.Y0, X1: g.Box.X1, Y1: g.Box.Y1, Size: g.Size, Angle: g.Angle})
		}
		lines, leaf := Page(page)
		kept := make([]Line, len(lines))
		for i, l := range lines {
			kept[i] = Line{Text: l.Text, Box: l.Box, Size: l.Size, Angle: l.Angle, Words: l.Words}
		}
		leaves, again = append(leaves, leaf), append(again, Again(kept, page.Width, page.Height))
	}
	if want, got := fmt.Sprint(Set(leaves)), fmt.Sprint(Set(again)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func throughFile(t *testing.T, shop *drawing.Workshop, o draft.Options) tally {
	t.Helper()
	var b bytes.Buffer
	set, err := draft.Write(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	file, err := shop.Bring(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	var leaves []*Leaf
	for i := range set.Pages {
		p, err := file.Page(t.Context(), i+1)
		if err != nil {
			t.Fatal(err)
		}
		_, leaf := Page(p)
		leaves = append(leaves, leaf)
	}
	var sum tally
	for i, s := range Set(leaves) {
		sum.add(compare(t, fmt.Sprintf("%s, seed %d", set.Layout, o.Seed), s, set.Pages[i]))
	}
	return sum
}
