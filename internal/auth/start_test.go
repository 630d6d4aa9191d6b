package auth

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/await"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/password"
	"groundwork/internal/store"
)

func founder(email string) identity.NewAccount {
	return identity.NewAccount{Email: email, Name: "Grace Hopper", Password: goodPassword}
}

func (r *rig) code(t *testing.T, alone bool) string {
	t.Helper()
	code, err := r.OfferStart(t.Context(), alone)
	if err != nil || code == "" {
		t.Fatalf("code %q, %v", code, err)
	}
	return code
}

// TestStart makes the first account with a code, as somebody types it who reads it from a log.
func TestStart(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		old := r.code(t, true)
		code := r.code(t, true)
		if begun, err := r.Begun(ctx); err != nil || begun {
			t.Fatal("an empty installation has begun", err)
		}
		if _, _, err := r.Start(ctx, "", founder("grace@example.com"), home); !fault.Is(err, fault.Invalid) {
			t.Errorf("without a code: %v", err)
		}
		for _, wrong := range []string{old, code[:len(code)-1], strings.Replace(code, code[:1], "?", 1), "ÄÖ\x00" + code} {
			_, _, err := r.Start(ctx, wrong, founder("grace@example.com"), Visit{Address: "192.0.2." + wrong[:1]})
			refused(t, err, fault.Invalid, "This is not the code")
		}
		// What else is wrong with the form leaves the code good.
		_, _, err := r.Start(ctx, code, identity.NewAccount{Email: "grace", Name: "Grace", Password: "short"}, home)
		if e := fault.Of(err); e.Kind != fault.Invalid || e.Fields["email"] == "" || e.Fields["password"] == "" ||
			e.Fields["code"] != "" {
			t.Errorf("a bad form: %v", err)
		}
		typed := " " + strings.ReplaceAll(strings.ToLower(code), "-", " ") + "\t"
		session, who, err := r.Start(ctx, typed, founder("grace@example.com"), home)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := r.Session(ctx, session); err != nil || c.Account.UID != who.UID || !c.Account.Operator ||
			!c.Account.Proven {
			t.Errorf("the session is of %+v, %v", c, err)
		}
		if _, _, err := r.SignIn(ctx, "grace@example.com", goodPassword, home); err != nil {
			t.Error("the password is not the one that was chosen:", err)
		}
		_, _, err = r.Start(ctx, code, founder("eve@example.com"), home)
		refused(t, err, fault.Conflict, "first account already")
		if code, err := r.OfferStart(ctx, true); code != "" || err != nil {
			t.Errorf("an installation with an account offers the code %q, %v", code, err)
		}
	})
}

// TestStartEndsWithAnyAccount: however the first account came, no code makes another; not even one that was looked at
// before.
func TestStartEndsWithAnyAccount(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		code := r.code(t, true)
		other := open(t, r.url)
		if begun, err := other.Begun(t.Context()); err != nil || begun {
			t.Fatal(begun, err)
		}
		r.account(t, "anna@example.com")
		for _, each := range []*rig{other, r} {
			_, _, err := each.Start(t.Context(), code, founder("eve@example.com"), home)
			refused(t, err, fault.Conflict, "first account already")
		}
		// Whoever had passed all looks before the account came is refused in the transaction.
		_, err := other.CreateFirst(t.Context(), founder("eve@example.com"), nil)
		refused(t, err, fault.Conflict, "first account already")
	})
}

// TestStartsShareTheirCodes: any process of an installation takes the code of any other, and of all who come at once,
// with whichever code and to whichever process, one becomes the operator.
func TestStartsShareTheirCodes(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		processes := []*rig{r, open(t, r.url)}
		codes := make([]string, len(processes))
		var offering sync.WaitGroup
		for i, p := range processes {
			offering.Go(func() {
				var err error
				if codes[i], err = p.OfferStart(context.Background(), false); err != nil {
					t.Error(err)
				}
			})
		}
		offering.Wait()
		const each = 4
		var made, late int
		var mu sync.Mutex
		var racing sync.WaitGroup
		for n := range each * len(processes) {
			racing.Go(func() {
				p, code := processes[n%len(processes)], codes[(n/len(processes))%len(codes)]
				email := "founder-" + string(rune('a'+n)) + "@example.com"
				_, who, err := p.Start(context.Background(), code, founder(email),
					Visit{Address: "192.0.2." + string(rune('1'+n))})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil && who.Operator:
					made++
				case fault.Is(err, fault.Conflict):
					late++
				case password.CrowdedOut(err): // the hasher has a bound
				default:
					t.Errorf("%s: %v", email, err)
				}
			})
		}
		racing.Wait()
		accounts, err := r.Accounts(t.Context(), "", "", 100)
		if made != 1 || len(accounts) != 1 || err != nil {
			t.Errorf("%d were made, %d were late; there are %d accounts, %v", made, late, len(accounts), err)
		}
	})
}

// TestFirstAccountsWait: whoever comes while the first account is being made, at another process, waits for the end of
// it, and is then told that it is there.
func TestFirstAccountsWait(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		other := open(t, r.url)
		inside, release, first, second := make(chan bool), make(chan bool), make(chan error, 1), make(chan error, 1)
		letGo := sync.OnceFunc(func() { close(release) })
		t.Cleanup(letGo)
		go func() {
			_, err := r.CreateFirst(context.Background(), founder("ada@example.com"), func(*store.Tx) error {
				inside <- true
				<-release
				return nil
			})
			first <- err
		}()
		select {
		case err := <-first:
			t.Fatal(err)
		case <-inside:
		}
		var passed atomic.Bool
		go func() {
			_, err := other.CreateFirst(context.Background(), founder("bob@example.com"), func(*store.Tx) error {
				passed.Store(true)
				return nil
			})
			second <- err
		}()
		if !strings.HasPrefix(r.url, "sqlite:") { // which has one writer, so that nobody else can have begun
			await.True(t, time.Minute, "the second neither waits nor passed", func() bool {
				return passed.Load() || r.lockedOut(t) > 0
			})
		}
		letGo()
		if err := <-first; err != nil {
			t.Error("the first:", err)
		}
		refused(t, <-second, fault.Conflict, "first account already")
		if passed.Load() {
			t.Error("the second found no account while the first was being made")
		}
	})
}

// lockedOut counts the transactions that wait for another, on PostgreSQL.
func (r *rig) lockedOut(t *testing.T) (n int64) {
	t.Helper()
	err := r.store.Query(t.Context(), `SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE datname = current_database() AND NOT granted`, nil, func(c *store.Cols) error {
		n = c.Int(0)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return n
}

// TestStartCodesAreFew keeps the codes of the last starts only.
func TestStartCodesAreFew(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		first := r.code(t, false)
		last := ""
		for range mostCodes {
			last = r.code(t, false)
		}
		_, _, err := r.Start(t.Context(), first, founder("grace@example.com"), home)
		refused(t, err, fault.Invalid, "This is not the code")
		if _, _, err := r.Start(t.Context(), last, founder("grace@example.com"), home); err != nil {
			t.Error(err)
		}
	})
}

// TestStartCodesAreNotGuessed: attempts become slow, and are then refused, the right one too, for a while.
func TestStartCodesAreNotGuessed(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		var paused []time.Duration
		WithPause(func(_ context.Context, d time.Duration) { paused = append(paused, d) })(r.Auth)
		code := r.code(t, true)
		for range password.MostOfPair {
			_, _, err := r.Start(t.Context(), newStartCode(), founder("eve@example.com"), home)
			refused(t, err, fault.Invalid, "This is not the code")
		}
		if len(paused) != password.MostOfPair-password.FreeOfPair {
			t.Errorf("%d attempts were slow", len(paused))
		}
		_, _, err := r.Start(t.Context(), code, founder("eve@example.com"), home)
		refused(t, err, fault.Limited, "tried too often")
		// However many strangers try, whoever has the code gets in from elsewhere.
		for n := range 250 {
			_, _, err := r.Start(t.Context(), "", founder("eve@example.com"), Visit{Address: fmt.Sprint("203.0.113.", n)})
			refused(t, err, fault.Invalid, "This is not the code")
		}
		if _, _, err := r.Start(t.Context(), "", founder("eve@example.com"), home); !fault.Is(err, fault.Limited) {
			t.Errorf("the network that tried too often: %v", err)
		}
		r.clock.Add(password.AttemptWindow)
		if _, _, err := r.Start(t.Context(), code, founder("grace@example.com"), home); err != nil {
			t.Error("the right code, later:", err)
		}
	})
}

// TestAdmit makes a session without a password, for whoever is not disabled.
func TestAdmit(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		who := r.account(t, "ada@example.com")
		session, err := r.Admit(t.Context(), who.UID, home)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := r.Session(t.Context(), session); err != nil || c.Account.UID != who.UID {
			t.Errorf("%+v, %v", c, err)
		}
		if err := r.DisableAccount(t.Context(), who.UID, true); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Admit(t.Context(), who.UID, home); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("a disabled account: %v", err)
		}
	})
}
