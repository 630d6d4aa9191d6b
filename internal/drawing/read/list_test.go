package read

import (
	"strings"
	"testing"
)

// cover is a set of a cover sheet with a list of drawings, in two columns, and sheets with these numbers.
func cover(t *testing.T, left, right []string, numbers ...string) map[string]string {
	t.Helper()
	const w, h = 2383.94, 1683.78
	block := func(number, title string) Page {
		p := Page{Width: w, Height: h}
		for i, text := range []string{"Sheet title", title, "Sheet number", number} {
			put(&p, w-260, h-24*float64(4-i), 10, 0, text)
		}
		return p
	}
	first := block("G-001", "COVER SHEET")
	for c, column := range [][]string{left, right} {
		for i, text := range column {
			x, y := 1200+500*float64(c), 300+20*float64(i)
			if number, title, cut := strings.Cut(text, "\t"); cut {
				put(&first, x, y, 10, 0, number)
				put(&first, x+90, y, 10, 0, title)
			} else {
				put(&first, x-8, y, 10, 0, text)
			}
		}
	}
	_, leaf := Take(first)
	leaves := []*Leaf{leaf}
	for _, n := range numbers {
		_, leaf := Take(block(n, "DETAILS"))
		leaves = append(leaves, leaf)
	}
	out := map[string]string{}
	for i, s := range Set(leaves) {
		if i > 0 && s.Number.Text != numbers[i-1] {
			t.Fatalf("%s is read as %q", numbers[i-1], s.Number.Text)
		}
		out[s.Number.Text] = s.Discipline
	}
	return out
}

// What the list of drawings has above a number is its discipline, in the words of the list: until something else stands
// there, and in the next column as long as the letters are the same.
func TestHeadings(t *testing.T) {
	left := []string{
		"SHEET INDEX", "LIFE SAFETY", "A-001\tEGRESS PLAN", "ENTWURFSARCHITEKTUR", "ARCHITEKTURPLANUNG",
		"A-101\tFLOOR PLAN", "A-102\tROOF PLAN", "INTERIORS", "A-701\tFINISH PLAN", "A-702\tFINISH SCHEDULE",
		"SOMETHING ELSE", "E-101\tLIGHTING PLAN", "SANITÄR", "A-703\tTOILET PLAN", "A-704\tTOILET DETAILS",
	}
	right := []string{
		"A-705\tTOILET SECTIONS", "S-101\tFRAMING PLAN", "MEP DRAWINGS", "M-101\tDUCT PLAN", "P-101\tPIPE PLAN",
		"ZK-7\tSMALL PARTS", "PLUMBING", "", "", "", "", "", "", "C-101\tGRADING PLAN",
	}
	got := cover(t, left, right, "A-101", "A-702", "E-101", "A-704", "A-705", "S-101", "M-101", "P-101", "ZK-7", "C-101",
		"ZK-8")
	for number, want := range map[string]string{
		"A-101": "Architekturplanung", "A-702": "Interiors", "E-101": "Electrical", "A-704": "Sanitär", "A-705": "Sanitär",
		"S-101": "Structural", "M-101": "MEP", "P-101": "MEP", "ZK-7": "MEP", "ZK-8": "MEP", "C-101": "Civil",
	} {
		if got[number] != want {
			t.Errorf("%s is %q, not %q", number, got[number], want)
		}
	}
	// Where two lists say different things, neither is believed.
	disputed := cover(t, []string{"SANITÄR", "A-101\tPLAN ONE", "A-102\tPLAN TWO", "A-103\tPLAN THREE", "A-104\tPLAN FOUR"},
		[]string{"BRANDSCHUTZ", "A-101\tPLAN ONE", "A-102\tPLAN TWO", "A-103\tPLAN THREE", "A-104\tPLAN FOUR"}, "A-101")
	if disputed["A-101"] != "Architectural" {
		t.Errorf("disputed, it is %q", disputed["A-101"])
	}
}
