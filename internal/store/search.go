package store

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"groundwork/internal/fault"
)

// stamp is a clock and a sequence.
type stamp struct{ clock, seq int64 }

// hunt is the search of one list, however often the list is read.
type hunt struct {
	end   func()
	until time.Time // when words that begin others are looked for no longer
	cut   bool      // not all that was asked for was looked for
}

// hunt waits for the turn of a list that has words; end must be called on what it gives.
func (s *Store) hunt(ctx context.Context, sel *Select) (*hunt, error) {
	if len(sel.Words) == 0 {
		return nil, nil
	}
	end, err := s.searching.begin(ctx, sel.Account)
	if err != nil {
		return nil, err
	}
	return &hunt{end: end, until: time.Now().Add(s.searching.begins)}, nil
}

func (h *hunt) over() {
	if h != nil {
		h.end()
	}
}

// ask looks for the words of a list, if it has any, and gives what the memory stood for before: what is found may be
// newer, never older.
func (s *Store) ask(ctx context.Context, p *Project, sel *Select, h *hunt) (before *stamp, err error) {
	if h == nil {
		return nil, nil
	}
	before = new(stamp)
	before.clock, before.seq = p.Stamp()
	sel.found, err = s.found(ctx, p, sel, h)
	return before, err
}

// since has the page stand for no more than it did before the words were looked for.
func (p *Page) since(before *stamp) {
	if before != nil {
		p.Clock, p.Seq, p.Bound = min(p.Clock, before.clock), min(p.Seq, before.seq), min(p.Bound, before.clock)
	}
}

// found gives the ordinals of the records that have all words of a list: fault.Invalid where there is too much to
// compare.
func (s *Store) found(ctx context.Context, p *Project, sel *Select, h *hunt) (*roaring.Bitmap, error) {
	before := scope(p.ID, sel.Kind)
	terms := make([]term, len(sel.Words))
	for i, word := range sel.Words {
		terms[i] = term{before + word, begins(word)}
	}
	if left := time.Until(h.until); left > 0 && !h.cut {
		set, cut, err := s.match(ctx, p, sel.Kind, left, terms)
		if !errors.Is(err, errTooLong) {
			h.cut = cut
			return set, s.faultOf(err)
		}
	}
	h.cut = true
	for i := range terms {
		terms[i].begins = false
	}
	set, _, err := s.match(ctx, p, sel.Kind, s.searching.whole, terms)
	if errors.Is(err, errTooLong) {
		return nil, fault.Field("q",
			"Its words are in too many records to compare them all. Please use fewer or rarer words.")
	}
	return set, s.faultOf(err)
}

// match gives the ordinals of the records of a kind that have all terms; cut tells that not all that wait to be filed
// were looked at.
func (s *Store) match(ctx context.Context, p *Project, kind Kind, within time.Duration,
	terms []term,
) (set *roaring.Bitmap, cut bool, err error) {
	d := s.engine.words()
	quoted := make([]string, len(terms))
	for i, t := range terms {
		quoted[i] = d.quote + t.text + d.quote
		if t.begins {
			quoted[i] += d.prefix
		}
	}
	set = roaring.New()
	find := statement{d.find, []any{strings.Join(quoted, d.and)}, func(c *Cols) error {
		set.Add(ID(c.Int(0)).Ordinal())
		return nil
	}}
	if !d.later {
		return set, false, s.engine.readFor(ctx, within, tenant{project: p.ID}, find)
	}
	w := unfiled{terms: terms}
	if err := s.engine.readFor(ctx, within, tenant{project: p.ID}, w.statement(p, kind), find); err != nil {
		return nil, false, err
	}
	set.AndNot(&w.waits)
	set.Or(&w.has)
	return set, w.cut, nil
}

// wordedName is the note that says by which fields all records of a kind are indexed.
func wordedName(kind Kind) string { return "words/" + strconv.Itoa(int(kind)) }

// Worded tells whether all records of a kind are indexed by these fields.
func (s *Store) Worded(ctx context.Context, kind Kind, fields string) (bool, error) {
	if known, ok := s.worded.Load(kind); ok && known == fields {
		return true, nil
	}
	by, err := s.Note(ctx, wordedName(kind))
	if err == nil && by == fields {
		s.worded.Store(kind, fields)
	}
	return err == nil && by == fields, err
}

// SetWorded notes that all records of a kind are indexed by these fields.
func (s *Store) SetWorded(ctx context.Context, kind Kind, fields string) error {
	return s.SetNote(ctx, wordedName(kind), fields)
}
