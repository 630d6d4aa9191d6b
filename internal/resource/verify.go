package resource

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"groundwork/internal/document"
	"groundwork/internal/store"
)

// verify decodes a record and encodes it again: what comes out must be what is stored. It asks the JSON library, which
// shapes must agree with.
func (k *Kind[T]) verify(row store.Row) []string {
	v, err := k.load(row)
	if err != nil {
		return []string{"its document cannot be read: " + err.Error()}
	}
	byLibrary := k.blank(row)
	if err := json.Unmarshal(row.Doc, byLibrary); err != nil || !document.Same(v, k.completed(row, byLibrary)) {
		return []string{fmt.Sprintf("its document is read as %+v and should be %+v (%v)", v, byLibrary, err)}
	}
	again := row
	if err := k.encode(&again, v); err != nil {
		return []string{"its document cannot be written: " + err.Error()}
	}
	var wrong []string
	differs := func(what string, is, should any) {
		if is != should {
			wrong = append(wrong, fmt.Sprintf("its %s is stored as %v and should be %v", what, is, should))
		}
	}
	if row.Version == k.Version {
		differs("document", string(row.Doc), string(again.Doc))
		differs("filter terms", row.Terms, again.Terms)
	}
	differs("uid", row.UID, again.UID)
	differs("deleted mark", row.Deleted, again.Deleted)
	return wrong
}

// Verify reads every stored record of every project and says what is wrong with it, a line each: documents that do not
// come out as they went in, ordinals or changes with gaps, clocks that repeat or run ahead of their project's, counts
// of links and comments that are not how many there are.
func (c *Catalog) Verify(ctx context.Context, s *store.Store) ([]string, error) {
	var wrong []string
	err := s.Projects(ctx, func(p *store.Project) error {
		clocks := map[int64]store.ID{}
		say := func(format string, args ...any) {
			wrong = append(wrong, "project "+p.UID+": "+fmt.Sprintf(format, args...))
		}
		var newest store.Row
		of := ""
		for _, k := range c.entries {
			number, plural := k.number, k.plural
			next := uint32(1)
			err := s.Each(ctx, p, number, func(row store.Row) error {
				if row.ID.Ordinal() != next {
					say("%s: ordinal %d follows %d", plural, row.ID.Ordinal(), next-1)
				}
				next = row.ID.Ordinal() + 1
				if other, twice := clocks[row.Clock]; twice {
					say("%s/%s: its clock is also that of record %d", plural, row.UID, other)
				}
				clocks[row.Clock] = row.ID
				if row.Clock > newest.Clock {
					newest, of = row, plural
				}
				for _, w := range k.verify(row) {
					say("%s/%s: %s", plural, row.UID, w)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		// Somebody may have written meanwhile: the project's clock is looked at last.
		if err := s.Refresh(ctx, p, 0); err != nil {
			return err
		}
		if clock, _ := p.Stamp(); newest.Clock > clock {
			say("%s/%s: its clock is ahead of the project's", of, newest.UID)
		}
		counts, err := c.miscounted(ctx, s, p)
		if err != nil {
			return err
		}
		for _, problem := range counts {
			say("%s", problem)
		}
		problems, err := s.VerifyChanges(ctx, p)
		for _, problem := range problems {
			say("%s", problem)
		}
		return err
	})
	return wrong, err
}
