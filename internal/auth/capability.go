package auth

import (
	"context"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/password"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

// Purpose is what a link was made for.
type Purpose string

// The purposes: both links let whoever holds them set the password of an account, once.
const (
	Invitation Purpose = "invitation"
	Reset      Purpose = "reset"
)

// Handed is how a link was handed out.
type Handed string

// The ways. A link that came by mail, or from the operator, proves that the address is whose who uses it; one that the
// inviter was shown does not.
const (
	ByMail     Handed = "mail"
	ByOperator Handed = "operator"
	ByInviter  Handed = "inviter"
)

// lives is how long a link of a purpose is good.
var lives = map[Purpose]time.Duration{Invitation: 14 * 24 * time.Hour, Reset: time.Hour}

// paths are where the pages of links are.
var paths = map[Purpose]string{Invitation: "/invitation/", Reset: "/reset-password/"}

// NewLink makes a link for an account inside the caller's transaction, to be sent by mail or passed on by the operator:
// the one moment at which its secret is known.
func (a *Auth) NewLink(tx *store.Tx, base string, purpose Purpose, account string, handed Handed) (string, error) {
	return newLink(tx, base, purpose, account, handed, nil, nil, Occasion{})
}

// OperatorLink makes a link with which somebody chooses a password, for the operator to pass on. fault.Conflict for a
// disabled account, whose links do not work.
func (a *Auth) OperatorLink(ctx context.Context, base string, account *identity.Account) (link string, err error) {
	if account.Erased {
		return "", identity.ErrErased()
	}
	if account.Disabled {
		return "", fault.New(fault.Conflict, "%s is disabled. Let them in first: groundwork account disable --undo %s.",
			account.Email, account.Email)
	}
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		link, err = a.NewLink(tx, base, Reset, account.UID, ByOperator)
		return err
	})
	return link, err
}

// ShownLink makes a link of an invitation that whoever invites is shown; see InviterSees. It sets a password, and
// proves nothing.
func (a *Auth) ShownLink(tx *store.Tx, base, account, by string, o Occasion) (string, error) {
	return newLink(tx, base, Invitation, account, ByInviter, by, tx.Project().ID, o)
}

func newLink(tx *store.Tx, base string, purpose Purpose, account string, handed Handed, to, in any, o Occasion) (string,
	error,
) {
	secret, hash := credential.NewSecret(credential.KindCapability)
	return base + paths[purpose] + secret, tx.Exec(
		`INSERT INTO capabilities (hash, purpose, account, created_at, expires_at, handed, shown_to, project,
invited_by, invited_to)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		hash, string(purpose), account, tx.Now(), tx.Now()+lives[purpose].Microseconds(), string(handed), to, in,
		store.OrNull(o.By), store.OrNull(o.Project))
}

// Occasion is who invited somebody, and to which project, by their names; empty where that is not known.
type Occasion struct{ By, Project string }

// OccasionOf tells of the invitation that a link belongs to. Names that could deceive are left out.
func (a *Auth) OccasionOf(ctx context.Context, secret string) (o Occasion, err error) {
	err = a.store.Query(ctx,
		`SELECT coalesce(invited_by, ''), coalesce(invited_to, '') FROM capabilities WHERE hash = $1`,
		[]any{credential.Hash(secret)},
		func(c *store.Cols) error {
			o = Occasion{identity.PlainName(c.Text(0), ""), identity.PlainName(c.Text(1), "")}
			return nil
		})
	return o, err
}

// Linked says whose link a secret is of: fault.NotFound when it was used, has expired, or never was. A link that an
// inviter was shown is over once there is a password, whoever set it, or the address is proven; one that was sent is
// over once both are so.
func (a *Auth) Linked(ctx context.Context, purpose Purpose, secret string) (*identity.Account, error) {
	account, _, err := linked(a.QueryIn(ctx), a.store.Now(), purpose, secret)
	return account, err
}

const linkedAccount = ` FROM capabilities c JOIN accounts a ON a.uid = c.account WHERE c.hash = $1 AND c.purpose = $2
AND c.expires_at > $3 AND a.disabled = 0
AND (c.purpose = 'reset' OR c.handed = 'inviter' AND a.password IS NULL AND a.proven_at IS NULL OR c.handed <> 'inviter'
AND (a.password IS NULL OR a.proven_at IS NULL))`

func linked(ask identity.Query, now int64, purpose Purpose, secret string) (account *identity.Account, handed Handed,
	err error,
) {
	if credential.ValidSecret(credential.KindCapability, secret) {
		err = ask(`SELECT `+identity.Columns("a")+`, c.handed`+linkedAccount, []any{credential.Hash(secret), string(purpose), now},
			func(c *store.Cols) error {
				account, handed = identity.Scan(c), Handed(c.Text(identity.Width))
				return nil
			})
	}
	if err == nil && account == nil {
		again := "Ask for a new one: Forgotten password, on the sign-in page."
		if purpose == Invitation {
			again = "If you have set a password already, sign in. Otherwise ask whoever invited you to do it again."
		}
		err = fault.New(fault.NotFound, "This link has been used already, or is too old. %s", again)
	}
	return account, handed, err
}

// SetPassword uses a link up: the account has this password from now on, and is signed out everywhere else. With an
// invitation it has the name too that is given; without one it keeps its own. A link that was sent proves the address.
// A password that takes the place of another also ends its keys and what it allowed applications. It gives the secret
// of a new session. fault.NotFound for a link that is not good, fault.Invalid for what is not a usable password or
// name.
func (a *Auth) SetPassword(ctx context.Context, purpose Purpose, secret string, chosen redact.Secret, name string,
	from Visit,
) (session string, err error) {
	account, err := a.Linked(ctx, purpose, secret)
	if err != nil {
		return "", err
	}
	first, last := identity.SplitName(name)
	if first == "" || purpose != Invitation {
		own := account.Own()
		first, last = own.FirstName, own.LastName
	}
	problems := map[string]string{}
	if purpose == Invitation && identity.NameProblem(first+last) != "" {
		problems["name"] = identity.NameProblem(first + last)
	}
	if problem := password.Problem(chosen, account.Email, first, last); problem != "" {
		problems["password"] = problem
	}
	if len(problems) > 0 {
		return "", fault.Fields(problems)
	}
	encoded, err := a.hasher.Encode(ctx, chosen)
	if err != nil {
		return "", err
	}
	err = a.Change(ctx, func(tx *store.Tx) error {
		now, handed, err := linked(tx.Query, tx.Now(), purpose, secret)
		if err != nil {
			return err // somebody was faster
		}
		if handed != ByInviter && !now.Proven {
			if err := handOver(tx, now); err != nil {
				return err
			}
		}
		err = tx.Exec(`UPDATE accounts SET first_name = $1, last_name = $2 WHERE uid = $3`, store.OrNull(first),
			store.OrNull(last), account.UID)
		if err != nil {
			return err
		}
		if _, err := a.newPassword(tx, account, "", encoded, true); err != nil {
			return err
		}
		if handed == ByMail { // a letter has arrived
			if err := identity.ForgetBounce(tx, account.UID); err != nil {
				return err
			}
		}
		return a.AnnounceIn(tx, account.UID)
	})
	if err != nil {
		return "", err
	}
	return a.begin(ctx, account.UID, encoded, from)
}

// ChangePassword replaces the password of whoever knows the old one, and signs them out everywhere but in one session;
// with all it also ends their keys and what they allowed applications. fault.Invalid for a wrong old or an unusable new
// one, fault.Limited after many wrong ones.
func (a *Auth) ChangePassword(ctx context.Context, account *identity.Account, session string, old, now redact.Secret,
	all bool,
) error {
	who, err := a.tryPassword(ctx, account.Email, old, []password.Bound{password.ChangesOf(account.UID)})
	if fault.Is(err, fault.Unauthenticated) {
		return fault.Field("old_password", "This is not your present password.")
	} else if err != nil {
		return err
	}
	if problem := problemOf(now, account); problem != "" {
		return fault.Field("password", "%s", problem)
	}
	_, err = a.replacePassword(ctx, who, session, now, all, false)
	return err
}

// ResetPassword gives the account of an address a password, as its operator says, signs it out everywhere, and ends its
// keys and what it allowed applications. fault.NotFound for an unknown address, fault.Invalid for an unusable password.
func (a *Auth) ResetPassword(ctx context.Context, email string, now redact.Secret) (*identity.Account, Ended, error) {
	account, err := a.AccountByEmail(ctx, email)
	if err != nil {
		return nil, Ended{}, err
	}
	if account.Erased {
		return nil, Ended{}, identity.ErrErased()
	}
	if problem := problemOf(now, account); problem != "" {
		return nil, Ended{}, fault.Field("password", "%s", problem)
	}
	ended, err := a.replacePassword(ctx, account, "", now, true, true)
	return account, ended, err
}

// replacePassword gives an account another password. The operator's proves the address.
func (a *Auth) replacePassword(ctx context.Context, account *identity.Account, but string, now redact.Secret, all,
	operator bool,
) (ended Ended, err error) {
	encoded, err := a.hasher.Encode(ctx, now)
	if err != nil {
		return ended, err
	}
	err = a.Change(ctx, func(tx *store.Tx) error {
		if !operator {
			if err := credential.Unchanged(tx, account.UID, account.Compared()); err != nil {
				return err
			}
		}
		had, err := identity.AccountIn(tx, account.UID)
		if err == nil && operator && had != nil && !had.Proven {
			err = handOver(tx, had)
		}
		if err != nil {
			return err
		}
		if ended, err = a.newPassword(tx, account, but, encoded, all); err != nil || had == nil || had.Proven ||
			!operator {
			return err
		}
		return a.AnnounceIn(tx, account.UID)
	})
	return ended, err
}

// newPassword gives an account a password, signs it out everywhere but in one session, ends its links, with all also
// keys and applications, and tells the person where it had a password before.
func (a *Auth) newPassword(tx *store.Tx, account *identity.Account, but, encoded string, all bool) (ended Ended,
	err error,
) {
	// What another transaction makes for the account at this moment is there before it is looked for, or is refused.
	if err := credential.LockAccount(tx, account.UID, nil); err != nil {
		return ended, err
	}
	if all {
		if ended, err = a.endAll(tx, account.UID); err != nil {
			return ended, err
		}
	}
	// Before the password is there: whoever had none is not told.
	if err := a.Tell(tx, account.UID,
		letter.Letter{Kind: letter.AboutPassword, Keys: ended.Keys, Applications: ended.Applications}); err != nil {
		return ended, err
	}
	if err := tx.Exec(`UPDATE accounts SET password = $1 WHERE uid = $2`, encoded, account.UID); err != nil {
		return ended, err
	}
	if err := tx.Exec(`DELETE FROM capabilities WHERE account = $1`, account.UID); err != nil {
		return ended, err
	}
	return ended, endOthers(tx, account.UID, but)
}

// Forgot counts a wish for a new password: fault.Limited when an address sends too many. quiet tells that the e-mail
// address had enough letters already: it gets none, and the caller answers as always.
func (a *Auth) Forgot(email, address string) (quiet bool, err error) {
	if _, err := a.tries.Take(a.store.Now(), password.ForgottenFrom(address)...); err != nil {
		return true, err
	}
	_, enough := a.tries.Take(a.store.Now(), password.ForgottenBy(identity.KeyTyped(email)))
	return enough != nil || identity.EmailProblem(email) != "", nil
}

// problemOf says why a password is refused for an account.
func problemOf(chosen redact.Secret, account *identity.Account) string {
	own := account.Own()
	return password.Problem(chosen, account.Email, own.FirstName, own.LastName)
}
