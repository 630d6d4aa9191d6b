package auth

import (
	"strings"
	"testing"
)

func TestEmailProblem(t *testing.T) {
	for _, good := range []string{"a@b", "Anna.Schmidt+site@Example.COM", "ünder@bücher.example", "o'neil@x.example", strings.Repeat("a", 64) + "@" + strings.Repeat("b", 189)} {
		if problem := emailProblem(good); problem != "" {
			t.Errorf("%q is refused: %s", good, problem)
		}
	}
	for _, bad := range []string{
		"", "a", "@", "a@", "@b", "a@b@c", "a b@c", " a@b", "a@b ", "a@b\n", "a\x00@b", "a@b\u00a0c", "a\x7f@b", "a@\xff",
		strings.Repeat("a", 64) + "@" + strings.Repeat("b", 190),
	} {
		if emailProblem(bad) == "" {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestSplitName(t *testing.T) {
	tests := []struct{ name, first, last string }{
		{"", "", ""},
		{"   ", "", ""},
		{"Cher", "Cher", ""},
		{"Anna Schmidt", "Anna", "Schmidt"},
		{"  Anna   Maria  Schmidt ", "Anna Maria", "Schmidt"},
	}
	for _, test := range tests {
		if first, last := SplitName(test.name); first != test.first || last != test.last {
			t.Errorf("%q: got %q, %q", test.name, first, last)
		}
	}
}
