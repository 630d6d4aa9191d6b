package auth

import "groundwork/internal/store"

// Account is a person, or a program, that may hold keys and be a member of projects. It keeps its uid for ever.
type Account struct {
	UID, Email                                    string
	FirstName, LastName, Language, Company, Title *string
	Operator, Disabled                            bool
	CreatedAt                                     int64
}

// Invited gives the account of an address, making one without password when there is none. Names given fill only an account that has none.
func (a *Auth) Invited(tx *store.Tx, email, first, last, language string) (*Account, error) {
	panic("soon")
}
