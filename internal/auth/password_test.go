package auth

import (
	"strings"
	"testing"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

func TestPassword(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		account, err := r.CreateAccount(t.Context(), identity.NewAccount{
			Email: "anna@example.com", Name: "Anna", Password: "caf\u00e9 velvet anchor",
		})
		if err != nil {
			t.Fatal(err)
		}
		// The second is the same text as another keyboard composes it.
		for _, good := range []redact.Secret{"caf\u00e9 velvet anchor", "cafe\u0301 velvet anchor"} {
			if got, err := r.Password(t.Context(), "ANNA@example.com", good); err != nil || got.UID != account.UID {
				t.Errorf("got %+v, %v", got, err)
			}
		}
		for _, bad := range []struct {
			email    string
			password redact.Secret
		}{
			{"anna@example.com", "cafe velvet anchor"},
			{"anna@example.com", ""},
			{"anna@example.com", redact.Secret(strings.Repeat("x", 1<<20))},
			{"bert@example.com", "caf\u00e9 velvet anchor"},
			{"", ""},
			{"\x00", "caf\u00e9 velvet anchor"},
		} {
			_, err := r.Password(t.Context(), bad.email, bad.password)
			refused(t, err, fault.Unauthenticated, "The e-mail address or the password is wrong.")
		}
		if err := r.DisableAccount(t.Context(), account.UID, true); err != nil {
			t.Fatal(err)
		}
		_, err = r.Password(t.Context(), "anna@example.com", "caf\u00e9 velvet anchor")
		refused(t, err, fault.Forbidden, "disabled")
		_, err = r.Password(t.Context(), "anna@example.com", "wrong")
		refused(t, err, fault.Unauthenticated, "wrong")
	})
}

func TestPasswordIsKeptAsArgon2id(t *testing.T) {
	enginesWith(t, func(t *testing.T, r *rig) {
		r.account(t, "anna@example.com")
		r.account(t, "bert@example.com")
		var kept []string
		err := r.store.Query(t.Context(), `SELECT password FROM accounts`, nil, func(c *store.Cols) error {
			kept = append(kept, c.Text(0))
			return nil
		})
		if err != nil || len(kept) != 2 {
			t.Fatalf("got %v, %v", kept, err)
		}
		for _, encoded := range kept {
			if !strings.HasPrefix(encoded, "$argon2id$v=19$m=19456,t=2,p=1$") {
				t.Errorf("got %q", encoded)
			}
		}
		if kept[0] == kept[1] {
			t.Error("two accounts share a salt")
		}
	})
}

func TestUnknownAddressCostsTheSameTime(t *testing.T) {
	enginesWith(t, func(t *testing.T, r *rig) {
		r.account(t, "anna@example.com")
		r.invite(t, "invited@example.com", "", "", "")
		// The least of several is what the work costs, however busy the machine is.
		least := map[string]time.Duration{
			"anna@example.com": time.Hour, "nobody@example.com": time.Hour, "invited@example.com": time.Hour,
		}
		for range 5 {
			for email := range least {
				began := time.Now()
				_, err := r.Password(t.Context(), email, "wrong password")
				least[email] = min(least[email], time.Since(began))
				refused(t, err, fault.Unauthenticated, "wrong")
			}
		}
		for email, took := range least {
			if known := least["anna@example.com"]; took < known/10 { // without hashing it would take a hundredth
				t.Errorf("%s took %v, a known address %v", email, took, known)
			}
		}
	})
}
