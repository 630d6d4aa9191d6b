package credential

import (
	"strings"

	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// origins are the tables of credentials, and what makes one of them good still.
var origins = map[string]string{
	"keys": "revoked_at IS NULL", "grants": "revoked_at IS NULL", "sessions": "expires_at > $2",
}

// Revalidate gives the account of a credential, by its Origin: fault.Forbidden when it was revoked since, or its
// account was disabled.
func Revalidate(ask identity.Query, now int64, origin string) (account *identity.Account, err error) {
	table, uid, _ := strings.Cut(origin, "/")
	good, known := origins[table]
	args := []any{uid}
	if strings.Contains(good, "$2") {
		args = append(args, now)
	}
	if known {
		err = ask(`SELECT `+identity.Columns("a")+` FROM `+table+
			` c JOIN accounts a ON a.uid = c.account WHERE c.uid = $1 AND a.disabled = 0 AND c.`+good,
			args, func(c *store.Cols) error {
				account = identity.Scan(c)
				return nil
			})
	}
	if err == nil && account == nil {
		err = fault.New(fault.Forbidden, "What this was begun with, a key, a token or a session, is no longer good.")
	}
	return account, err
}
