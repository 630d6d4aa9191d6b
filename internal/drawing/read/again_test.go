package read

import (
	"fmt"
	"io"
	"testing"

	"groundwork/internal/draft"
)

// A leaf that is made again of lines that were kept votes and reads as the first one did.
func TestAgain(t *testing.T) {
	var leaves, again []*Leaf
	set, err := draft.Write(io.Discard, draft.Options{Seed: 12, Sheets: 12})
	if err != nil {
		t.Fatal(err)
	}
	for _, truth := range set.Pages {
		page := Page{Width: truth.Width, Height: truth.Height}
		for _, g := range truth.Glyphs {
			page.Chars = append(page.Chars, Char{
				Rune: g.Rune, X0: g.Box.X0, Y0: g.Box.Y0, X1: g.Box.X1, Y1: g.Box.Y1, Size: g.Size, Angle: g.Angle,
			})
		}
		lines, leaf := Take(page)
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
