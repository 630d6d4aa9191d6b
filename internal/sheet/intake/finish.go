package intake

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/go-json-experiment/json"

	"groundwork/internal/drawing/read"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/sheet/pending"
	"groundwork/internal/sheet/register"
	"groundwork/internal/store"
)

// finish names the pages of a set that was read, and publishes it where that was wanted.
func (s *shift) finish(ctx context.Context, run *job.Run) error {
	pages, err := pending.Pages(s.ask, pending.EachPage, s.p.ID, s.set.UID)
	if err != nil {
		return err
	}
	pages = slices.DeleteFunc(pages, func(p pending.Page) bool { return p.Made == nil })
	if err := s.name(ctx, pages); err != nil {
		return err
	}
	// In the name of who completed the upload: the service is nobody's.
	return s.store.Edit(ctx, s.p, s.set.Person, func(tx *store.Tx) error {
		now, err := pending.Find(tx.Query, s.p, s.set.UID)
		if err != nil {
			return err
		}
		if now.State == pending.StateReading {
			state := pending.StateRead
			if len(pages) == 0 {
				state = pending.StateFailed
			}
			if err := tx.Exec(pending.SetState, s.p.ID, s.set.UID, state, pending.OrNil(s.wrong)); err != nil {
				return err
			}
			if state == pending.StateRead && now.Publish {
				if err := s.publish(tx, now, run.Owner()); err != nil {
					return err
				}
			}
		}
		return run.Complete(tx)
	})
}

// publish publishes a set by itself, unless somebody has deleted it by now. Where all pages are to be skipped there is
// nothing to publish: the set waits.
func (s *shift) publish(tx *store.Tx, v *pending.Set, owner string) error {
	in := &resource.Tx{Tx: tx, Jobs: s.jobs, Behalf: owner}
	row, err := register.VersionSets.Find(in, v.UID)
	if err != nil || row.Deleted {
		return err
	}
	if err := release(in, v); err != nil && !fault.Is(err, fault.Invalid) {
		return err
	}
	return nil
}

// namedAtOnce is how many pages are named in one write, which others wait for.
const namedAtOnce = 100

// name has all pages of the set vote where their title block is, and writes what each says of itself. A set that cannot
// be read as a whole has pages without numbers.
func (s *shift) name(ctx context.Context, pages []pending.Page) error {
	known, called, err := register.Known(ctx, s.store, s.p)
	if err != nil {
		return err
	}
	all := read.Evidence{Pages: make([]read.Kept, len(pages)), Known: known}
	for i, p := range pages {
		f := s.set.Files[p.File-1]
		all.Pages[i] = read.Kept{
			Width: p.Made.Width, Height: p.Made.Height, Text: p.Made.Text != "", File: f.Name, Alone: f.Pages == 1,
			Label: p.Made.Label, Bookmarks: p.Made.Bookmarks,
		}
	}
	sheets, err := s.shop.ReadSet(ctx, all, func(i int) (io.ReadCloser, error) {
		return s.desk.Blobs.Open(ctx, pages[i].Made.Text)
	})
	if fault.Is(err, fault.Invalid) {
		s.wrong = "The set cannot be read as a whole, so its sheets have the names of their files. " + fault.Of(err).Message
		sheets, err = make([]read.Sheet, len(pages)), nil
	}
	if err != nil {
		return err
	}
	if err := s.picture(ctx, pages, sheets); err != nil {
		return err
	}
	for part := range slices.Chunk(slices.Collect(indices(len(pages))), namedAtOnce) {
		err := s.edit(ctx, func(tx *store.Tx) error {
			for _, i := range part {
				p := &pages[i]
				stored, err := json.Marshal(s.found(p, &sheets[i], called))
				if err != nil {
					return err
				}
				if err := tx.Exec(pending.SetFound, s.p.ID, s.set.UID, p.File, p.Page, stored); err != nil {
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
func (s *shift) found(p *pending.Page, said *read.Sheet, called *register.Words) pending.Found {
	out := pending.Found{
		Name: clip(said.Number.Text), Number: clip(said.Number.Text), Title: clip(said.Title.Text),
		Titled:     math.Round(said.Title.Confidence*1000) / 1000,
		Date:       said.Date.Text,
		Scale:      said.Scale,
		Confidence: math.Round(said.Number.Confidence*1000) / 1000, References: []pending.Reference{},
	}
	if out.Number == "" || out.Confidence < pending.SureNumber {
		out.Name = clip(read.Name(s.set.Files[p.File-1].Name, int(p.Page)))
	}
	if out.Titled < pending.SureNumber {
		out.Title, out.Titled = "", 0 // it is left to whoever looks at the page
	}
	out.Discipline = clip(called.For(out.Name, said.Discipline))
	part := func(at, whole float64) float64 {
		return min(max(math.Round(at/whole*read.Precision)/read.Precision, 0), 1)
	}
	for _, c := range said.Callouts {
		out.References = append(out.References, pending.Reference{
			Name: clip(c.Target), Text: c.Text,
			X0: part(c.Box.X0, p.Made.Width), Y0: part(c.Box.Y0, p.Made.Height), X1: part(c.Box.X1, p.Made.Width),
			Y1: part(c.Box.Y1, p.Made.Height),
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
