package credential

import (
	"regexp"
	"strings"
	"testing"
)

func TestNewSecret(t *testing.T) {
	form := regexp.MustCompile(`^gwk_[0-9A-Za-z]{38}$`)
	seen := map[string]bool{}
	letters := map[byte]int{}
	for range 2000 {
		secret, hash := NewSecret(KindKey)
		if !form.MatchString(secret) || !ValidSecret(KindKey, secret) {
			t.Fatalf("%q has not the form of a key", secret)
		}
		if len(hash) != 64 || hash != Hash(secret) || seen[hash] {
			t.Fatalf("%q: hash %q", secret, hash)
		}
		seen[hash] = true
		for i := 4; i < 36; i++ {
			letters[secret[i]]++
		}
	}
	// 64,000 letters, 1,032 of each on average: every one of them must be there, and none much more often.
	for i := range Base62 {
		if n := letters[Base62[i]]; n < 800 || n > 1300 {
			t.Errorf("letter %c occurs %d times", Base62[i], n)
		}
	}
}

func TestValidSecret(t *testing.T) {
	good, _ := NewSecret(KindKey)
	for i := range good {
		changed := []byte(good)
		changed[i] ^= 1
		if ValidSecret(KindKey, string(changed)) {
			t.Errorf("%s is taken for a key although letter %d of %s was changed", changed, i, good)
		}
	}
	for _, bad := range []string{
		"", "gwk_", good[:41], good + "0", " " + good[1:], strings.ToUpper(good),
		strings.Repeat("x", 42), "gwk_" + strings.Repeat("\x00", 38),
	} {
		if ValidSecret(KindKey, bad) {
			t.Errorf("%q is taken for a key", bad)
		}
	}
	if ValidSecret('a', good) {
		t.Error("a key is taken for an access token")
	}
	other, _ := NewSecret('a')
	if ValidSecret(KindKey, "gwk_"+other[4:]) {
		t.Error("an access token with a key's prefix is taken for a key")
	}
}
