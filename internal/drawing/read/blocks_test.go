package read

import "testing"

// said is something on a page: where its base line begins, how large it is, and what it says.
type said struct {
	x, y, size float64
	says       string
}

// drawn is a page of 1000 by 700 points with these texts.
func drawn(texts ...said) *Leaf {
	p := Page{Width: 1000, Height: 700}
	for _, t := range texts {
		put(&p, t.x, t.y, t.size, 0, t.says)
	}
	_, leaf := Take(p)
	return leaf
}

// The label of a revision stands before a large number in the next cell, which is no revision; a short code is one.
func TestRevisionBesideNumber(t *testing.T) {
	for _, c := range []struct{ number, want string }{{"C-1.01", "C-1.01"}, {"P01", ""}} {
		s := Set([]*Leaf{drawn(said{800, 600, 8, "REV"}, said{840, 660, 40, c.number})})[0]
		if s.Number.Text != c.want {
			t.Errorf("%s beside the label REV was read as %q.", c.number, s.Number.Text)
		}
	}
}

// A page without a number has the title and the date that labels say, and no others.
func TestLabelledWithoutNumber(t *testing.T) {
	s := Set([]*Leaf{drawn(
		said{700, 560, 8, "Drg. title"}, said{700, 580, 12, "GROUND FLOOR PLAN"}, said{700, 594, 12, "DUCTING LAYOUT"},
		said{700, 640, 8, "DATE"}, said{760, 640, 8, "2019-12-11"},
		said{100, 100, 14, "CONFERENCE ROOM"},
	)})[0]
	if s.Number.Text != "" || s.Title.Text != "GROUND FLOOR PLAN DUCTING LAYOUT" || s.Date.Text != "2019-12-11" {
		t.Errorf("It was read as %q %q %q.", s.Number.Text, s.Title.Text, s.Date.Text)
	}
	if s.Title.Confidence < sureTitle {
		t.Errorf("Its title is only sure by %.2f.", s.Title.Confidence)
	}
	s = Set([]*Leaf{drawn(said{700, 640, 12, "CONFERENCE ROOM"}, said{760, 660, 8, "2019-12-11"})})[0]
	if s.Title.Text != "" || s.Date.Text != "" {
		t.Errorf("Without labels there is a title %q, or a date %q.", s.Title.Text, s.Date.Text)
	}
}

// The label of the next cell does not belong to a title above it, whatever its size; a label that is larger than its
// value is one all the same.
func TestLabelBelowTitle(t *testing.T) {
	s := Set([]*Leaf{drawn(
		said{700, 560, 12, "Drawing Title"}, said{702, 576, 12, "ROOM FINISH"}, said{702, 590, 12, "SCHEDULE"},
		said{700, 606, 12, "Issue Date"}, said{704, 618, 8, "MAY 22, 2020"},
		said{880, 560, 12, "Drawing Number"}, said{890, 600, 24, "AF600"},
	)})[0]
	if s.Number.Text != "AF600" || s.Title.Text != "ROOM FINISH SCHEDULE" || s.Date.Text != "2020-05-22" {
		t.Errorf("It was read as %q %q %q.", s.Number.Text, s.Title.Text, s.Date.Text)
	}
	if s.Date.Confidence < labelledDate {
		t.Errorf("The date has no label: it is sure by %.2f.", s.Date.Confidence)
	}
}

// Values of a row of small cells may be read as one line: each is below its label.
func TestRowOfValues(t *testing.T) {
	s := Set([]*Leaf{drawn(
		said{700, 600, 6, "GEZ.:"}, said{740, 600, 6, "DATUM"}, said{790, 600, 6, "PLAN-NR.:"},
		said{700, 612, 9, "REI"}, said{740, 612, 9, "27.04.09"}, said{790, 612, 9, "3322/02 27.04.09"},
	)})[0]
	if s.Number.Text != "3322/02" {
		t.Errorf("The number is %q.", s.Number.Text)
	}
}

// A label may stand before a title of two lines in two sizes, between them.
func TestLabelBesideTwoLines(t *testing.T) {
	var leaves []*Leaf
	for _, c := range [][2]string{{"E-01", "ESCALERA"}, {"E-02", "VIGAS"}, {"E-03", "PLATEA"}} {
		leaves = append(leaves, drawn(
			said{600, 650, 8, "Plano:"}, said{660, 644, 16, "ESTRUCTURA"}, said{660, 661, 12, c[1]},
			said{860, 655, 30, c[0]}, said{600, 690, 6, "Los Cardales"},
		))
	}
	for i, s := range Set(leaves) {
		if want := "ESTRUCTURA " + []string{"ESCALERA", "VIGAS", "PLATEA"}[i]; s.Title.Text != want {
			t.Errorf("The title is %q, not %q.", s.Title.Text, want)
		}
	}
}

// Several sheets may have one title where a label says that it is theirs; what all pages have beside it is none.
func TestSharedTitle(t *testing.T) {
	var leaves []*Leaf
	for _, number := range []string{"A101", "A102", "A103", "A104", "A105"} {
		leaves = append(leaves, drawn(
			said{800, 500, 8, "PROGETTO:"}, said{800, 516, 14, "CASA MONTERREY"},
			said{800, 560, 8, "OGGETTO:"}, said{800, 576, 10, "PROPOSTA AMPLIAMENTO"},
			said{830, 660, 30, number},
		))
	}
	for _, s := range Set(leaves) {
		if s.Title.Text != "PROPOSTA AMPLIAMENTO" {
			t.Errorf("The title of %s is %q.", s.Number.Text, s.Title.Text)
		}
	}
}

// What a recogniser makes of the lines between cells is no part of a word.
func TestLinesOfCells(t *testing.T) {
	for text, want := range map[string]string{"3322/02}": "3322/02", "[A-101": "A-101", "Theo\u2014Geisel": "Theo-Geisel"} {
		if got := spelled(text); got != want {
			t.Errorf("%q is %q.", text, got)
		}
	}
}
