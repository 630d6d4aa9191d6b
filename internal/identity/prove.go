package identity

import (
	"context"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// NoteProven notes that the address of an account is proven. The links that inviters were shown end: they must not open
// what waited for the proof.
func NoteProven(tx *store.Tx, account string) error {
	if err := tx.Exec(`UPDATE accounts SET proven_at = $1 WHERE uid = $2 AND proven_at IS NULL`, tx.Now(),
		account); err != nil {
		return err
	}
	return tx.Exec(`DELETE FROM capabilities WHERE account = $1 AND handed = 'inviter'`, account)
}

// Prove takes the operator's word that whoever has an account now is whom its address belongs to: the memberships that
// waited for it are effective at once. fault.NotFound for an unknown uid. fault.Conflict where somebody set a password
// with a link that their inviter was shown, and other projects wait: then only a reset is safe, which takes the account
// from whoever has it.
func (a *Directory) Prove(ctx context.Context, uid string) error {
	account, err := a.Account(ctx, uid)
	if err != nil || account.Proven {
		return err
	}
	return a.Change(ctx, func(tx *store.Tx) error {
		now, err := AccountIn(tx, uid)
		if err != nil || now == nil || now.Proven {
			return err
		}
		if !now.Invited {
			waits := false
			err := tx.ShowOwn(uid, func(row *store.Row) bool {
				waits = waits || !row.Deleted && !now.Reaches(row.ID.Project(), row.ID.Ordinal())
				return false
			})
			if err != nil {
				return err
			}
			if waits {
				return fault.New(fault.Conflict,
					"Somebody has set a password for %s with a link that was not sent to that address, and there are projects that wait for whom it belongs to. "+
						"Give the person a link with groundwork account reset-password: it takes the account from whoever has it now, and proves the address.", now.Email)
			}
		}
		if err := NoteProven(tx, uid); err != nil {
			return err
		}
		return a.AnnounceIn(tx, uid)
	})
}
