package auth

import (
	"errors"
	"fmt"
	"testing"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/grant"
	"groundwork/internal/store"
)

func (r *rig) count(t *testing.T, from string, args ...any) (n int) {
	t.Helper()
	err := r.store.Query(t.Context(), `SELECT count(*) FROM `+from, args, func(c *store.Cols) error {
		n = int(c.Int(0))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSessionsAreBounded: of very many browsers, the ones that signed in first are signed out.
func TestSessionsAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		r.account(t, "ada@example.com")
		who, err := r.Password(t.Context(), "ada@example.com", goodPassword)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for range mostSessions + 3 {
			r.clock.Add(1)
			secret, err := r.begin(t.Context(), who.UID, who.Compared(), home)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, secret)
		}
		if n := r.count(t, `sessions`); n != mostSessions {
			t.Errorf("%d sessions are kept", n)
		}
		for i, secret := range all {
			if _, err := r.Session(t.Context(), secret); (err == nil) != (i >= 3) {
				t.Errorf("session %d of %d: %v", i+1, len(all), err)
			}
		}
	})
}

// TestGrantsAreBounded: of very many consents to one application, the first ones end; those to another application do
// not.
func TestGrantsAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		ada := r.account(t, "ada@example.com")
		codes := map[string][]string{}
		var apps []string
		for _, name := range []string{"Sync", "Other"} {
			app, _, err := r.CreateApplication(ctx, "", grant.NewApplication{
				Name: name, Redirects: []string{"https://sync.example.com/back"},
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			apps = append(apps, app.UID)
		}
		allow := func(app string) {
			r.clock.Add(1)
			code, err := r.Allow(ctx, grant.Ask{Application: app, Account: ada.UID, Scopes: credential.AllScopes})
			if err != nil {
				t.Fatal(err)
			}
			codes[app] = append(codes[app], code)
		}
		allow(apps[1])
		for range grant.MostGrants + 3 {
			allow(apps[0])
		}
		if n := r.count(t, `grants WHERE application = $1 AND revoked_at IS NULL`, apps[0]); n != grant.MostGrants {
			t.Errorf("%d consents are good", n)
		}
		for i, want := range map[int]bool{0: false, 2: false, 3: true, grant.MostGrants + 2: true} {
			var worthless grant.BadGrant
			if _, err := r.Redeem(ctx, codes[apps[0]][i], apps[0], "", ""); (err == nil) != want ||
				err != nil && !errors.As(err, &worthless) {
				t.Errorf("code %d: %v", i+1, err)
			}
		}
		if _, err := r.Redeem(ctx, codes[apps[1]][0], apps[1], "", ""); err != nil {
			t.Errorf("another application: %v", err)
		}
	})
}

// TestKeysAreBounded: an account has so many active keys, and so many deactivated ones are kept to be looked at.
func TestKeysAreBounded(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		ada := r.account(t, "ada@example.com")
		by := &credential.Credential{Account: ada, Session: "s", Counter: "session/" + ada.UID}
		var first, last string
		for i := range mostDeactivated + 3 {
			r.clock.Add(1)
			uid, _, err := r.MintKey(ctx, by, "key", nil)
			if err != nil {
				t.Fatalf("key %d: %v", i+1, err)
			}
			if i == 0 {
				first = uid
			}
			if _, err := r.RevokeKey(ctx, uid); err != nil {
				t.Fatal(err)
			}
		}
		for i := range mostKeys {
			uid, _, err := r.MintKey(ctx, by, "key", nil)
			if err != nil {
				t.Fatalf("active key %d: %v", i+1, err)
			}
			last = uid
		}
		_, _, err := r.MintKey(ctx, by, "key", nil)
		refused(t, err, fault.Conflict, fmt.Sprintf("%d active API keys", mostKeys))
		if active, not := r.count(t, `keys WHERE revoked_at IS NULL`), r.count(t,
			`keys WHERE revoked_at IS NOT NULL`); active != mostKeys || not != mostDeactivated {
			t.Errorf("%d keys are active, %d deactivated ones are kept", active, not)
		}
		if r.count(t, `keys WHERE uid = $1`, first) != 0 {
			t.Error("the key that was deactivated first is kept")
		}
		if _, err := r.RevokeKey(ctx, last); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.MintKey(ctx, by, "key", nil); err != nil {
			t.Errorf("after one was deactivated: %v", err)
		}
	})
}

// TestOperatorsSeeAll: what is listed whole is read in pages; nothing is missing at their edges, also of what was made
// at the same moment.
func TestOperatorsSeeAll(t *testing.T) {
	engines(t, func(t *testing.T, r *rig) {
		ctx := t.Context()
		ada := r.account(t, "ada@example.com")
		for _, n := range []int{credential.PageOf, 2*credential.PageOf + 1} {
			err := r.store.Write(ctx, func(tx *store.Tx) error {
				for i := r.count(t, `keys`); i < n; i++ {
					name := fmt.Sprintf("%05d", i)
					err := errors.Join(
						tx.Exec(`INSERT INTO keys (uid, hash, account, name, created_at) VALUES ($1, $1, $2, $1, $3)`,
							name, ada.UID, tx.Now()),
						tx.Exec(`INSERT INTO applications (uid, name, redirects, public, implicit, created_at)
VALUES ($1, $1, '', 1, 0, $2)`, name, tx.Now()))
					if err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			var keys, apps int
			err = r.EachKey(ctx, func(k Key) error {
				if k.UID != fmt.Sprintf("%05d", keys) {
					t.Errorf("key %d is %s", keys, k.UID)
				}
				keys++
				return nil
			})
			if err != nil || keys != n {
				t.Errorf("%d of %d keys: %v", keys, n, err)
			}
			err = r.EachApplication(ctx, func(a grant.Application) error {
				if a.UID != fmt.Sprintf("%05d", apps) {
					t.Errorf("application %d is %s", apps, a.UID)
				}
				apps++
				return nil
			})
			if err != nil || apps != n {
				t.Errorf("%d of %d applications: %v", apps, n, err)
			}
		}
	})
}
