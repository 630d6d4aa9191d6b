package auth

import (
	"fmt"
	"strings"
	"testing"

	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// lookAlikes are addresses that people, or Unicode lower-casing, take for admin@kelvin.example.
var lookAlikes = []string{
	"admin@\u212Aelvin.example",                               // Kelvin sign: its lower case is k
	"ADM\u0130N@kelvin.example",                               // dotted capital I: its lower case in Go is i
	"adm\u0131n@kelvin.example",                               // dotless i: its upper case is I
	"\u0430dmin@kelvin.example",                               // Cyrillic a among Latin letters
	"admin@kelv\u0456n.example",                               // Cyrillic i in the domain
	"\uFF41dmin@kelvin.example",                               // fullwidth a
	"admin@\uFF4Belvin.example",                               // fullwidth k
	"admi\u0307n@kelvin.example",                              // i with a combining dot
	"admin@kelvin.examp\u017Fe",                               // long s
	"adm\u200Bin@kelvin.example", "admin@kelvin\u3002example", // a zero-width space; an ideographic full stop
	"admin@xn--kelvn-7ve.example", "\u0251dmin@kelvin.example", // Cyrillic i as Punycode; Latin alpha
	"admin@kelvin.example.", "admin@kelvin.example\u00AD", // a root label; a soft hyphen
	// a mathematical letter; a letter that is not composed
	"\U0001D41Admin@kelvin.example", "a\u0301dmin@kelvin.exampl",
}

func TestLookAlikesAreStrangers(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "admin@kelvin.example")
		for i, other := range lookAlikes {
			if found, err := r.AccountByEmail(t.Context(), other); !fault.Is(err, fault.NotFound) {
				t.Errorf("%+q finds %+v, %v", other, found, err)
			}
			if _, _, err := r.SignIn(t.Context(), other, goodPassword,
				Visit{Address: fmt.Sprintf("192.0.2.%d", i)}); !fault.Is(err, fault.Unauthenticated) {
				t.Errorf("%+q signs in: %v", other, err)
			}
			err := r.store.Write(t.Context(), func(tx *store.Tx) error {
				invited, err := r.Invited(tx, identity.Invitee{Email: other})
				if err == nil {
					t.Errorf("%+q is invited as %s", other, invited.Email)
				}
				return err
			})
			if problem := fault.Of(err).Fields["email"]; !fault.Is(err, fault.Invalid) ||
				!strings.HasSuffix(problem, ".") {
				t.Errorf("%+q: %v", other, err)
			}
		}
	})
}

func TestEmailProblem(t *testing.T) {
	label := strings.Repeat("b", 60)
	for _, good := range []string{
		"a@b", "Anna.Schmidt+site@Example.COM", "ünder@bücher.example", "o'neil@x.example",
		"josé@xn--bcher-kva.example", "łukasz@łódź.example", "nguyễn@example.com",
		"иван@example.com", "иван.2@пример.рф", "оса@пример.рф", "γιώργος@example.com", "山田たろう@例え.jp",
		"ユーザー@example.jp", "김@example.kr", "डेटा@example.in", "משה@example.co.il",
		strings.Repeat("a", 64) + "@" + label + "." + label + "." + label + ".bbbbbb",
	} {
		if problem := identity.EmailProblem(good); problem != "" {
			t.Errorf("%q is refused: %s", good, problem)
		}
	}
	for bad, why := range map[string]string{
		"": "needed", "a": "one @", "@": "one @", "a@": "one @", "@b": "one @", "a@b@c": "one @", "a b@c": "no spaces",
		" a@b": "no spaces", "a@b ": "no spaces", "a@b\n": "control", "a\x00@b": "control",
		"a@b\u00a0c": "no spaces", "a\x7f@b": "control", "a@\xff": "control",
		strings.Repeat("a", 64) + "@" + label + "." + label + "." + label + ".bbbbbbbb": "254 bytes",
		"a@" + strings.Repeat("b", 64): "mail domain", "a@b..c": "mail domain", "a@b.": "mail domain",
		"a@-b.c": "mail domain", "a@[192.0.2.1]": "mail domain", "a@b_c.d": "mail domain", "a@xn--a.b": "mail domain",
		`"a"@b.c`: `no '"' before`, "a(b)@c.d": "no '(' before", "a,b@c.d": "no ',' before",
		"\u0430nn@example.com":      "one script",
		"e\u0301@example.com":       "NFC",
		"\u212Aate@example.com":     "(U+212A)",
		"ADM\u0130N@example.com":    "'İ' (U+0130)",
		"a\u200Cb@example.com":      "(U+200C)",
		"\uFB01n@example.com":       "(U+FB01)",
		"сор@example.com":           "look like Latin",
		"ann@аррӏе.com":             "look like Latin",
		"ann@xn--80ak6aa92e.com":    "look like Latin",
		"ann@exаmple.com":           "one script",
		"ann@xn--exmple-4nf.com":    "one script",
		"٣@example.com":             "(U+0663)",
		"ann@\u0627\u0628x.example": "",
	} {
		problem := identity.EmailProblem(bad)
		if problem == "" || !strings.Contains(problem, why) || !strings.HasSuffix(problem, ".") {
			t.Errorf("%+q: %q, want %q", bad, problem, why)
		}
	}
}

// plant writes an account as a release before wrote it.
func (r *rig) plant(t *testing.T, email string) *identity.Account {
	t.Helper()
	made := r.account(t, fmt.Sprintf("planted%d@example.com", r.clock.Add(1)))
	err := r.store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.Exec(`UPDATE accounts SET email = $1, email_key = $2 WHERE uid = $3`, email, strings.ToLower(email),
			made.UID)
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestAddressesAreUpgraded(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		kelvin, plain := r.plant(t, "admin@\u212Aelvin.example"), r.plant(t, "Bert@Example.com")
		unicode, puny := r.plant(t, "ann@bücher.example"), r.plant(t, "Ann@xn--bcher-kva.example")
		upper := r.plant(t, "Ärzte@xn--bcher-kva.example")
		aside := r.plant(t, "ärzte@bücher.example")
		if err := r.store.SetNote(t.Context(), identity.AddressNote, ""); err != nil {
			t.Fatal(err)
		}
		for range 2 { // a second time changes nothing
			if err := r.UpgradeAddresses(t.Context()); err != nil {
				t.Fatal(err)
			}
			for email, want := range map[string]*identity.Account{
				"admin@\u212Aelvin.example": kelvin, "admin@kelvin.example": nil, "ADMIN@\u212Aelvin.example": nil,
				"bert@EXAMPLE.com":   plain,
				"ann@bücher.example": unicode, "ANN@BÜCHER.example": puny, "Ann@xn--bcher-kva.example": puny,
				"ann@xn--bcher-kva.example": puny,
				"Ärzte@bücher.example":      upper, "ärzte@xn--bcher-kva.example": aside,
			} {
				found, err := r.AccountByEmail(t.Context(), email)
				if want == nil && !fault.Is(err, fault.NotFound) ||
					want != nil && (err != nil || found.UID != want.UID) {
					t.Errorf("%+q: got %+v, %v; want %+v", email, found, err, want)
				}
				if _, err := r.Password(t.Context(), email, goodPassword); (err == nil) != (want != nil) {
					t.Errorf("%+q: %v", email, err)
				}
			}
		}
		wrong, err := r.AddressFindings(t.Context())
		if err != nil || len(wrong) != 2 || !strings.Contains(strings.Join(wrong, ""), unicode.UID) ||
			!strings.Contains(strings.Join(wrong, ""), `"admin@\u212aelvin.example"`) {
			t.Errorf("found %q, %v", wrong, err)
		}
		// Lists go on after an account that has its address for itself.
		for after, seen := "", 0; ; {
			one, err := r.Accounts(t.Context(), "", after, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(one) == 0 {
				if seen != 6 {
					t.Errorf("the list has %d of 6 accounts", seen)
				}
				break
			}
			if after, seen = one[0].Email, seen+1; seen > 6 {
				t.Fatal("the list does not end")
			}
		}
	})
}

func TestMailGoesToTheASCIIDomain(t *testing.T) {
	for typed, want := range map[string]string{
		"Ann@Bücher.example": "Ann@xn--bcher-kva.example",
		"Bert@Example.COM":   "Bert@example.com", "a@\u212A.example": "a@\u212A.example",
	} {
		if got := (&identity.Account{Email: typed}).MailTo(); got != want {
			t.Errorf("%q: got %q", typed, got)
		}
	}
}
