package auth

import (
	"context"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// Token says who lets whom act with an access token: fault.Unauthenticated when it is unknown, has expired or was
// revoked, or its account is disabled.
func (a *Auth) Token(ctx context.Context, secret string) (*credential.Credential, error) {
	e, err := a.find(ctx, credential.KindAccess, secret, `SELECT `+identity.Columns("a")+
		`, g.uid, t.expires_at, g.last_used_at, g.application, coalesce(t.scopes, g.scopes), coalesce(p.owner, '')
FROM tokens t JOIN grants g ON g.uid = t.family JOIN accounts a ON a.uid = g.account JOIN applications p ON p.uid = g.application
WHERE t.hash = $1 AND t.refresh = 0 AND g.revoked_at IS NULL AND p.deleted_at IS NULL`,
		func(account *identity.Account, c *store.Cols) *entry {
			application := c.Text(identity.Width + 3)
			scopes, _ := credential.ParseScopes(c.Text(identity.Width + 4))
			return &entry{table: "grants", uid: c.Text(identity.Width), credential: &credential.Credential{
				ID:      application + "/" + account.UID,
				Counter: credential.CounterOf(application, account.Payer(), c.Text(identity.Width+5)), Account: account,
				Limits: a.limits, Application: application, Scopes: scopes,
				Origin: "grants/" + c.Text(identity.Width),
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

// invitationsKept is longer than invitations are counted.
const invitationsKept = 48 * time.Hour

// Sweep drops what has expired: sessions, links, tokens, those of grants that were revoked, and grants that have none.
func (a *Auth) Sweep(ctx context.Context) error {
	return a.store.Write(ctx, func(tx *store.Tx) error {
		for _, sql := range []string{
			`DELETE FROM sessions WHERE expires_at <= $1`, `DELETE FROM capabilities WHERE expires_at <= $1`,
			`DELETE FROM tokens WHERE expires_at <= $1`,
			`DELETE FROM tokens WHERE family IN (SELECT uid FROM grants WHERE revoked_at <= $1)`,
			`DELETE FROM grants WHERE code_expires_at <= $1 AND NOT EXISTS (SELECT 1 FROM tokens t
WHERE t.family = grants.uid)`,
		} {
			if err := tx.Exec(sql, tx.Now()); err != nil {
				return err
			}
		}
		return tx.Exec(`DELETE FROM invitations WHERE created_at <= $1`, tx.Now()-invitationsKept.Microseconds())
	})
}
