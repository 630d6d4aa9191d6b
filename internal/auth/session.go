package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"groundwork/internal/fault"
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

// SignIn makes a session for whoever has this address and password, and gives its secret. fault.Unauthenticated for what does not match, the same whether the
// address is known or not; fault.Limited after many such; fault.Forbidden for a disabled account. Before it refuses, it answers more and more slowly.
func (a *Auth) SignIn(ctx context.Context, email string, password Secret, visit Visit) (secret string, who *Account, err error) {
	bounds := signIns(email, visit.Address)
	over, err := a.tries.take(a.store.Now(), bounds...)
	if err != nil {
		return "", nil, err
	}
	a.slow(ctx, over)
	if who, err = a.Password(ctx, email, password); err != nil {
		return "", nil, err
	}
	a.tries.succeeded(bounds...)
	secret, err = a.begin(ctx, who.UID, visit)
	return secret, who, err
}

// signIns are the bounds of signing in: of a network with an e-mail address, of a network, of an e-mail address.
func signIns(email, address string) []bound {
	key, network := EmailKey(clip(email, mostEmail)), from(address)
	return []bound{{"pair " + network + " " + key, freeOfPair, mostOfPair}, {"from " + network, freeOfNetwork, mostOfNetwork}, {"mail " + key, freeOfEmail, mostOfEmail}}
}

// begin makes a session.
func (a *Auth) begin(ctx context.Context, account string, from Visit) (secret string, err error) {
	secret, hash := NewSecret(KindSession)
	uid := uuid.NewString()
	agent := strings.Map(visible, strings.ToValidUTF8(clip(from.Agent, mostAgent), ""))
	return secret, a.store.Write(ctx, func(tx *store.Tx) error {
		return tx.Exec(`INSERT INTO sessions (hash, uid, account, agent, address, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			hash, uid, account, agent, from.Address, tx.Now(), tx.Now()+SessionLife.Microseconds())
	})
}

// Session says who is signed in with a session: fault.Unauthenticated when it has ended.
func (a *Auth) Session(ctx context.Context, secret string) (*Credential, error) {
	ended := fault.New(fault.Unauthenticated, "You are not signed in, or not any more. Sign in again.")
	e, err := a.find(ctx, KindSession, secret, `SELECT `+accountColumns("a")+`, s.uid, s.expires_at, s.last_used_at
FROM sessions s JOIN accounts a ON a.uid = s.account WHERE s.hash = $1`, func(account *Account, c *store.Cols) *entry {
		return &entry{table: "sessions", uid: c.Text(accountWidth), credential: &Credential{
			ID: "session/" + account.UID, Account: account, Limits: a.limits, Session: c.Text(accountWidth), Scopes: AllScopes, Origin: "sessions/" + c.Text(accountWidth),
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

// find looks a session or an access token up, first in memory; nil for what does not exist, has expired, or is of a disabled account. The columns after the
// account's must be uid, expires_at and last_used_at.
func (a *Auth) find(ctx context.Context, kind byte, secret, sql string, read func(*Account, *store.Cols) *entry) (*entry, error) {
	if !ValidSecret(kind, secret) {
		return nil, nil
	}
	hash := sha256.Sum256([]byte(secret))
	memory := a.memory.Load()
	e := memory.recall(hash)
	if e == nil {
		err := a.store.Query(ctx, sql, []any{hex.EncodeToString(hash[:])}, func(c *store.Cols) error {
			account := readAccount(c)
			if account.Disabled {
				return nil
			}
			e = read(account, c)
			e.credential.majors = new([mostMajors]atomic.Int64)
			e.expires = c.Int(accountWidth + 1)
			if !c.Null(accountWidth + 2) {
				e.noted.Store(c.Int(accountWidth + 2))
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
WHERE account = $1 AND expires_at > $2 ORDER BY created_at DESC, uid`, []any{account, a.store.Now()}, func(c *store.Cols) error {
		all = append(all, Session{UID: c.Text(0), Agent: c.Text(1), Address: c.Text(2), CreatedAt: c.Int(3), ExpiresAt: c.Int(4), LastUsedAt: optionalInt(c, 5)})
		return nil
	})
	return all, err
}

// EndSession signs one browser of an account out; one that is not there is signed out already.
func (a *Auth) EndSession(ctx context.Context, account, uid string) error {
	if !printable(uid) {
		return nil
	}
	return a.write(ctx, func(tx *store.Tx) error {
		return tx.Exec(`DELETE FROM sessions WHERE account = $1 AND uid = $2`, account, uid)
	})
}

// EndOtherSessions signs an account out everywhere but in one browser.
func (a *Auth) EndOtherSessions(ctx context.Context, account, but string) error {
	return a.write(ctx, func(tx *store.Tx) error { return endOthers(tx, account, but) })
}

func endOthers(tx *store.Tx, account, but string) error {
	return tx.Exec(`DELETE FROM sessions WHERE account = $1 AND uid <> $2`, account, but)
}

// clip cuts a text to so many bytes.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

// visible drops control characters.
func visible(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 {
		return -1
	}
	return r
}
