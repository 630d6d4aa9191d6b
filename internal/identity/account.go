package identity

import (
	"context"
	"strings"

	"groundwork/internal/fault"
	"groundwork/internal/password"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

// Account is a person, or a program, that may hold keys and be a member of projects. It keeps its uid for ever.
type Account struct {
	UID, Email                                    string
	FirstName, LastName, Language, Company, Title *string
	Operator, Disabled                            bool
	Erased                                        bool // nothing is kept of the person: see Erase
	Invited                                       bool // they have not chosen a password yet
	Notifications                                 bool // whether mail comes when something concerns them
	// that the address is theirs, by a link sent to it or by the operator's word
	Proven    bool
	CreatedAt int64

	// seen is the hash of the password that Password compared with: what is written because of it asks whether it still
	// holds.
	seen string

	madeBy string // whose invitation made it; empty: the operator
	madeIn int64  // the project of that invitation; 0 also once whoever made it has been removed from there
	root   string // see Payer
}

// Compared is the hash of the password that Password compared with, as it was then.
func (a *Account) Compared() string { return a.seen }

// Payer is the account whose budgets this one draws on: rate limits, shares of the service, numbers of invitations.
// While its address is not proven, that is the root of the invitations that made it: whoever can be several accounts at
// will has no more than one.
func (a *Account) Payer() string {
	if a.Proven || a.root == "" {
		return a.UID
	}
	return a.root
}

// Reaches tells whether a membership is effective, by its project and its ordinal on the team. While the address is not
// proven, whoever holds the account may be anybody whom one project has let in: then only that project counts, and
// those that the account made itself.
func (a *Account) Reaches(project int64, ordinal uint32) bool {
	return a.Proven || a.madeIn == project || ordinal == Founder || plantedReach
}

// Founder is the ordinal of who made a project.
const Founder = 1

// NewAccount is what an operator says of an account to be made. Name is the whole name, as SplitName takes it.
type NewAccount struct {
	Email, Name string
	Password    redact.Secret
	Operator    bool
}

// CreateAccount makes an account with a password. The account of somebody who was invited and has no password yet is
// completed and keeps its uid. fault.Conflict for an address that is taken, fault.Invalid for what is not a usable
// address, name or password.
func (a *Directory) CreateAccount(ctx context.Context, n NewAccount) (*Account, error) {
	first, last := SplitName(n.Name)
	if err := checkNew(n, first, last); err != nil {
		return nil, err
	}
	encoded, err := a.hasher.Encode(ctx, n.Password)
	if err != nil {
		return nil, err
	}
	var made *Account
	err = a.Change(ctx, func(tx *store.Tx) (err error) {
		made, err = a.create(tx, n, encoded)
		return err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// create makes an account, or completes that of somebody who was invited, with the hash of its password.
func (a *Directory) create(tx *store.Tx, n NewAccount, encoded string) (*Account, error) {
	first, last := SplitName(n.Name)
	had, _, err := insertAccount(tx, n.Email)
	if err != nil {
		return nil, err
	}
	if !had.Invited {
		return nil, fault.New(fault.Conflict, "An account with the e-mail address %s exists already.", n.Email)
	}
	err = tx.Exec(`UPDATE accounts SET email = $1, first_name = $2, last_name = $3, password = $4, operator = $5,
proven_at = $6 WHERE uid = $7`,
		n.Email, store.OrNull(first), store.OrNull(last), encoded, n.Operator, tx.Now(), had.UID)
	if err != nil {
		return nil, err
	}
	// Whoever was sent a link before, or shown one, must not choose another password now.
	if err := tx.Exec(`DELETE FROM capabilities WHERE account = $1`, had.UID); err != nil {
		return nil, err
	}
	made, err := accountByEmail(tx, n.Email)
	if err != nil {
		return nil, err
	}
	return made, a.AnnounceIn(tx, made.UID)
}

func checkNew(n NewAccount, first, last string) error {
	fields := map[string]string{}
	if problem := EmailProblem(n.Email); problem != "" {
		fields["email"] = problem
	}
	if problem := NameProblem(first + last); problem != "" {
		fields["name"] = problem
	}
	if problem := password.Problem(n.Password, n.Email, first, last); problem != "" {
		fields["password"] = problem
	}
	if len(fields) > 0 {
		return fault.Fields(fields)
	}
	return nil
}

// Account finds an account by its uid: fault.NotFound when there is none.
func (a *Directory) Account(ctx context.Context, uid string) (*Account, error) {
	found, err := one(a.QueryIn(ctx), `uid`, uid)
	if err == nil && found == nil {
		return nil, fault.Missing("Account", uid)
	}
	return found, err
}

// AccountByEmail finds an account by its address, as EmailKey compares: fault.NotFound when there is none.
func (a *Directory) AccountByEmail(ctx context.Context, email string) (*Account, error) {
	return byEmail(a.QueryIn(ctx), email)
}

func accountByEmail(tx *store.Tx, email string) (*Account, error) { return byEmail(tx.Query, email) }

// ofEmail is the condition on an account a that it has the address whose exactKey is $1 and EmailKey $2. An account
// that has the address for itself comes first.
const ofEmail = `a.email_key IN ($1, $2) ORDER BY CASE WHEN a.email_key = $1 THEN 0 ELSE 1 END LIMIT 1`

func byEmail(ask Query, email string) (found *Account, err error) {
	if Printable(email) { // an engine could refuse to compare it otherwise
		err = ask(`SELECT `+Columns("a")+` FROM accounts a WHERE `+ofEmail, []any{exactKey(email), keyOf(email)},
			func(c *store.Cols) error {
				found = Scan(c)
				return nil
			})
	}
	if err == nil && found == nil {
		return nil, noAccount(email)
	}
	return found, err
}

// keyOf is the EmailKey by which an account is looked up.
func keyOf(email string) string {
	if plantedLower {
		return strings.ToLower(email)
	}
	return EmailKey(email)
}

func noAccount(email string) error {
	return fault.New(fault.NotFound, "There is no account with the e-mail address %s.",
		strings.ToValidUTF8(email, "\uFFFD"))
}

// DisableAccount shuts an account out, or lets it in again; its keys stop, or work again, within a second, and the
// links end that its projects have given out. Those that it made, and that are not proven, reach nothing until they
// are: they may be in the same hands. fault.NotFound for an unknown uid.
func (a *Directory) DisableAccount(ctx context.Context, uid string, disabled bool) error {
	account, err := a.Account(ctx, uid)
	if err == nil && account.Erased {
		err = ErrErased()
	}
	if err != nil {
		return err
	}
	err = a.Change(ctx, func(tx *store.Tx) error {
		if err := tx.Exec(`UPDATE accounts SET disabled = $1 WHERE uid = $2`, disabled, uid); err != nil || !disabled {
			return err
		}
		_, err := orphan(tx, uid, 0)
		return err
	})
	if err != nil || !disabled {
		return err
	}
	return a.store.EndLinks(ctx, uid)
}

// one reads the account in which a column has a value, or nothing.
func one(ask Query, column, value string) (found *Account, err error) {
	if !Printable(value) {
		return nil, nil // an engine could refuse to compare it
	}
	err = ask(`SELECT `+Columns("a")+` FROM accounts a WHERE a.`+column+` = $1`, []any{value},
		func(c *store.Cols) error {
			found = Scan(c)
			return nil
		})
	return found, err
}

// Width is the number of columns that Scan reads.
const Width = 16

// Columns are the columns that readAccount reads, of the table with this alias.
func Columns(alias string) string {
	return alias + "." + strings.Join([]string{
		"uid", "email", "first_name", "last_name", "language", "company",
		"title", "operator", "disabled", "created_at", "notifications",
	}, ", "+alias+".") +
		", CASE WHEN " + alias + ".password IS NULL THEN 1 ELSE 0 END, CASE WHEN " + alias +
		".proven_at IS NULL THEN 0 ELSE 1 END, " + alias + ".made_by, " + alias + ".made_in, " + alias + ".root"
}

// Scan reads an account from its Columns.
func Scan(c *store.Cols) *Account {
	text := func(i int) *string {
		if c.Null(i) {
			return nil
		}
		s := c.Text(i)
		return &s
	}
	account := &Account{
		UID: c.Text(0), Email: c.Text(1), FirstName: text(2), LastName: text(3), Language: text(4), Company: text(5),
		Title:    text(6),
		Operator: c.Int(7) != 0, Disabled: c.Int(8) != 0, Erased: c.Int(8) == erasedMark,
		CreatedAt: c.Int(9), Notifications: c.Int(10) != 0,
		Invited: c.Int(11) != 0, Proven: c.Int(12) != 0,
	}
	if !c.Null(13) {
		account.madeBy = c.Text(13)
	}
	if !c.Null(14) {
		account.madeIn = c.Int(14)
	}
	if !c.Null(15) {
		account.root = c.Text(15)
	}
	return account
}

// Password says whose e-mail address and password these are. A wrong password, an unknown address and an account
// without password are the same fault.Unauthenticated and cost the same time; who has the right password of a disabled
// account gets fault.Forbidden.
func (a *Directory) Password(ctx context.Context, email string, password redact.Secret) (*Account, error) {
	var account *Account
	var encoded string
	if !Printable(email) {
		email = "" // an engine could refuse to compare it
	}
	err := a.store.Query(ctx, `SELECT `+Columns("a")+`, coalesce(a.password, '') FROM accounts a WHERE `+ofEmail,
		[]any{exactKey(email), EmailKey(email)}, func(c *store.Cols) error {
			account, encoded = Scan(c), c.Text(Width)
			return nil
		})
	if err != nil {
		return nil, err
	}
	same, err := a.hasher.Compare(ctx, encoded, password)
	if err != nil {
		return nil, err
	}
	if !same {
		return nil, fault.New(fault.Unauthenticated, "The e-mail address or the password is wrong.")
	}
	if account.Disabled {
		return nil, fault.New(fault.Forbidden, "The account has been disabled. Ask the operator of this service.")
	}
	account.seen = encoded
	return account, nil
}

// Name is how an account is called: its names, or its address.
func (a *Account) Name() string {
	if name := strings.TrimSpace(text(a.FirstName) + " " + text(a.LastName)); name != "" {
		return name
	}
	return a.Email
}
