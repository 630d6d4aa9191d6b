package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"time"

	"github.com/google/uuid"

	"groundwork/internal/store"
)

// Ask is what an account allows an application.
type Ask struct {
	Application, Account string
	Scopes               Scopes
	// Redirect is the address as the request gave it, "" where it gave none; Challenge is that of PKCE, "" without.
	Redirect, Challenge string
}

// Tokens is what an application gets. Refresh is "" in the implicit flow.
type Tokens struct {
	Access, Refresh string
	Scopes          Scopes
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
	// grace is how long a refresh token that was used works on: the answer may have been lost, or two processes of one application may have been at it.
	grace = 10 * time.Second
)

// Allow gives a code that the application exchanges within a minute, once.
func (a *Auth) Allow(ctx context.Context, ask Ask) (code string, err error) {
	code, hash := NewSecret(KindCode)
	return code, a.store.Write(ctx, func(tx *store.Tx) error {
		return newGrant(tx, uuid.NewString(), ask, hash, tx.Now()+codeLife.Microseconds())
	})
}

// AllowNow gives an access token at once: the implicit flow.
func (a *Auth) AllowNow(ctx context.Context, ask Ask) (*Tokens, error) {
	t := &Tokens{Scopes: ask.Scopes, Life: a.tokens}
	return t, a.store.Write(ctx, func(tx *store.Tx) (err error) {
		family := uuid.NewString()
		if err := newGrant(tx, family, ask, nil, tx.Now()); err != nil {
			return err
		}
		t.Access, err = a.newToken(tx, family, KindAccess)
		return err
	})
}

func newGrant(tx *store.Tx, uid string, ask Ask, code any, expires int64) error {
	return tx.Exec(`INSERT INTO grants (uid, application, account, scopes, redirect, challenge, code, code_expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		uid, ask.Application, ask.Account, ask.Scopes.String(), optional(ask.Redirect), optional(ask.Challenge), code, expires, tx.Now())
}

// newToken adds a token to a family.
func (a *Auth) newToken(tx *store.Tx, family string, kind byte) (secret string, err error) {
	secret, hash := NewSecret(kind)
	life, refresh := a.tokens, 0
	if kind == KindRefresh {
		life, refresh = refreshLife, 1
	}
	return secret, tx.Exec(`INSERT INTO tokens (hash, family, refresh, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)`,
		hash, family, refresh, tx.Now(), tx.Now()+life.Microseconds())
}

func (a *Auth) newPair(tx *store.Tx, family string, scopes Scopes) (t *Tokens, err error) {
	t = &Tokens{Scopes: scopes, Life: a.tokens}
	if t.Access, err = a.newToken(tx, family, KindAccess); err != nil {
		return nil, err
	}
	t.Refresh, err = a.newToken(tx, family, KindRefresh)
	return t, err
}

// grant is a consent as it is kept.
type grant struct {
	uid, application, scopes, redirect, challenge string
	expires                                       int64
	used, revoked                                 bool
}

func readGrant(ask query, where string, value string) (g *grant, err error) {
	err = ask(`SELECT g.uid, g.application, g.scopes, coalesce(g.redirect, ''), coalesce(g.challenge, ''), g.code_expires_at, g.code_used_at, g.revoked_at, a.disabled
FROM grants g JOIN accounts a ON a.uid = g.account WHERE `+where+` = $1`, []any{value}, func(c *store.Cols) error {
		g = &grant{
			uid: c.Text(0), application: c.Text(1), scopes: c.Text(2), redirect: c.Text(3), challenge: c.Text(4), expires: c.Int(5),
			used: !c.Null(6), revoked: !c.Null(7) || c.Int(8) != 0,
		}
		return nil
	})
	return g, err
}

// Redeem exchanges a code for tokens: BadGrant for a code that is not this application's, has expired, or comes with another redirect URI or verifier than
// the request for it. A code that is used twice is in two hands: everything that it gave is revoked.
func (a *Auth) Redeem(ctx context.Context, code, application, redirect, verifier string) (t *Tokens, err error) {
	unknown := BadGrant{"The code is not known here, or has expired. A code is good for a minute, and once."}
	if !ValidSecret(KindCode, code) {
		return nil, unknown
	}
	var bad error
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		t, bad = nil, nil
		g, err := readGrant(tx.Query, `g.code`, Hash(code))
		switch {
		case err != nil:
			return err
		case g == nil || g.application != application:
			bad = unknown
			return nil
		case g.used:
			bad = BadGrant{"The code was used already. What was given for it is revoked."}
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
		err = tx.Query(`UPDATE grants SET code_used_at = $1 WHERE uid = $2 AND code_used_at IS NULL RETURNING uid`, []any{tx.Now(), g.uid}, func(*store.Cols) error {
			won = true
			return nil
		})
		if err != nil {
			return err
		}
		if !won {
			bad = BadGrant{"The code was used already. What was given for it is revoked."}
			return a.revoke(tx, `uid = $2`, g.uid)
		}
		scopes, _ := ParseScopes(g.scopes)
		t, err = a.newPair(tx, g.uid, scopes)
		return err
	})
	if err == nil {
		err = bad
	}
	return t, err
}

// verifies compares a verifier with its challenge (RFC 7636, S256). Without a challenge there must be no verifier: somebody took the challenge away.
func verifies(challenge, verifier string) bool {
	if challenge == "" || verifier == "" {
		return challenge == verifier
	}
	sum := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(sum[:])), []byte(challenge)) == 1
}

// Refresh gives a new pair of tokens for a refresh token of an application; "" for whichever application it is of. The one that is used up works for ten
// more seconds; used after that, somebody has stolen it, and the whole family is revoked. BadGrant for what is worth nothing, ErrScope
// for scopes beyond what was allowed.
func (a *Auth) Refresh(ctx context.Context, refresh, application string, narrow Scopes) (t *Tokens, err error) {
	unknown := BadGrant{"The refresh token is not known here, has expired, or was revoked."}
	if !ValidSecret(KindRefresh, refresh) {
		return nil, unknown
	}
	hash := Hash(refresh)
	var bad error
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		t, bad = nil, nil
		var family string
		var expires int64
		var replaced *int64
		err := tx.Query(`SELECT family, expires_at, replaced_at FROM tokens WHERE hash = $1 AND refresh = 1`, []any{hash}, func(c *store.Cols) error {
			family, expires, replaced = c.Text(0), c.Int(1), optionalInt(c, 2)
			return nil
		})
		if err != nil {
			return err
		}
		g, err := readGrant(tx.Query, `g.uid`, family)
		if err != nil {
			return err
		}
		if g == nil || g.revoked || expires <= tx.Now() || application != "" && g.application != application {
			bad = unknown
			return nil
		}
		if replaced != nil && tx.Now() > *replaced+grace.Microseconds() {
			bad = BadGrant{"The refresh token was used already, and is in two hands now. Everything that it gave is revoked; the person must allow the application again."}
			return a.revoke(tx, `uid = $2`, g.uid)
		}
		scopes, _ := ParseScopes(g.scopes)
		if narrow != 0 && !scopes.Has(narrow) {
			bad = ErrScope
			return nil
		}
		if err := tx.Exec(`UPDATE tokens SET replaced_at = $1 WHERE hash = $2 AND replaced_at IS NULL`, tx.Now(), hash); err != nil {
			return err
		}
		t, err = a.newPair(tx, g.uid, scopes)
		return err
	})
	if err == nil {
		err = bad
	}
	return t, err
}

// revoke ends grants inside a transaction, for every process. The condition begins with $2.
func (a *Auth) revoke(tx *store.Tx, where string, args ...any) error {
	if err := tx.Exec(`UPDATE grants SET revoked_at = $1 WHERE revoked_at IS NULL AND `+where, append([]any{tx.Now()}, args...)...); err != nil {
		return err
	}
	tx.After(a.forget)
	return changed(tx)
}
