package store

import (
	"context"
	"errors"
)

// Staff is the store as an office works with it: Query and Write run in the office.
type Staff struct {
	*Store
	office Office
}

// In gives the store as an office works with it.
func (s *Store) In(o Office) *Staff { return &Staff{s, o} }

// Query is Store.Query in the office.
func (s *Staff) Query(ctx context.Context, sql string, args []any, each func(*Cols) error) error {
	return s.read(ctx, tenant{office: s.office}, statement{sql, args, each})
}

// Write is Store.Write in the office.
func (s *Staff) Write(ctx context.Context, fn func(*Tx) error) error {
	return s.Store.Write(ctx, func(tx *Tx) error {
		return tx.In(s.office, func() error { return fn(tx) })
	})
}

// In runs fn, whose statements may touch what the office opens, beside what they could before.
func (tx *Tx) In(o Office, fn func() error) error { return tx.widened(tx.account, o, fn) }

// As runs fn, whose statements may touch what belongs to the account alone, beside what they could before: its kept
// answers, and its own team records.
func (tx *Tx) As(account string, fn func() error) error { return tx.widened(account, tx.office, fn) }

func (tx *Tx) widened(account string, office Office, fn func() error) error {
	wasAccount, wasOffice := tx.account, tx.office
	tx.account, tx.office = account, office
	err := tx.ses.tenant(tx.tenant())
	if err == nil {
		err = fn()
	}
	tx.account, tx.office = wasAccount, wasOffice
	return errors.Join(err, tx.ses.tenant(tx.tenant()))
}

// tenant is whose rows the statements of the transaction may touch now.
func (tx *Tx) tenant() tenant {
	t := tenant{account: tx.account, office: tx.office}
	if tx.here != nil {
		t.project = tx.here.project.ID
	}
	return t
}
