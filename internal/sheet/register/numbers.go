package register

import (
	"context"

	"groundwork/internal/store"
)

// mostNumbers is how many drawings of a project are looked at to recognise their numbers in a new version;
// numbersAtOnce how many at once.
const mostNumbers, numbersAtOnce = 20_000, 500

// Known are the numbers of the drawings that a project has and that are sure, and what it calls disciplines.
func Known(ctx context.Context, s *store.Store, p *store.Project) (numbers []string, called *Words, err error) {
	called = newWords()
	for skip := 0; skip < mostNumbers; skip += numbersAtOnce {
		page, err := s.List(ctx, p, store.Select{
			Kind: Sheets.Number, Terms: [][]string{{currentTerm}}, Not: []string{store.DeletedTerm},
			After: store.Always, Newest: true, Skip: skip, Limit: numbersAtOnce,
		})
		if err != nil {
			return nil, nil, err
		}
		more := len(page.Rows) == numbersAtOnce
		for i := range page.Rows {
			l := &page.Rows[i]
			sheet, err := Sheets.Load(store.Row{ID: l.ID, Version: l.Version, Doc: l.Doc})
			if err != nil {
				page.Release()
				return nil, nil, err
			}
			called.note(sheet)
			if c := sheet.NumberConfidence; c == nil || *c > 0 {
				numbers = append(numbers, sheet.Name)
			}
		}
		page.Release()
		if !more {
			break
		}
	}
	return numbers, called, nil
}
