package auth

import (
	"context"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Purpose is what a link was made for.
type Purpose string

// The purposes: both links let whoever holds them set the password of an account, once.
const (
	Invitation Purpose = "invitation"
	Reset      Purpose = "reset"
)

// lives is how long a link of a purpose is good.
var lives = map[Purpose]time.Duration{Invitation: 14 * 24 * time.Hour, Reset: time.Hour}

// paths are where the pages of links are.
var paths = map[Purpose]string{Invitation: "/invitation/", Reset: "/reset-password/"}

// NewLink makes a link for an account inside the caller's transaction: the one moment at which its secret is known.
func (a *Auth) NewLink(tx *store.Tx, base string, purpose Purpose, account string) (string, error) {
	secret, hash := NewSecret(KindCapability)
	return base + paths[purpose] + secret, tx.Exec(`INSERT INTO capabilities (hash, purpose, account, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		hash, string(purpose), account, tx.Now(), tx.Now()+lives[purpose].Microseconds())
}

// Linked says whose link a secret is of: fault.NotFound when it was used, has expired, or never was. An invitation is over once there is a password, whoever set it.
func (a *Auth) Linked(ctx context.Context, purpose Purpose, secret string) (*Account, error) {
	return linked(a.queryIn(ctx), a.store.Now(), purpose, secret)
}

func linked(ask query, now int64, purpose Purpose, secret string) (account *Account, err error) {
	if ValidSecret(KindCapability, secret) {
		err = ask(`SELECT `+accountColumns("a")+` FROM capabilities c JOIN accounts a ON a.uid = c.account
WHERE c.hash = $1 AND c.purpose = $2 AND c.expires_at > $3 AND a.disabled = 0 AND (c.purpose <> $4 OR a.password IS NULL)`, []any{Hash(secret), string(purpose), now, string(Invitation)}, func(c *store.Cols) error {
			account = readAccount(c)
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
	return account, err
}

// SetPassword uses a link up: the account has this password from now on, these names if it had none, and is signed out everywhere else. It gives
// the secret of a new session. fault.NotFound for a link that is not good, fault.Invalid for what is not a usable password or name.
func (a *Auth) SetPassword(ctx context.Context, purpose Purpose, secret string, password Secret, name string, from Visit) (session string, err error) {
	account, err := a.Linked(ctx, purpose, secret)
	if err != nil {
		return "", err
	}
	first, last := SplitName(name)
	if account.FirstName != nil || account.LastName != nil {
		first, last = text(account.FirstName), text(account.LastName)
	}
	problems := map[string]string{}
	if purpose == Invitation && nameProblem(first+last) != "" {
		problems["name"] = nameProblem(first + last)
	}
	if problem := passwordProblem(password, account.Email, first, last); problem != "" {
		problems["password"] = problem
	}
	if len(problems) > 0 {
		return "", fault.Fields(problems)
	}
	encoded, err := a.encodePassword(ctx, password)
	if err != nil {
		return "", err
	}
	err = a.write(ctx, func(tx *store.Tx) error {
		if _, err := linked(tx.Query, tx.Now(), purpose, secret); err != nil {
			return err // somebody was faster
		}
		for _, sql := range []string{`DELETE FROM capabilities WHERE account = $1`, `DELETE FROM sessions WHERE account = $1`} {
			if err := tx.Exec(sql, account.UID); err != nil {
				return err
			}
		}
		err := tx.Exec(`UPDATE accounts SET password = $1, first_name = $2, last_name = $3 WHERE uid = $4`, encoded, optional(first), optional(last), account.UID)
		if err != nil {
			return err
		}
		return tx.Announce(account.UID)
	})
	if err != nil {
		return "", err
	}
	return a.begin(ctx, account.UID, from)
}

// ChangePassword replaces the password of whoever knows the old one, and signs them out everywhere but in one session. fault.Invalid for a wrong old or
// an unusable new one, fault.Limited after many wrong ones.
func (a *Auth) ChangePassword(ctx context.Context, account *Account, session string, old, now Secret) error {
	b := bound{"change " + account.UID, freeOfPair, mostOfPair}
	over, err := a.tries.take(a.store.Now(), b)
	if err != nil {
		return err
	}
	a.slow(ctx, over)
	if _, err := a.Password(ctx, account.Email, old); fault.Is(err, fault.Unauthenticated) {
		return fault.Field("old_password", "This is not your present password.")
	} else if err != nil {
		return err
	}
	a.tries.succeeded(b)
	if problem := passwordProblem(now, account.Email, text(account.FirstName), text(account.LastName)); problem != "" {
		return fault.Field("password", "%s", problem)
	}
	return a.replacePassword(ctx, account.UID, session, now)
}

// ResetPassword gives the account of an address a password, as its operator says, and signs it out everywhere. fault.NotFound for an unknown address, fault.Invalid for
// an unusable password.
func (a *Auth) ResetPassword(ctx context.Context, email string, now Secret) (*Account, error) {
	account, err := a.AccountByEmail(ctx, email)
	if err != nil {
		return nil, err
	}
	if problem := passwordProblem(now, account.Email, text(account.FirstName), text(account.LastName)); problem != "" {
		return nil, fault.Field("password", "%s", problem)
	}
	return account, a.replacePassword(ctx, account.UID, "", now)
}

func (a *Auth) replacePassword(ctx context.Context, account, but string, now Secret) error {
	encoded, err := a.encodePassword(ctx, now)
	if err != nil {
		return err
	}
	return a.write(ctx, func(tx *store.Tx) error {
		if err := tx.Exec(`UPDATE accounts SET password = $1 WHERE uid = $2`, encoded, account); err != nil {
			return err
		}
		if err := tx.Exec(`DELETE FROM capabilities WHERE account = $1`, account); err != nil {
			return err
		}
		return endOthers(tx, account, but)
	})
}

// Forgot counts a wish for a new password: fault.Limited when an address sends too many. quiet tells that the e-mail address had enough letters already:
// it gets none, and the caller answers as always.
func (a *Auth) Forgot(email, address string) (quiet bool, err error) {
	if _, err := a.tries.take(a.store.Now(), bound{"forgot from " + from(address), mostOfNetwork, mostOfNetwork}); err != nil {
		return true, err
	}
	_, enough := a.tries.take(a.store.Now(), bound{"forgot " + EmailKey(clip(email, mostEmail)), mostLetters, mostLetters})
	return enough != nil || emailProblem(email) != "", nil
}

// mostLetters is how often within the window a person is sent the same letter.
const mostLetters = 3

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
