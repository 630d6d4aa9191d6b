package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"

	"groundwork/internal/fault"
	"groundwork/internal/store"
)

// Credential is a key, a token or a session that was presented and is good. It is shared: nobody may change it.
type Credential struct {
	ID      string // what limits count by: the uid of the key, or application and account of a token
	Account *Account
	Limits  []Limit
	// Application is whose token it is, and Session which browser it is; empty for a key.
	Application, Session string
	// Origin is what it can be asked about later: see Standing.
	Origin string
	// Scopes are what it may be used for: keys and sessions for everything that the account may do.
	Scopes Scopes

	majors *[mostMajors]atomic.Int64 // when the use of a version was noted last, in microseconds
}

// Key says whose key it is: fault.Forbidden for an unknown or deactivated key and for a disabled account, each with its own sentence.
func (a *Auth) Key(ctx context.Context, secret string) (*Credential, error) {
	if !ValidSecret(KindKey, secret) {
		return nil, unknownKey()
	}
	hash := sha256.Sum256([]byte(secret))
	memory := a.memory.Load()
	e := memory.recall(hash)
	if e == nil {
		var err error
		if e, err = a.readKey(ctx, hash); err != nil {
			return nil, err
		}
		memory.remember(hash, e)
	}
	return a.admit(e)
}

// admit gives the credential of an entry, and notes that it was used.
func (a *Auth) admit(e *entry) (*Credential, error) {
	if e.refusal != nil {
		return nil, e.refusal
	}
	a.used(e)
	return e.credential, nil
}

func unknownKey() error {
	return fault.New(fault.Forbidden, "The API key is not known here. Check that it is complete, or ask the operator of this service for a new one.")
}

// readKey asks the database about a key: fault.Forbidden when there is none.
func (a *Auth) readKey(ctx context.Context, hash [32]byte) (*entry, error) {
	var found *entry
	err := a.store.Query(ctx, `SELECT `+accountColumns("a")+`, k.uid, k.limits, k.last_used_at, k.revoked_at
FROM keys k JOIN accounts a ON a.uid = k.account WHERE k.hash = $1`, []any{hex.EncodeToString(hash[:])}, func(c *store.Cols) error {
		account := readAccount(c)
		c1 := accountWidth
		found = &entry{table: "keys", uid: c.Text(c1), credential: &Credential{ID: c.Text(c1), Origin: "keys/" + c.Text(c1), Account: account, Limits: a.limits, Scopes: AllScopes, majors: new([mostMajors]atomic.Int64)}}
		if !c.Null(c1 + 1) {
			own, err := ParseLimits(strings.Fields(c.Text(c1 + 1)))
			if err != nil {
				return fmt.Errorf("the limits of key %s are damaged: %w", c.Text(c1), err)
			}
			found.credential.Limits = own
		}
		if !c.Null(c1 + 2) {
			found.noted.Store(c.Int(c1 + 2))
		}
		switch {
		case !c.Null(c1 + 3):
			found.refusal = fault.New(fault.Forbidden, "The API key has been deactivated. Ask the operator of this service for a new one.")
		case account.Disabled:
			found.refusal = fault.New(fault.Forbidden, "The account of this API key has been disabled. Ask the operator of this service.")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, unknownKey()
	}
	return found, nil
}

// Key is what may be told about a key: everything but the key itself.
type Key struct {
	UID, Email, Name      string
	Limits                []Limit // empty: the defaults
	CreatedAt             int64
	LastUsedAt, RevokedAt *int64
}

// mostKeyName is the number of bytes a key's name may have.
const mostKeyName = 255

// CreateKey makes a key for the account of an address and gives it, for the only time. Limits replace all defaults; without any, the defaults hold.
// fault.NotFound for an unknown address, fault.Invalid for a bad name.
func (a *Auth) CreateKey(ctx context.Context, email, name string, limits []Limit) (secret string, err error) {
	account, err := a.AccountByEmail(ctx, email)
	if err != nil {
		return "", err
	}
	_, secret, err = a.MakeKey(ctx, account.UID, name, limits, nil)
	return secret, err
}

// MakeKey is CreateKey for an account that is known, and gives the key's uid too. also runs in the transaction, where it is not nil.
func (a *Auth) MakeKey(ctx context.Context, account, name string, limits []Limit, also func(tx *store.Tx, uid string) error) (uid, secret string, err error) {
	if len(name) > mostKeyName || !printable(name) {
		return "", "", fault.Field("name", "A key's name has at most %d bytes and no control characters.", mostKeyName)
	}
	if len(limits) > 0 {
		texts := strings.Fields(encodeLimits(limits).(string))
		if _, err := ParseLimits(texts); err != nil {
			return "", "", fault.Field("limits", "%s", err)
		}
	}
	secret, hash := NewSecret(KindKey)
	uid = uuid.NewString()
	// Nobody can remember a key that did not exist: there is nothing to forget.
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		err := tx.Exec(`INSERT INTO keys (uid, hash, account, name, limits, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			uid, hash, account, name, encodeLimits(limits), tx.Now())
		if err != nil || also == nil {
			return err
		}
		return also(tx, uid)
	})
	return uid, secret, err
}

// Keys lists all keys, deactivated ones too, oldest first.
func (a *Auth) Keys(ctx context.Context) ([]Key, error) { return a.keys(ctx, "", nil) }

// KeysOf lists the keys of an account as Keys does.
func (a *Auth) KeysOf(ctx context.Context, account string) ([]Key, error) {
	return a.keys(ctx, ` WHERE k.account = $1`, []any{account})
}

func (a *Auth) keys(ctx context.Context, where string, args []any) ([]Key, error) {
	var keys []Key
	err := a.store.Query(ctx, `SELECT k.uid, a.email, k.name, k.limits, k.created_at, k.last_used_at, k.revoked_at
FROM keys k JOIN accounts a ON a.uid = k.account`+where+` ORDER BY k.created_at, k.uid`, args, func(c *store.Cols) error {
		k := Key{UID: c.Text(0), Email: c.Text(1), Name: c.Text(2), CreatedAt: c.Int(4), LastUsedAt: optionalInt(c, 5), RevokedAt: optionalInt(c, 6)}
		if !c.Null(3) {
			var err error
			if k.Limits, err = ParseLimits(strings.Fields(c.Text(3))); err != nil {
				return fmt.Errorf("the limits of key %s are damaged: %w", k.UID, err)
			}
		}
		keys = append(keys, k)
		return nil
	})
	return keys, err
}

// RevokeKey deactivates a key, given itself or by its uid, and gives its uid; a key that is deactivated already stays so. fault.NotFound for an unknown one.
func (a *Auth) RevokeKey(ctx context.Context, keyOrUID string) (uid string, err error) {
	column, value, shown := "uid", keyOrUID, keyOrUID
	if strings.HasPrefix(keyOrUID, "gw") {
		// A key, mistyped perhaps: it must not be shown.
		column, value, shown = "hash", Hash(keyOrUID), "(as given)"
	}
	if !printable(value) {
		return "", fault.Missing("Key", strings.ToValidUTF8(shown, "\uFFFD"))
	}
	err = a.write(ctx, func(tx *store.Tx) error {
		uid = ""
		err := tx.Query(`SELECT uid FROM keys WHERE `+column+` = $1`, []any{value}, func(c *store.Cols) error {
			uid = c.Text(0)
			return nil
		})
		if err != nil {
			return err
		}
		if uid == "" {
			return fault.Missing("Key", shown)
		}
		return tx.Exec(`UPDATE keys SET revoked_at = $1 WHERE uid = $2 AND revoked_at IS NULL`, tx.Now(), uid)
	})
	return uid, err
}

// RevokeKeyOf deactivates a key of an account: fault.NotFound for a key that is unknown or another's.
func (a *Auth) RevokeKeyOf(ctx context.Context, account, uid string) error {
	keys, err := a.KeysOf(ctx, account)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(keys, func(k Key) bool { return k.UID == uid }) {
		return fault.Missing("Key", strings.ToValidUTF8(uid, "\uFFFD"))
	}
	_, err = a.RevokeKey(ctx, uid)
	return err
}

func optionalInt(c *store.Cols, i int) *int64 {
	if c.Null(i) {
		return nil
	}
	n := c.Int(i)
	return &n
}
