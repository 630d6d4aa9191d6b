package identity

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlainName(t *testing.T) {
	for name, want := range map[string]string{
		"Harbour Bridge":                       "Harbour Bridge",
		"Dr. Anna M. Schmidt":                  "Dr. Anna M. Schmidt",
		"Block 1.2, Phase 3/4":                 "Block 1.2, Phase 3/4",
		"Dom zu Köln":                          "Dom zu Köln",
		"Win at https://evil.example/x now":    "Win at now",
		"www.evil free money":                  "free money",
		"evil.com":                             "instead",
		"see evil．com and evil。com":            "see and",
		"(evil.com)":                           "instead",
		"mail me@evil.com":                     "mail",
		"пример.рф here":                       "here",
		"xn--e1afmkfd.xn--p1ai here":           "here",
		"two\r\nlines\u2028here":               "two lines here",
		"turned \u202emoc.live\u202c round":    "turned round",
		"zero\u200bwidth e\u200bvil.\u200bcom": "zerowidth",
		"":                                     "instead",
		" \u2066 ":                             "instead",
		strings.Repeat("ä", 200):               strings.Repeat("ä", 59) + "…",
		"\xff\xfe Site":                        "Site",
		"//evil/path Site":                     "Site",
		"St.Mary Hospital":                     "Hospital", // the price
		"A very long name of a project that goes on and on and on and on": "A very long name of a project that goes on and on and on an…",
	} {
		if got := PlainName(name, "instead"); got != want || utf8.RuneCountInString(got) > mostPlain {
			t.Errorf("%q is shown as %q, not %q", name, got, want)
		}
	}
}
