package password

import (
	"strings"
	"testing"
	"unicode/utf8"

	"groundwork/internal/redact"
)

// FuzzKeptPassword checks that a kept password is read only in the very form in which it is written, and at a cost that
// can be paid.
func FuzzKeptPassword(f *testing.F) {
	good := "$argon2id$v=19$m=19456,t=2,p=1$" + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43)
	for _, s := range []string{
		"", good, good + "\n", strings.Replace(good, "p=1", "p=1x", 1), strings.Replace(good, "m=19456", "m=4294967296",
			1), strings.Replace(good, "t=2", "t=0", 1), strings.Replace(good, "t=2", "t=+2", 1),
		strings.Replace(good, "v=19", "v=16", 1), strings.Replace(good, "argon2id", "argon2i", 1), "$$$$$",
		strings.Replace(good, "$A", "$\nA", 1), strings.Replace(good, "p=1", "p=255", 1),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, encoded string) {
		c, salt, sum, err := decode(encoded)
		if err != nil {
			return
		}
		if again := kept(c, salt, sum); again != encoded {
			t.Fatalf("%q is read as %q", encoded, again)
		}
		if c.memory > 1<<20 || c.time < 1 || c.time > 16 || c.lanes < 1 || len(sum) < 16 {
			t.Fatalf("%q costs %+v for %d bytes", encoded, c, len(sum))
		}
	})
}

// FuzzPassword checks that a judgement is a sentence or none, and that what is accepted is long enough.
func FuzzPassword(f *testing.F) {
	for _, s := range []string{
		"", "correct horse battery", "aaaaaaaaaaaa", "ann@example.com",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301",
		strings.Repeat("x1", 600),
	} {
		f.Add(s, "ann@example.com", "Ann", "Lee")
	}
	f.Fuzz(func(t *testing.T, password, email, first, last string) {
		switch problem := Problem(redact.Secret(password), email, first, last); {
		case problem != "":
			if !strings.HasSuffix(problem, ".") {
				t.Fatalf("%q is refused with %q", password, problem)
			}
		case !utf8.ValidString(password) || utf8.RuneCountInString(password) < leastCharacters ||
			len(password) > mostBytes:
			t.Fatalf("%q is accepted", password)
		}
	})
}
