package read

import (
	"fmt"
	"testing"
)

// Codes of doors and windows stand again and again, or in company: none of them is the number of its sheet for sure.
func TestMarks(t *testing.T) {
	title := said{820, 690, 9, "GROUND FLOOR"}
	for _, c := range []struct {
		name  string
		texts []said
		sure  bool
	}{
		{"a number alone", []said{{940, 690, 20, "Q-417"}}, true},
		{"again and again", []said{{940, 690, 9, "Q-417"}, {300, 80, 9, "Q-417"}, {100, 350, 9, "Q-417"}}, false},
		{"in company", []said{
			{940, 690, 9, "Q-417"},
			{100, 100, 9, "Q-401"},
			{100, 300, 9, "Q-402"},
			{400, 90, 9, "Q-403"},
			{500, 350, 9, "Q-404"},
		}, false},
		{"larger than its company", []said{
			{930, 690, 24, "Q-417"},
			{100, 100, 9, "Q-401"},
			{100, 300, 9, "Q-402"},
			{400, 90, 9, "Q-403"},
			{500, 350, 9, "Q-404"},
		}, true},
		{"in company, behind its label", []said{
			{940, 690, 9, "Q-417"},
			{900, 690, 8, "Sheet no."},
			{100, 100, 9, "Q-401"},
			{100, 300, 9, "Q-402"},
			{400, 90, 9, "Q-403"},
			{500, 350, 9, "Q-404"},
		}, true},
	} {
		s := Set([]*Leaf{drawn(append(c.texts, title)...)})[0]
		if sure := s.Number.Text == "Q-417" && s.Number.Confidence >= sureNumber; sure != c.sure {
			t.Errorf("%s: %q with %.2f", c.name, s.Number.Text, s.Number.Confidence)
		}
	}
}

// A file may be called by what is drawn: its name makes a number sure only where numbers of sheets stand.
func TestNameOfWhatIsDrawn(t *testing.T) {
	for _, c := range []struct {
		name string
		at   said
		most float64
		over float64
	}{
		{"in the middle of a drawing", said{200, 200, 20, "FCU-17C"}, surestNamed, 0},
		{"in its corner", said{900, 680, 20, "FCU-17C"}, 0.99, 0.9},
	} {
		k := Kept{Width: 1000, Height: 700, Text: true, File: "FCU17C lobby.pdf", Alone: true}
		s := SetWith([]*Leaf{drawn(c.at)}, Evidence{Pages: []Kept{k}})[0]
		if s.Number.Text != "FCU-17C" || s.Number.Confidence > c.most || s.Number.Confidence < c.over {
			t.Errorf("%s: %q with %.2f", c.name, s.Number.Text, s.Number.Confidence)
		}
	}
}

// However large and well labelled a number is, it takes a second witness to be sure by nine tenths: a name from
// outside, or other sheets that are numbered alike.
func TestTwoWitnesses(t *testing.T) {
	page := func(number string) *Leaf {
		return drawn(said{880, 640, 8, "Sheet number"}, said{880, 680, 30, number})
	}
	for _, c := range []struct {
		name  string
		pages int
		e     Evidence
		sure  bool
	}{
		{"alone", 1, Evidence{}, false},
		{"two sheets", 2, Evidence{}, false},
		{"four that are numbered alike", 4, Evidence{}, true},
		{"named", 1, Evidence{Pages: []Kept{{Width: 1000, Height: 700, File: "B-300.pdf", Alone: true}}}, true},
	} {
		var leaves []*Leaf
		for i := range c.pages {
			leaves = append(leaves, page(fmt.Sprintf("B-%d", 300+i)))
		}
		s := SetWith(leaves, c.e)[0]
		if sure := s.Number.Confidence > surestAlone; s.Number.Text != "B-300" || sure != c.sure {
			t.Errorf("%s: %q with %.2f", c.name, s.Number.Text, s.Number.Confidence)
		}
	}
}

// Where the place that pages agree on has codes of doors on some of them, it has no numbers on the others.
func TestMarksOfOtherPages(t *testing.T) {
	var leaves []*Leaf
	for i, code := range []string{"D1", "W4", "K9", "D7"} {
		texts := []said{{930, 300, 9, code}}
		if i < 2 {
			texts = append(texts, said{100, 100, 9, code}, said{400, 90, 9, code})
		}
		leaves = append(leaves, drawn(texts...))
	}
	for _, s := range Set(leaves) {
		if s.Number.Confidence >= sureNumber {
			t.Errorf("%q with %.2f", s.Number.Text, s.Number.Confidence)
		}
	}
}

// What a small field says is no title, nor whose drawing it is.
func TestFieldsAreNoTitles(t *testing.T) {
	for text, field := range map[string]bool{
		"Stage of work: TENDER": false, "Drawing Stage: TENDER": true, "Lift: LOBBY": true, "LEVEL 2: LOBBY": false,
		"PLAN: LOBBY": false, "LOBBY": false,
	} {
		if isField(text) != field {
			t.Errorf("%q is a field: %v", text, !field)
		}
	}
	if wordy("Copyright © Quarry Partners") {
		t.Error("Whose drawing it is may be its title.")
	}
}

// Lines of one title that were recognised seem to differ in size; those that the file tells do not.
func TestRecognisedTitleOfTwoLines(t *testing.T) {
	for _, doubt := range []float64{0, 0.05} {
		p := Page{Width: 1000, Height: 700}
		put(&p, 800, 600, 8, 0, "Sheet title")
		put(&p, 800, 614, 12, 0, "QUARRY LOBBY")
		put(&p, 800, 628, 13.5, 0, "LIGHTING PLAN")
		put(&p, 900, 680, 30, 0, "Q-417")
		for i := range p.Chars {
			p.Chars[i].Doubt = doubt
		}
		_, leaf := Take(p)
		s := Set([]*Leaf{leaf})[0]
		if whole := s.Title.Text == "QUARRY LOBBY LIGHTING PLAN"; whole != (doubt > 0) {
			t.Errorf("doubt %.2f: %q", doubt, s.Title.Text)
		}
		if doubt > 0 && s.Title.Confidence > surestAlone {
			t.Errorf("A recognised title is sure by %.2f.", s.Title.Confidence)
		}
	}
}

// What looks like a letter where the other numbers of a set have one is that letter.
func TestSpelledAlike(t *testing.T) {
	for _, doubt := range []float64{0, 0.05} {
		var leaves []*Leaf
		for _, number := range []string{"KB-31", "KB-32", "KB-33", "K8-3S", "KX-YY"} {
			p := Page{Width: 1000, Height: 700}
			put(&p, 880, 640, 8, 0, "Sheet number")
			put(&p, 880, 680, 30, 0, number)
			for i := range p.Chars {
				p.Chars[i].Doubt = doubt
			}
			_, leaf := Take(p)
			leaves = append(leaves, leaf)
		}
		sheets := Set(leaves)
		if got := sheets[3].Number.Text; got != map[bool]string{true: "KB-35", false: "K8-3S"}[doubt > 0] {
			t.Errorf("doubt %.2f: %q", doubt, got)
		}
		if doubt > 0 && sheets[3].Number.Confidence >= sureNumber {
			t.Errorf("It is given for sure, by %.2f.", sheets[3].Number.Confidence)
		}
	}
	claimed := &candidate{text: "K8-3S", doubt: 0.05, claimed: true}
	spellAlike([]*candidate{{text: "KB-31"}, {text: "KB-32"}, {text: "KB-33"}, claimed})
	if claimed.text != "K8-3S" || claimed.respelled {
		t.Errorf("What a name from outside agrees with is spelled %q.", claimed.text)
	}
	for text, want := range map[string]string{"1A-O1": "IA-01", "IA-0X": "IA-0X", "IA-012": "IA-012", "IA+01": "IA+01"} {
		if got := formed(text, "AA-99"); got != want {
			t.Errorf("%q is %q.", text, got)
		}
	}
}
