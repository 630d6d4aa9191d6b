package auth

import (
	"context"
	"testing"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/grant"
	"groundwork/internal/store"
)

// TestNothingOutlivesAReset: a password that was compared, or a credential that was looked up, just before the account
// got another password makes no session, no key, no application, no consent and no other password afterwards.
func TestNothingOutlivesAReset(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := context.Background()
		r.account(t, "ada@example.com")
		before, err := r.Password(ctx, "ada@example.com", goodPassword)
		if err != nil {
			t.Fatal(err)
		}
		session, who, err := r.SignIn(ctx, "ada@example.com", goodPassword, Visit{})
		if err != nil {
			t.Fatal(err)
		}
		by, err := r.Session(ctx, session)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.ResetPassword(ctx, "ada@example.com", "nineteen yellow hammers"); err != nil {
			t.Fatal(err)
		}
		refused := func(what string, err error, kind fault.Kind) {
			t.Helper()
			if !fault.Is(err, kind) {
				t.Errorf("%s outlives the reset: %v", what, err)
			}
		}
		_, err = r.begin(ctx, before.UID, before.Compared(), Visit{})
		refused("a session", err, fault.Unauthenticated)
		_, err = r.replacePassword(ctx, before, "", "twenty green chisels", false, false)
		refused("a change of the password", err, fault.Unauthenticated)
		_, _, err = r.MintKey(ctx, by, "late", nil)
		refused("a key", err, fault.Forbidden)
		_, _, err = r.CreateApplication(ctx, who.UID, grant.NewApplication{
			Name: "Late", Redirects: []string{"https://late.example.com/"}, By: by.Origin,
		}, nil)
		refused("an application", err, fault.Forbidden)
		app, _, err := r.CreateApplication(ctx, who.UID, grant.NewApplication{
			Name: "Sync", Redirects: []string{"https://sync.example.com/"},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.RotateSecret(ctx, app, by)
		refused("a secret", err, fault.Forbidden)
		refused("a redirect", r.UpdateApplication(ctx, app, grant.NewApplication{
			Name: "Sync", Redirects: []string{"https://late.example.com/"}, By: by.Origin,
		}), fault.Forbidden)
		_, err = r.Allow(ctx, grant.Ask{
			Application: app.UID, Account: who.UID, Scopes: credential.AllScopes,
			By: by.Origin,
		})
		refused("a consent", err, fault.Forbidden)
		if _, _, err := r.SignIn(ctx, "ada@example.com", "nineteen yellow hammers", Visit{}); err != nil {
			t.Errorf("the new password: %v", err)
		}
	})
}

// beginNow makes a session with the password that an account has now.
func (r *rig) beginNow(ctx context.Context, account string, from Visit) (string, error) {
	seen := ""
	err := r.store.Query(ctx, `SELECT coalesce(password, '') FROM accounts WHERE uid = $1`, []any{account},
		func(c *store.Cols) error {
			seen = c.Text(0)
			return nil
		})
	if err != nil {
		return "", err
	}
	return r.begin(ctx, account, seen, from)
}
