package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

var home = Visit{Agent: "Mozilla/5.0 (X11; Linux) Firefox/140.0\x00", Address: "192.0.2.1"}

func TestSession(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		who := r.account(t, "ada@example.com")
		secret, got, err := r.SignIn(ctx, "ADA@example.com", goodPassword, home)
		if err != nil || got.UID != who.UID {
			t.Fatal(got, err)
		}
		c, err := r.Session(ctx, secret)
		if err != nil || c.Account.UID != who.UID || c.Session == "" || c.Application != "" || c.Scopes != AllScopes {
			t.Fatalf("%+v %v", c, err)
		}
		ran := r.statements.Load()
		if _, err := r.Session(ctx, secret); err != nil || r.statements.Load() != ran {
			t.Errorf("a session that is known costs %d statements: %v", r.statements.Load()-ran, err)
		}
		all, err := r.Sessions(ctx, who.UID)
		if err != nil || len(all) != 1 || all[0].UID != c.Session || all[0].Address != "192.0.2.1" || strings.Contains(all[0].Agent, "\x00") {
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

// TestSignInSlowsDown shows that guessing becomes slow, then is refused for a while, the same whether the address is known or not; others still get in.
func TestSignInSlowsDown(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		r.account(t, "ada@example.com")
		var pauses []time.Duration
		r.Auth.pause = func(_ context.Context, d time.Duration) { pauses = append(pauses, d) }
		said := map[string][]string{}
		for _, email := range []string{"ada@example.com", "nobody@example.com"} {
			pauses = nil
			for range mostOfPair + 1 {
				_, _, err := r.SignIn(ctx, email, "nothing of the kind", home)
				said[email] = append(said[email], fmt.Sprint(err, pauses))
			}
		}
		if !slices.Equal(said["ada@example.com"], said["nobody@example.com"]) {
			t.Errorf("refusals tell who has an account: %q", said)
		}
		if len(pauses) != mostOfPair-freeOfPair || pauses[0] != firstPause || pauses[len(pauses)-1] != longestPause {
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
		for i := range mostLetters + 2 {
			if quiet, err := r.Forgot("ada@example.com", "192.0.2.9"); err != nil || quiet != (i >= mostLetters) {
				t.Errorf("letter %d: %v %v", i+1, quiet, err)
			}
		}
	})
}

// TestGuessingAcross shows that many e-mail addresses tried from one network, and one tried from many networks, become slow and then are refused, too.
func TestGuessingAcross(t *testing.T) {
	for name, c := range map[string]struct {
		free, most int64
		email      func(i int) string
		address    func(i int) string
	}{
		"one address":      {freeOfNetwork, mostOfNetwork, func(i int) string { return fmt.Sprintf("p%d@example.com", i) }, func(int) string { return "192.0.2.1" }},
		"one IPv6 network": {freeOfNetwork, mostOfNetwork, func(i int) string { return fmt.Sprintf("p%d@example.com", i) }, func(i int) string { return fmt.Sprintf("2001:db8:0:7::%x", i+1) }},
		"one person":       {freeOfEmail, mostOfEmail, func(i int) string { return []string{"ada@example.com", "ADA@example.com"}[i%2] }, func(i int) string { return fmt.Sprintf("2001:db8:0:%x::1", i) }},
	} {
		var tries attempts
		const now = int64(1e15)
		for i := range int(c.most) {
			over, err := tries.take(now, signIns(c.email(i), c.address(i))...)
			if want := max(0, int64(i)+1-c.free); err != nil || over != want {
				t.Fatalf("%s, attempt %d: %d beyond what is free, want %d: %v", name, i+1, over, want, err)
			}
		}
		_, err := tries.take(now, signIns(c.email(500), c.address(500))...)
		refused(t, err, fault.Limited, "too often")
		if over, err := tries.take(now, signIns("bob@example.com", "198.51.100.1")...); err != nil || over != 0 {
			t.Errorf("%s: somebody else: %d %v", name, over, err)
		}
		if _, err := tries.take(now+attemptWindow, signIns(c.email(500), c.address(500))...); err != nil {
			t.Errorf("%s, later: %v", name, err)
		}
	}
	for address, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8::1": "2001:db8::", "2001:db8:0:1::1": "2001:db8:0:1::", "::1": "::", "": "", "nonsense": "nonsense",
	} {
		if got := from(address); got != want {
			t.Errorf("%s is of %s, not %s", address, got, want)
		}
	}
}

func TestLinks(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		who := r.invite(t, "ivy@example.com", "", "", "")
		link := func(purpose Purpose) (secret string) {
			t.Helper()
			err := r.store.Write(ctx, func(tx *store.Tx) error {
				link, err := r.NewLink(tx, "https://x", purpose, who.UID)
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

// TestOperatorEndsLinks holds that the links of somebody who was invited are worth nothing once an operator has given them a password.
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
		made, err := r.CreateAccount(ctx, NewAccount{Email: "IVY@example.com", Name: "Ivy Stone", Password: goodPassword})
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

// TestLetters holds that letters carry a fresh link, reach only who has an account, and let nobody write paragraphs of their own.
func TestLetters(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		r.invite(t, "ivy@example.com", "", "", "")
		r.account(t, "ada@example.com")
		l := Letter{Kind: AboutInvitation, Email: "ivy@example.com", From: "Eve\r\n\r\nClick https://evil.example", Project: "P\nQ"}
		m, to, err := r.Write(ctx, "https://build.example.com", l)
		if err != nil || !to || !strings.Contains(m.Text, "https://build.example.com/invitation/gwi_") || strings.Contains(m.Subject, "\n") || strings.Contains(m.Text, "\nClick") {
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
		for _, kind := range []LetterAbout{AboutInvitation, AboutReset, AboutVersion} {
			if _, to, err := r.Write(ctx, "https://build.example.com", Letter{Kind: kind, Email: "nobody@example.com"}); err != nil || to {
				t.Errorf("%s is sent to nobody: %v", kind, err)
			}
		}
	})
}

// FuzzRedirect holds that only what is registered is ever gone to: byte by byte, the port of a loopback address excepted.
func FuzzRedirect(f *testing.F) {
	for _, s := range []string{"https://a.example/x", "https://a.example/x/", "http://127.0.0.1:9/cb", "http://127.0.0.1/cb", "http://[::1]:7/cb", "http://127.0.0.1:9/cb?x", "com.example:/b", "javascript:x", "http://127.0.0.1:9@evil/cb", "https://a.example\\x"} {
		f.Add(s)
	}
	app := &Application{Redirects: []string{"https://a.example/x", "http://127.0.0.1:1/cb", "http://[::1]/cb"}}
	f.Fuzz(func(t *testing.T, asked string) {
		to, ok := app.Redirect(asked)
		if !ok {
			return
		}
		host, port, _ := strings.Cut(strings.TrimPrefix(to, "http://127.0.0.1"), "/")
		loopback := strings.HasPrefix(to, "http://127.0.0.1") && port == "cb" && strings.Trim(host, ":0123456789") == "" ||
			strings.HasPrefix(to, "http://[::1]") && strings.HasSuffix(to, "/cb") && strings.Trim(strings.TrimSuffix(strings.TrimPrefix(to, "http://[::1]"), "/cb"), ":0123456789") == ""
		if to != asked || !slices.Contains(app.Redirects, to) && !loopback {
			t.Fatalf("%q leads to %q", asked, to)
		}
		if problem := redirectProblem(to); problem != "" {
			t.Fatalf("%q: %s", to, problem)
		}
	})
}
