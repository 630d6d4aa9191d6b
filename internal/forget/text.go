package forget

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"groundwork/internal/identity"
)

// Texts are what is looked for of somebody, and what stands in its place.
type Texts struct {
	patterns []pattern
	// quick are words in lower case, of which a text has one at least that has anything of the person.
	quick []string
}

// pattern is one text that is looked for.
type pattern struct {
	is      *regexp.Regexp
	with    string
	address bool
}

// facts are what is known of somebody: addresses, whole names, and what the operator said beside.
type facts struct {
	Addresses []string   `json:"addresses"`
	Names     [][]string `json:"names"` // first and last name
	Further   []string   `json:"further"`
}

// blankWith is what stands in place of a further text.
const blankWith = "[erased]"

// shortestFurther is how many letters and digits a further text has at least: a shorter one is a part of other words.
const shortestFurther = 3

// add notes what is shown of somebody, once.
func (f *facts) add(shown identity.Shown) {
	if shown.Email != "" && !slices.Contains(f.Addresses, shown.Email) {
		f.Addresses = append(f.Addresses, shown.Email)
	}
	name := []string{orEmpty(shown.FirstName), orEmpty(shown.LastName)}
	if !slices.ContainsFunc(f.Names, func(had []string) bool { return slices.Equal(had, name) }) {
		f.Names = append(f.Names, name)
	}
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// texts makes of facts what is looked for. A name of one word is none: others have it too.
func (f *facts) texts(as identity.Shown) (*Texts, error) {
	t := &Texts{}
	for _, address := range f.Addresses {
		account := identity.Account{Email: address}
		for _, form := range compact(address, account.MailTo(), norm.NFD.String(address), norm.NFC.String(address)) {
			local, domain, whole := strings.Cut(form, "@")
			if whole {
				t.add(regexp.QuoteMeta(local)+"(?:@|%40)"+regexp.QuoteMeta(domain), local, as.Email, true)
			}
		}
	}
	whole := orEmpty(as.FirstName) + " " + orEmpty(as.LastName)
	for _, name := range f.Names {
		first, last := strings.Fields(name[0]), strings.Fields(name[1])
		if len(first)+len(last) < 2 {
			continue
		}
		t.words(slices.Concat(first, last), whole)
		if len(first) > 0 && len(last) > 0 {
			t.words(slices.Concat(last, first), whole)
		}
	}
	for _, text := range f.Further {
		n := strings.Count(strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return 'x'
			}
			return -1
		}, text), "x")
		if n < shortestFurther || !utf8.ValidString(text) || len(text) > 255 {
			return nil, fmt.Errorf("The further text %q is too short or too long to be looked for: it has 3 letters or digits at least, and 255 bytes at most.", text)
		}
		t.words(strings.Fields(text), blankWith)
	}
	return t, nil
}

func compact(all ...string) []string {
	slices.Sort(all)
	return slices.Compact(all)
}

// between is what may stand between the words of a name: in running text, in names of files, in addresses of pages.
const between = `(?:[\s\p{Zs}.,_+-]|%20){1,4}`

func (t *Texts) words(words []string, with string) {
	for _, form := range compact(norm.NFC.String(strings.Join(words, " ")), norm.NFD.String(strings.Join(words, " "))) {
		parts := strings.Fields(form)
		quoted := make([]string, len(parts))
		for i, part := range parts {
			quoted[i] = regexp.QuoteMeta(part)
		}
		t.add(strings.Join(quoted, between), parts[0], with, false)
	}
}

func (t *Texts) add(expression, begins, with string, address bool) {
	t.patterns = append(t.patterns, pattern{regexp.MustCompile("(?i)" + expression), with, address})
	if begins = strings.ToLower(begins); !slices.Contains(t.quick, begins) {
		t.quick = append(t.quick, begins)
	}
}

// may tells whether a text could have anything of the person.
func (t *Texts) may(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(t.quick, func(word string) bool { return strings.Contains(lower, word) })
}

// Replace puts what stands in its place for everything of the person that a text has, and gives how often. In JSON it
// looks into the texts, whatever they are escaped by, and leaves all other bytes as they are.
func (t *Texts) Replace(text string) (string, int) {
	escaped := strings.Contains(text, `\u`)
	if !escaped && !t.may(text) {
		return text, 0
	}
	if text != "" && (text[0] == '{' || text[0] == '[') && jsontext.Value(text).IsValid() {
		return t.within(text)
	}
	return t.plain(text)
}

// within replaces in the texts of JSON.
func (t *Texts) within(text string) (string, int) {
	var b strings.Builder
	n := 0
	for at := 0; at < len(text); {
		if text[at] != '"' {
			next := strings.IndexByte(text[at:], '"')
			if next < 0 {
				next = len(text) - at
			}
			b.WriteString(text[at : at+next])
			at += next
			continue
		}
		end := at + 1
		for text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end++
		quoted := text[at:end]
		at = end
		said, err := jsontext.AppendUnquote(nil, quoted)
		if now, changed := t.Replace(string(said)); err == nil && changed > 0 {
			fresh, err := jsontext.AppendQuote(nil, now)
			if err == nil {
				quoted, n = string(fresh), n+changed
			}
		}
		b.WriteString(quoted)
	}
	if n == 0 {
		return text, 0
	}
	return b.String(), n
}

func (t *Texts) plain(text string) (string, int) {
	n := 0
	for _, p := range t.patterns {
		var b strings.Builder
		rest := 0
		for _, found := range p.is.FindAllStringIndex(text, -1) {
			if !p.alone(text, found[0], found[1]) {
				continue
			}
			b.WriteString(text[rest:found[0]])
			b.WriteString(p.with)
			rest, n = found[1], n+1
		}
		if rest > 0 {
			b.WriteString(text[rest:])
			text = b.String()
		}
	}
	return text, n
}

// alone tells whether what was found is not a part of a longer word, or of another address.
func (p *pattern) alone(text string, begin, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:begin])
	after, size := utf8.DecodeRuneInString(text[end:])
	first, _ := utf8.DecodeRuneInString(text[begin:])
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	escaped := begin >= 3 && text[begin-3] == '%' && isHex(text[begin-2]) && isHex(text[begin-1])
	if inWord(first) && !escaped && (inWord(before) || p.address && strings.ContainsRune("._%+-'", before)) {
		return false
	}
	if inWord(last) && inWord(after) {
		return false
	}
	if p.address && (after == '.' || after == '-') {
		next, _ := utf8.DecodeRuneInString(text[end+size:])
		return !inWord(next)
	}
	return true
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
