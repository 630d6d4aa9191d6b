package read

import "testing"

// one is a set of a page with these texts in its lower right corner, below each other, and what is known of it.
func one(width, height float64, k Kept, known []string, texts ...string) Sheet {
	p := Page{Width: width, Height: height}
	for i, text := range texts {
		put(&p, width-260, height-24*float64(len(texts)-i), 10, 0, text)
	}
	_, leaf := Take(p)
	k.Width, k.Height, k.Text = width, height, true
	return SetWith([]*Leaf{leaf}, Evidence{Pages: []Kept{k}, Known: known})[0]
}

// Numbers are made in many ways; what is none needs more than a place.
func TestWitnesses(t *testing.T) {
	const a1w, a1h = 2383.94, 1683.78
	for _, c := range []struct {
		name   string
		k      Kept
		texts  []string
		number string
		sure   bool
	}{
		{"the size of the paper", Kept{}, []string{"Format", "A1"}, "", false},
		{"a number like a size with its label", Kept{}, []string{"Sheet number", "A1"}, "A1", true},
		{"a German label", Kept{}, []string{"Plan-Nr.", "6075_A_GR_EG_901"}, "6075_A_GR_EG_901", true},
		{"a French label", Kept{}, []string{"N° du plan", "SE/100"}, "SE/100", true},
		{"an Italian label", Kept{}, []string{"Tavola n.", "01"}, "01", true},
		{"a Spanish label", Kept{}, []string{"Lámina", "5.1.00"}, "5.1.00", true},
		{"a Portuguese label", Kept{}, []string{"Desenho nº", "15-G-06b-303"}, "15-G-06b-303", true},
		{"five letters", Kept{}, []string{"Drawing no", "SMATV-108"}, "SMATV-108", true},
		{"the name of the file", Kept{File: "SMATV-108-riser.pdf", Alone: true}, []string{"SMATV-108"}, "SMATV-108", true},
		{"a label of the page", Kept{Label: "A-101"}, []string{"KITCHEN"}, "A-101", true},
		{"a bookmark", Kept{Bookmarks: []string{"S2.01 - FRAMING PLAN"}}, []string{"KITCHEN"}, "S2.01", true},
		{"a revision", Kept{}, []string{"Rev", "P01"}, "", false},
		{"digits alone", Kept{}, []string{"2024"}, "", false},
		{"a code of no known form", Kept{}, []string{"ZK-7"}, "ZK-7", false},
		{"another hyphen, digits alone", Kept{}, []string{"DWG NO:", "100\u201000"}, "100-00", true},
		{"a Dutch label", Kept{}, []string{"Tekeningnummer", "S1-W53-00-INS"}, "S1-W53-00-INS", true},
		{"a Dutch sheet", Kept{}, []string{"blad nr.", "U-0001"}, "U-0001", true},
		{"eight digits in a row", Kept{}, []string{"Tek. nr.", "43718728-020-B-1-1"}, "43718728-020-B-1-1", true},
		{"a telephone", Kept{}, []string{"Drawing no", "0612819626"}, "", false},
		{"a length", Kept{}, []string{"13.50m"}, "", false},
		{"a street", Kept{}, []string{"50TH"}, "", false},
		{"a storey", Kept{}, []string{"2e"}, "", false},
		{"one of ten", Kept{}, []string{"LAMINA", "3/ 10"}, "3", false},
		{"more than there are", Kept{}, []string{"LAMINA", "30/ 10"}, "", false},
	} {
		s := one(a1w, a1h, c.k, []string{"ZK-7"}, c.texts...)
		if s.Number.Text != c.number || (s.Number.Confidence >= sureNumber) != c.sure {
			t.Errorf("%s: got %q with %.2f", c.name, s.Number.Text, s.Number.Confidence)
		}
	}
	// What only the file says of a page takes no present sheet's place.
	for _, known := range [][]string{nil, {"A-101"}} {
		s := one(a1w, a1h, Kept{Label: "A-101"}, known, "KITCHEN")
		if s.Number.Text != "A-101" || (s.Number.Confidence >= sureNumber) != (known == nil) {
			t.Errorf("a label alone, where the project has %q: %q with %.2f", known, s.Number.Text, s.Number.Confidence)
		}
	}
	if s := one(792, 612, Kept{}, nil, "Sheet number", "A-101", "Date", "14. März 2026"); s.Date.Text != "2026-03-14" {
		t.Errorf("the date is %q", s.Date.Text)
	}
}

// Labels, phases, sizes of paper and names of files are no titles.
func TestNoTitles(t *testing.T) {
	for _, text := range []string{
		"AISIA.DWG", "DATA", "VERS", "INDEX", "Format A3", "ISSUED FOR PERMIT APRIL 18, 2025", "Maßstab", "Échelle",
		"FOR CONSTRUCTION", "ARCH D", "Ausführungsplanung", "Contenuto", "Rev. B", "SCHEMATIC DESIGN",
		"SCALA: 1:5 , 1:1 FORMATO:",
	} {
		if wordy(text) {
			t.Errorf("%q may be a title", text)
		}
	}
	for _, text := range []string{
		"FIRST FLOOR PLAN", "Grundriss Erdgeschoss", "PLAN DU REZ-DE-CHAUSSÉE", "Planta de cubiertas", "Index of drawings",
		"Prospetto nord", "CONSTRUCTION DETAILS", "COVER SHEET", "Phase 1 demolition plan",
	} {
		if !wordy(text) {
			t.Errorf("%q is no title", text)
		}
	}
}
