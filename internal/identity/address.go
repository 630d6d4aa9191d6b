package identity

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// Two e-mail addresses are one exactly when their local parts differ in the case of ASCII letters only, and their
// domains have one ASCII form (IDNA 2008, lookup). Everything that people or programs could take for another address is
// refused instead of folded: a mail server may give it to somebody else.

// EmailKey is how an address compares: local part with ASCII letters in lower case, domain in its ASCII form. An
// address that would be refused today compares with its exact bytes only, as an account may have it from before.
func EmailKey(email string) string {
	if local, domain, problem := parseEmail(email); problem == "" {
		return lowerASCII(local) + "@" + domain
	}
	return exactKey(email)
}

// exactKey is the key of an account that has its address for itself, byte by byte. No address of today's rules has such
// a key: none has a space.
func exactKey(email string) string { return "exactly " + email }

// EmailProblem says what keeps a text from being an e-mail address, leniently: whether mail arrives, only sending
// shows.
func EmailProblem(email string) string {
	_, _, problem := parseEmail(email)
	return problem
}

// MailTo is the address that mail is sent to: with the domain in its ASCII form, so that no server on the way folds it
// in its own manner.
func (a *Account) MailTo() string {
	if local, domain, problem := parseEmail(a.Email); problem == "" {
		return local + "@" + domain
	}
	return a.Email
}

// lookup is IDNA's profile for names that are looked up, with the lengths that DNS has.
var lookup = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(true),
	idna.ValidateLabels(true), idna.VerifyDNSLength(true))

// parseEmail takes an address apart: the local part as it is, the domain in its ASCII form.
func parseEmail(email string) (local, domain, problem string) {
	local, typed, _ := strings.Cut(email, "@")
	switch {
	case email == "":
		return "", "", "An e-mail address is needed."
	case len(email) > mostEmail:
		return "", "", "An e-mail address has at most 254 bytes."
	case !Printable(email) || strings.ContainsFunc(email, unicode.IsSpace):
		return "", "", "An e-mail address has no spaces and no control characters."
	case local == "" || typed == "" || strings.Contains(typed, "@"):
		return "", "", "An e-mail address has one @ with something on both sides, like name@example.com."
	}
	domain, err := lookup.ToASCII(typed)
	shown, badForm := lookup.ToUnicode(domain)
	if err == nil {
		err = badForm
	}
	if problem = localProblem(local, shown); problem == "" {
		problem = domainProblem(typed)
	}
	if problem == "" && err == nil {
		problem = domainProblem(shown) // what Punycode stands for
	}
	switch {
	case problem != "":
		return "", "", problem
	case err != nil || strings.HasSuffix(domain, "."):
		return "", "", "What follows the @ is not the name of a mail domain, like example.com."
	case len(local)+1+len(domain) > mostEmail:
		return "", "", "An e-mail address has at most 254 bytes, its domain counted in its ASCII form."
	}
	return local, domain, ""
}

// signs are what the local part may have beside letters and digits: the characters that need no quotes.
const signs = ".!#$%&'*+-/=?^_`{|}~"

func localProblem(local, domain string) string {
	for _, r := range local {
		if r < utf8.RuneSelf && !alphanumeric(r) && !strings.ContainsRune(signs, r) {
			return fmt.Sprintf("An e-mail address has no %q before the @.", r)
		}
	}
	return spellingProblem(local, domain)
}

func domainProblem(domain string) string {
	for label := range strings.SplitSeq(domain, ".") {
		if problem := spellingProblem(label, domain); problem != "" {
			return problem
		}
	}
	return ""
}

// spellingProblem says why a local part, or a label of a domain, could be taken for another: it is not in the usual
// form, is of several scripts, or only looks Latin. Letters that only look Latin are no disguise in a domain that ends
// in their own script.
func spellingProblem(text, domain string) string {
	if isASCII(text) {
		return ""
	}
	if at := strings.IndexFunc(text, foldsAway); at >= 0 {
		r, _ := utf8.DecodeRuneInString(text[at:])
		return misplaced(r)
	}
	if !norm.NFC.IsNormalString(text) {
		return "An e-mail address has its accented letters in one piece (Unicode form NFC). Type it anew instead of pasting it."
	}
	first := ""
	for _, r := range text {
		script := scriptOf(r)
		switch {
		case r < utf8.RuneSelf && script == "":
			continue
		case script == "" || script == "Latin" && !plainLatin(r):
			return misplaced(r)
		case first != "" && script != first:
			return fmt.Sprintf("The character %q (%U) is %s among letters that are %s: such an address can be taken for another. Type it in one script.", r, r, script, first)
		}
		first = script
	}
	if alike := latinLike[first]; alike != "" && scriptOfLast(domain) != first &&
		!strings.ContainsFunc(text, func(r rune) bool {
			return r >= utf8.RuneSelf && !strings.ContainsRune(alike, r)
		}) {
		return fmt.Sprintf("The letters of %q are all %s and look like Latin ones: such an address can be taken for another. Type it in Latin letters.", text, first)
	}
	return ""
}

func misplaced(r rune) string {
	return fmt.Sprintf("The character %q (%U) has no place in an e-mail address: it can be taken for another. Type the address with the letters of a keyboard.", r, r)
}

// foldsAway tells whether a letter is only a form of another: a ligature, a fullwidth letter, the Kelvin sign, or one
// whose other case is an ASCII letter.
func foldsAway(r rune) bool {
	if r < utf8.RuneSelf {
		return false
	}
	return !norm.NFKC.IsNormalString(string(r)) || unicode.ToLower(r) < utf8.RuneSelf ||
		unicode.ToUpper(r) < utf8.RuneSelf
}

// ownLatin are the letters of Latin alphabets that are no ASCII letter with something on it. Phonetic signs and the
// like are left out, as they only look like letters.
const ownLatin = "ßẞæÆøØđĐðÐħĦłŁŋŊþÞœŒŧŦəƏ"

func plainLatin(r rune) bool {
	return r < utf8.RuneSelf || strings.ContainsRune(ownLatin, r) || norm.NFD.String(string(r))[0] < utf8.RuneSelf
}

// latinLike are the letters, by script, that look like Latin ones.
var latinLike = map[string]string{
	"Cyrillic": "асԁеһіјӏорԛѕԝхуъьҽпгѵѡкмтвнҮүАВЕЅІЈКМНОРСТУХԚԜҺӀ",
	"Greek":    "αβγεηικνορστυχωϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ",
	"Armenian": "ագզէլհյոսւօցՕՏՍԼՀ",
}

// eastAsian are the scripts that Chinese, Japanese and Korean write with side by side.
var eastAsian = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo}

// scriptOf names the script of a letter, or of a sign that belongs to a script; "" for everything else.
func scriptOf(r rune) string {
	switch {
	case r < utf8.RuneSelf && !unicode.IsLetter(r):
		return ""
	case r < utf8.RuneSelf || unicode.Is(unicode.Latin, r):
		return letterOf("Latin", r)
	case r == 'ー' || unicode.IsOneOf(eastAsian, r): // the long vowel of Katakana belongs to no script
		return letterOf("East Asian", r)
	}
	for name, table := range unicode.Scripts {
		if name != "Common" && name != "Inherited" && unicode.Is(table, r) {
			return letterOf(name, r)
		}
	}
	return ""
}

func letterOf(script string, r rune) string {
	if unicode.IsLetter(r) || unicode.Is(unicode.M, r) {
		return script
	}
	return ""
}

// scriptOfLast is the script of a domain's last label.
func scriptOfLast(domain string) string {
	r, _ := utf8.DecodeRuneInString(domain[strings.LastIndexByte(domain, '.')+1:])
	return scriptOf(r)
}

func alphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// KeyTyped is the key of an e-mail address as somebody typed it, which can be anything.
func KeyTyped(email string) string { return EmailKey(Clip(email, mostEmail)) }
