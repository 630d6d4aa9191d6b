package auth

import (
	"groundwork/internal/store"
)

// ShutOut ends everything by which an account could be let in, inside the caller's transaction, and leaves no row of
// it: sessions, links, keys, and what was allowed to applications. Applications that it registered are the operator's
// from now on, as others may use them. It gives how many rows there were, by table.
func (a *Auth) ShutOut(tx *store.Tx, account string) (ended map[string]int, err error) {
	ended = map[string]int{}
	for _, s := range []struct{ table, sql string }{
		{"sessions", `DELETE FROM sessions WHERE account = $1 RETURNING uid`},
		{"capabilities", `DELETE FROM capabilities WHERE account = $1 OR shown_to = $1 RETURNING hash`},
		{"keys", `DELETE FROM keys WHERE account = $1 RETURNING uid`},
		{"tokens", `DELETE FROM tokens WHERE family IN (SELECT uid FROM grants WHERE account = $1) RETURNING hash`},
		{"grants", `DELETE FROM grants WHERE account = $1 RETURNING uid`},
		{"applications", `UPDATE applications SET owner = NULL WHERE owner = $1 RETURNING uid`},
		{"requests", `DELETE FROM requests WHERE account = $1 RETURNING request`},
	} {
		count := func(*store.Cols) error { ended[s.table]++; return nil }
		err := tx.As(account, func() error { return tx.Query(s.sql, []any{account}, count) })
		if err != nil {
			return nil, err
		}
	}
	err = tx.Exec(`UPDATE accounts SET disabled = 1, password = NULL, operator = 0 WHERE uid = $1 AND disabled < 2`,
		account)
	if err != nil {
		return nil, err
	}
	return ended, a.Changed(tx)
}
