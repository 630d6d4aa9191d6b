// Package grant owns applications and what people allow them: registration, redirect URIs, consents, and the tokens
// that come of them, renewed and revoked (OAuth 2.0). It refuses to know requests, which are package oauth's, and to
// admit anybody, which is package auth's. Its entry point is Grants.
package grant

import (
	"time"

	"groundwork/internal/credential"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/store"
)

// Grants are the applications of an installation, and what people allow them.
type Grants struct {
	// Post leaves a letter to a person, once a transaction commits; nil writes to nobody.
	Post func(*store.Tx, letter.Letter) error

	people *identity.Directory
	store  *store.Store
	limits []credential.Limit
	life   time.Duration // of an access token
	strict bool          // refreshing needs the application's credentials
}

// New keeps applications and grants in s, for the accounts of people. Access tokens live for so long and have
// these limits; with strict, applications that have a secret must show it to renew them.
func New(s *store.Store, people *identity.Directory, limits []credential.Limit, life time.Duration,
	strict bool,
) *Grants {
	return &Grants{people: people, store: s, limits: limits, life: life, strict: strict}
}

// tell has a letter on its security written to an account, once tx commits.
func (a *Grants) tell(tx *store.Tx, account string, l letter.Letter) error {
	return letter.Tell(tx, a.Post, account, l)
}
