package identity

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"groundwork/internal/store"
)

// Addresses compared by Unicode lower case once. Their keys are written anew at the first start of a release with other
// rules; no two accounts become one by it. An account whose address would be refused now, or whose key another has,
// keeps its address for itself, byte by byte: see exactKey.

const (
	// AddressNote is the note of the rules by which all keys are written.
	AddressNote  = "addresses"
	addressRules = "idna 2008, ascii case"
)

// keyed is an account's address with the key under which it is kept.
type keyed struct {
	uid, email, key string
	created         int64
}

// UpgradeAddresses writes the keys of addresses by the rules of this release, once, whichever process comes first.
func (a *Directory) UpgradeAddresses(ctx context.Context) error {
	rules, err := a.store.Note(ctx, AddressNote)
	if err != nil || rules == addressRules {
		return err
	}
	return a.Change(ctx, func(tx *store.Tx) error {
		first := false
		err := tx.Query(`INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE
SET value = excluded.value WHERE instance.value <> excluded.value RETURNING name`,
			[]any{AddressNote, addressRules}, func(*store.Cols) error {
				first = true
				return nil
			})
		if err != nil || !first {
			return err
		}
		others, err := otherwiseKeyed(tx.Query)
		if err != nil {
			return err
		}
		// First all of them step aside, so that none stands in the way of another.
		for _, k := range others {
			if err := tx.Exec(`UPDATE accounts SET email_key = $1 WHERE uid = $2`, exactKey(k.email),
				k.uid); err != nil {
				return err
			}
		}
		slices.SortFunc(others, func(x, y keyed) int {
			return cmp.Or(cmp.Compare(x.created, y.created), cmp.Compare(x.uid, y.uid))
		})
		for _, k := range others {
			err := tx.Exec(`UPDATE accounts SET email_key = $1 WHERE uid = $2 AND NOT EXISTS (SELECT 1 FROM accounts o
WHERE o.email_key = $1)`, EmailKey(k.email), k.uid)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// otherwiseKeyed lists the accounts whose key is not what today's rules make of their address.
func otherwiseKeyed(ask Query) (others []keyed, err error) {
	err = ask(`SELECT uid, email, email_key, created_at FROM accounts`, nil, func(c *store.Cols) error {
		if k := (keyed{c.Text(0), c.Text(1), c.Text(2), c.Int(3)}); k.key != EmailKey(k.email) {
			others = append(others, k)
		}
		return nil
	})
	return others, err
}

// AddressFindings tells of each account whose address would be refused today, or is another account's too, and what to
// do about it.
func (a *Directory) AddressFindings(ctx context.Context) (wrong []string, err error) {
	err = a.store.Query(ctx, `SELECT a.email, a.uid, a.email_key FROM accounts a ORDER BY a.email_key`, nil,
		func(c *store.Cols) error {
			email, uid := c.Text(0), c.Text(1)
			if problem := EmailProblem(email); problem != "" {
				wrong = append(wrong,
					fmt.Sprintf("The account %s has the address %+q, which would be refused today. %s It works on, with exactly this spelling. "+
						"Make an account with a plain spelling, have it invited, and disable this one: groundwork account disable", uid, email, problem))
			} else if c.Text(2) != EmailKey(email) {
				wrong = append(wrong,
					fmt.Sprintf("The account %s has the address %+q, which is the same as that of another account: both mean %s. It works on, with exactly this spelling. "+
						"Ask the person which one to keep, and disable the other: groundwork account disable", uid,
						email, EmailKey(email)))
			}
			return nil
		})
	return wrong, err
}
