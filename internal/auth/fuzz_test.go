package auth

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// FuzzLimit checks that a limit that is read is written as it was.
func FuzzLimit(f *testing.F) {
	for _, s := range []string{"all/1=40", "write/360=2000", "all/01=40", "all/1=+40", "all/31622400=1000000000", "all/31622401=1", "read/1=1", "all", "/=", "all/1=40=2", "all//1=2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		limit, err := ParseLimit(text)
		if err != nil {
			if limit != (Limit{}) || !strings.HasPrefix(err.Error(), "The limit ") {
				t.Fatalf("%q is %+v: %v", text, limit, err)
			}
			return
		}
		if limit.String() != text || limit.Interval < 1 || limit.Interval > mostInterval || limit.Limit < 1 || limit.Limit > mostLimit {
			t.Fatalf("%q is %+v", text, limit)
		}
		text, ok := encodeLimits([]Limit{limit}).(string)
		back, err := ParseLimits(strings.Fields(text))
		if !ok || err != nil || len(back) != 1 || back[0] != limit {
			t.Fatalf("%q is read back as %v: %v", text, back, err)
		}
		if _, err := ParseLimits([]string{text, text}); err == nil {
			t.Fatalf("%q is taken twice", text)
		}
	})
}

// FuzzSecret checks that a text is a secret exactly when its form and its checksum are right, and that one wrong character is found.
func FuzzSecret(f *testing.F) {
	good, _ := NewSecret(KindKey)
	for _, s := range []string{"", "gwk_", good, good[:len(good)-1], good + "A", "gwx" + good[3:], strings.Repeat("é", secretChars/2)} {
		f.Add(s, 7, byte('!'))
	}
	f.Fuzz(func(t *testing.T, text string, at int, other byte) {
		if ValidSecret(KindKey, text) {
			sum := checksum([]byte(text[:len(text)-sumChars]))
			if len(text) != secretChars || !strings.HasPrefix(text, "gwk_") || strings.Trim(text[4:], base62) != "" || text[len(text)-sumChars:] != string(sum[:]) {
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

// FuzzPersonal checks the rules for addresses and names: what passes can stand in a database, a header and a line of a log.
func FuzzPersonal(f *testing.F) {
	for _, s := range []string{"", "ann@example.com", "ANN@Example.com", "a@b@c", "@", "a b@c", "a@b\n", "Anna  Maria Schmidt", " ", "\xff", "İ@ß.de", "a\u2028b@c", "a\u00a0b@c", strings.Repeat("a", 255)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if emailProblem(text) == "" {
			if !utf8.ValidString(text) || len(text) > mostEmail || strings.Count(text, "@") != 1 || strings.ContainsFunc(text, unicode.IsSpace) || strings.ContainsFunc(text, unicode.IsControl) {
				t.Fatalf("%q is taken for an address", text)
			}
			if key := EmailKey(text); EmailKey(key) != key || EmailKey(strings.ToUpper(key)) != EmailKey(strings.ToUpper(text)) && isASCII(text) {
				t.Fatalf("%q compares as %q, that as %q", text, key, EmailKey(key))
			}
		}
		if nameProblem(text) == "" && (!utf8.ValidString(text) || len(text) > mostName || strings.ContainsFunc(text, unicode.IsControl)) {
			t.Fatalf("%q is taken for a name", text)
		}
		first, last := SplitName(text)
		if got, want := strings.Join(strings.Fields(first+" "+last), " "), strings.Join(strings.Fields(text), " "); got != want {
			t.Fatalf("%q is split into %q and %q", text, first, last)
		}
		if strings.ContainsFunc(last, unicode.IsSpace) || first == "" && last != "" {
			t.Fatalf("%q is split into %q and %q", text, first, last)
		}
	})
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// FuzzKeptPassword checks that a kept password is read only in the very form in which it is written, and at a cost that can be paid.
func FuzzKeptPassword(f *testing.F) {
	good := "$argon2id$v=19$m=19456,t=2,p=1$" + strings.Repeat("A", 22) + "$" + strings.Repeat("A", 43)
	for _, s := range []string{
		"", good, good + "\n", strings.Replace(good, "p=1", "p=1x", 1), strings.Replace(good, "m=19456", "m=4294967296", 1), strings.Replace(good, "t=2", "t=0", 1), strings.Replace(good, "t=2", "t=+2", 1),
		strings.Replace(good, "v=19", "v=16", 1), strings.Replace(good, "argon2id", "argon2i", 1), "$$$$$", strings.Replace(good, "$A", "$\nA", 1), strings.Replace(good, "p=1", "p=255", 1),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, encoded string) {
		c, salt, sum, err := decodePassword(encoded)
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
	for _, s := range []string{"", "correct horse battery", "aaaaaaaaaaaa", "ann@example.com", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", strings.Repeat("x1", 600)} {
		f.Add(s, "ann@example.com", "Ann", "Lee")
	}
	f.Fuzz(func(t *testing.T, password, email, first, last string) {
		switch problem := passwordProblem(Secret(password), email, first, last); {
		case problem != "":
			if !strings.HasSuffix(problem, ".") {
				t.Fatalf("%q is refused with %q", password, problem)
			}
		case !utf8.ValidString(password) || utf8.RuneCountInString(password) < leastPassword || len(password) > mostPassword:
			t.Fatalf("%q is accepted", password)
		}
	})
}

// FuzzLogo checks that what is taken for a logo is a picture that browsers take for the very kind it is sent as, so that nothing else can hide in it.
func FuzzLogo(f *testing.F) {
	data := func(kind, picture string) string {
		return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(picture))
	}
	for _, s := range []string{
		"", "data:", "data:,", "data:image/png;base64,", data("image/png", "\x89PNG\r\n\x1a\n"), data("image/gif", "GIF89a<script>"), data("image/webp", "RIFF\x00\x00\x00\x00WEBPVP8 "), data("image/webp", "RIFF<script>"),
		data("image/jpeg", "\xff\xd8\xff"), data("image/svg+xml", "<svg onload=alert(1)>"), data("image/png", "\xff\xd8\xff"), data("text/html", "GIF89a"), data("image/png;a=b", "\x89PNG\r\n\x1a\n"),
		data("IMAGE/PNG", "\x89PNG\r\n\x1a\n"), data("image/gif", "GIF87a"+strings.Repeat("x", mostLogo)), "data:image/gif;base64,R0lGODdh\n", "data:image/gif;base64,R0lGODdh,R0lGODdh",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		kind, picture := (&Application{Logo: text}).Picture()
		if picture == nil {
			if kind != "" {
				t.Fatalf("%q is nothing, of kind %q", text, kind)
			}
		} else if sniffed := http.DetectContentType(picture); sniffed != kind || len(picture) > mostLogo || !printable(text) {
			t.Fatalf("%q is sent as %q; browsers see %q, %d bytes", text, kind, sniffed, len(picture))
		}
		// A picture that is uploaded is the logo that it becomes.
		made := LogoFrom([]byte(text))
		if back := logoOf(made); (made == "") != (back == nil) || made != "" && string(back) != text {
			t.Fatalf("%q becomes %q", text, made)
		}
	})
}

// FuzzScopes checks that scopes are read leniently but never become more than was asked for, and are written in one way.
func FuzzScopes(f *testing.F) {
	for _, s := range []string{"", " ", "write:projects", "read:profile,write:projects", "write:projects  write:projects", "WRITE:projects", "admin", "write:projects\tread:profile", ",,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		scopes, ok := ParseScopes(text)
		if !ok {
			if scopes != 0 {
				t.Fatalf("%q is refused and gives %v", text, scopes)
			}
			return
		}
		if again, ok := ParseScopes(scopes.String()); !ok || again != scopes || scopes == 0 || !AllScopes.Has(scopes) {
			t.Fatalf("%q is %v, and that %v", text, scopes, again)
		}
		if asked := strings.Trim(text, " ,") != ""; asked && scopes.Has(WriteProjects) != strings.Contains(text, "write:projects") {
			t.Fatalf("%q is %v", text, scopes)
		}
	})
}
