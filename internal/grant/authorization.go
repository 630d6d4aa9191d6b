package grant

import (
	"context"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// Holding is what may be told about a token to the application that has it.
type Holding struct {
	Application, Account, Email string
	Scopes                      credential.Scopes
	Refresh                     bool
	CreatedAt, ExpiresAt        int64
}

// OwnWindow is what calls of an application in its own name are counted in, such as those that ask what a token is
// worth.
func (a *Grants) OwnWindow(application string) *credential.Credential {
	return &credential.Credential{ID: application, Counter: application, Limits: a.limits, Application: application}
}

// Holding says what a token is worth now; nil when nothing.
func (a *Grants) Holding(ctx context.Context, secret string) (h *Holding, err error) {
	if !credential.ValidSecret(credential.KindAccess, secret) && !credential.ValidSecret(credential.KindRefresh,
		secret) {
		return nil, nil
	}
	err = a.store.Query(ctx,
		`SELECT g.application, a.uid, a.email, coalesce(t.scopes, g.scopes), t.refresh, t.created_at, t.expires_at
FROM tokens t JOIN grants g ON g.uid = t.family JOIN accounts a ON a.uid = g.account
WHERE t.hash = $1 AND t.expires_at > $2 AND t.replaced_at IS NULL AND g.revoked_at IS NULL
AND a.disabled = 0`, []any{credential.Hash(secret), a.store.Now()}, func(c *store.Cols) error {
			scopes, _ := credential.ParseScopes(c.Text(3))
			h = &Holding{
				Application: c.Text(0), Account: c.Text(1), Email: c.Text(2), Scopes: scopes,
				Refresh: c.Int(4) != 0, CreatedAt: c.Int(5), ExpiresAt: c.Int(6),
			}
			return nil
		})
	return h, err
}

// RevokeToken ends a token of an application: a refresh token with its whole family, an access token alone. What is not
// the application's stays.
func (a *Grants) RevokeToken(ctx context.Context, application, secret string) error {
	if !credential.ValidSecret(credential.KindAccess, secret) && !credential.ValidSecret(credential.KindRefresh,
		secret) {
		return nil
	}
	return a.store.Write(ctx, func(tx *store.Tx) error {
		if credential.ValidSecret(credential.KindRefresh, secret) {
			// Also one that was used: whoever revokes it means what came of it.
			r, err := findRenewal(tx.Query, secret)
			if err != nil || r == nil || r.application != application || r.ended {
				return err
			}
			return a.revoke(tx, `uid = $2`, r.uid)
		}
		there := false
		err := tx.Query(`SELECT t.family FROM tokens t JOIN grants g ON g.uid = t.family WHERE t.hash = $1
AND g.application = $2`,
			[]any{credential.Hash(secret), application}, func(*store.Cols) error {
				there = true
				return nil
			})
		if err != nil || !there {
			return err
		}
		if err := tx.Exec(`DELETE FROM tokens WHERE hash = $1`, credential.Hash(secret)); err != nil {
			return err
		}
		return a.people.Changed(tx)
	})
}

// Authorization is an application that an account allows to act for it.
type Authorization struct {
	Application
	Scopes     credential.Scopes
	AllowedAt  int64
	LastUsedAt *int64
}

// Authorizations lists the applications that can act for an account now, or could again: those with a grant that is not
// revoked and has a token that lives.
func (a *Grants) Authorizations(ctx context.Context, account string) ([]Authorization, error) {
	var all []Authorization
	at := map[string]int{}
	err := a.store.Query(ctx,
		`SELECT p.uid, coalesce(o.email, ''), p.name, coalesce(p.logo, ''), p.redirects, p.public, p.implicit,
p.created_at, '', g.scopes, g.created_at, g.last_used_at
FROM grants g JOIN applications p ON p.uid = g.application LEFT JOIN accounts o ON o.uid = p.owner
WHERE g.account = $1 AND g.revoked_at IS NULL AND EXISTS (SELECT 1 FROM tokens t WHERE t.family = g.uid
AND t.expires_at > $2 AND t.replaced_at IS NULL)
ORDER BY g.created_at, g.uid`, []any{account, a.store.Now()}, func(c *store.Cols) error {
			app := readApp(c)
			scopes, _ := credential.ParseScopes(c.Text(9))
			i, known := at[app.UID]
			if !known {
				i = len(all)
				at[app.UID] = i
				all = append(all, Authorization{Application: app, AllowedAt: c.Int(10)})
			}
			all[i].Scopes |= scopes
			if used := c.OptionalInt(11); used != nil && (all[i].LastUsedAt == nil || *used > *all[i].LastUsedAt) {
				all[i].LastUsedAt = used
			}
			return nil
		})
	return all, err
}

// RevokeAuthorization takes back everything that an account allowed an application; its tokens stop everywhere within a
// second. fault.NotFound where nothing is allowed.
func (a *Grants) RevokeAuthorization(ctx context.Context, account, application string) error {
	all, err := a.Authorizations(ctx, account)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].UID == application {
			return a.store.Write(ctx, func(tx *store.Tx) error {
				return a.revoke(tx, `account = $2 AND application = $3`, account, application)
			})
		}
	}
	return fault.Missing("Authorization", identity.Clip(application, 100))
}

// StrictRefresh tells whether an application with a secret must show it to renew its tokens.
func (a *Grants) StrictRefresh() bool { return a.strict }
