package auth

import (
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// handOver gives an account to whom its address belongs, inside the caller's transaction. Until now anybody whom one
// project had let in may have had it: what they could still act with ends, what they said of themselves is forgotten,
// and no project is shown the profile of the person before they come to it themselves.
func handOver(tx *store.Tx, account *identity.Account) error {
	if err := identity.NoteProven(tx, account.UID); err != nil || account.Invited {
		return err
	}
	for _, sql := range []string{
		`DELETE FROM sessions WHERE account = $1`,
		`DELETE FROM tokens WHERE family IN (SELECT uid FROM grants WHERE account = $1)`,
	} {
		if err := tx.Exec(sql, account.UID); err != nil {
			return err
		}
	}
	for _, sql := range []string{
		`UPDATE keys SET revoked_at = $1 WHERE account = $2 AND revoked_at IS NULL`,
		`UPDATE grants SET revoked_at = $1 WHERE account = $2 AND revoked_at IS NULL`,
		// Whoever registered them knows their secrets and where they send people.
		`UPDATE applications SET deleted_at = $1 WHERE owner = $2 AND deleted_at IS NULL`,
	} {
		if err := tx.Exec(sql, tx.Now(), account.UID); err != nil {
			return err
		}
	}
	if err := tx.Exec(`UPDATE accounts SET company = NULL, title = NULL, language = NULL WHERE uid = $1`,
		account.UID); err != nil {
		return err
	}
	kept := account.Shown().Keep()
	return tx.ShowOwn(account.UID, func(row *store.Row) bool {
		there := len(row.Private) == 0
		if there {
			row.Private = kept
		}
		return there
	})
}
