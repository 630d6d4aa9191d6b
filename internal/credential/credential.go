// Package credential owns what people and programs show to be let in: its forms, secrets and their hashes, what it may
// be used for, its rate limits, and whether it is good still. It refuses to know who holds one in memory and what an
// account may do: package auth admits. Credential is what everything above is given.
package credential

import (
	"sync/atomic"

	"groundwork/internal/identity"
)

// Credential is a key, a token or a session that was presented and is good. It is shared: nobody may change it.
type Credential struct {
	ID      string // the uid of the key, or application and account of a token
	Account *identity.Account
	Limits  []Limit
	// Counter is what its requests are counted by: credentials with the same one share their windows, and have the same
	// limits. It is that of all keys of the account that have no limits of their own, the key's own, or that of the key
	// that it was made with. An account that is not proven counts as its Payer.
	Counter string
	// Application is whose token it is, and Session which browser it is; empty for a key.
	Application, Session string
	// Origin is what it can be asked about later: see Revalidate.
	Origin string
	// Scopes are what it may be used for: keys and sessions for everything that the account may do.
	Scopes Scopes

	// Majors are when the use of a version was noted last, in microseconds; nil where it is not.
	Majors *[MostMajors]atomic.Int64
}

// MostMajors is how many versions of the API can be told apart by use.
const MostMajors = 8

// CountedTogether is the Counter of the keys of an account, a Payer, that have no limits of their own.
func CountedTogether(account string) string { return "keys/" + account }

// CounterOf is what the requests of an application for an account are counted by.
func CounterOf(application, account, owner string) string {
	if owner == account {
		// Whoever registers an application may allow it at once, and as many as they like one after the other: it is as
		// good as a key of theirs.
		return CountedTogether(account)
	}
	return application + "/" + account
}
