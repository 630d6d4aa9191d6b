package credential

import (
	"strings"
	"testing"
)

// FuzzSecret checks that a text is a secret exactly when its form and its checksum are right, and that one wrong
// character is found.
func FuzzSecret(f *testing.F) {
	good, _ := NewSecret(KindKey)
	for _, s := range []string{
		"", "gwk_", good, good[:len(good)-1], good + "A", "gwx" + good[3:],
		strings.Repeat("é", secretChars/2),
	} {
		f.Add(s, 7, byte('!'))
	}
	f.Fuzz(func(t *testing.T, text string, at int, other byte) {
		if ValidSecret(KindKey, text) {
			sum := checksum([]byte(text[:len(text)-sumChars]))
			if len(text) != secretChars || !strings.HasPrefix(text, "gwk_") || strings.Trim(text[4:], Base62) != "" ||
				text[len(text)-sumChars:] != string(sum[:]) {
				t.Fatalf("%q is taken for a secret", text)
			}
			if ValidSecret('x', text) {
				t.Fatalf("%q is of two kinds", text)
			}
		}
		wrong := []byte(good)
		at = (at%len(wrong) + len(wrong)) % len(wrong)
		if wrong[at] == other {
			return
		}
		if wrong[at] = other; ValidSecret(KindKey, string(wrong)) {
			t.Fatalf("%q is taken for %q", wrong, good)
		}
	})
}
