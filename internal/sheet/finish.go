package sheet

import (
	"context"
	"math"
	"slices"

	"github.com/go-json-experiment/json"

	"groundwork/internal/drawing/read"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// finish names the pages of a set that was read, and publishes it where that was wanted.
func (s *shift) finish(ctx context.Context, run *job.Run) error {
	pages, err := pagesOf(s.ask, eachPage, s.p.ID, s.set.UID)
	if err != nil {
		return err
	}
	pages = slices.DeleteFunc(pages, func(p comingPage) bool { return p.made == nil })
	if err := s.name(ctx, pages); err != nil {
		return err
	}
	// In the name of who completed the upload: the service is nobody's.
	return s.store.Edit(ctx, s.p, s.set.person, func(tx *store.Tx) error {
		now, err := findSet(tx.Query, s.p, s.set.UID)
		if err != nil {
			return err
		}
		if now.state == stateReading {
			state := stateRead
			if len(pages) == 0 {
				state = stateFailed
			}
			if err := tx.Exec(setComing, s.p.ID, s.set.UID, state, nil); err != nil {
				return err
			}
			if state == stateRead && now.publish {
				// Where all pages are to be skipped there is nothing to publish: the set waits.
				if err := release(&resource.Tx{Tx: tx, Jobs: s.jobs}, now); err != nil && !fault.Is(err, fault.Invalid) {
					return err
				}
			}
		}
		return run.Complete(tx)
	})
}

// namedAtOnce is how many pages are named in one write, which others wait for.
const namedAtOnce = 100

// name lets all pages of the set vote where their title block is, and writes what each says of itself.
func (s *shift) name(ctx context.Context, pages []comingPage) error {
	leaves := make([]*read.Leaf, len(pages))
	for i, p := range pages {
		var lines []read.Line
		if p.made.Text != "" {
			text, err := ReadText(ctx, s.desk.Blobs, p.made.Text)
			if err != nil {
				return err
			}
			lines = text.lines()
		}
		leaves[i] = read.Again(lines, p.made.Width, p.made.Height)
	}
	sheets := read.Set(leaves)
	for part := range slices.Chunk(slices.Collect(indices(len(pages))), namedAtOnce) {
		err := s.edit(ctx, func(tx *store.Tx) error {
			for _, i := range part {
				p := &pages[i]
				stored, err := json.Marshal(s.found(p, &sheets[i]))
				if err != nil {
					return err
				}
				if err := tx.Exec(setFound, s.p.ID, s.set.UID, p.file, p.page, stored); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func indices(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// found is what a page says, as it is kept.
func (s *shift) found(p *comingPage, said *read.Sheet) found {
	out := found{
		Name: clip(said.Number.Text), Title: clip(said.Title.Text), Date: said.Date.Text,
		Confidence: math.Round(said.Number.Confidence*1000) / 1000, References: []Reference{},
	}
	if out.Name == "" {
		out.Name, out.Confidence = clip(read.Name(s.set.files[p.file-1].name, int(p.page))), 0
	}
	part := func(at, whole float64) float64 { return min(max(math.Round(at/whole*fine)/fine, 0), 1) }
	for _, c := range said.Callouts {
		out.References = append(out.References, Reference{
			Name: clip(c.Target), Text: c.Text,
			X0: part(c.Box.X0, p.made.Width), Y0: part(c.Box.Y0, p.made.Height), X1: part(c.Box.X1, p.made.Width), Y1: part(c.Box.Y1, p.made.Height),
		})
	}
	return out
}

// mostName is how many characters a sheet's name and description may have.
const mostName = 255

func clip(text string) string {
	letters := []rune(text)
	return string(letters[:min(len(letters), mostName)])
}
