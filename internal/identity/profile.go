package identity

import (
	"context"
	"strings"
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

// UpdateProfile changes an account, and shows it so in every project. fault.Invalid for a text that is too long or has
// control characters.
func (a *Directory) UpdateProfile(ctx context.Context, uid string, p Profile) error {
	problems := map[string]string{}
	for name, text := range map[string]string{
		"first_name": p.FirstName, "last_name": p.LastName, "company": p.Company,
		"title": p.Title, "language": p.Language,
	} {
		if utf8.RuneCountInString(text) > mostName || !Printable(text) {
			problems[name] = "It has at most 255 characters, and no control characters."
		}
	}
	if len(problems) > 0 {
		return fault.Fields(problems)
	}
	return a.Change(ctx, func(tx *store.Tx) error {
		err := tx.Exec(`UPDATE accounts SET first_name = $1, last_name = $2, company = $3, title = $4, language = $5,
notifications = $6 WHERE uid = $7`,
			store.OrNull(p.FirstName), store.OrNull(p.LastName), store.OrNull(p.Company), store.OrNull(p.Title),
			store.OrNull(p.Language),
			p.Notifications, uid)
		if err != nil {
			return err
		}
		return a.AnnounceIn(tx, uid)
	})
}

// Accounts lists accounts by address, those whose address or name contains a text, after an address, at most most.
func (a *Directory) Accounts(ctx context.Context, containing, after string, most int) ([]Account, error) {
	var all []Account
	if !Printable(containing) || !Printable(after) {
		return nil, nil
	}
	part := "%" + escapeLike(strings.ToLower(containing)) + "%"
	err := a.store.Query(ctx, `SELECT `+Columns("a")+
		` FROM accounts a WHERE a.email_key > coalesce((SELECT k.email_key FROM accounts k WHERE k.email_key = $1), $2)
AND ($3 = '' OR a.email_key LIKE $4 ESCAPE '!' OR lower(a.email) LIKE $4 ESCAPE '!' OR a.email_key = $5
OR lower(coalesce(a.first_name, '') || ' ' || coalesce(a.last_name, '')) LIKE $4 ESCAPE '!') ORDER BY a.email_key
LIMIT $6`,
		[]any{exactKey(after), afterKey(after), containing, part, EmailKey(containing), int64(most)},
		func(c *store.Cols) error {
			all = append(all, *Scan(c))
			return nil
		})
	return all, err
}

// afterKey is the key after which a list goes on; "" at its beginning.
func afterKey(after string) string {
	if after == "" {
		return ""
	}
	return EmailKey(after)
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
	return Profile{
		text(a.FirstName), text(a.LastName), text(a.Company), text(a.Title), text(a.Language), a.Notifications,
	}
}
