package auth

import "context"

// Limit is how many requests of a type a credential may make in each interval.
type Limit struct {
	Type     string // all, or write: POST, PUT, PATCH and DELETE
	Interval int64  // seconds
	Limit    int64
}

// Credential is a key that was presented and is good.
type Credential struct {
	ID      string // what limits count by: the uid of the key
	Account *Account
	Limits  []Limit
}

// Key says whose key it is: fault.Forbidden for an unknown or deactivated key and for a disabled account, each with its own sentence.
func (a *Auth) Key(ctx context.Context, secret string) (*Credential, error) {
	panic("soon")
}
