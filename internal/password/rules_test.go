package password

import (
	"strings"
	"testing"

	"groundwork/internal/redact"
)

func TestPasswordProblem(t *testing.T) {
	tests := []struct{ password, problem string }{
		{"", "at least 12"},
		{"short", "at least 12"},
		{"elevenchars", "at least 12"},
		{"éééééééééééé"[:22], "at least 12"}, // 11 characters in 22 bytes
		{"twelve rigid", ""},
		{"e\u0301a\u0301o\u0301kmzqpwtu", "at least 12"}, // 11 characters once composed
		{"zwölf Äpfel!", ""},
		{strings.Repeat("velvet anchor ", 5), "tried first"},
		{"a passphrase of sixty-four characters, which must be accepted !!", ""},
		{longPassword(1024), ""},
		{longPassword(1025), "at most 1024"},
		{"bad \xff utf-8 text", "UTF-8"},

		{"password1234", "tried first"},
		{"P@ssw0rd2024!", "tried first"},
		{"p4$$w0rd!!!!", "tried first"},
		{"123456789012", "tried first"},
		{"aaaaaaaaaaaa", "tried first"},
		{"abcabcabcabc", "tried first"},
		{"qwertyuiop12", "tried first"},
		{"1qaz2wsx3edc", "tried first"},
		{"abcd1234efgh", "tried first"},
		{"987654321098", "tried first"},
		{"Welcome2024!!", "tried first"},
		{"iloveyou12345", "tried first"},
		{"monkeydragon1", "tried first"},
		{"Summer-2025-!", "tried first"},
		{"groundwork2026", "tried first"},
		{"correct horse battery staple", "tried first"},
		{"password123456789012", "tried first"},
		{"changeme-changeme", "tried first"},

		{"password 839201847561", ""},
		{"839201847561", ""},
		{"monkey dragon velvet anchor", ""},
		{"Tr0ub4dor&3xyz", ""},
		{"kN8#vR2$qL5x", ""},

		{"mason@builders.example", "name of its account"},
		{"Mason@Builders.Example", "name of its account"},
		{"mason.builders.1987", "name of its account"},
		{"Perry Mason 1957", "name of its account"},
		{"masonperry!!", "name of its account"},
		{"mason builds with velvet", ""},
	}
	for _, test := range tests {
		got := Problem(redact.Secret(test.password), "mason@builders.example", "Perry", "Mason")
		if (test.problem == "") != (got == "") || !strings.Contains(got, test.problem) {
			t.Errorf("%q: got %q, want %q", test.password, got, test.problem)
		}
	}
}

// longPassword is a password of n bytes without a pattern.
func longPassword(n int) string {
	var b strings.Builder
	for x := uint32(7); b.Len() < n; x = x*1664525 + 1013904223 {
		b.WriteByte('a' + byte(x>>24)%26)
	}
	return b.String()
}

func TestCommonWords(t *testing.T) {
	if n := len(common()); n < 300 {
		t.Errorf("%d common words; is the list whole?", n)
	}
	for word := range common() {
		if word != letters(word) {
			t.Errorf("%q can never match: a word has lower-case letters only", word)
		}
	}
}
