package auth

import (
	"context"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Token says who lets whom act with an access token: fault.Unauthenticated when it is unknown, has expired or was revoked, or its account is disabled.
func (a *Auth) Token(ctx context.Context, secret string) (*Credential, error) {
	e, err := a.find(ctx, KindAccess, secret, `SELECT `+accountColumns("a")+`, g.uid, t.expires_at, g.last_used_at, g.application, g.scopes
FROM tokens t JOIN grants g ON g.uid = t.family JOIN accounts a ON a.uid = g.account JOIN applications p ON p.uid = g.application
WHERE t.hash = $1 AND t.refresh = 0 AND g.revoked_at IS NULL AND p.deleted_at IS NULL`, func(account *Account, c *store.Cols) *entry {
		application := c.Text(accountWidth + 3)
		scopes, _ := ParseScopes(c.Text(accountWidth + 4))
		return &entry{table: "grants", uid: c.Text(accountWidth), credential: &Credential{
			ID: application + "/" + account.UID, Account: account, Limits: a.limits, Application: application, Scopes: scopes, Origin: "grants/" + c.Text(accountWidth),
		}}
	})
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, fault.New(fault.Unauthenticated, "The access token is not valid or has expired.")
	}
	return a.admit(e)
}

// Holding is what may be told about a token to the application that has it.
type Holding struct {
	Application, Account, Email string
	Scopes                      Scopes
	Refresh                     bool
	CreatedAt, ExpiresAt        int64
}

// Holding says what a token is worth now; nil when nothing.
func (a *Auth) Holding(ctx context.Context, secret string) (h *Holding, err error) {
	if !ValidSecret(KindAccess, secret) && !ValidSecret(KindRefresh, secret) {
		return nil, nil
	}
	err = a.store.Query(ctx, `SELECT g.application, a.uid, a.email, g.scopes, t.refresh, t.created_at, t.expires_at
FROM tokens t JOIN grants g ON g.uid = t.family JOIN accounts a ON a.uid = g.account
WHERE t.hash = $1 AND t.expires_at > $2 AND t.replaced_at IS NULL AND g.revoked_at IS NULL AND a.disabled = 0`, []any{Hash(secret), a.store.Now()}, func(c *store.Cols) error {
		scopes, _ := ParseScopes(c.Text(3))
		h = &Holding{Application: c.Text(0), Account: c.Text(1), Email: c.Text(2), Scopes: scopes, Refresh: c.Int(4) != 0, CreatedAt: c.Int(5), ExpiresAt: c.Int(6)}
		return nil
	})
	return h, err
}

// RevokeToken ends a token of an application: a refresh token with its whole family, an access token alone. What is not the application's stays.
func (a *Auth) RevokeToken(ctx context.Context, application, secret string) error {
	if !ValidSecret(KindAccess, secret) && !ValidSecret(KindRefresh, secret) {
		return nil
	}
	return a.store.Write(ctx, func(tx *store.Tx) error {
		var family string
		refresh := false
		err := tx.Query(`SELECT t.family, t.refresh FROM tokens t JOIN grants g ON g.uid = t.family WHERE t.hash = $1 AND g.application = $2`,
			[]any{Hash(secret), application}, func(c *store.Cols) error {
				family, refresh = c.Text(0), c.Int(1) != 0
				return nil
			})
		switch {
		case err != nil || family == "":
			return err
		case refresh:
			return a.revoke(tx, `uid = $2`, family)
		}
		if err := tx.Exec(`DELETE FROM tokens WHERE hash = $1`, Hash(secret)); err != nil {
			return err
		}
		tx.After(a.forget)
		return changed(tx)
	})
}

// Authorization is an application that an account allows to act for it.
type Authorization struct {
	Application
	Scopes     Scopes
	AllowedAt  int64
	LastUsedAt *int64
}

// Authorizations lists the applications that can act for an account now, or could again: those with a grant that is not revoked and has a token that lives.
func (a *Auth) Authorizations(ctx context.Context, account string) ([]Authorization, error) {
	var all []Authorization
	at := map[string]int{}
	err := a.store.Query(ctx, `SELECT p.uid, coalesce(o.email, ''), p.name, coalesce(p.logo, ''), p.redirects, p.public, p.implicit, p.created_at, '', g.scopes, g.created_at, g.last_used_at
FROM grants g JOIN applications p ON p.uid = g.application LEFT JOIN accounts o ON o.uid = p.owner
WHERE g.account = $1 AND g.revoked_at IS NULL AND EXISTS (SELECT 1 FROM tokens t WHERE t.family = g.uid AND t.expires_at > $2 AND t.replaced_at IS NULL)
ORDER BY g.created_at, g.uid`, []any{account, a.store.Now()}, func(c *store.Cols) error {
		app := readApp(c)
		scopes, _ := ParseScopes(c.Text(9))
		i, known := at[app.UID]
		if !known {
			i = len(all)
			at[app.UID] = i
			all = append(all, Authorization{Application: app, AllowedAt: c.Int(10)})
		}
		all[i].Scopes |= scopes
		if used := optionalInt(c, 11); used != nil && (all[i].LastUsedAt == nil || *used > *all[i].LastUsedAt) {
			all[i].LastUsedAt = used
		}
		return nil
	})
	return all, err
}

// RevokeAuthorization takes back everything that an account allowed an application; its tokens stop everywhere within a second. fault.NotFound where
// nothing is allowed.
func (a *Auth) RevokeAuthorization(ctx context.Context, account, application string) error {
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
	return fault.Missing("Authorization", clip(application, 100))
}

// StrictRefresh tells whether an application with a secret must show it to renew its tokens.
func (a *Auth) StrictRefresh() bool { return a.strict }

// Sweep drops what has expired: sessions, links, tokens, and grants that never got one.
func (a *Auth) Sweep(ctx context.Context) error {
	return a.store.Write(ctx, func(tx *store.Tx) error {
		for _, sql := range []string{
			`DELETE FROM sessions WHERE expires_at <= $1`, `DELETE FROM capabilities WHERE expires_at <= $1`, `DELETE FROM tokens WHERE expires_at <= $1`,
			`DELETE FROM grants WHERE code_expires_at <= $1 AND NOT EXISTS (SELECT 1 FROM tokens t WHERE t.family = grants.uid)`,
		} {
			if err := tx.Exec(sql, tx.Now()); err != nil {
				return err
			}
		}
		return nil
	})
}
