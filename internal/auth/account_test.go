package auth

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"testing"

	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

func TestCreateAccount(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		made, err := r.CreateAccount(t.Context(), identity.NewAccount{
			Email: "Anna@Example.com", Name: "Anna Maria Schmidt", Password: goodPassword, Operator: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		first, last := "Anna Maria", "Schmidt"
		want := &identity.Account{
			UID: made.UID, Email: "Anna@Example.com", FirstName: &first, LastName: &last, Operator: true,
			Proven: true, Notifications: true, CreatedAt: r.clock.Load(),
		}
		if !reflect.DeepEqual(made, want) || len(made.UID) != 36 {
			t.Errorf("got %+v, want %+v", made, want)
		}
		if found, err := r.Account(t.Context(), made.UID); err != nil || !reflect.DeepEqual(found, want) {
			t.Errorf("by uid: %+v, %v", found, err)
		}
		if found, err := r.AccountByEmail(t.Context(), "ANNA@EXAMPLE.COM"); err != nil ||
			!reflect.DeepEqual(found, want) {
			t.Errorf("by address: %+v, %v", found, err)
		}
		_, err = r.CreateAccount(t.Context(), identity.NewAccount{
			Email: "anna@EXAMPLE.com", Name: "Other", Password: goodPassword,
		})
		refused(t, err, fault.Conflict, "exists already")
		if found, err := r.AccountByEmail(t.Context(), "anna@example.com"); err != nil ||
			!reflect.DeepEqual(found, want) {
			t.Errorf("after a refused second one: %+v, %v", found, err)
		}
		for _, unknown := range []string{"", "x", "\x00", "\xff"} {
			_, err = r.Account(t.Context(), unknown)
			refused(t, err, fault.NotFound, "does not exist")
			_, err = r.AccountByEmail(t.Context(), unknown)
			refused(t, err, fault.NotFound, "no account")
			refused(t, r.DisableAccount(t.Context(), unknown, true), fault.NotFound, "does not exist")
		}
	})
}

func TestCreateAccountRefuses(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		good := identity.NewAccount{Email: "anna@example.com", Name: "Anna", Password: goodPassword}
		for field, spoil := range map[string]func(*identity.NewAccount){
			"email":    func(n *identity.NewAccount) { n.Email = "anna" },
			"name":     func(n *identity.NewAccount) { n.Name = " " },
			"password": func(n *identity.NewAccount) { n.Password = "password1234" },
		} {
			bad := good
			spoil(&bad)
			_, err := r.CreateAccount(t.Context(), bad)
			if refused(t, err, fault.Invalid, field); len(fault.Of(err).Fields) != 1 ||
				fault.Of(err).Fields[field] == "" {
				t.Errorf("%s: fields %v", field, fault.Of(err).Fields)
			}
		}
		_, err := r.AccountByEmail(t.Context(), "anna@example.com")
		refused(t, err, fault.NotFound, "")
	})
}

func (r *rig) invite(t *testing.T, email, first, last, language string) *identity.Account {
	t.Helper()
	var invited *identity.Account
	err := r.store.Write(t.Context(), func(tx *store.Tx) (err error) {
		invited, err = r.Invited(tx, identity.Invitee{
			Email: email, FirstName: first, LastName: last,
			Language: language,
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return invited
}

func TestInvited(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		bare := r.invite(t, "Bert@Example.com", "", "", "")
		if bare.Email != "Bert@Example.com" || bare.FirstName != nil || bare.LastName != nil || bare.Language != nil {
			t.Errorf("got %+v", bare)
		}
		named := r.invite(t, "bert@example.com", "Bert", "", "de")
		if named.UID != bare.UID || *named.FirstName != "Bert" || named.LastName != nil || *named.Language != "de" ||
			named.Email != "Bert@Example.com" {
			t.Errorf("got %+v", named)
		}
		again := r.invite(t, "bert@example.com", "Berta", "Brecht", "en")
		if !reflect.DeepEqual(again, named) {
			t.Errorf("a later invitation changed the account: %+v", again)
		}
		if found, err := r.Account(t.Context(), bare.UID); err != nil || !reflect.DeepEqual(found, named) {
			t.Errorf("got %+v, %v", found, err)
		}
		for _, bad := range []struct{ email, first, last, language, field string }{
			{"bert", "", "", "", "email"}, {"c@d", "\x00", "", "", "first_name"}, {
				"c@d", "", strings.Repeat("n", 256), "", "last_name",
			}, {"c@d", "", "", "\xff", "language"},
		} {
			err := r.store.Write(t.Context(), func(tx *store.Tx) error {
				_, err := r.Invited(tx, identity.Invitee{
					Email: bad.email, FirstName: bad.first, LastName: bad.last, Language: bad.language,
				})
				return err
			})
			refused(t, err, fault.Invalid, bad.field)
		}
	})
}

// TestInvitationIsKnownAtOnce holds that no credential in memory outlives the names that an invitation brings.
func TestInvitationIsKnownAtOnce(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.invite(t, "bert@example.com", "", "", "")
		secret := r.key(t, "bert@example.com")
		if c, err := r.Key(t.Context(), secret); err != nil || c.Account.FirstName != nil {
			t.Fatalf("got %+v, %v", c, err)
		}
		r.invite(t, "bert@example.com", "Bert", "", "")
		if c, err := r.Key(t.Context(), secret); err != nil || c.Account.FirstName == nil {
			t.Errorf("after the invitation: %+v, %v", c, err)
		}
	})
}

func TestInvitedAccountIsCompletedOnce(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		invited := r.invite(t, "bert@example.com", "B.", "B.", "")
		_, err := r.Password(t.Context(), "bert@example.com", "")
		refused(t, err, fault.Unauthenticated, "wrong")
		completed := r.account(t, "Bert@example.com")
		if completed.UID != invited.UID || *completed.FirstName != "Anna Maria" ||
			completed.Email != "Bert@example.com" {
			t.Errorf("got %+v, want the uid %s", completed, invited.UID)
		}
		if _, err := r.Password(t.Context(), "bert@example.com", goodPassword); err != nil {
			t.Error(err)
		}
		_, err = r.CreateAccount(t.Context(), identity.NewAccount{
			Email: "bert@example.com", Name: "Bert", Password: goodPassword,
		})
		refused(t, err, fault.Conflict, "exists already")
	})
}

func TestInvitationsAtOnceMakeOneAccount(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		other := open(t, r.url)
		var mu sync.Mutex
		var work sync.WaitGroup
		uids := map[string]int{}
		for i := range 16 {
			from := []*rig{r, other}[i%2]
			work.Go(func() {
				uid := from.invite(t, "bert@example.com", "Bert", "Brecht", "").UID
				mu.Lock()
				defer mu.Unlock()
				uids[uid]++
			})
		}
		work.Wait()
		if len(uids) != 1 {
			t.Errorf("accounts made: %v", uids)
		}
	})
}

func TestNamesFilledByAnInvitationReachOtherProcesses(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		other := open(t, r.url)
		r.invite(t, "bert@example.com", "", "", "")
		secret := r.key(t, "bert@example.com")
		knows(t, other, secret)
		r.invite(t, "bert@example.com", "Bert", "Brecht", "")
		filled := false
		_ = until(t, patience, func(ctx context.Context) error {
			credential, err := other.Key(ctx, secret)
			if err != nil {
				return err
			}
			if filled = credential.Account.FirstName != nil; filled {
				return context.Canceled // enough
			}
			return nil
		})
		if !filled {
			t.Error("a process that knew the key still shows the account without names")
		}
	})
}
