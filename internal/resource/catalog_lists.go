package resource

import (
	"bytes"
	"context"
	"slices"

	"groundwork/internal/auth"
	"groundwork/internal/document"
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Linked reads the first records of a collection of a record, in order of linking, deleted ones too, and gives how many
// more there are: fault.NotFound where the owner is gone.
func (c *Catalog) Linked(ctx context.Context, s *store.Store, who auth.Scope, plural string, owner store.Row,
	collection string, most int,
) (rows []store.Row, more int, err error) {
	number, name := c.named(plural)
	slot := c.slot(plural, collection)
	total := int(document.Counter([]byte(owner.Tally), int(slot)))
	for left := min(total, most); len(rows) < left; {
		page, _, ok, err := s.Linked(ctx, who.Project(), store.Links{
			Kind: number, Owner: owner.UID, Field: slot, After: store.Always, Skip: len(rows), Limit: MostRows,
		})
		if err == nil && !ok {
			err = fault.Missing(name, owner.UID)
		}
		if err != nil {
			return nil, 0, err
		}
		n := len(page.Rows)
		rows = keepRows(rows, page)
		if n < MostRows {
			return rows, 0, nil
		}
	}
	return rows, max(0, total-len(rows)), nil
}

// Latest reads the newest records of a noun that have a term of every group and that somebody sees, at most 50, the
// oldest of them first, and gives how many there are in all.
func (c *Catalog) Latest(ctx context.Context, s *store.Store, who auth.Scope, plural string,
	terms [][]string,
) (rows []store.Row, total int, err error) {
	number, _ := c.named(plural)
	page, err := s.List(ctx, who.Project(), store.Select{
		Kind: number, Terms: append(terms[:len(terms):len(terms)], c.kind(plural).visibleTo(who)...),
		Not: []string{store.DeletedTerm}, After: store.Always, Newest: true, Limit: MostRows,
	})
	if err != nil {
		return nil, 0, err
	}
	total = page.Total
	rows = keepRows(nil, page)
	slices.Reverse(rows)
	return rows, total, nil
}

// Wanted says which records Window gives.
type Wanted struct {
	Terms       [][]string // of every group, a record has at least one term
	Sort        string     // the field to sort by
	Skip, Limit int
	Grow        func(bytes int) error // see store.Select
}

// Window reads a window of the records of a noun that somebody sees, deleted ones left out, and gives how many there
// are in all.
func (c *Catalog) Window(ctx context.Context, s *store.Store, who auth.Scope, plural string,
	w Wanted,
) (rows []store.Row, total int, err error) {
	number, _ := c.named(plural)
	page, err := s.List(ctx, who.Project(), store.Select{
		Kind: number, Terms: append(w.Terms[:len(w.Terms):len(w.Terms)], c.kind(plural).visibleTo(who)...),
		Not: []string{store.DeletedTerm}, After: store.Always, Sort: w.Sort, Skip: w.Skip, Limit: w.Limit, Grow: w.Grow,
	})
	if err != nil {
		return nil, 0, err
	}
	total = page.Total
	return keepRows(nil, page), total, nil
}

// keepRows adds the rows of a page, which it gives back.
func keepRows(rows []store.Row, page *store.Page) []store.Row {
	defer page.Release()
	for i := range page.Rows {
		l := &page.Rows[i]
		rows = append(rows, store.Row{
			ID: l.ID, Clock: l.Clock, Version: l.Version, Tally: string(l.Tally), Doc: bytes.Clone(l.Doc),
		})
	}
	return rows
}
