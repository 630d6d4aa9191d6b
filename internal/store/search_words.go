package store

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// What a search finds is decided here, for both engines alike: they are given words that are ready, in a form that
// their own tokenizers leave alone, and asked for records that have, for every word of a query, one that begins with
// it; one that it is, where the word is too short to begin others.

const (
	mostLetters = 64 // of a word; what follows does not count
	mostParts   = 8  // of what hyphens and the like connect
	mostAsked   = 32 // words of a query; those that follow do not count
	// mostWords is how many different words a record is found by, of those that come first in it. A text of 65,000
	// characters in a language that people write has some 3,000, a crowded drawing as many. To file them takes a few
	// milliseconds, for which other writers wait. mostText is how many bytes they have together.
	mostWords, mostText = 5000, 1 << 17
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

// term is a word of a query as the text index has it.
type term struct {
	text   string
	begins bool // it stands for all that begin with it
}
