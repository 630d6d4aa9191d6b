package identity

import (
	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// erasedMark is what the account of a person is disabled with who was erased: it is never let in again.
const erasedMark = 2

// What is shown of people who were erased. The domain is one that no mail server can ever have (RFC 2606).
const (
	erasedFirst, erasedLast = "Erased", "person"
	erasedDomain            = "@erased.invalid"
)

// ErasedAs is what is shown of an account whose person was erased: always the same, and nothing of theirs.
func ErasedAs(uid string) Shown {
	first, last := erasedFirst, erasedLast
	return Shown{Email: "erased-" + uid + erasedDomain, FirstName: &first, LastName: &last}
}

// Erase puts what is shown of erased people in place of what an account says of its person, inside the caller's
// transaction, and shuts it out for ever. Every project is told. The account keeps its uid, and with it what its person
// did.
func (a *Directory) Erase(tx *store.Tx, uid string) error {
	as := ErasedAs(uid)
	err := tx.Exec(`UPDATE accounts SET email = $2, email_key = $3, first_name = $4, last_name = $5, language = NULL,
company = NULL, title = NULL, password = NULL, operator = 0, disabled = $6, notifications = 0 WHERE uid = $1`,
		uid, as.Email, keyOf(as.Email), as.FirstName, as.LastName, int64(erasedMark))
	if err != nil {
		return err
	}
	if err := ForgetBounce(tx, uid); err != nil {
		return err
	}
	if _, err := orphan(tx, uid, 0); err != nil {
		return err
	}
	if err := a.AnnounceIn(tx, uid); err != nil {
		return err
	}
	return a.Changed(tx)
}

// ErrErased is what is said where somebody is to do something who was erased.
func ErrErased() error {
	return fault.New(fault.Conflict,
		"The person of this account was erased. It cannot be used again: invite them, or make an account for their address, and it is a new one.")
}
