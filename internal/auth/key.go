package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"

	"groundwork/internal/credential"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/store"
)

// Key says whose key it is: fault.Forbidden for an unknown or deactivated key and for a disabled account, each with its
// own sentence.
func (a *Auth) Key(ctx context.Context, secret string) (*credential.Credential, error) {
	if !credential.ValidSecret(credential.KindKey, secret) {
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
func (a *Auth) admit(e *entry) (*credential.Credential, error) {
	if e.refusal != nil {
		return nil, e.refusal
	}
	a.used(e)
	return e.credential, nil
}

func unknownKey() error {
	return fault.New(fault.Forbidden,
		"The API key is not known here. Check that it is complete, or ask the operator of this service for a new one.")
}

// readKey asks the database about a key: fault.Forbidden when there is none.
func (a *Auth) readKey(ctx context.Context, hash [32]byte) (*entry, error) {
	var found *entry
	err := a.store.Query(ctx,
		`SELECT `+identity.Columns("a")+`, k.uid, k.limits, k.last_used_at, k.revoked_at, k.counted_by
FROM keys k JOIN accounts a ON a.uid = k.account WHERE k.hash = $1`, []any{hex.EncodeToString(hash[:])},
		func(c *store.Cols) error {
			account := identity.Scan(c)
			c1 := identity.Width
			found = &entry{table: "keys", uid: c.Text(c1), credential: &credential.Credential{
				ID: c.Text(c1), Origin: "keys/" + c.Text(c1), Account: account, Limits: a.limits,
				Counter: credential.CountedTogether(account.Payer()), Scopes: credential.AllScopes,
				Majors: new([credential.MostMajors]atomic.Int64),
			}}
			if !c.Null(c1 + 1) {
				own, err := credential.ParseLimits(strings.Fields(c.Text(c1 + 1)))
				if err != nil {
					return fmt.Errorf("the limits of key %s are damaged: %w", c.Text(c1), err)
				}
				found.credential.Limits, found.credential.Counter = own, c.Text(c1)
				if !c.Null(c1 + 4) {
					found.credential.Counter = c.Text(c1 + 4)
				}
			}
			if !c.Null(c1 + 2) {
				found.noted.Store(c.Int(c1 + 2))
			}
			switch {
			case !c.Null(c1 + 3):
				found.refusal = fault.New(fault.Forbidden,
					"The API key has been deactivated. Ask the operator of this service for a new one.")
			case account.Disabled:
				found.refusal = fault.New(fault.Forbidden,
					"The account of this API key has been disabled. Ask the operator of this service.")
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
	Limits                []credential.Limit // empty: the defaults, shared by all such keys of the account
	CountedBy             string             // the key whose windows it shares, since it was made with it; "" for none
	CreatedAt             int64
	LastUsedAt, RevokedAt *int64
}

// mostKeyName is the number of bytes a key's name may have.
const mostKeyName = 255

// CreateKey makes a key for the account of an address and gives it, for the only time; it is the operator's, whom no
// number of keys bounds. Limits replace all defaults; without any, the defaults hold. fault.NotFound for an unknown
// address, fault.Invalid for a bad name.
func (a *Auth) CreateKey(ctx context.Context, email, name string, limits []credential.Limit) (secret string,
	err error,
) {
	account, err := a.AccountByEmail(ctx, email)
	if err != nil {
		return "", err
	}
	if len(limits) > 0 {
		if _, err := credential.ParseLimits(strings.Fields(credential.EncodeLimits(limits).(string))); err != nil {
			return "", fault.Field("limits", "%s", err)
		}
	}
	_, secret, err = a.newKey(ctx, account.UID, name, limits, "", nil)
	return secret, err
}

const (
	// mostKeys is how many keys of an account may be active at once. Each is a row, and an entry in memory once it is
	// used.
	mostKeys = 50
	// mostDeactivated is how many deactivated keys of an account are kept to be looked at; older ones are dropped when
	// a key is made.
	mostDeactivated = 200
)

// MintKey makes a key for the account of a credential, and gives its uid and the key itself, for the only time. A key
// with limits of its own makes keys that share them, and are counted with it: otherwise limits would be no limits.
// fault.Conflict when the account has as many keys as it may. also runs in the transaction, where it is not nil.
func (a *Auth) MintKey(ctx context.Context, by *credential.Credential, name string,
	also func(tx *store.Tx, uid string) error,
) (uid, secret string, err error) {
	var limits []credential.Limit
	countedBy := ""
	if by.Application == "" && by.Session == "" && by.Counter != credential.CountedTogether(by.Account.Payer()) {
		limits, countedBy = by.Limits, by.Counter
	}
	return a.newKey(ctx, by.Account.UID, name, limits, countedBy, func(tx *store.Tx, uid string) error {
		if err := credential.StillGood(tx, by.Account.UID, by.Origin); err != nil {
			return err
		}
		active := int64(0)
		err := tx.Query(`SELECT count(*) FROM keys WHERE account = $1 AND revoked_at IS NULL`, []any{by.Account.UID},
			func(c *store.Cols) error {
				active = c.Int(0)
				return nil
			})
		if err != nil {
			return err
		}
		if active > mostKeys {
			return fault.New(fault.Conflict,
				"This account has %d active API keys, which is as many as it may have. Deactivate one that is not used any more, then make the new one.", mostKeys)
		}
		err = tx.Exec(`DELETE FROM keys WHERE account = $1 AND revoked_at IS NOT NULL AND uid NOT IN
(SELECT uid FROM keys WHERE account = $1 AND revoked_at IS NOT NULL ORDER BY revoked_at DESC, uid
LIMIT $2)`, by.Account.UID, int64(mostDeactivated))
		if err != nil || also == nil {
			return err
		}
		return also(tx, uid)
	})
}

// newKey makes a key. also runs in the transaction after it was written, where it is not nil.
func (a *Auth) newKey(
	ctx context.Context, account, name string, limits []credential.Limit, countedBy string,
	also func(tx *store.Tx, uid string) error,
) (uid, secret string, err error) {
	if len(name) > mostKeyName || !identity.Printable(name) {
		return "", "", fault.Field("name", "A key's name has at most %d bytes and no control characters.", mostKeyName)
	}
	secret, hash := credential.NewSecret(credential.KindKey)
	uid = uuid.NewString()
	// Nobody can remember a key that did not exist: there is nothing to forget.
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		err := tx.Exec(`INSERT INTO keys (uid, hash, account, name, limits, counted_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			uid, hash, account, name, credential.EncodeLimits(limits), store.OrNull(countedBy), tx.Now())
		if err == nil && also != nil {
			err = also(tx, uid)
		}
		if err != nil {
			return err
		}
		return a.Tell(tx, account, letter.Letter{Kind: letter.AboutKey, What: name})
	})
	return uid, secret, err
}

// Keys lists keys of everybody, deactivated ones too, oldest first: at most so many of those that come after one of
// them, by its uid, or from the first on where that is "".
func (a *Auth) Keys(ctx context.Context, after string, most int) ([]Key, error) {
	if !identity.Printable(after) {
		return nil, nil // an engine could refuse to compare it
	}
	if after == "" {
		return a.keys(ctx, ` ORDER BY k.created_at, k.uid LIMIT $1`, int64(most))
	}
	return a.keys(ctx, ` WHERE (k.created_at, k.uid) > (SELECT p.created_at, p.uid FROM keys p WHERE p.uid = $1)
ORDER BY k.created_at, k.uid LIMIT $2`, after, int64(most))
}

// EachKey calls each with every key, oldest first, and reads them page by page.
func (a *Auth) EachKey(ctx context.Context, each func(Key) error) error {
	return credential.EachOf(func(after string) ([]Key, error) { return a.Keys(ctx, after, credential.PageOf) },
		func(k *Key) string { return k.UID }, each)
}

func (a *Auth) keys(ctx context.Context, which string, args ...any) ([]Key, error) {
	var keys []Key
	err := a.store.Query(ctx,
		`SELECT k.uid, a.email, k.name, k.limits, k.created_at, k.last_used_at, k.revoked_at, coalesce(k.counted_by, '')
FROM keys k JOIN accounts a ON a.uid = k.account`+which, args, func(c *store.Cols) error {
			k := Key{
				UID: c.Text(0), Email: c.Text(1), Name: c.Text(2), CreatedAt: c.Int(4), LastUsedAt: c.OptionalInt(5),
				RevokedAt: c.OptionalInt(6),
				CountedBy: c.Text(7),
			}
			if !c.Null(3) {
				var err error
				if k.Limits, err = credential.ParseLimits(strings.Fields(c.Text(3))); err != nil {
					return fmt.Errorf("the limits of key %s are damaged: %w", k.UID, err)
				}
			}
			keys = append(keys, k)
			return nil
		})
	return keys, err
}

// RevokeKey deactivates a key, given itself or by its uid, and gives its uid; a key that is deactivated already stays
// so. fault.NotFound for an unknown one.
func (a *Auth) RevokeKey(ctx context.Context, keyOrUID string) (uid string, err error) {
	column, value, shown := "uid", keyOrUID, keyOrUID
	if strings.HasPrefix(keyOrUID, "gw") {
		// A key, mistyped perhaps: it must not be shown.
		column, value, shown = "hash", credential.Hash(keyOrUID), "(as given)"
	}
	if !identity.Printable(value) {
		return "", fault.Missing("Key", strings.ToValidUTF8(shown, "\uFFFD"))
	}
	err = a.Change(ctx, func(tx *store.Tx) error {
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
	if !identity.Printable(uid) {
		return fault.Missing("Key", strings.ToValidUTF8(uid, "\uFFFD"))
	}
	theirs, err := a.keys(ctx, ` WHERE k.account = $1 AND k.uid = $2`, account, uid)
	if err != nil {
		return err
	}
	if len(theirs) == 0 {
		return fault.Missing("Key", strings.ToValidUTF8(uid, "\uFFFD"))
	}
	_, err = a.RevokeKey(ctx, uid)
	return err
}

// KeysOf lists the keys of an account, deactivated ones too, oldest first.
func (a *Auth) KeysOf(ctx context.Context, account string) ([]Key, error) {
	return a.keys(ctx, ` WHERE k.account = $1 ORDER BY k.created_at, k.uid`, account)
}

// LimitsOf gives the limits that a key has: its own, or those of this installation.
func (a *Auth) LimitsOf(k Key) []credential.Limit {
	if len(k.Limits) > 0 {
		return k.Limits
	}
	return a.limits
}
