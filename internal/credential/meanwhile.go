package credential

import (
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// To compare a password takes a moment, in which the account may be given another one, or to somebody else. Whatever is
// written because of the comparison, or with a credential that was looked up before, asks again in its own transaction:
// otherwise a session, a key or a password would outlive "signed out everywhere".

// LockAccount has other transactions that ask about the account wait until this one ends. each, where it is not nil, is
// shown its password's hash.
func LockAccount(tx *store.Tx, account string, each func(*store.Cols) error) error {
	if each == nil {
		each = func(*store.Cols) error { return nil }
	}
	return tx.Take(`SELECT coalesce(password, '') FROM accounts WHERE uid = $1 AND disabled = 0`, []any{account}, each)
}

// Unchanged refuses with fault.Unauthenticated where an account has another password than the one that was compared, or
// is disabled.
func Unchanged(tx *store.Tx, account, seen string) error {
	same := false
	err := LockAccount(tx, account, func(c *store.Cols) error {
		same = c.Text(0) == seen
		return nil
	})
	if err == nil && !same {
		err = fault.New(fault.Unauthenticated,
			"The password of this account was changed at this very moment. Sign in with the new one.")
	}
	return err
}

// StillGood refuses with fault.Forbidden where a credential, by its Origin, has ended since it was looked up. The
// operator's own acts have none: "" is always good.
func StillGood(tx *store.Tx, account, origin string) error {
	if origin == "" {
		return nil
	}
	if err := LockAccount(tx, account, nil); err != nil {
		return err
	}
	_, err := Revalidate(tx.Query, tx.Now(), origin)
	return err
}
