package identity

import (
	"github.com/google/uuid"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Invitee is somebody who is invited, as whoever invites them knows them.
type Invitee struct {
	Email, FirstName, LastName, Language string
	// By is the account that invites, and Project where to. Without them it is the operator, whose word proves the
	// address of an account that is made.
	By      *Account
	Project int64
}

// Invited gives the account of an address inside the caller's transaction, making one without password when there is
// none. Two invitations at once end with one account. The names and the language given are proposed to the person, by
// the project alone that made the account and only while it has none: nobody writes into the account of another tenant.
// fault.Invalid for what is not an address or a name.
func (a *Directory) Invited(tx *store.Tx, who Invitee) (*Account, error) {
	if err := checkInvited(who); err != nil {
		return nil, err
	}
	account, fresh, err := insertAccount(tx, who.Email)
	if err != nil {
		return nil, err
	}
	if fresh {
		var by, in, root, proven any
		if account.Proven = who.By == nil; account.Proven {
			proven = tx.Now()
		} else {
			account.madeBy, account.madeIn, account.root = who.By.UID, who.Project, who.By.Payer()
			by, in, root = account.madeBy, account.madeIn, account.root
		}
		if err := tx.Exec(`UPDATE accounts SET proven_at = $1, made_by = $2, made_in = $3, root = $4 WHERE uid = $5`,
			proven, by, in, root, account.UID); err != nil {
			return nil, err
		}
	}
	if !account.Invited || account.madeIn != who.Project || who.FirstName == "" && who.LastName == "" ||
		account.FirstName != nil || account.LastName != nil {
		return account, nil
	}
	account.FirstName, account.LastName = store.OrNull(who.FirstName), store.OrNull(who.LastName)
	if account.Language == nil {
		account.Language = store.OrNull(who.Language)
	}
	err = tx.Exec(`UPDATE accounts SET first_name = $1, last_name = $2, language = $3 WHERE uid = $4`,
		account.FirstName, account.LastName, account.Language, account.UID)
	if err != nil {
		return nil, err
	}
	return account, a.Changed(tx)
}

func checkInvited(who Invitee) error {
	fields := map[string]string{}
	if problem := EmailProblem(who.Email); problem != "" && !plantedLower {
		fields["email"] = problem
	}
	for name, text := range map[string]string{
		"first_name": who.FirstName, "last_name": who.LastName,
		"language": who.Language,
	} {
		if text != "" && NameProblem(text) != "" {
			fields[name] = NameProblem(text)
		}
	}
	if len(fields) > 0 {
		return fault.Fields(fields)
	}
	return nil
}

// insertAccount gives the account with this address, which is a fresh one unless there was one. It does not move the
// version: nobody can remember an account that did not exist.
func insertAccount(tx *store.Tx, email string) (account *Account, fresh bool, err error) {
	uid := uuid.NewString()
	err = tx.Exec(`INSERT INTO accounts (uid, email, email_key, created_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (email_key) DO NOTHING`,
		uid, email, keyOf(email), tx.Now())
	if err != nil {
		return nil, false, err
	}
	account, err = accountByEmail(tx, email)
	if err == nil && account.Erased {
		err = ErrErased()
	}
	return account, err == nil && account.UID == uid, err
}

// InviterSees tells whether whoever invites may be shown a link to the account: it is the one whose invitation made it,
// in that project, and no other project has invited the address since. Otherwise one tenant could set the password of a
// person whom another one invited. Whoever is not proven is shown none: they could be one person after the other, of
// whom each makes the next.
func (a *Directory) InviterSees(tx *store.Tx, account, by *Account) (bool, error) {
	if !account.Invited || account.Proven {
		return false, nil
	}
	if plantedLink {
		return true, nil
	}
	if !by.Proven && !plantedChain || account.madeBy != by.UID || account.madeIn != tx.Project().ID {
		return false, nil
	}
	elsewhere, err := tx.Elsewhere(account.UID)
	return !elsewhere, err
}

// Withdraw ends, inside the caller's transaction, what an account that is removed from a project leaves there: that it
// waits, the links to it that were shown, those that it was shown, and the entrance of those whom it made and who are
// not proven. Whoever is sent away must not come back as somebody whom they invited.
func (a *Directory) Withdraw(tx *store.Tx, account string) error {
	project := tx.Project().ID
	err := tx.Exec(`DELETE FROM capabilities WHERE handed = 'inviter' AND project = $1 AND (account = $2 OR shown_to = $2)`,
		project, account)
	if err == nil {
		err = EndWaiting(tx, account)
	}
	if err != nil || plantedReturn {
		return err
	}
	found, err := orphan(tx, account, project)
	if err != nil || !found {
		return err
	}
	return a.Changed(tx)
}

// orphan has accounts that are not proven reach the project no more that made them, until they are: those that an
// account made, there or, with 0, anywhere; those that these made; and so on.
func orphan(tx *store.Tx, maker string, project int64) (found bool, err error) {
	err = tx.Query(`WITH RECURSIVE made (uid) AS (
SELECT uid FROM accounts WHERE made_by = $1 AND proven_at IS NULL AND made_in IS NOT NULL AND ($2 = 0 OR made_in = $2)
UNION SELECT a.uid FROM made m JOIN accounts a ON a.made_by = m.uid WHERE a.proven_at IS NULL AND a.made_in IS NOT NULL
AND ($2 = 0 OR a.made_in = $2)
) UPDATE accounts SET made_in = NULL WHERE uid IN (SELECT uid FROM made)
RETURNING uid`, []any{maker, project}, func(*store.Cols) error {
		found = true
		return nil
	})
	return found, err
}
