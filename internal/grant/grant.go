package grant

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"time"

	"github.com/google/uuid"

	"groundwork/internal/credential"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/store"
)

// Ask is what an account allows an application.
type Ask struct {
	Application, Account string
	Scopes               credential.Scopes
	// Redirect is the address as the request gave it, "" where it gave none; Challenge is that of PKCE, "" without.
	Redirect, Challenge string
	// By is the Origin of the session in which the person allows it, which must be good still.
	By string
}

// Tokens is what an application gets. Refresh is "" in the implicit flow.
type Tokens struct {
	Access, Refresh string
	Scopes          credential.Scopes
	Life            time.Duration
}

// BadGrant says why a code or a refresh token is worth nothing; the application may read it.
type BadGrant struct{ Why string }

func (b BadGrant) Error() string { return b.Why }

// ErrScope says that a refresh token does not cover the scopes that are asked for.
var ErrScope = errors.New("The refresh token does not cover these scopes.")

const (
	codeLife    = time.Minute
	refreshLife = 365 * 24 * time.Hour
)

// Allow gives a code that the application exchanges within a minute, once.
func (a *Grants) Allow(ctx context.Context, ask Ask) (code string, err error) {
	code, hash := credential.NewSecret(credential.KindCode)
	return code, a.store.Write(ctx, func(tx *store.Tx) error {
		return a.newGrant(tx, uuid.NewString(), ask, hash, tx.Now()+codeLife.Microseconds())
	})
}

// AllowNow gives an access token at once: the implicit flow.
func (a *Grants) AllowNow(ctx context.Context, ask Ask) (*Tokens, error) {
	t := &Tokens{Scopes: ask.Scopes, Life: a.life}
	return t, a.store.Write(ctx, func(tx *store.Tx) (err error) {
		family := uuid.NewString()
		if err := a.newGrant(tx, family, ask, nil, tx.Now()); err != nil {
			return err
		}
		t.Access, err = a.newAccess(tx, family, nil)
		return err
	})
}

// MostGrants is how many consents of an account to one application are good at once: one for each of its devices. Of
// more, the oldest end.
const MostGrants = 100

// newGrant keeps a consent, and tells the person of it.
func (a *Grants) newGrant(tx *store.Tx, uid string, ask Ask, code any, expires int64) error {
	if err := credential.StillGood(tx, ask.Account, ask.By); err != nil {
		return err
	}
	beyond := int64(0)
	err := tx.Query(`SELECT count(*) FROM grants WHERE account = $1 AND application = $2 AND revoked_at IS NULL`,
		[]any{ask.Account, ask.Application},
		func(c *store.Cols) error {
			beyond = c.Int(0) - (MostGrants - 1)
			return nil
		})
	if err != nil {
		return err
	}
	if beyond > 0 {
		err := a.revoke(tx, `uid IN (SELECT uid FROM grants WHERE account = $2 AND application = $3 AND revoked_at IS NULL ORDER BY created_at, uid LIMIT $4)`,
			ask.Account, ask.Application, beyond)
		if err != nil {
			return err
		}
	}
	err = tx.Exec(`INSERT INTO grants (uid, application, account, scopes, redirect, challenge, code, code_expires_at,
created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		uid, ask.Application, ask.Account, ask.Scopes.String(), store.OrNull(ask.Redirect),
		store.OrNull(ask.Challenge), code,
		expires, tx.Now())
	if err != nil {
		return err
	}
	name := ""
	err = tx.Query(`SELECT name FROM applications WHERE uid = $1`, []any{ask.Application}, func(c *store.Cols) error {
		name = c.Text(0)
		return nil
	})
	if err != nil {
		return err
	}
	return a.tell(tx, ask.Account, letter.Letter{Kind: letter.AboutConsent, What: name})
}

// newAccess adds an access token to a family: for fewer scopes than the family has, where narrow is not nil.
func (a *Grants) newAccess(tx *store.Tx, family string, narrow *string) (secret string, err error) {
	secret, hash := credential.NewSecret(credential.KindAccess)
	return secret, tx.Exec(
		`INSERT INTO tokens (hash, family, refresh, created_at, expires_at, scopes) VALUES ($1, $2, 0, $3, $4, $5)`,
		hash, family, tx.Now(), tx.Now()+a.life.Microseconds(), narrow)
}

// newRefresh adds a refresh token to a family, which begins with its mark.
func (a *Grants) newRefresh(tx *store.Tx, family, mark string) (secret string, err error) {
	secret, hash := credential.NewMarked(credential.KindRefresh, mark)
	return secret, tx.Exec(
		`INSERT INTO tokens (hash, family, refresh, marked, created_at, expires_at) VALUES ($1, $2, 1, 1, $3, $4)`,
		hash, family, tx.Now(), tx.Now()+refreshLife.Microseconds())
}

// newPair adds a pair of tokens to a family, and gives it a mark where it has none. Only the access token can be
// narrowed: the refresh token stands for what the person allowed (RFC 6749, 6).
func (a *Grants) newPair(tx *store.Tx, family, mark string, scopes, narrow credential.Scopes) (t *Tokens, err error) {
	t = &Tokens{Scopes: scopes, Life: a.life}
	var fewer *string
	if narrow != 0 {
		t.Scopes, fewer = narrow, store.OrNull(narrow.String())
	}
	if mark == "" {
		mark = credential.NewMark()
		if err := tx.Exec(`UPDATE grants SET mark = $1 WHERE uid = $2`, mark, family); err != nil {
			return nil, err
		}
	}
	if t.Access, err = a.newAccess(tx, family, fewer); err != nil {
		return nil, err
	}
	t.Refresh, err = a.newRefresh(tx, family, mark)
	return t, err
}

// grant is a consent as it is kept.
type grant struct {
	uid, application, scopes, redirect, challenge string
	expires                                       int64
	used, revoked                                 bool
}

func readGrant(ask identity.Query, where string, value string) (g *grant, err error) {
	err = ask(`SELECT g.uid, g.application, g.scopes, coalesce(g.redirect, ''), coalesce(g.challenge, ''),
g.code_expires_at, g.code_used_at, g.revoked_at, a.disabled
FROM grants g JOIN accounts a ON a.uid = g.account WHERE `+where+` = $1`, []any{value}, func(c *store.Cols) error {
		g = &grant{
			uid: c.Text(0), application: c.Text(1), scopes: c.Text(2), redirect: c.Text(3), challenge: c.Text(4),
			expires: c.Int(5),
			used:    !c.Null(6), revoked: !c.Null(7) || c.Int(8) != 0,
		}
		return nil
	})
	return g, err
}

// Redeem exchanges a code for tokens: BadGrant for a code that is not this application's, has expired, or comes with
// another redirect URI or verifier than the request for it. A code that is used twice is in two hands: everything that
// it gave is revoked.
func (a *Grants) Redeem(ctx context.Context, code, application, redirect, verifier string) (t *Tokens, err error) {
	unknown := BadGrant{"The code is not known here, or has expired. A code is good for a minute, and once."}
	twice := BadGrant{"The code was used already. What was given for it is revoked."}
	if !credential.ValidSecret(credential.KindCode, code) {
		return nil, unknown
	}
	var bad error
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		t, bad = nil, nil
		g, err := readGrant(tx.Query, `g.code`, credential.Hash(code))
		switch {
		case err != nil:
			return err
		case g == nil || g.application != application:
			bad = unknown
			return nil
		case g.used && g.revoked:
			bad = twice // nothing is left to revoke
			return nil
		case g.used:
			bad = twice
			return a.revoke(tx, `uid = $2`, g.uid)
		case g.revoked || g.expires <= tx.Now():
			bad = unknown
			return nil
		case g.redirect != redirect:
			bad = BadGrant{"The redirect_uri is not the one of the request for the code."}
			return nil
		case !verifies(g.challenge, verifier):
			bad = BadGrant{"The code_verifier does not belong to the code_challenge of the request for the code."}
			return nil
		}
		won := false
		err = tx.Query(`UPDATE grants SET code_used_at = $1 WHERE uid = $2 AND code_used_at IS NULL RETURNING uid`,
			[]any{tx.Now(), g.uid}, func(*store.Cols) error {
				won = true
				return nil
			})
		if err != nil {
			return err
		}
		if !won {
			bad = twice
			return a.revoke(tx, `uid = $2`, g.uid)
		}
		scopes, _ := credential.ParseScopes(g.scopes)
		t, err = a.newPair(tx, g.uid, "", scopes, 0)
		return err
	})
	if err == nil {
		err = bad
	}
	return t, err
}

// verifies compares a verifier with its challenge (RFC 7636, S256). Without a challenge there must be no verifier:
// somebody took the challenge away.
func verifies(challenge, verifier string) bool {
	if challenge == "" || verifier == "" {
		return challenge == verifier
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// revoke ends grants inside a transaction, for every process. The condition begins with $2.
func (a *Grants) revoke(tx *store.Tx, where string, args ...any) error {
	if err := tx.Exec(`UPDATE grants SET revoked_at = $1 WHERE revoked_at IS NULL AND `+where,
		append([]any{tx.Now()}, args...)...); err != nil {
		return err
	}
	return a.people.Changed(tx)
}

// RevokeAll ends everything that an account allowed applications, codes on their way included.
func (a *Grants) RevokeAll(tx *store.Tx, account string) error {
	return a.revoke(tx, `account = $2`, account)
}
