package auth

import (
	"context"
	"strings"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// origins are the tables of credentials, and what makes one of them good still.
var origins = map[string]string{
	"keys": "revoked_at IS NULL", "grants": "revoked_at IS NULL", "sessions": "expires_at > $2",
}

// Standing gives the account of a credential, by its Origin, for something that was begun with it before: fault.Forbidden when it was revoked since, or its
// account was disabled.
func (a *Auth) Standing(ctx context.Context, origin string) (*Account, error) {
	table, uid, _ := strings.Cut(origin, "/")
	good, known := origins[table]
	args := []any{uid}
	if strings.Contains(good, "$2") {
		args = append(args, a.store.Now())
	}
	var account *Account
	var err error
	if known {
		err = a.store.Query(ctx, `SELECT `+accountColumns("a")+` FROM `+table+` c JOIN accounts a ON a.uid = c.account WHERE c.uid = $1 AND a.disabled = 0 AND c.`+good,
			args, func(c *store.Cols) error {
				account = readAccount(c)
				return nil
			})
	}
	if err == nil && account == nil {
		err = fault.New(fault.Forbidden, "What this was begun with, a key, a token or a session, is no longer good.")
	}
	return account, err
}
