package password

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"groundwork/internal/redact"
)

const (
	leastCharacters = 12    // characters
	mostBytes       = 1_024 // bytes
)

// Problem says why a password is refused. It asks for no mixture of kinds of characters: length, and not being
// what everybody tries first.
func Problem(password redact.Secret, email, first, last string) string {
	text := norm.NFC.String(string(password))
	switch {
	case !utf8.ValidString(string(password)):
		return "A password is valid UTF-8 text."
	case utf8.RuneCountInString(text) < leastCharacters:
		return "A password has at least 12 characters; four words that have nothing to do with each other are easy to remember."
	case len(password) > mostBytes:
		return "A password has at most 1024 bytes."
	case isPersonal(text, email, first, last):
		return "A password is not the e-mail address or the name of its account."
	case isCommon(text):
		return "This password is among those that are tried first: a common word, a pattern or a repetition. Choose another."
	}
	return ""
}

// isPersonal tells whether a password is nothing but what everybody knows of its owner, with digits or signs around it.
func isPersonal(password, email, first, last string) bool {
	local, domain, _ := strings.Cut(email, "@")
	site, _, _ := strings.Cut(domain, ".")
	core := letters(password)
	for _, known := range []string{
		email, local, domain, local + site, first + last, last + first, first + first,
		last + last,
	} {
		if known = letters(known); known != "" && core == known {
			return true
		}
	}
	return false
}

//go:embed common.txt
var commonText string

// common are the words of common.txt: one to a line, lower case, letters only; lines that begin with # explain.
var common = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for line := range strings.Lines(commonText) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			words[line] = true
		}
	}
	return words
})

// isCommon tells whether a password is what lists of leaked passwords are full of: a common word or phrase with digits
// and signs for letters or around them, two such words, a short text repeated, or a run along the alphabet, the digits
// or the keyboard.
func isCommon(password string) bool {
	text := strings.ToLower(password)
	if repeated(text) || isRun(text) {
		return true
	}
	if signs := strings.Map(keepSign, text); len(signs) > mostSigns && !repeated(signs) && !isRun(signs) {
		return false
	}
	words := common()
	for _, core := range []string{
		letters(text), letters(unmask(strings.TrimRightFunc(text, notLetter))),
		letters(unmask(text)),
	} {
		if core == "" {
			continue
		}
		if words[core] || repeated(core) || isRun(core) {
			return true
		}
		for i := 1; i < len(core); i++ {
			if words[core[:i]] && words[core[i:]] {
				return true
			}
		}
	}
	return false
}

// mostSigns is how many digits and signs a guesser tries around a word: a date. More of them, in no order, are worth
// something by themselves.
const mostSigns = 8

func keepSign(r rune) rune {
	if notLetter(r) {
		return r
	}
	return -1
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// letters keeps the letters of a text, in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if notLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

// unmask reads the digits and signs that stand for letters.
func unmask(text string) string { return masks.Replace(text) }

var masks = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!",
	"i", "|", "l", "8", "b", "9", "g")

// repeated tells whether a text is a shorter one again and again, the last time perhaps not whole.
func repeated(text string) bool {
	for size := 1; size <= len(text)/2; size++ {
		if text[size:] == text[:len(text)-size] {
			return true
		}
	}
	return false
}

// runs are the orders in which people walk over letters and keys.
var runs = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "1234567890", "qwertyuiopasdfghjklzxcvbnm",
	"qwertzuiopasdfghjklyxcvbnm", "azertyuiopqsdfghjklmwxcvbn",
	"qwertyuiop[]asdfghjkl;'zxcvbnm,./", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "qazwsxedcrfvtgbyhnujmikolp",
	"q1w2e3r4t5y6u7i8o9p0", "1q2w3e4r5t6y7u8i9o0p", "a1b2c3d4e5f6g7h8i9j0", "!@#$%^&*()",
}

// isRun tells whether a text is made of few pieces of runs, forwards or backwards: at most one piece for every four
// characters.
func isRun(text string) bool {
	rest, pieces := text, 0
	for rest != "" {
		longest := 1
		for _, run := range runs {
			longest = max(longest, along(rest, run), along(rest, backwards(run)))
		}
		if longest < 3 && len(rest) > 2 {
			return false
		}
		rest = rest[min(longest, len(rest)):]
		pieces++
	}
	return pieces > 0 && pieces*4 <= len(text)
}

// along is how many bytes of text, from its start, stand in run in the same order.
func along(text, run string) int {
	start := strings.IndexByte(run, text[0])
	if start < 0 {
		return 0
	}
	n := 0
	for n < len(text) && start+n < len(run) && text[n] == run[start+n] {
		n++
	}
	return n
}

func backwards(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}
