package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"groundwork/internal/fault"
)

// What a search finds is decided here, for both engines alike: they are given words that are ready, in a form that
// their own tokenizers leave alone, and asked for records that have, for every word of a query, one that begins with
// it; one that it is, where the word is too short to begin others.

// dialect is how an engine's text index is written and asked.
type dialect struct {
	put, find string // statements
	quote     string // around the words of a query
	prefix    string // after those that begin others
	and       string // between them
	later     bool   // put only lets the words wait until they are filed
	// tables are where words lie, in the order in which they go, and key is what the last of them has records by.
	tables []string
	key    string
}

const (
	mostLetters = 64 // of a word; what follows does not count
	mostParts   = 8  // of what hyphens and the like connect
	mostAsked   = 32 // words of a query; those that follow do not count
	// mostWords is how many different words a record is found by, of those that come first in it. A text of 65,000
	// characters in a language that people write has some 3,000, a crowded drawing as many. To file them takes a few
	// milliseconds, for which other writers wait. mostText is how many bytes they have together.
	mostWords, mostText = 5000, 1 << 17

	// What a search may take of the database. Words that begin others are looked for first, of which there may be
	// millions; where that takes longer than beginsWithin, only the words themselves are, of which each is one list of
	// records. The greatest projects that we measure need a fraction of either.
	beginsWithin = 250 * time.Millisecond
	wholeWithin  = time.Second
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

// runs gives what stands in a text without gaps, each in its parts: "Sheet A-101" is [sheet], [a 101], until each gives
// false. They are good only inside the call.
func runs(text string, each func(parts []string) bool) {
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
				if !each(parts) {
					return
				}
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

// wordsOf are the words under which a text is found, each once: its parts, and what they are together, from every part
// on. There are at most mostWords of them, of mostText bytes.
func wordsOf(text string) []string {
	all, bytes := map[string]struct{}{}, 0
	add := func(word string) bool {
		if _, twice := all[word]; twice {
			return true
		}
		if bytes += len(word); len(all) >= mostWords || bytes > mostText {
			return false
		}
		all[word] = struct{}{}
		return true
	}
	runs(text, func(parts []string) bool {
		for i, part := range parts {
			if !add(part) || i < len(parts)-1 && !add(joined(parts[i:])) {
				return false
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(all))
}

// Asked are the words of a query: a record is found by it that has a word for each which begins with it. None where
// there is nothing to look for.
func Asked(query string) (words []string) {
	runs(query, func(parts []string) bool {
		if word := joined(parts); !slices.Contains(words, word) {
			words = append(words, word)
		}
		return len(words) < mostAsked
	})
	return words
}

// begins tells whether an asked word stands for all words that begin with it. A single letter or digit stands for
// itself only: a fair part of all that was ever written begins with it. In scripts that write one sign for a syllable
// or more, and set no spaces, a single sign is as good as any word.
func begins(asked string) bool {
	r, size := utf8.DecodeRuneInString(asked)
	return size < len(asked) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Meets tells whether a text has a word for which one of the asked ones stands.
func Meets(text string, asked []string) bool {
	for _, word := range wordsOf(text) {
		if slices.ContainsFunc(asked, func(a string) bool {
			return word == a || begins(a) && strings.HasPrefix(word, a)
		}) {
			return true
		}
	}
	return false
}

// scope stands before the words of a kind in a project. Its sign belongs to no word, and to neither engine's syntax.
func scope(project int64, kind Kind) string {
	return strconv.FormatInt(int64(MakeID(project, kind, 0))>>kindShift, 36) + "·"
}

// Word stores the text by which a record is found, instead of what it was found by before. For a long text, Ready is to
// be called first.
func (tx *Tx) Word(id ID, text string) error {
	words, there := tx.ready(subject{scope(id.Project(), id.Kind()), text})
	if !there {
		return nil // the write is run anew, whatever becomes of it here
	}
	d := tx.store.engine.words()
	if d.later {
		tx.store.waiting.Add(1)
		tx.store.waitingBytes.Add(int64(len(words)))
	}
	return tx.Exec(d.put, id, words)
}

// indexed are the words of a text as they are written into the text index.
func indexed(scope, text string) string {
	var b strings.Builder
	for _, word := range wordsOf(text) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(scope)
		b.WriteString(word)
	}
	return b.String()
}

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

// term is a word of a query as the text index has it.
type term struct {
	text   string
	begins bool // it stands for all that begin with it
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
