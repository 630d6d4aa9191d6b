package auth

import (
	"context"

	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/password"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

// Confirm asks somebody who is let in already for their password, before something that outlives what they were let in
// with: a key, an application, its secret. It counts as signing in does. fault.Forbidden for a password that is missing
// or wrong, and for an account that has none; fault.Limited after many wrong ones.
func (a *Auth) Confirm(ctx context.Context, account *identity.Account, typed redact.Secret, address string) error {
	switch {
	case account.Invited:
		return fault.New(fault.Forbidden,
			"This needs your password, and your account has none yet. Choose one first, with the link of your invitation or one that the operator of this service gives you.")
	case typed == "":
		return fault.New(fault.Forbidden,
			"This needs your password once more, as what it makes lasts. Send it as the field password.")
	}
	_, err := a.tryPassword(ctx, account.Email, typed, password.SignIns(identity.KeyTyped(account.Email), address))
	if fault.Is(err, fault.Unauthenticated) {
		return fault.New(fault.Forbidden, "This is not your password. Nothing was made.")
	}
	return err
}

// Ended is what ended with a password: the names of keys, and of applications that had been allowed.
type Ended struct{ Keys, Applications []string }

// Endable tells what a reset of an account's password would end.
func (a *Auth) Endable(ctx context.Context, account string) (Ended, error) {
	return endable(a.QueryIn(ctx), account)
}

// endable names at most mostNamed of each: somebody with hundreds of keys finds the rest on the pages.
func endable(ask identity.Query, account string) (e Ended, err error) {
	for into, sql := range map[*[]string]string{
		&e.Keys: `SELECT k.name FROM keys k JOIN accounts a ON a.uid = k.account WHERE k.account = $1
AND k.revoked_at IS NULL AND a.password IS NOT NULL ORDER BY k.created_at, k.uid LIMIT $2`,
		&e.Applications: `SELECT p.name FROM applications p WHERE p.deleted_at IS NULL AND EXISTS (SELECT 1
FROM grants g WHERE g.application = p.uid AND g.account = $1 AND g.revoked_at IS NULL)
ORDER BY p.name, p.uid LIMIT $2`,
	} {
		err := ask(sql, []any{account, letter.MostNamed}, func(c *store.Cols) error {
			name := identity.PlainName(c.Text(0), "without a name")
			*into = append(*into, name)
			return nil
		})
		if err != nil {
			return e, err
		}
	}
	return e, nil
}

// endAll ends the keys of an account and what it allowed applications, codes on their way included. The first password
// of an account ends no keys: nobody but the operator can have made one before it.
func (a *Auth) endAll(tx *store.Tx, account string) (Ended, error) {
	ended, err := endable(tx.Query, account)
	if err != nil {
		return ended, err
	}
	err = tx.Exec(`UPDATE keys SET revoked_at = $1 WHERE account = $2 AND revoked_at IS NULL AND EXISTS (SELECT 1
FROM accounts a WHERE a.uid = $2 AND a.password IS NOT NULL)`, tx.Now(), account)
	if err != nil {
		return ended, err
	}
	return ended, a.RevokeAll(tx, account)
}
