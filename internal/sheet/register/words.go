package register

import (
	"cmp"

	"groundwork/internal/drawing/discipline"
	"groundwork/internal/sheet/pending"
)

// Words are what a project calls disciplines: those that its current sheets have, by their numbers and by the letters
// of these. What somebody corrected is among them.
type Words struct {
	numbers map[string]string
	letters discipline.Poll
}

func newWords() *Words { return &Words{map[string]string{}, discipline.Poll{}} }

// note takes what a current sheet is called.
func (w *Words) note(s *Sheet) {
	if s.Discipline != nil {
		w.numbers[s.Name] = *s.Discipline
		w.letters.Vote(discipline.Letters(s.Name), *s.Discipline)
	}
}

// For is the discipline of a new drawing: that of its former version, or what most drawings with the same letters have,
// or what was read of it.
func (w *Words) For(number, read string) string {
	if word := w.numbers[number]; word != "" {
		return word
	}
	return cmp.Or(w.letters.Most(discipline.Letters(number)), read)
}

// complete gives a sheet of an earlier release its discipline, as far as number and title tell it, and its place in the
// order.
func complete(s *Sheet) {
	if s.SortKey != "" {
		return
	}
	said := discipline.Said{}
	if c := s.NumberConfidence; c == nil || *c >= pending.SureNumber {
		said.Number = s.Name
	}
	if s.Description != nil {
		said.Title = *s.Description
	}
	if word := discipline.Decide([]discipline.Said{said})[0]; word != "" {
		s.Discipline = &word
	}
	s.SortKey = discipline.SortKey(s.Name, s.Discipline)
}
