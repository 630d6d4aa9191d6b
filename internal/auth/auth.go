// Package auth owns who is calling and what they may do: it admits keys, tokens and sessions, and holds roles,
// membership and the proof of it, Scope. Accounts are package identity's, what applications are allowed package
// grant's; Auth carries both. It refuses to know routes, bodies and record kinds: it answers questions about people and
// their rights, never about requests.
package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/grant"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/password"
	"groundwork/internal/redact"
	"groundwork/internal/store"
)

// Auth answers who a credential belongs to. It keeps the credentials in use in memory, so a request costs no query;
// Close ends its background work.
type Auth struct {
	*identity.Directory
	*grant.Grants

	store  *store.Store
	log    *slog.Logger
	secret []byte
	limits []credential.Limit

	sessionLimits []credential.Limit // of people in browsers
	hasher        *password.Hasher
	memory        atomic.Pointer[memory]
	uses          uses
	begun         atomic.Bool // there is an account; see Begun
	tries         *password.Attempts
	tokens        time.Duration                        // how long an access token lives
	strict        bool                                 // refreshing needs the application's credentials
	post          func(*store.Tx, letter.Letter) error // see WithLetters
	house         string                               // see WithHouse
	stop          context.CancelFunc
	work          sync.WaitGroup
}

// Option changes a default of New.
type Option func(*Auth)

// WithSecret signs with this secret instead of the one that the installation keeps in its database.
func WithSecret(secret redact.Secret) Option {
	return func(a *Auth) { a.secret = []byte(secret) }
}

// WithLimits replaces the limits of keys that have none of their own.
func WithLimits(limits []credential.Limit) Option {
	return func(a *Auth) { a.limits = limits }
}

// WithSessionLimits replaces the limits of people in browsers.
func WithSessionLimits(limits []credential.Limit) Option {
	return func(a *Auth) { a.sessionLimits = limits }
}

// WithLog sends what goes wrong in the background to log.
func WithLog(log *slog.Logger) Option {
	return func(a *Auth) { a.log = log }
}

// WithPause has somebody else wait when answers must be slow; it serves tests.
func WithPause(pause func(ctx context.Context, d time.Duration)) Option {
	return func(a *Auth) { a.tries = password.NewAttempts(pause) }
}

// WithCheapPasswords keeps passwords in a form that is soon guessed, and soon made; it serves tests.
func WithCheapPasswords() Option {
	return func(a *Auth) { a.hasher.Cheapen() }
}

// WithTokens sets how long access tokens live, and whether applications that have a secret must show it to renew them.
func WithTokens(live time.Duration, strict bool) Option {
	return func(a *Auth) { a.tokens, a.strict = live, strict }
}

// WithLetters says how a letter to a person is left to be written, once a transaction commits. Without it nobody is
// written to.
func WithLetters(post func(tx *store.Tx, l letter.Letter) error) Option {
	return func(a *Auth) { a.post = post }
}

// WithHouse sets what the installation is called in letters.
func WithHouse(name string) Option {
	return func(a *Auth) { a.house = name }
}

// WithAnnouncements has announcements in many projects made later: enqueue writes a job for one, a single one for each
// account at a time, which is begun after a pause. Without it they are made in the transaction of the change, however
// many there are.
func WithAnnouncements(enqueue func(tx *store.Tx, a identity.Announcement, pause time.Duration) error) Option {
	return func(a *Auth) { a.Later = enqueue }
}

// WithMostProjects sets on how many teams an account may be; 0 is no bound.
func WithMostProjects(n int) Option {
	return func(a *Auth) { a.MostProjects = n }
}

// WithInvitations sets how many invitations an account may give within an hour; DefaultInvitations when 0.
func WithInvitations(most int) Option {
	return func(a *Auth) {
		if most > 0 {
			a.Invitations = int64(most)
		}
	}
}

// DefaultTokenLife is how long an access token lives where nothing else is said: two days.
const DefaultTokenLife = 48 * time.Hour

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

// Derive makes the secret that belongs to a name: always the same, and known only to this installation.
func (a *Auth) Derive(kind byte, name string) (secret, hash string) {
	round := 0
	return credential.Compose(kind, "", func(pool []byte) {
		round++
		at := 0
		for part := 0; at < len(pool); part++ {
			at += copy(pool[at:], a.Sign("secret", fmt.Appendf(nil, "%c %d %d %s", kind, round, part, name)))
		}
	})
}

// Tell has a letter on its security written to an account, once tx commits.
func (a *Auth) Tell(tx *store.Tx, account string, l letter.Letter) error {
	return letter.Tell(tx, a.post, account, l)
}
