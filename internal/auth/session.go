package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/password"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

// Session is a browser in which somebody is signed in.
type Session struct {
	UID, Agent, Address  string
	CreatedAt, ExpiresAt int64
	LastUsedAt           *int64
}

// Visit is what is known of a browser that signs in.
type Visit struct{ Agent, Address string }

// SessionLife is how long somebody stays signed in.
const SessionLife = 30 * 24 * time.Hour

const mostAgent = 300 // bytes that are kept

// mostSessions is in how many browsers an account can be signed in at once.
const mostSessions = 100

// SignIn makes a session for whoever has this address and password, and gives its secret. fault.Unauthenticated for
// what does not match, the same whether the address is known or not; fault.Limited after many such; fault.Limited or
// fault.Unavailable when too many sign in at once; fault.Forbidden for a disabled account. Before it refuses, it
// answers more and more slowly.
func (a *Auth) SignIn(ctx context.Context, email string, typed redact.Secret, visit Visit) (secret string,
	who *identity.Account,
	err error,
) {
	who, err = a.tryPassword(ctx, email, typed, password.SignIns(identity.KeyTyped(email), visit.Address))
	if err != nil {
		return "", nil, err
	}
	secret, err = a.begin(ctx, who.UID, who.Compared(), visit)
	return secret, who, err
}

// tryPassword is Password for whoever may be guessing: attempts count under the bounds, become slow and then are
// refused. So are good ones, when an account has very many, before anything is hashed.
func (a *Auth) tryPassword(ctx context.Context, email string, typed redact.Secret,
	bounds []password.Bound) (who *identity.Account,
	err error,
) {
	good := password.GoodOnes(identity.KeyTyped(email))
	if err := a.tries.Full(a.store.Now(), good); err != nil {
		return nil, err
	}
	over, err := a.tries.Take(a.store.Now(), bounds...)
	if err != nil {
		return nil, err
	}
	if err = a.tries.Slow(ctx, over); err == nil {
		who, err = a.Password(ctx, email, typed)
	}
	if password.CrowdedOut(err) {
		a.tries.Untried(bounds...)
	}
	if err != nil {
		return nil, err
	}
	a.tries.Succeeded(bounds...)
	// Several may have been compared at once.
	if _, err := a.tries.Take(a.store.Now(), good); err != nil {
		return nil, err
	}
	return who, nil
}

// begin makes a session for whoever knew the password with this hash: fault.Unauthenticated where the account has
// another one by now.
func (a *Auth) begin(ctx context.Context, account, seen string, from Visit) (secret string, err error) {
	secret, hash := credential.NewSecret(credential.KindSession)
	uid := uuid.NewString()
	agent := strings.Map(visible, strings.ToValidUTF8(identity.Clip(from.Agent, mostAgent), ""))
	return secret, a.store.Write(ctx, func(tx *store.Tx) error {
		if err := credential.Unchanged(tx, account, seen); err != nil {
			return err
		}
		// Whoever signs in again and again is signed out where they have been signed in the longest.
		err := tx.Exec(`DELETE FROM sessions WHERE account = $1 AND uid NOT IN (SELECT uid FROM sessions
WHERE account = $1 ORDER BY created_at DESC, uid LIMIT $2)`,
			account, int64(mostSessions-1))
		if err != nil {
			return err
		}
		return tx.Exec(`INSERT INTO sessions (hash, uid, account, agent, address, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			hash, uid, account, agent, from.Address, tx.Now(), tx.Now()+SessionLife.Microseconds())
	})
}

// Session says who is signed in with a session: fault.Unauthenticated when it has ended.
func (a *Auth) Session(ctx context.Context, secret string) (*credential.Credential, error) {
	ended := fault.New(fault.Unauthenticated, "You are not signed in, or not any more. Sign in again.")
	e, err := a.find(ctx, credential.KindSession, secret, `SELECT `+identity.Columns("a")+`, s.uid, s.expires_at, s.last_used_at
FROM sessions s JOIN accounts a ON a.uid = s.account WHERE s.hash = $1`, func(account *identity.Account, c *store.Cols) *entry {
		return &entry{table: "sessions", uid: c.Text(identity.Width), credential: &credential.Credential{
			ID: "session/" + account.UID, Counter: "session/" + account.Payer(), Account: account,
			Limits:  a.sessionLimits,
			Session: c.Text(identity.Width), Scopes: credential.AllScopes,
			Origin: "sessions/" + c.Text(identity.Width),
		}}
	})
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, ended
	}
	return a.admit(e)
}

// find looks a session or an access token up, first in memory; nil for what does not exist, has expired, or is of a
// disabled account. The columns after the account's must be uid, expires_at and last_used_at.
func (a *Auth) find(ctx context.Context, kind byte, secret, sql string,
	read func(*identity.Account, *store.Cols) *entry,
) (*entry, error) {
	if !credential.ValidSecret(kind, secret) {
		return nil, nil
	}
	hash := sha256.Sum256([]byte(secret))
	memory := a.memory.Load()
	e := memory.recall(hash)
	if e == nil {
		err := a.store.Query(ctx, sql, []any{hex.EncodeToString(hash[:])}, func(c *store.Cols) error {
			account := identity.Scan(c)
			if account.Disabled {
				return nil
			}
			e = read(account, c)
			e.credential.Majors = new([credential.MostMajors]atomic.Int64)
			e.expires = c.Int(identity.Width + 1)
			if !c.Null(identity.Width + 2) {
				e.noted.Store(c.Int(identity.Width + 2))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if e == nil {
			return nil, nil
		}
		memory.remember(hash, e)
	}
	if e.expires <= a.store.Now() {
		return nil, nil
	}
	return e, nil
}

// Sessions lists where an account is signed in, the latest first.
func (a *Auth) Sessions(ctx context.Context, account string) ([]Session, error) {
	var all []Session
	err := a.store.Query(ctx, `SELECT uid, agent, address, created_at, expires_at, last_used_at FROM sessions
WHERE account = $1 AND expires_at > $2
ORDER BY created_at DESC, uid`, []any{account, a.store.Now()}, func(c *store.Cols) error {
		all = append(all, Session{
			UID: c.Text(0), Agent: c.Text(1), Address: c.Text(2), CreatedAt: c.Int(3),
			ExpiresAt: c.Int(4), LastUsedAt: c.OptionalInt(5),
		})
		return nil
	})
	return all, err
}

// EndSession signs one browser of an account out; one that is not there is signed out already.
func (a *Auth) EndSession(ctx context.Context, account, uid string) error {
	if !identity.Printable(uid) {
		return nil
	}
	return a.Change(ctx, func(tx *store.Tx) error {
		return tx.Exec(`DELETE FROM sessions WHERE account = $1 AND uid = $2`, account, uid)
	})
}

// EndOtherSessions signs an account out everywhere but in one browser.
func (a *Auth) EndOtherSessions(ctx context.Context, account, but string) error {
	return a.Change(ctx, func(tx *store.Tx) error { return endOthers(tx, account, but) })
}

func endOthers(tx *store.Tx, account, but string) error {
	return tx.Exec(`DELETE FROM sessions WHERE account = $1 AND uid <> $2`, account, but)
}

// visible drops control characters.
func visible(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return -1
	}
	return r
}
