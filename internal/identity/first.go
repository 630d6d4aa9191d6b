package identity

import (
	"context"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Empty tells whether the installation has no account at all: none that was invited, disabled or erased either.
func (a *Directory) Empty(ctx context.Context) (bool, error) { return empty(a.QueryIn(ctx)) }

func empty(ask Query) (none bool, err error) {
	none = true
	err = ask(`SELECT uid FROM accounts LIMIT 1`, nil, func(*store.Cols) error {
		none = false
		return nil
	})
	return none, err
}

// Closed tells whether there are accounts, and none of them can sign in: a project that was brought from elsewhere
// makes accounts without a password.
func (a *Directory) Closed(ctx context.Context) (bool, error) {
	const able = `SELECT uid FROM accounts WHERE password IS NOT NULL AND disabled = 0 LIMIT 1`
	ask, closed := a.QueryIn(ctx), true
	err := ask(able, nil, func(*store.Cols) error {
		closed = false
		return nil
	})
	if err != nil || !closed {
		return false, err
	}
	none, err := empty(ask)
	return !none, err
}

// InTurn has other transactions that call it, in whichever process, wait until this one ends. What it guards is asked
// afterwards: a statement sees what was committed before it began.
func (a *Directory) InTurn(tx *store.Tx) error {
	return tx.Take(`SELECT value FROM instance WHERE name = $1`, []any{VersionNote},
		func(*store.Cols) error { return nil })
}

// CreateFirst makes the first account, in the same transaction in which may has nothing against it. fault.Conflict when
// there is an account already, of however many that are made at once; fault.Invalid as CreateAccount.
func (a *Directory) CreateFirst(ctx context.Context, n NewAccount, may func(*store.Tx) error) (*Account, error) {
	first, last := SplitName(n.Name)
	if err := checkNew(n, first, last); err != nil {
		return nil, err
	}
	encoded, err := a.hasher.Encode(ctx, n.Password)
	if err != nil {
		return nil, err
	}
	var made *Account
	err = a.Change(ctx, func(tx *store.Tx) error {
		if err := a.InTurn(tx); err != nil {
			return err
		}
		none, err := empty(tx.Query)
		if err == nil && !none {
			err = ErrBegun()
		}
		if err == nil {
			err = may(tx)
		}
		if err == nil {
			made, err = a.create(tx, n, encoded)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	made.seen = encoded // a session can begin with it at once
	return made, nil
}

// ErrBegun refuses what only an installation without accounts is asked.
func ErrBegun() error {
	return fault.New(fault.Conflict, "This installation has its first account already. Sign in with it.")
}
