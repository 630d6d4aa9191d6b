package read

import (
	"bytes"
	"fmt"
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
	var all tally
	sets := []draft.Options{{Seed: 41, Sheets: 5, Layout: draft.Layouts()[3]}, {Seed: 46, Sheets: 5, Layout: draft.Layouts()[0]}}
	if *whole {
		sets = nil
		for i, layout := range draft.Layouts() {
			sets = append(sets, draft.Options{Seed: 70 + uint64(i), Sheets: 36, Layout: layout})
		}
	}
	for _, o := range sets {
		one := throughFile(t, shop, o)
		t.Logf("%-32s %s", o.Layout, one)
		all.add(one)
	}
	t.Logf("%-32s %s", "all", all)
	all.hold(t, "files", 0.98, 0.95, 0.95, 0.98, 0.95)
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
