package auth

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Account is a person, or a program, that may hold keys and be a member of projects. It keeps its uid for ever.
type Account struct {
	UID, Email                                    string
	FirstName, LastName, Language, Company, Title *string
	Operator, Disabled                            bool
	Invited                                       bool // they have not chosen a password yet
	Notifications                                 bool // whether mail comes when something concerns them
	CreatedAt                                     int64
}

// NewAccount is what an operator says of an account to be made. Name is the whole name, as SplitName takes it.
type NewAccount struct {
	Email, Name string
	Password    Secret
	Operator    bool
}

// CreateAccount makes an account with a password. The account of somebody who was invited and has no password yet is completed and keeps its uid.
// fault.Conflict for an address that is taken, fault.Invalid for what is not a usable address, name or password.
func (a *Auth) CreateAccount(ctx context.Context, n NewAccount) (*Account, error) {
	first, last := SplitName(n.Name)
	if err := checkNew(n, first, last); err != nil {
		return nil, err
	}
	encoded, err := a.encodePassword(ctx, n.Password)
	if err != nil {
		return nil, err
	}
	var made *Account
	err = a.write(ctx, func(tx *store.Tx) error {
		had, err := insertAccount(tx, n.Email)
		if err != nil {
			return err
		}
		if !had.Invited {
			return fault.New(fault.Conflict, "An account with the e-mail address %s exists already.", n.Email)
		}
		err = tx.Exec(`UPDATE accounts SET email = $1, first_name = $2, last_name = $3, password = $4, operator = $5 WHERE uid = $6`,
			n.Email, optional(first), optional(last), encoded, n.Operator, had.UID)
		if err != nil {
			return err
		}
		// Whoever was sent a link before, or shown one, must not choose another password now.
		if err := tx.Exec(`DELETE FROM capabilities WHERE account = $1`, had.UID); err != nil {
			return err
		}
		if made, err = accountByEmail(tx, n.Email); err != nil {
			return err
		}
		return tx.Announce(made.UID)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

func checkNew(n NewAccount, first, last string) error {
	fields := map[string]string{}
	if problem := emailProblem(n.Email); problem != "" {
		fields["email"] = problem
	}
	if problem := nameProblem(first + last); problem != "" {
		fields["name"] = problem
	}
	if problem := passwordProblem(n.Password, n.Email, first, last); problem != "" {
		fields["password"] = problem
	}
	if len(fields) > 0 {
		return fault.Fields(fields)
	}
	return nil
}

// Invited gives the account of an address inside the caller's transaction, making one without password when there is none. Names and language given
// fill only an account that has no names. Two invitations at once end with one account. fault.Invalid for what is not an address or a name.
func (a *Auth) Invited(tx *store.Tx, email, first, last, language string) (*Account, error) {
	if err := checkInvited(email, first, last, language); err != nil {
		return nil, err
	}
	account, err := insertAccount(tx, email)
	if err != nil || first == "" && last == "" || account.FirstName != nil || account.LastName != nil {
		return account, err
	}
	account.FirstName, account.LastName = optional(first), optional(last)
	if account.Language == nil {
		account.Language = optional(language)
	}
	err = tx.Exec(`UPDATE accounts SET first_name = $1, last_name = $2, language = $3 WHERE uid = $4`,
		account.FirstName, account.LastName, account.Language, account.UID)
	if err != nil {
		return nil, err
	}
	if err := tx.Announce(account.UID); err != nil {
		return nil, err
	}
	tx.After(a.forget)
	return account, changed(tx)
}

func checkInvited(email, first, last, language string) error {
	fields := map[string]string{}
	if problem := emailProblem(email); problem != "" {
		fields["email"] = problem
	}
	for name, text := range map[string]string{"first_name": first, "last_name": last, "language": language} {
		if text != "" && nameProblem(text) != "" {
			fields[name] = nameProblem(text)
		}
	}
	if len(fields) > 0 {
		return fault.Fields(fields)
	}
	return nil
}

// insertAccount gives the account with this address, which is a new one unless there was one. It does not move the version: nobody
// can remember an account that did not exist.
func insertAccount(tx *store.Tx, email string) (*Account, error) {
	err := tx.Exec(`INSERT INTO accounts (uid, email, email_key, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (email_key) DO NOTHING`,
		uuid.NewString(), email, EmailKey(email), tx.Now())
	if err != nil {
		return nil, err
	}
	return accountByEmail(tx, email)
}

// Account finds an account by its uid: fault.NotFound when there is none.
func (a *Auth) Account(ctx context.Context, uid string) (*Account, error) {
	found, err := one(a.queryIn(ctx), `uid`, uid)
	if err == nil && found == nil {
		return nil, fault.Missing("Account", uid)
	}
	return found, err
}

// AccountByEmail finds an account by its address, whatever its case: fault.NotFound when there is none.
func (a *Auth) AccountByEmail(ctx context.Context, email string) (*Account, error) {
	found, err := one(a.queryIn(ctx), `email_key`, EmailKey(email))
	if err == nil && found == nil {
		return nil, noAccount(email)
	}
	return found, err
}

func accountByEmail(tx *store.Tx, email string) (*Account, error) {
	found, err := one(tx.Query, `email_key`, EmailKey(email))
	if err == nil && found == nil {
		return nil, noAccount(email)
	}
	return found, err
}

func noAccount(email string) error {
	return fault.New(fault.NotFound, "There is no account with the e-mail address %s.", strings.ToValidUTF8(email, "\uFFFD"))
}

// DisableAccount shuts an account out, or lets it in again; its keys stop, or work again, within a second. fault.NotFound for an unknown uid.
func (a *Auth) DisableAccount(ctx context.Context, uid string, disabled bool) error {
	if _, err := a.Account(ctx, uid); err != nil {
		return err
	}
	return a.write(ctx, func(tx *store.Tx) error {
		return tx.Exec(`UPDATE accounts SET disabled = $1 WHERE uid = $2`, disabled, uid)
	})
}

// query is how the database is asked, inside or outside of a transaction.
type query func(sql string, args []any, each func(*store.Cols) error) error

func (a *Auth) queryIn(ctx context.Context) query {
	return func(sql string, args []any, each func(*store.Cols) error) error {
		return a.store.Query(ctx, sql, args, each)
	}
}

// one reads the account in which a column has a value, or nothing.
func one(ask query, column, value string) (found *Account, err error) {
	if !printable(value) {
		return nil, nil // an engine could refuse to compare it
	}
	err = ask(`SELECT `+accountColumns("a")+` FROM accounts a WHERE a.`+column+` = $1`, []any{value}, func(c *store.Cols) error {
		found = readAccount(c)
		return nil
	})
	return found, err
}

// accountWidth is the number of columns that readAccount reads.
const accountWidth = 12

// accountColumns are the columns that readAccount reads, of the table with this alias.
func accountColumns(alias string) string {
	return alias + "." + strings.Join([]string{"uid", "email", "first_name", "last_name", "language", "company", "title", "operator", "disabled", "created_at", "notifications"}, ", "+alias+".") +
		", CASE WHEN " + alias + ".password IS NULL THEN 1 ELSE 0 END"
}

func readAccount(c *store.Cols) *Account {
	text := func(i int) *string {
		if c.Null(i) {
			return nil
		}
		s := c.Text(i)
		return &s
	}
	return &Account{
		UID: c.Text(0), Email: c.Text(1), FirstName: text(2), LastName: text(3), Language: text(4), Company: text(5), Title: text(6),
		Operator: c.Int(7) != 0, Disabled: c.Int(8) != 0, CreatedAt: c.Int(9), Notifications: c.Int(10) != 0, Invited: c.Int(11) != 0,
	}
}
