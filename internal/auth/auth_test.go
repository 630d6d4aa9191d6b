package auth

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/pgtest"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

// rig is an Auth on a real database, with a clock that the test moves and a count of the statements it ran.
type rig struct {
	*Auth
	url        string
	clock      atomic.Int64
	statements atomic.Int64
}

// engines runs a test once on each engine, with passwords that cost nothing.
func engines(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	enginesWith(t, test, WithCheapPasswords())
}

// enginesWith is engines with these options and no others.
func enginesWith(t *testing.T, test func(t *testing.T, r *rig), options ...Option) {
	t.Helper()
	for name, url := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "test.db") },
		"postgres": func(t *testing.T) string { return pgtest.Migrated(t, migrate) },
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t, url(t), options...)) })
	}
}

// migrate brings an empty database to this release.
func migrate(url string) error {
	s, err := store.Open(context.Background(), store.Config{URL: url})
	if err != nil {
		return err
	}
	return s.Close()
}

func open(t *testing.T, url string, options ...Option) *rig {
	t.Helper()
	r := &rig{url: url}
	r.clock.Store(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC).UnixMicro())
	s, err := store.Open(t.Context(), store.Config{
		URL: url, Now: func() time.Time { return time.UnixMicro(r.clock.Load()) },
		Trace: func(sql string) {
			// The rest is what the store does by itself, and the look at what other processes did.
			if strings.Contains(sql, "accounts") || strings.Contains(sql, "keys") {
				r.statements.Add(1)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Auth, err = New(t.Context(), s, options...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

const goodPassword = redact.Secret("velvet anchor on tuesday")

func (r *rig) account(t *testing.T, email string) *identity.Account {
	t.Helper()
	account, err := r.CreateAccount(t.Context(), identity.NewAccount{
		Email: email, Name: "Anna Maria Schmidt", Password: goodPassword,
	})
	if err != nil {
		t.Fatal(err)
	}
	return account
}

func (r *rig) key(t *testing.T, email string, limits ...credential.Limit) string {
	t.Helper()
	secret, err := r.CreateKey(t.Context(), email, "test", limits)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// refused checks that an error is of the kind and has the text in its message.
func refused(t *testing.T, err error, kind fault.Kind, text string) {
	t.Helper()
	if !fault.Is(err, kind) || !strings.Contains(fault.Of(err).Message, text) {
		t.Errorf("got error %v, want one of kind %d with %q", err, kind, text)
	}
}

func TestInstallationSecret(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		mark := r.Sign("links", []byte("message"))
		again := open(t, r.url)
		if !again.Signed("links", []byte("message"), mark) {
			t.Error("a restart changed the installation's secret")
		}
		if again.Signed("forms", []byte("message"), mark) || again.Signed("links", []byte("massage"), mark) ||
			again.Signed("links", []byte("message"), nil) {
			t.Error("a mark is taken for another purpose or message")
		}
		given := redact.Secret(strings.Repeat("s", 32))
		other := open(t, r.url, WithSecret(given))
		if bytes.Equal(other.Sign("links", []byte("message")), mark) {
			t.Error("the given secret is not used")
		}
		if open(t, r.url).Signed("links", []byte("message"), other.Sign("links", []byte("message"))) {
			t.Error("the given secret was kept in the database")
		}
		if _, err := New(t.Context(), r.store, WithSecret("short")); err == nil {
			t.Error("a short secret is accepted")
		}
	})
}

func TestAnotherProcessesChangesArrive(t *testing.T) {
	if followEvery+followWithin >= time.Second {
		t.Errorf("a revoked key may work for %v in another process", followEvery+followWithin)
	}
	engines(t, func(t *testing.T, r *rig) {
		other := open(t, r.url)
		account := r.account(t, "anna@example.com")
		changes := map[string]func(secret string) error{
			"deactivated": func(secret string) error { _, err := r.RevokeKey(t.Context(), secret); return err },
			"disabled":    func(string) error { return r.DisableAccount(t.Context(), account.UID, true) },
		}
		for _, text := range []string{"deactivated", "disabled"} {
			secret := r.key(t, "anna@example.com")
			knows(t, other, secret)
			if err := changes[text](secret); err != nil {
				t.Fatal(err)
			}
			refused(t, until(t, patience, func(ctx context.Context) error {
				_, err := other.Key(ctx, secret)
				return err
			}), fault.Forbidden, text)
		}
	})
}

// knows waits until a process knows a key that another one made.
func knows(t *testing.T, other *rig, secret string) {
	t.Helper()
	known := false
	_ = until(t, patience, func(ctx context.Context) error {
		if _, err := other.Key(ctx, secret); err != nil {
			return nil //nolint:nilerr // not yet
		}
		known = true
		return context.Canceled // enough
	})
	if !known {
		t.Fatal("a key that another process made is not known")
	}
}

// patience is for machines that do much else; the promise of a second is kept by the sum of the two durations.
const patience = 30 * time.Second

// until asks again and again until there is an error, for as long as given.
func until(t *testing.T, within time.Duration, ask func(context.Context) error) error {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(within)
	for {
		if err := ask(t.Context()); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-end:
			return nil
		}
	}
}
