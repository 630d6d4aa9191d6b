package identity

import (
	"context"
	"unicode/utf8"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Arrival is somebody whom a project that comes from elsewhere names: the uid that they have there, and what it shows
// of them.
type Arrival struct {
	UID string
	Shown
	// Founder says that they made the project.
	Founder bool
}

// Known finds the account that an arrival is here, by the address; nil where there is none yet. fault.Conflict where
// the uid is that of another address, or where a project's founder has an account that somebody else may hold.
func (a *Directory) Known(ctx context.Context, who Arrival) (*Account, error) {
	return known(a.QueryIn(ctx), who)
}

func known(ask Query, who Arrival) (*Account, error) {
	if problem := EmailProblem(who.Email); problem != "" {
		return nil, fault.New(fault.Invalid, "The address %q cannot be taken. %s", Clip(who.Email, mostEmail), problem)
	}
	for _, text := range []*string{who.FirstName, who.LastName, who.Language, who.Company, who.Title} {
		if text != nil && (utf8.RuneCountInString(*text) > mostName || !Printable(*text)) {
			return nil, fault.New(fault.Invalid, "What is said of %s is too long, or has control characters.", who.Email)
		}
	}
	account, err := byEmail(ask, who.Email)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	if account == nil {
		other, err := one(ask, `uid`, who.UID)
		if err == nil && other != nil {
			err = fault.New(fault.Conflict, "The account %s has another address here than %s.", who.UID, who.Email)
		}
		return nil, err
	}
	// A founder enters before the address is proven: see Reaches.
	if who.Founder && !account.Proven && (!account.Invited || account.madeBy != "") {
		return nil, fault.New(fault.Conflict,
			"Nobody has shown that %s, who made the project, is theirs: the account here may be in other hands. Say with account prove that it is not.",
			who.Email)
	}
	return account, nil
}

// Arrived gives the account of an arrival inside the caller's transaction. Where the address has none, one is made with
// the uid that it had elsewhere: without password, and nobody has shown that the address is theirs, so that it lets
// nobody in. No link is made, and nothing is sent. The faults are those of Known.
func (a *Directory) Arrived(tx *store.Tx, who Arrival) (*Account, error) {
	account, err := known(tx.Query, who)
	if err != nil || account != nil {
		return account, err
	}
	err = tx.Exec(`INSERT INTO accounts (uid, email, email_key, first_name, last_name, language, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		who.UID, who.Email, keyOf(who.Email), who.FirstName, who.LastName, who.Language, tx.Now())
	if err != nil {
		return nil, err
	}
	return accountByEmail(tx, who.Email)
}
