package drawing

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"groundwork/internal/draft"
	"groundwork/internal/drawing/read"
)

// readAll reads all pages of a file as the service does: one by one, and then together.
func readAll(t *testing.T, w *Workshop, content []byte) ([]read.Sheet, error) {
	t.Helper()
	f := bring(t, w, content)
	sizes, err := f.Pages(t.Context())
	if err != nil {
		return nil, err
	}
	var pages []read.Kept
	var paths []string
	for i, size := range sizes {
		text, err := f.Text(t.Context(), i+1)
		if err != nil {
			t.Log(err)
			continue
		}
		pages = append(pages, read.Kept{Width: size.Width, Height: size.Height, Text: text.Path != ""})
		paths = append(paths, text.Path)
	}
	return w.ReadSet(t.Context(), read.Evidence{Pages: pages}, func(i int) (io.ReadCloser, error) {
		return os.Open(paths[i])
	})
}

// Files pass through the library that the service reads PDFs with: turned pages, embedded fonts, boxes as it measures
// them; and through the worker that reads sets.
func TestFilesAreRead(t *testing.T) {
	const heldOut = 10_201 // ADR 0017
	w := open(t, Config{})
	sets := []draft.Options{
		{Seed: 41, Sheets: 5, Layout: draft.Layouts()[3]},
		{Seed: 46, Sheets: 5, Layout: draft.Layouts()[0]},
		{Seed: heldOut + 2, Sheets: 6, Layout: draft.Invented, Unseen: true},
		{Seed: heldOut + 62, Sheets: 6, Layout: draft.Invented, Unseen: true},
	}
	for _, o := range sets {
		var b bytes.Buffer
		drawn, err := draft.Write(&b, o)
		if err != nil {
			t.Fatal(err)
		}
		sheets, err := readAll(t, w, b.Bytes())
		if err != nil || len(sheets) != len(drawn.Pages) {
			t.Fatalf("%s: %d sheets, %v", drawn.Layout, len(sheets), err)
		}
		wrong := map[string]int{}
		for i, p := range drawn.Pages {
			s := sheets[i]
			links := map[string]int{}
			for _, c := range p.Callouts {
				links[c.Target]++
			}
			for _, c := range s.Callouts {
				if links[c.Target]--; links[c.Target] < 0 {
					wrong["references"]++
				}
			}
			for what, right := range map[string]bool{
				"numbers": s.Number.Text == p.Number, "titles": strings.EqualFold(s.Title.Text, p.Title),
				"dates": s.Date.Text == p.Date,
			} {
				if !right && !p.Outlined {
					t.Logf("%s: %s: %s are wrong: %+v", drawn.Layout, p.Number, what, s)
					wrong[what]++
				}
			}
		}
		if wrong["numbers"]+wrong["references"] > 0 || wrong["titles"] > 1 || wrong["dates"] > 1 {
			t.Errorf("%s: wrong are %v", drawn.Layout, wrong)
		}
	}
}
