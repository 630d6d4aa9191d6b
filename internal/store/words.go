package store

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// What a search finds is decided here, for both engines alike: they are given words that are ready, in a form that their own tokenizers leave
// alone, and asked for records that have, for every word of a query, one that begins with it.

// dialect is how an engine's text index is written and asked.
type dialect struct {
	put, find          string // statements
	before, after, and string // around and between the words of a query
	later              bool   // put only lets the words wait until they are filed
}

const (
	mostLetters = 64      // of a word; what follows does not count
	mostParts   = 8       // of what hyphens and the like connect
	mostAsked   = 32      // words of a query; those that follow do not count
	mostText    = 1 << 19 // bytes of all words of a record
)

// connects tells whether a sign holds two parts together when it stands between them: A-101, 3.5, door/frame, don't.
func connects(r rune) bool {
	switch r {
	case '-', '.', '/', '_', '\'', '’', '‐', '‑':
		return true
	default:
		return false
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// unaccented are letters that have no form without their stroke.
var unaccented = strings.NewReplacer("ø", "o", "ł", "l", "đ", "d", "ħ", "h", "ŧ", "t", "æ", "ae", "œ", "oe", "ı", "i")

// plainText is a text without case and accents.
func plainText(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return strings.ToLower(text)
	}
	text = norm.NFKD.String(cases.Fold().String(norm.NFKD.String(text)))
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
	return unaccented.Replace(text)
}

// runs gives what stands in a text without gaps, each in its parts: "Sheet A-101" is [sheet], [a 101]. They are good only inside the call.
func runs(text string, each func(parts []string)) {
	text = plainText(text)
	var parts []string
	begin := -1 // where a part began; -1 between parts
	end := func(at int) {
		if begin >= 0 {
			parts = append(parts, clipped(text[begin:at]))
			begin = -1
		}
	}
	for i, r := range text {
		switch {
		case inWord(r):
			if begin < 0 {
				begin = i
			}
		case connects(r) && begin >= 0:
			end(i)
		default:
			if end(i); len(parts) > 0 {
				each(parts)
				parts = parts[:0]
			}
		}
	}
	if end(len(text)); len(parts) > 0 {
		each(parts)
	}
}

// clipped is a word with no more letters than count.
func clipped(word string) string {
	if len(word) <= mostLetters {
		return word
	}
	n := 0
	for i := range word {
		if n++; n > mostLetters {
			return word[:i]
		}
	}
	return word
}

func joined(parts []string) string {
	return clipped(strings.Join(parts[:min(len(parts), mostParts)], ""))
}

// wordsOf are the words under which a text is found, each once: its parts, and what they are together, from every part on.
func wordsOf(text string) []string {
	all := map[string]struct{}{}
	runs(text, func(parts []string) {
		for i, part := range parts {
			all[part] = struct{}{}
			if i < len(parts)-1 {
				all[joined(parts[i:])] = struct{}{}
			}
		}
	})
	return slices.Sorted(maps.Keys(all))
}

// Asked are the words of a query: a record is found by it that has a word for each which begins with it. None where there is nothing to look for.
func Asked(query string) (words []string) {
	runs(query, func(parts []string) {
		if word := joined(parts); len(words) < mostAsked && !slices.Contains(words, word) {
			words = append(words, word)
		}
	})
	return words
}

// Meets tells whether a text has a word that begins with one of the asked ones.
func Meets(text string, asked []string) bool {
	for _, word := range wordsOf(text) {
		if slices.ContainsFunc(asked, func(a string) bool { return strings.HasPrefix(word, a) }) {
			return true
		}
	}
	return false
}

// scope stands before the words of a kind in a project. Its sign belongs to no word, and to neither engine's syntax.
func scope(project int64, kind Kind) string {
	return strconv.FormatInt(int64(MakeID(project, kind, 0))>>kindShift, 36) + "·"
}

// Word stores the text by which a record is found, instead of what it was found by before.
func (tx *Tx) Word(id ID, text string) error {
	var b strings.Builder
	before := scope(id.Project(), id.Kind())
	for _, word := range wordsOf(text) {
		if b.Len()+len(before)+len(word) > mostText {
			break
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(before + word)
	}
	d := tx.store.engine.words()
	if d.later {
		tx.store.waiting.Add(1)
	}
	return tx.Exec(d.put, id, b.String())
}

// stamp is a clock and a sequence.
type stamp struct{ clock, seq int64 }

// ask looks for the words of a list, if it has any, and gives what the memory stood for before: what is found may be newer, never older.
func (s *Store) ask(ctx context.Context, p *Project, sel *Select) (before *stamp, err error) {
	if len(sel.Words) == 0 {
		return nil, nil
	}
	before = new(stamp)
	before.clock, before.seq = p.Stamp()
	sel.found, err = s.found(ctx, p, sel.Kind, sel.Words)
	return before, err
}

// since has the page stand for no more than it did before the words were looked for.
func (p *Page) since(before *stamp) {
	if before != nil {
		p.Clock, p.Seq, p.Bound = min(p.Clock, before.clock), min(p.Seq, before.seq), min(p.Bound, before.clock)
	}
}

// found gives the ordinals of the records of a kind that have all words.
func (s *Store) found(ctx context.Context, p *Project, kind Kind, words []string) (*roaring.Bitmap, error) {
	d, before := s.engine.words(), scope(p.ID, kind)
	quoted, plain := make([]string, len(words)), make([]string, len(words))
	for i, word := range words {
		plain[i] = before + word
		quoted[i] = d.before + plain[i] + d.after
	}
	set, waits, has := roaring.New(), roaring.New(), roaring.New()
	find := statement{d.find, []any{strings.Join(quoted, d.and)}, func(c *Cols) error {
		set.Add(ID(c.Int(0)).Ordinal())
		return nil
	}}
	var err error
	if d.later {
		err = s.read(ctx, tenant{project: p.ID}, unfiled(p, kind, plain, waits, has), find)
		set.AndNot(waits)
		set.Or(has)
	} else {
		err = s.read(ctx, tenant{project: p.ID}, find)
	}
	return set, err
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
