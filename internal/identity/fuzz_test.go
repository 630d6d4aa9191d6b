package identity

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzPersonal checks the rules for addresses and names: what passes can stand in a database, a header and a line of a
// log.
func FuzzPersonal(f *testing.F) {
	for _, s := range []string{
		"", "ann@example.com", "ANN@Example.com", "a@b@c", "@", "a b@c", "a@b\n",
		"Anna  Maria Schmidt", " ", "\xff", "İ@ß.de", "a\u2028b@c", "a\u00a0b@c", strings.Repeat("a", 255),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if EmailProblem(text) == "" {
			if !utf8.ValidString(text) || len(text) > mostEmail || strings.Count(text, "@") != 1 ||
				strings.ContainsFunc(text, unicode.IsSpace) || strings.ContainsFunc(text, unicode.IsControl) {
				t.Fatalf("%q is taken for an address", text)
			}
			if key := EmailKey(text); EmailKey(key) != key ||
				EmailKey(strings.ToUpper(key)) != EmailKey(strings.ToUpper(text)) && isASCII(text) {
				t.Fatalf("%q compares as %q, that as %q", text, key, EmailKey(key))
			}
		}
		if NameProblem(text) == "" && (!utf8.ValidString(text) || len(text) > mostName ||
			strings.ContainsFunc(text, unicode.IsControl)) {
			t.Fatalf("%q is taken for a name", text)
		}
		first, last := SplitName(text)
		if got, want := strings.Join(strings.Fields(first+" "+last), " "), strings.Join(strings.Fields(text),
			" "); got != want {
			t.Fatalf("%q is split into %q and %q", text, first, last)
		}
		if strings.ContainsFunc(last, unicode.IsSpace) || first == "" && last != "" {
			t.Fatalf("%q is split into %q and %q", text, first, last)
		}
	})
}
