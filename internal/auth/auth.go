// Package auth owns who is calling and what they may do: accounts, passwords, keys, sessions, what people allow applications, roles, membership and the
// proof of it, Scope.
// It refuses to know routes, bodies and record kinds: it answers questions about people and their rights, never about requests.
package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"groundwork/internal/store"
)

// Auth answers who a credential belongs to. It keeps the credentials in use in memory, so a request costs no query; Close ends its background work.
type Auth struct {
	store   *store.Store
	log     *slog.Logger
	secret  []byte
	limits  []Limit
	hashing chan struct{} // a place for each password that may be hashed at once
	memory  atomic.Pointer[memory]
	uses    uses
	tries   attempts
	pause   func(ctx context.Context, d time.Duration)
	tokens  time.Duration // how long an access token lives
	strict  bool          // refreshing needs the application's credentials
	stop    context.CancelFunc
	work    sync.WaitGroup
}

// Option changes a default of New.
type Option func(*Auth)

// WithSecret signs with this secret instead of the one that the installation keeps in its database.
func WithSecret(secret Secret) Option {
	return func(a *Auth) { a.secret = []byte(secret) }
}

// WithLimits replaces the limits of keys that have none of their own.
func WithLimits(limits []Limit) Option {
	return func(a *Auth) { a.limits = limits }
}

// WithLog sends what goes wrong in the background to log.
func WithLog(log *slog.Logger) Option {
	return func(a *Auth) { a.log = log }
}

// WithPause has somebody else wait when answers must be slow; it serves tests.
func WithPause(pause func(ctx context.Context, d time.Duration)) Option {
	return func(a *Auth) { a.pause = pause }
}

// WithTokens sets how long access tokens live, and whether applications that have a secret must show it to renew them.
func WithTokens(live time.Duration, strict bool) Option {
	return func(a *Auth) { a.tokens, a.strict = live, strict }
}

// DefaultTokenLife is how long an access token lives where nothing else is said: two days.
const DefaultTokenLife = 48 * time.Hour

// leastSecret is the number of bytes that a secret given from outside must have.
const leastSecret = 32

// New loads what the installation keeps about itself, making its secret on the first start, and begins to follow the changes that other processes make.
func New(ctx context.Context, s *store.Store, options ...Option) (*Auth, error) {
	a := &Auth{store: s, log: slog.New(slog.DiscardHandler), limits: DefaultLimits(), hashing: make(chan struct{}, mostHashing), pause: wait, tokens: DefaultTokenLife}
	a.forget()
	for _, option := range options {
		option(a)
	}
	if a.secret != nil && len(a.secret) < leastSecret {
		return nil, fmt.Errorf("The given secret has %d bytes; it needs at least %d.", len(a.secret), leastSecret)
	}
	version, err := a.install(ctx)
	if err != nil {
		return nil, err
	}
	working, stop := context.WithCancel(context.Background())
	a.stop = stop
	a.work.Go(func() { a.follow(working, version) })
	a.work.Go(func() { a.noteUses(working) })
	return a, nil
}

// Close writes what is still to be noted and ends the background work. The store must still be open.
func (a *Auth) Close() error {
	a.stop()
	a.work.Wait()
	return a.flushUses(context.Background())
}

// The names of what this package keeps in the table instance.
const (
	nameSecret  = "secret"
	nameVersion = "auth_version"
)

// install reads the installation's own rows, and makes those that are missing; of two processes that start at once, the first one's stay.
func (a *Auth) install(ctx context.Context) (version string, err error) {
	fresh := make([]byte, leastSecret)
	rand.Read(fresh)
	made := map[string]string{nameSecret: hex.EncodeToString(fresh), nameVersion: newVersion()}
	kept, err := a.instance(ctx)
	if err != nil {
		return "", err
	}
	if kept[nameSecret] == "" || kept[nameVersion] == "" {
		err = a.store.Write(ctx, func(tx *store.Tx) error {
			for _, name := range []string{nameVersion, nameSecret} {
				if err := tx.Exec(`INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name, made[name]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return "", err
		}
		if kept, err = a.instance(ctx); err != nil {
			return "", err
		}
	}
	if a.secret == nil {
		if a.secret, err = hex.DecodeString(kept[nameSecret]); err != nil || len(a.secret) < leastSecret {
			return "", errors.New("The installation's secret in the database is damaged; restore the row secret of the table instance from a backup.")
		}
	}
	return kept[nameVersion], nil
}

func (a *Auth) instance(ctx context.Context) (map[string]string, error) {
	rows := map[string]string{}
	err := a.store.Query(ctx, `SELECT name, value FROM instance WHERE name IN ($1, $2)`, []any{nameSecret, nameVersion}, func(c *store.Cols) error {
		rows[c.Text(0)] = c.Text(1)
		return nil
	})
	return rows, err
}

// Sign gives the installation's mark on a message. A mark made for one purpose is worthless for another.
func (a *Auth) Sign(purpose string, message []byte) []byte {
	key := hmac.New(sha256.New, a.secret)
	key.Write([]byte(purpose))
	mark := hmac.New(sha256.New, key.Sum(nil))
	mark.Write(message)
	return mark.Sum(nil)
}

// Signed tells whether mark is what Sign gives for the purpose and message.
func (a *Auth) Signed(purpose string, message, mark []byte) bool {
	return hmac.Equal(a.Sign(purpose, message), mark)
}
