package auth

import (
	"strings"
	"testing"

	"golang.org/x/net/idna"

	"groundwork/internal/identity"
)

// FuzzAddresses checks that two addresses are one exactly when their local parts differ in the case of ASCII letters
// only and their domains have one ASCII form.
func FuzzAddresses(f *testing.F) {
	for _, s := range lookAlikes {
		f.Add(s, "admin@kelvin.example")
	}
	f.Add("ann@bücher.example", "Ann@XN--Bcher-kva.example")
	f.Add("ann@BÜCHER.example", "ann@bücher.example")
	f.Add("ännchen@example.com", "ÄNNCHEN@example.com")
	f.Add("иван@пример.рф", "ИВАН@пример.рф")
	f.Fuzz(func(t *testing.T, x, y string) {
		same := x == y
		if identity.EmailProblem(x) == "" && identity.EmailProblem(y) == "" {
			xLocal, xDomain, _ := strings.Cut(x, "@")
			yLocal, yDomain, _ := strings.Cut(y, "@")
			xASCII, xErr := idna.Lookup.ToASCII(xDomain)
			yASCII, yErr := idna.Lookup.ToASCII(yDomain)
			if xErr != nil || yErr != nil {
				t.Fatalf("%+q, %+q: %v, %v", x, y, xErr, yErr)
			}
			same = equalASCIIFold(xLocal, yLocal) && xASCII == yASCII
		}
		if got := identity.EmailKey(x) == identity.EmailKey(y); got != same {
			t.Fatalf("%+q and %+q are one: %t, want %t; keys %q, %q", x, y, got, same, identity.EmailKey(x), identity.EmailKey(y))
		}
	})
}

// equalASCIIFold compares byte by byte, with the case of ASCII letters left out.
func equalASCIIFold(x, y string) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range len(x) {
		if x[i] != y[i] && (x[i]^y[i] != 0x20 || x[i]|0x20 < 'a' || x[i]|0x20 > 'z') {
			return false
		}
	}
	return true
}
