package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/grant"
	"groundwork/internal/letter"
	"groundwork/internal/password"
	"groundwork/internal/store"
)

// TestResetEndsEverything holds that a password that is set anew, by a link or by the operator, ends sessions, keys and
// what applications were allowed.
func TestResetEndsEverything(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		who, other := r.account(t, "ada@example.com"), r.account(t, "bob@example.com")
		app, _, err := r.CreateApplication(ctx, other.UID, grant.NewApplication{
			Name: "Sync", Redirects: []string{"https://sync.example.com/"},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		others := r.key(t, "bob@example.com")
		for name, reset := range map[string]func() error{
			"link": func() error {
				link, err := r.link(ctx, "", Reset, who.UID)
				if err == nil {
					_, err = r.SetPassword(ctx, Reset, link[strings.LastIndex(link, "/")+1:], "another good password",
						"", home)
				}
				return err
			},
			"operator": func() error {
				_, _, err := r.ResetPassword(ctx, "ada@example.com", goodPassword)
				return err
			},
		} {
			key := r.key(t, "ada@example.com")
			tokens, err := r.AllowNow(ctx, grant.Ask{
				Application: app.UID, Account: who.UID,
				Scopes: credential.AllScopes,
			})
			if err != nil {
				t.Fatal(err)
			}
			code, err := r.Allow(ctx, grant.Ask{Application: app.UID, Account: who.UID, Scopes: credential.AllScopes})
			if err != nil {
				t.Fatal(err)
			}
			session, err := r.beginNow(ctx, who.UID, home)
			if err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{
				only(r.Key(ctx, key)), only(r.Token(ctx, tokens.Access)),
				only(r.Session(ctx, session)), reset(),
			} {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			refused(t, only(r.Key(ctx, key)), fault.Forbidden, "deactivated")
			refused(t, only(r.Token(ctx, tokens.Access)), fault.Unauthenticated, "not valid")
			refused(t, only(r.Session(ctx, session)), fault.Unauthenticated, "not signed in")
			if _, err := r.Redeem(ctx, code, app.UID, "", ""); err == nil {
				t.Errorf("%s: a code from before gives tokens", name)
			}
			if err := only(r.Key(ctx, others)); err != nil {
				t.Errorf("%s: another's key: %v", name, err)
			}
		}
	})
}

func only(_ *credential.Credential, err error) error { return err }

// TestChangeOffersToEndEverything holds that a password that is changed ends keys only where the person says so, and a
// first one ends none.
func TestChangeOffersToEndEverything(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		who := r.account(t, "ada@example.com")
		key := r.key(t, "ada@example.com")
		session, err := r.beginNow(ctx, who.UID, home)
		if err != nil {
			t.Fatal(err)
		}
		elsewhere, err := r.beginNow(ctx, who.UID, home)
		if err != nil {
			t.Fatal(err)
		}
		here, err := r.Session(ctx, session)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.ChangePassword(ctx, who, here.Session, goodPassword, "another good password", false); err != nil {
			t.Fatal(err)
		}
		if err := only(r.Key(ctx, key)); err != nil {
			t.Errorf("a key after a change that leaves them: %v", err)
		}
		refused(t, only(r.Session(ctx, elsewhere)), fault.Unauthenticated, "not signed in")
		if err := r.ChangePassword(ctx, who, here.Session, "another good password", goodPassword, true); err != nil {
			t.Fatal(err)
		}
		refused(t, only(r.Key(ctx, key)), fault.Forbidden, "deactivated")
		if err := only(r.Session(ctx, session)); err != nil {
			t.Errorf("the session that changed it: %v", err)
		}

		r.invite(t, "ivy@example.com", "", "", "")
		first := r.key(t, "ivy@example.com")
		if _, ended, err := r.ResetPassword(ctx, "ivy@example.com", goodPassword); err != nil || len(ended.Keys) > 0 {
			t.Fatal(ended, err)
		}
		if err := only(r.Key(ctx, first)); err != nil {
			t.Errorf("a key that the operator made before the first password: %v", err)
		}
	})
}

func TestConfirm(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		who := r.account(t, "ada@example.com")
		if err := r.Confirm(ctx, who, goodPassword, "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
		refused(t, r.Confirm(ctx, who, "", "192.0.2.1"), fault.Forbidden, "field password")
		refused(t, r.Confirm(ctx, r.invite(t, "ivy@example.com", "", "", ""), goodPassword, "192.0.2.1"),
			fault.Forbidden, "has none yet")
		r.tries = password.NewAttempts(func(context.Context, time.Duration) {})
		for range password.MostOfPair {
			refused(t, r.Confirm(ctx, who, "nothing of the kind", "192.0.2.1"), fault.Forbidden, "not your password")
		}
		// Guesses with a key count as guesses at the door.
		refused(t, r.Confirm(ctx, who, goodPassword, "192.0.2.1"), fault.Limited, "too often")
		_, _, err := r.SignIn(ctx, "ada@example.com", goodPassword, Visit{Address: "192.0.2.1"})
		refused(t, err, fault.Limited, "too often")
	})
}

// TestPeopleAreTold holds that a person hears of what lets others act for them, without any secret, and so often on a
// day at most.
func TestPeopleAreTold(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		var told []letter.Letter
		r.post = func(_ *store.Tx, l letter.Letter) error {
			told = append(told, l)
			return nil
		}
		r.Grants.Post = r.post
		who := r.account(t, "ada@example.com")
		key := r.key(t, "ada@example.com")
		_, _, err := r.CreateApplication(ctx, who.UID, grant.NewApplication{
			Name: "Sync\nhttps://evil.example", Redirects: []string{"https://sync.example.com/"},
		}, nil)
		if !fault.Is(err, fault.Invalid) {
			t.Fatalf("a name of two lines: %v", err)
		}
		app, secret, err := r.CreateApplication(ctx, who.UID, grant.NewApplication{
			Name: "Sync", Redirects: []string{"https://sync.example.com/"},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		other, err := r.RotateSecret(ctx, app, &credential.Credential{Account: who})
		if err != nil {
			t.Fatal(err)
		}
		// A new name is no matter of safety; where people are sent is. What was changed since it was read is not undone
		// by a new name.
		for _, n := range []grant.NewApplication{
			{Name: "Sync 2", Redirects: app.Redirects}, {
				Name: "Sync", Redirects: []string{"https://other.example.com/"},
			}, {Name: "Sync", Redirects: app.Redirects},
		} {
			if err := r.UpdateApplication(ctx, app, n); err != nil {
				t.Fatal(err)
			}
		}
		if now, err := r.Application(ctx, app.UID); err != nil || now.Name != "Sync" ||
			now.Redirects[0] != "https://other.example.com/" {
			t.Errorf("%+v %v", now, err)
		}
		code, err := r.Allow(ctx, grant.Ask{Application: app.UID, Account: who.UID, Scopes: credential.AllScopes})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.ResetPassword(ctx, "ada@example.com", goodPassword); err != nil {
			t.Fatal(err)
		}
		var kinds []letter.About
		for _, l := range told {
			kinds = append(kinds, l.Kind)
			m, to, err := r.Write(ctx, "https://site.example", l)
			if err != nil || !to || m.To.Email != "ada@example.com" || !strings.Contains(m.Text, "If it was not you") ||
				!strings.Contains(m.Text, "4 March 2026") {
				t.Errorf("%s: %+v, %t, %v", l.Kind, m, to, err)
			}
			for _, s := range []string{key, secret, other, code, string(goodPassword)} {
				if strings.Contains(m.Text+m.HTML+fmt.Sprintf("%+v", l), s) {
					t.Errorf("the letter on %s tells a secret", l.Kind)
				}
			}
		}
		if want := []letter.About{
			letter.AboutKey, letter.AboutRegister, letter.AboutSecret, letter.AboutRedirect, letter.AboutConsent,
			letter.AboutPassword,
		}; !slices.Equal(kinds, want) {
			t.Fatalf("told of %v, want %v", kinds, want)
		}
		if last := told[len(told)-1]; !slices.Equal(last.Keys, []string{"test"}) ||
			!slices.Equal(last.Applications, []string{"Sync"}) {
			t.Errorf("what ended: %+v", last)
		}

		for range 2 * letter.MostTold {
			r.key(t, "ada@example.com")
		}
		if len(told) != letter.MostTold+1 || !told[letter.MostTold].Last || told[letter.MostTold-1].Last {
			t.Errorf("%d letters on a day", len(told))
		}
		if m, _, err := r.Write(ctx, "", told[letter.MostTold]); err != nil ||
			!strings.Contains(m.Text, "not sent until tomorrow") {
			t.Errorf("%s, %v", m.Text, err)
		}
		r.clock.Add(letter.DayMicros)
		if r.key(t, "ada@example.com"); len(told) != letter.MostTold+2 || told[letter.MostTold+1].Last {
			t.Errorf("%d letters by the next day", len(told))
		}
		// What the operator prepares for somebody who has no password yet is no news.
		r.invite(t, "ivy@example.com", "", "", "")
		if r.key(t, "ivy@example.com"); len(told) != letter.MostTold+2 {
			t.Error("an invited person is told of a key")
		}
	})
}
