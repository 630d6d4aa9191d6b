package pagetext

import (
	"slices"
	"testing"

	"groundwork/internal/drawing/read"
	"groundwork/internal/store"
)

func TestPlaces(t *testing.T) {
	at := func(x float64) read.Area { return read.Area{x, .1, x + .05, .2} }
	text := &read.Text{Lines: []read.TextLine{
		{Text: "FIRE DAMPER AT A-101", Words: []read.Area{at(.1), at(.2), at(.3), at(.4)}},
		{Text: "Dampers, fireproof", Angle: 90, Words: []read.Area{at(.6), {.7, .05, .8, .3}}},
		{Text: "two words", Words: []read.Area{at(.9)}}, // a word without a place is nowhere
	}}
	for query, want := range map[string][]Place{
		"": {{"FIRE DAMPER AT A-101", "FIRE DAMPER AT A-101", .1, .1, .45, .2, 0}, {
			"Dampers, fireproof", "Dampers, fireproof", .6, .05, .8, .3, 90,
		}, {"two", "two words", .9, .1, .95, .2, 0}},
		"fire damp": {{"FIRE DAMPER", "FIRE DAMPER AT A-101", .1, .1, .25, .2, 0}, {
			"Dampers, fireproof", "Dampers, fireproof", .6, .05, .8, .3, 90,
		}},
		"a101":  {{"A-101", "FIRE DAMPER AT A-101", .4, .1, .45, .2, 0}},
		"101":   {{"A-101", "FIRE DAMPER AT A-101", .4, .1, .45, .2, 0}},
		"proof": nil,
		"fire a1 other": {{"FIRE", "FIRE DAMPER AT A-101", .1, .1, .15, .2, 0}, {
			"A-101", "FIRE DAMPER AT A-101", .4, .1, .45, .2, 0,
		}, {"fireproof", "Dampers, fireproof", .7, .05, .8, .3, 90}},
		"words": nil,
	} {
		got := Places(text, store.Asked(query))
		for i := range got { // sums are not exact
			for _, v := range []*float64{&got[i].X0, &got[i].Y0, &got[i].X1, &got[i].Y1} {
				*v = float64(int(*v*1000+.5)) / 1000
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
}
