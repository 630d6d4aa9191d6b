package auth

import (
	"context"
	"unicode/utf8"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Profile is what people say of themselves. An empty text is none.
type Profile struct {
	FirstName, LastName, Company, Title, Language string
	// Notifications says whether mail comes when something concerns them.
	Notifications bool
}

// UpdateProfile changes an account, and shows it so in every project. fault.Invalid for a text that is too long or has control characters.
func (a *Auth) UpdateProfile(ctx context.Context, uid string, p Profile) error {
	problems := map[string]string{}
	for name, text := range map[string]string{"first_name": p.FirstName, "last_name": p.LastName, "company": p.Company, "title": p.Title, "language": p.Language} {
		if utf8.RuneCountInString(text) > mostName || !printable(text) {
			problems[name] = "It has at most 255 characters, and no control characters."
		}
	}
	if len(problems) > 0 {
		return fault.Fields(problems)
	}
	return a.write(ctx, func(tx *store.Tx) error {
		err := tx.Exec(`UPDATE accounts SET first_name = $1, last_name = $2, company = $3, title = $4, language = $5, notifications = $6 WHERE uid = $7`,
			optional(p.FirstName), optional(p.LastName), optional(p.Company), optional(p.Title), optional(p.Language), p.Notifications, uid)
		if err != nil {
			return err
		}
		return tx.Announce(uid)
	})
}

// Accounts lists accounts by address, those whose address or name contains a text, after an address, at most most.
func (a *Auth) Accounts(ctx context.Context, containing, after string, most int) ([]Account, error) {
	var all []Account
	if !printable(containing) || !printable(after) {
		return nil, nil
	}
	err := a.store.Query(ctx, `SELECT `+accountColumns("a")+` FROM accounts a WHERE a.email_key > $1 AND ($2 = '' OR a.email_key LIKE $3 ESCAPE '!'
OR lower(coalesce(a.first_name, '') || ' ' || coalesce(a.last_name, '')) LIKE $3 ESCAPE '!') ORDER BY a.email_key LIMIT $4`,
		[]any{EmailKey(after), containing, "%" + escapeLike(EmailKey(containing)) + "%", int64(most)}, func(c *store.Cols) error {
			all = append(all, *readAccount(c))
			return nil
		})
	return all, err
}

// escapeLike makes a text match itself in LIKE … ESCAPE '!'.
func escapeLike(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] == '%' || s[i] == '_' || s[i] == '!' {
			out = append(out, '!')
		}
		out = append(out, s[i])
	}
	return string(out)
}

// AccountIn finds an account by its uid as a transaction sees it; nil where there is none.
func AccountIn(tx *store.Tx, uid string) (*Account, error) { return one(tx.Query, "uid", uid) }

// Own is the profile of an account as it is.
func (a *Account) Own() Profile {
	return Profile{text(a.FirstName), text(a.LastName), text(a.Company), text(a.Title), text(a.Language), a.Notifications}
}
