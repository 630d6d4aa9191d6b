package read

import (
	"fmt"
	"testing"
)

// titled are the texts of a page that has a title block: a number, and a title with a label or without.
func titled(i int, label, title string) []said {
	out := []said{
		{880, 640, 8, "Sheet number"}, {880, 680, 30, fmt.Sprintf("B-%d", 300+i)}, {700, 630, 14, title},
	}
	if label != "" {
		out = append(out, said{700, 612, 8, label})
	}
	return out
}

// A title is sure by nine tenths where two agree on it, and no surer with one, however well it stands.
func TestTwoWitnessesOfTitles(t *testing.T) {
	storeys := []string{"LOBBY PLAN", "ATTIC PLAN", "CELLAR PLAN", "GALLERY PLAN"}
	rows := func(first string) (out []said) { // a list of drawings
		for i, title := range append([]string{first}, storeys[1:]...) {
			y := 100 + 20*float64(i)
			out = append(out, said{100, y, 10, fmt.Sprintf("B-%d", 300+i)}, said{180, y, 10, title})
		}
		return out
	}
	file := func(name string) Kept { return Kept{Width: 1000, Height: 700, Text: true, File: name, Alone: true} }
	for _, c := range []struct {
		name  string
		pages int
		label string
		more  []said
		kept  Kept
		sure  bool
	}{
		{"nothing beside it", 1, "", nil, Kept{}, false},
		{"a label", 1, "Sheet title", nil, Kept{}, false},
		{"the place of two pages", 2, "", nil, Kept{}, false},
		{"a label at the place of two pages", 2, "Sheet title", nil, Kept{}, false},
		{"a label at the place of four pages", 4, "Sheet title", nil, Kept{}, true},
		{"the place, and a list", 4, "", rows(storeys[0]), Kept{}, true},
		{"the place and a label, against a list", 4, "Sheet title", rows("ENTRANCE LOBBY PLAN"), Kept{}, false},
		{"a label, and the name of the file", 1, "Sheet title", nil, file("B-300_Lobby-Plan_rev02.pdf"), true},
		{"a label, and a file with further words", 1, "Sheet title", nil, file("B-300 Lobby Plan of Quarry House.pdf"), false},
		{"a label, and a bookmark", 1, "Sheet title", nil, Kept{Bookmarks: []string{"B-300 - Lobby plan"}}, true},
		{"a label, and a bookmark without a number", 1, "Sheet title", nil, Kept{Bookmarks: []string{"Lobby plan"}}, true},
		{"a label, and a bookmark of another sheet", 1, "Sheet title", nil, Kept{Bookmarks: []string{"Attic plan"}}, false},
		{"a label, and the file of another sheet", 1, "Sheet title", nil, file("B-302 Lobby Plan.pdf"), false},
	} {
		var leaves []*Leaf
		kept := []Kept{c.kept}
		for i := range c.pages {
			texts := titled(i, c.label, storeys[i])
			if i == 0 {
				texts = append(texts, c.more...)
			}
			leaves = append(leaves, drawn(texts...))
		}
		kept = append(kept, make([]Kept, c.pages-1)...)
		s := SetWith(leaves, Evidence{Pages: kept})[0]
		if s.Title.Text != storeys[0] || (s.Title.Confidence >= 0.9) != c.sure {
			t.Errorf("%s: %q with %.2f", c.name, s.Title.Text, s.Title.Confidence)
		}
	}
}

// What people put behind the name of a drawing in that of its file is no part of its title.
func TestNamesOfPages(t *testing.T) {
	for name, want := range map[string]string{
		"A-101 - Ground floor plan.pdf": "Ground floor plan", "Ground floor plan (2).pdf": "Ground floor plan",
		"A-101_Ground_floor_plan-rev.003.pdf": "Ground floor plan", `C:\plans\Dachaufsicht.pdf`: "Dachaufsicht",
		"A-101.pdf": "", "A-000 Cover.pdf": "Cover", "Site survey.pdf": "Site survey", "Services.pdf": "Services",
		"Roof level.pdf": "Roof level", "Niveau.pdf": "Niveau", "Noordgevel.pdf": "Noordgevel", "Roof verge.pdf": "Roof verge",
		"Roof plan v2.pdf": "Roof plan", "Roof plan_REV_B.pdf": "Roof plan", "Roof plan revC.pdf": "Roof plan",
		"Roof plan(3).pdf": "Roof plan", "Hall V.pdf": "Hall V",
	} {
		k := Kept{File: name, Alone: true}
		if got := k.calls(); len(got) != 1 || got[0].title != want {
			t.Errorf("%s is called %q.", name, got)
		}
	}
}

// A line that was left out as a label, though it is set as one text with the title, may be a part of it: then only who
// says its words makes the title sure.
func TestCutTitles(t *testing.T) {
	for _, c := range []struct {
		above said
		kept  Kept
		sure  bool
	}{
		{said{700, 616, 14, "PROJECT"}, Kept{}, false},
		{said{700, 616, 14, "PROJECT"}, Kept{Bookmarks: []string{"B-300 LOBBY PLAN"}}, true},
		{said{700, 618, 8, "PROJECT"}, Kept{}, true},
		{said{700, 616, 14, "PROJECT:"}, Kept{}, true},
	} {
		var leaves []*Leaf
		for i, title := range []string{"LOBBY PLAN", "ATTIC PLAN", "CELLAR PLAN", "GALLERY PLAN"} {
			texts := append(titled(i, "", title), said{610, 631, 8, "Sheet title"})
			if i == 0 {
				texts = append(texts, c.above)
			}
			leaves = append(leaves, drawn(texts...))
		}
		s := SetWith(leaves, Evidence{Pages: []Kept{c.kept, {}, {}, {}}})[0]
		if s.Title.Text != "LOBBY PLAN" || (s.Title.Confidence >= 0.9) != c.sure {
			t.Errorf("%q, %q: %q with %.2f", c.above.says, c.kept.Bookmarks, s.Title.Text, s.Title.Confidence)
		}
	}
}

// The place of several pages makes a title sure without a label where they write theirs as large, and where nothing
// stands close to it that may be a part of it.
func TestTitlesWrittenAlike(t *testing.T) {
	for _, c := range []struct {
		name  string
		size  float64
		more  []said
		pages int
		sure  bool
	}{
		{"alike", 20, nil, 4, true},
		{"larger than the others", 24, nil, 4, false},
		{"two pages", 20, nil, 2, false},
		{"words in another size above", 20, []said{{760, 636, 15, "QUARRY HOUSE"}}, 4, false},
		{"words in another size below", 20, []said{{760, 680, 13, "WEST WING"}}, 4, false},
		{"words further away", 20, []said{{760, 560, 13, "WEST WING"}}, 4, true},
	} {
		var leaves []*Leaf
		for i, title := range []string{"LOBBY PLAN", "ATTIC PLAN", "CELLAR PLAN", "GALLERY PLAN"}[:c.pages] {
			size, more := 20.0, []said(nil)
			if i == 0 {
				size, more = c.size, c.more
			}
			leaves = append(leaves, drawn(append(more,
				said{880, 640, 8, "Sheet number"}, said{880, 680, 30, fmt.Sprintf("B-%d", 300+i)},
				said{760, 660, size, title})...))
		}
		s := Set(leaves)[0]
		if s.Title.Text != "LOBBY PLAN" || (s.Title.Confidence > surestAlone) != c.sure {
			t.Errorf("%s: %q with %.2f", c.name, s.Title.Text, s.Title.Confidence)
		}
	}
}
