package auth

import (
	"context"

	"groundwork/internal/credential"
	"groundwork/internal/identity"
)

// Revalidate gives the account of a credential, by its Origin, for something that was begun with it before:
// fault.Forbidden when it was revoked since, or its account was disabled.
func (a *Auth) Revalidate(ctx context.Context, origin string) (*identity.Account, error) {
	return credential.Revalidate(a.QueryIn(ctx), a.store.Now(), origin)
}
