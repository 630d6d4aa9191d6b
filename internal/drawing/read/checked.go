package read

import (
	"fmt"
	"math"
	"time"
)

const (
	// mostName is how many bytes a number may have, mostSaid how many a title or the text of a reference: 255 letters.
	mostName, mostSaid = 128, 1020
)

// Checked is what a worker answers about a set, which a file may have taken over: as many sheets as there are pages,
// texts that can be stored, days of the calendar, and places on their pages.
func Checked(sheets []Sheet, pages []Kept) ([]Sheet, error) {
	if len(sheets) != len(pages) {
		return nil, fmt.Errorf("%d sheets were read of %d pages", len(sheets), len(pages))
	}
	curtail(sheets)
	for i := range sheets {
		s, p := &sheets[i], pages[i]
		s.Number.check(mostName, p)
		s.Title.check(mostSaid, p)
		s.Date.check(len(time.DateOnly), p)
		if _, err := time.Parse(time.DateOnly, s.Date.Text); err != nil {
			s.Date = Value{}
		}
		if !(s.Scale >= smallestScale && s.Scale <= largestScale) { // NaN is none either
			s.Scale = 0
		}
		s.Discipline = Clean(s.Discipline, mostName)
		kept := s.Callouts[:0]
		for _, c := range s.Callouts {
			c.Target, c.Text = Clean(c.Target, mostName), Clean(c.Text, mostSaid)
			if c.Target != "" && c.Box.on(p.Width, p.Height) {
				kept = append(kept, c)
			}
		}
		s.Callouts = kept
	}
	return sheets, nil
}

// check brings a value within its bounds; one without a text is blank.
func (v *Value) check(most int, p Kept) {
	v.Text = Clean(v.Text, most)
	if v.Text == "" || math.IsNaN(v.Confidence) {
		*v = Value{}
		return
	}
	v.Confidence = within(v.Confidence, 1)
	if !v.Box.on(p.Width, p.Height) {
		v.Box = Box{}
	}
}
