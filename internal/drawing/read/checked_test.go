package read

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"strings"
	"testing"
)

// What a worker answers that a file has taken over is cut to what a set can say.
func TestAnswersAreChecked(t *testing.T) {
	pages := []Kept{{Width: 1000, Height: 800}}
	if _, err := Checked(make([]Sheet, 2), pages); err == nil {
		t.Error("two sheets of one page were taken")
	}
	wild := Sheet{
		Number: Value{strings.Repeat("A", 1<<20) + "\x00\n", math.Inf(1), Box{math.NaN(), -1, 2, 3}},
		Title:  Value{"FLOOR\x00PLAN\xff", math.NaN(), Box{}}, Date: Value{"2026-02-31", 1, Box{}},
		Discipline: strings.Repeat("A\x00", 1<<20),
	}
	for range 10_000 {
		wild.Callouts = append(wild.Callouts, Callout{"A-101", "1/A-101", Box{-50, -50, 60, 60}},
			Callout{"", "x", Box{1, 1, 2, 2}}, Callout{"A-1", "x", Box{1e300, 1, 2, 2}})
	}
	got, err := Checked([]Sheet{wild}, pages)
	if err != nil {
		t.Fatal(err)
	}
	s := got[0]
	if len(s.Number.Text) != mostName || s.Number.Confidence != 1 || s.Number.Box != (Box{}) || s.Title != (Value{}) ||
		s.Discipline == "" || len(s.Discipline) > mostName || strings.Contains(s.Discipline, "\x00") ||
		s.Date != (Value{}) || len(s.Callouts) == 0 || len(s.Callouts) > mostCallouts {
		t.Errorf("%d letters, %v, %v, %v, %d references", len(s.Number.Text), s.Number.Box, s.Title, s.Date,
			len(s.Callouts))
	}
	for _, c := range s.Callouts {
		if c.Target != "A-101" || c.Box != (Box{0, 0, 60, 60}) {
			t.Fatalf("%+v was taken", c)
		}
	}
	many := make([]Sheet, 1000)
	for i := range many {
		many[i].Callouts = make([]Callout, mostCallouts)
	}
	all := 0
	curtail(many)
	for i := range many {
		all += len(many[i].Callouts)
	}
	if all > mostSetCallouts {
		t.Errorf("%d references of a set were taken", all)
	}
}

// A text that a worker wrote is read only as far as a page can say.
func TestTextsAreChecked(t *testing.T) {
	pack := func(text string) *bytes.Buffer {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, text)
		z.Close()
		return &b
	}
	got, err := Unpack(pack(`{"width":10,"height":10,"lines":[{"text":"A B","size":3,"angle":0,"words":[[-5,0.5,7,1e300],` +
		`[0,0,1,1]]},{"text":"C","size":-1,"angle":0,"words":[]},{"text":"D","size":1,"angle":45,"words":[]}]}`))
	if err != nil || len(got.Lines) != 1 || got.Lines[0].Words[0] != (Area{0, 0.5, 1, 1}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := Unpack(pack(`{"lines":[` + strings.Repeat(" ", mostText) + `]}`)); err == nil {
		t.Error("a text without end was read")
	}
	long := &Text{}
	for i := range 100_000 {
		long.Lines = append(long.Lines, TextLine{Text: fmt.Sprint("word", i)})
	}
	if n := len(long.Words()); n > MostWords {
		t.Errorf("a page has %d bytes of words", n)
	}
}

// However many pages a set has and however much stands on each, what is kept of them until they vote is bounded.
func TestPilesAreBounded(t *testing.T) {
	pile := NewPile(2000)
	line := Line{Text: "B1", Size: 4, Words: []Word{{Text: "B1", Box: Box{1, 1, 9, 5}}}, Box: Box{1, 1, 9, 5}}
	for range 2000 {
		leaf := &Leaf{width: 1000, height: 800}
		for range 2000 {
			leaf.edge = append(leaf.edge, line)
		}
		pile.Add(leaf)
		if pile.held > 2*mostEdges {
			t.Fatalf("%d lines are held", pile.held)
		}
	}
	if n := len(pile.leaves); n != 2000 || len(pile.leaves[0].edge) < leastEdge {
		t.Errorf("%d leaves, of the first %d lines", n, len(pile.leaves[0].edge))
	}
}
