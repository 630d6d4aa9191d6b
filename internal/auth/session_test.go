package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/password"
	"groundwork/internal/store"
)

var home = Visit{Agent: "Mozilla/5.0 (X11; Linux) Firefox/140.0\x00", Address: "192.0.2.1"}

// TestSessionLimits holds that people in browsers have limits of their own, whatever those of keys are.
func TestSessionLimits(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "ada@example.com")
		secret, _, err := r.SignIn(t.Context(), "ada@example.com", goodPassword, home)
		if err != nil {
			t.Fatal(err)
		}
		c, err := r.Session(t.Context(), secret)
		if err != nil || !slices.Equal(c.Limits, credential.SessionLimits()) ||
			slices.Equal(c.Limits, credential.DefaultLimits()) {
			t.Errorf("a session has the limits %v (%v)", c.Limits, err)
		}
		own := []credential.Limit{{Type: credential.LimitAll, Interval: 1, Limit: 7}}
		WithSessionLimits(own)(r.Auth)
		if secret, _, err = r.SignIn(t.Context(), "ada@example.com", goodPassword, home); err != nil {
			t.Fatal(err)
		}
		if c, err = r.Session(t.Context(), secret); err != nil || !slices.Equal(c.Limits, own) {
			t.Errorf("where the operator sets others, a session has %v (%v)", c.Limits, err)
		}
	})
}

func TestSession(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		who := r.account(t, "ada@example.com")
		secret, got, err := r.SignIn(ctx, "ADA@example.com", goodPassword, home)
		if err != nil || got.UID != who.UID {
			t.Fatal(got, err)
		}
		c, err := r.Session(ctx, secret)
		if err != nil || c.Account.UID != who.UID || c.Session == "" || c.Application != "" || c.Scopes != credential.AllScopes {
			t.Fatalf("%+v %v", c, err)
		}
		ran := r.statements.Load()
		if _, err := r.Session(ctx, secret); err != nil || r.statements.Load() != ran {
			t.Errorf("a session that is known costs %d statements: %v", r.statements.Load()-ran, err)
		}
		all, err := r.Sessions(ctx, who.UID)
		if err != nil || len(all) != 1 || all[0].UID != c.Session || all[0].Address != "192.0.2.1" ||
			strings.Contains(all[0].Agent, "\x00") {
			t.Errorf("%+v %v", all, err)
		}
		for _, wrong := range []string{"", "gwb_", secret[:len(secret)-1], strings.Replace(secret, "gwb_", "gwk_", 1)} {
			_, err := r.Session(ctx, wrong)
			refused(t, err, fault.Unauthenticated, "not signed in")
		}
		// A session is no key and no token.
		if _, err := r.Key(ctx, secret); err == nil {
			t.Error("a session is taken for a key")
		}
		if _, err := r.Token(ctx, secret); err == nil {
			t.Error("a session is taken for a token")
		}
		if err := r.DisableAccount(ctx, who.UID, true); err != nil {
			t.Fatal(err)
		}
		_, err = r.Session(ctx, secret)
		refused(t, err, fault.Unauthenticated, "not signed in")
		if err := r.DisableAccount(ctx, who.UID, false); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Session(ctx, secret); err != nil {
			t.Error(err)
		}
		r.clock.Add(SessionLife.Microseconds())
		_, err = r.Session(ctx, secret)
		refused(t, err, fault.Unauthenticated, "not signed in")
		if err := r.Sweep(ctx); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSignInSlowsDown shows that guessing becomes slow, then is refused for a while, the same whether the address is
// known or not; others still get in.
func TestSignInSlowsDown(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		r.account(t, "ada@example.com")
		var pauses []time.Duration
		r.tries = password.NewAttempts(func(_ context.Context, d time.Duration) { pauses = append(pauses, d) })
		said := map[string][]string{}
		for _, email := range []string{"ada@example.com", "nobody@example.com"} {
			pauses = nil
			for range password.MostOfPair + 1 {
				_, _, err := r.SignIn(ctx, email, "nothing of the kind", home)
				said[email] = append(said[email], fmt.Sprint(err, pauses))
			}
		}
		if !slices.Equal(said["ada@example.com"], said["nobody@example.com"]) {
			t.Errorf("refusals tell who has an account: %q", said)
		}
		if len(pauses) != password.MostOfPair-password.FreeOfPair || pauses[0] != password.FirstPause ||
			pauses[len(pauses)-1] != password.LongestPause {
			t.Errorf("the pauses are %v", pauses)
		}
		_, _, err := r.SignIn(ctx, "ada@example.com", goodPassword, home)
		refused(t, err, fault.Limited, "too often")
		if after := fault.Of(err).RetryAfter; after <= 0 || after > 15*time.Minute {
			t.Errorf("try again after %v", after)
		}
		if _, _, err := r.SignIn(ctx, "ada@example.com", goodPassword, Visit{Address: "192.0.2.2"}); err != nil {
			t.Errorf("from elsewhere: %v", err)
		}
		r.clock.Add((15 * time.Minute).Microseconds())
		if _, _, err := r.SignIn(ctx, "ada@example.com", goodPassword, home); err != nil {
			t.Errorf("later: %v", err)
		}
		for i := range password.MostLetters + 2 {
			if quiet, err := r.Forgot("ada@example.com", "192.0.2.9"); err != nil || quiet != (i >= password.MostLetters) {
				t.Errorf("letter %d: %v %v", i+1, quiet, err)
			}
		}
	})
}

// TestGoodSignInsAreCounted: also who knows the password signs in only so often, from wherever, and no more is hashed
// for them then. Others do not notice.
func TestGoodSignInsAreCounted(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		ada := r.account(t, "ada@example.com")
		r.account(t, "bob@example.com")
		in := func(email string, i int) error {
			_, _, err := r.SignIn(ctx, email, goodPassword, Visit{Address: fmt.Sprintf("192.0.2.%d", i)})
			return err
		}
		for i := range password.MostGood - 2 {
			if err := in([]string{"ada@example.com", "ADA@example.com"}[i%2], i); err != nil {
				t.Fatalf("sign-in %d: %v", i+1, err)
			}
		}
		// The password is asked for elsewhere too.
		if err := errors.Join(r.Confirm(ctx, ada, goodPassword, "192.0.2.1"),
			r.ChangePassword(ctx, ada, "", goodPassword, goodPassword, false)); err != nil {
			t.Fatal(err)
		}
		release := r.hasher.Hold() // whatever is hashed now waits for ever
		err := in("ada@example.com", 200)
		refused(t, err, fault.Limited, "signed in too often. Try again in 15 minutes")
		if after := fault.Of(err).RetryAfter; after <= 0 || after > 15*time.Minute {
			t.Errorf("try again after %v", after)
		}
		refused(t, r.Confirm(ctx, ada, goodPassword, "192.0.2.1"), fault.Limited, "too often")
		refused(t, r.ChangePassword(ctx, ada, "", goodPassword, goodPassword, false), fault.Limited, "too often")
		release()
		if err := in("bob@example.com", 200); err != nil {
			t.Errorf("somebody else: %v", err)
		}
		r.clock.Add(password.AttemptWindow)
		if err := in("ada@example.com", 200); err != nil {
			t.Errorf("later: %v", err)
		}
	})
}

func TestLinks(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		who := r.invite(t, "ivy@example.com", "", "", "")
		link := func(purpose Purpose) (secret string) {
			t.Helper()
			err := r.store.Write(ctx, func(tx *store.Tx) error {
				link, err := r.NewLink(tx, "https://x", purpose, who.UID, ByMail)
				secret = link[strings.LastIndex(link, "/")+1:]
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return secret
		}
		one, two := link(Invitation), link(Invitation)
		if got, err := r.Linked(ctx, Invitation, one); err != nil || got.UID != who.UID {
			t.Fatal(got, err)
		}
		_, err := r.Linked(ctx, Reset, one)
		refused(t, err, fault.NotFound, "used already")
		_, err = r.SetPassword(ctx, Invitation, one, "short", "", home)
		if e := fault.Of(err); e.Fields["password"] == "" || e.Fields["name"] == "" {
			t.Errorf("%v", err)
		}
		session, err := r.SetPassword(ctx, Invitation, one, goodPassword, "Ivy Stone", home)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := r.Session(ctx, session); err != nil || c.Account.Name() != "Ivy Stone" {
			t.Errorf("%+v %v", c, err)
		}
		for _, used := range []string{one, two} {
			_, err := r.SetPassword(ctx, Invitation, used, goodPassword, "Eve", home)
			refused(t, err, fault.NotFound, "used already")
		}
		// A new password ends every session; so does an hour the link.
		reset := link(Reset)
		r.clock.Add(time.Hour.Microseconds())
		_, err = r.Linked(ctx, Reset, reset)
		refused(t, err, fault.NotFound, "too old")
		if _, err := r.SetPassword(ctx, Reset, link(Reset), "another good password", "", home); err != nil {
			t.Fatal(err)
		}
		_, err = r.Session(ctx, session)
		refused(t, err, fault.Unauthenticated, "not signed in")
	})
}

// TestOperatorEndsLinks holds that the links of somebody who was invited are worth nothing once an operator has given
// them a password.
func TestOperatorEndsLinks(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		who := r.invite(t, "ivy@example.com", "", "", "")
		if !who.Invited {
			t.Error("who was invited is not")
		}
		links := map[Purpose]string{}
		for _, purpose := range []Purpose{Invitation, Reset} {
			link, err := r.link(ctx, "", purpose, who.UID)
			if err != nil {
				t.Fatal(err)
			}
			links[purpose] = link[strings.LastIndex(link, "/")+1:]
		}
		made, err := r.CreateAccount(ctx, identity.NewAccount{
			Email: "IVY@example.com", Name: "Ivy Stone", Password: goodPassword,
		})
		if err != nil || made.UID != who.UID || made.Invited {
			t.Fatalf("%+v %v", made, err)
		}
		// A letter that was being written meanwhile makes one after that.
		late, err := r.link(ctx, "", Invitation, who.UID)
		if err != nil {
			t.Fatal(err)
		}
		for purpose, secret := range links {
			_, err := r.SetPassword(ctx, purpose, secret, "another good password", "Eve", home)
			refused(t, err, fault.NotFound, "used already")
		}
		_, err = r.Linked(ctx, Invitation, late[strings.LastIndex(late, "/")+1:])
		refused(t, err, fault.NotFound, "used already")
	})
}

// TestLetters holds that letters carry a fresh link, reach only who has an account, and let nobody write paragraphs of
// their own.
func TestLetters(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		r.invite(t, "ivy@example.com", "", "", "")
		r.account(t, "ada@example.com")
		l := letter.Letter{
			Kind: letter.AboutInvitation, Email: "ivy@example.com", From: "Eve\r\n\r\nClick https://evil.example",
			Project: "P\nQ",
		}
		m, to, err := r.Write(ctx, "https://build.example.com", l)
		if err != nil || !to || !strings.Contains(m.Text, "https://build.example.com/invitation/gwi_") ||
			strings.Contains(m.Subject, "\n") || strings.Contains(m.Text, "\nClick") {
			t.Errorf("%+v %v", m, err)
		}
		again, _, err := r.Write(ctx, "https://build.example.com", l)
		if err != nil || again.Text == m.Text {
			t.Errorf("two letters have one link: %v", err)
		}
		l.Email = "ada@example.com"
		if m, _, err = r.Write(ctx, "https://build.example.com", l); err != nil || strings.Contains(m.Text, "gwi_") {
			t.Errorf("who has a password gets a link: %+v %v", m, err)
		}
		for _, kind := range []letter.About{letter.AboutInvitation, letter.AboutReset, letter.AboutVersion} {
			if _, to, err := r.Write(ctx, "https://build.example.com",
				letter.Letter{Kind: kind, Email: "nobody@example.com"}); err != nil || to {
				t.Errorf("%s is sent to nobody: %v", kind, err)
			}
		}
	})
}
