package password

import (
	"strings"
	"testing"
)

func TestDecodePassword(t *testing.T) {
	const good = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g"
	if c, salt, sum, err := decode(good); err != nil || c != costNow || len(salt) != 16 || len(sum) != 32 {
		t.Errorf("got %v %q %q %v", c, salt, sum, err)
	}
	for _, bad := range []string{
		"", "plain", good[1:], strings.Replace(good, "2id", "2i", 1), strings.Replace(good, "19$", "16$", 1),
		strings.Replace(good, "19456", "99999999", 1),
		strings.Replace(good, "t=2", "t=0", 1), strings.Replace(good, "p=1", "p=0", 1),
		strings.Replace(good, "m=19456,", "", 1), good + "$x", good + "=", good[:len(good)-40],
	} {
		if _, _, _, err := decode(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
