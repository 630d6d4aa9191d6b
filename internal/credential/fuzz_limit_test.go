package credential

import (
	"strings"
	"testing"
)

// FuzzLimit checks that a limit that is read is written as it was.
func FuzzLimit(f *testing.F) {
	for _, s := range []string{
		"all/1=40", "write/360=2000", "all/01=40", "all/1=+40", "all/31622400=1000000000",
		"all/31622401=1", "read/1=1", "all", "/=", "all/1=40=2", "all//1=2",
	} {
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
		if limit.String() != text || limit.Interval < 1 || limit.Interval > mostInterval || limit.Limit < 1 ||
			limit.Limit > mostLimit {
			t.Fatalf("%q is %+v", text, limit)
		}
		text, ok := EncodeLimits([]Limit{limit}).(string)
		back, err := ParseLimits(strings.Fields(text))
		if !ok || err != nil || len(back) != 1 || back[0] != limit {
			t.Fatalf("%q is read back as %v: %v", text, back, err)
		}
		if _, err := ParseLimits([]string{text, text}); err == nil {
			t.Fatalf("%q is taken twice", text)
		}
	})
}

// FuzzScopes checks that scopes are read leniently but never become more than was asked for, and are written in one
// way.
func FuzzScopes(f *testing.F) {
	for _, s := range []string{
		"", " ", "write:projects", "read:profile,write:projects",
		"write:projects  write:projects", "WRITE:projects", "admin", "write:projects\tread:profile", ",,",
	} {
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
		if asked := strings.Trim(text, " ,") != ""; asked &&
			scopes.Has(WriteProjects) != strings.Contains(text, "write:projects") {
			t.Fatalf("%q is %v", text, scopes)
		}
	})
}
