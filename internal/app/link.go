package app

import (
	"context"
	"strings"
)

// ResetLink makes a link with which somebody chooses a new password, at the address where the service is, or was last.
// fault.NotFound for an unknown address, fault.Conflict for a disabled account, whose links do not work.
func (a *App) ResetLink(ctx context.Context, email string) (link string, err error) {
	account, err := a.Auth.AccountByEmail(ctx, email)
	if err != nil {
		return "", err
	}
	base, err := a.lastBase(ctx)
	if err != nil {
		return "", err
	}
	return a.Auth.OperatorLink(ctx, base, account)
}

// base is the public address: the one that is served, or else the one that the configuration gives.
func (a *App) base() string {
	if served := a.served.Load(); served != nil {
		return *served
	}
	if a.Config.PublicURL != "" {
		return strings.TrimSuffix(a.Config.PublicURL, "/")
	}
	return "http://" + a.Config.Listen
}

// namePublicURL is the note of the address that was served last: the command line has not heard of a server's options.
const namePublicURL = "public_url"

// keepBase notes the address that is served.
func (a *App) keepBase(ctx context.Context, base string) error {
	return a.Store.SetNote(ctx, namePublicURL, base)
}

// lastBase is the address that is served here, or that was by any process that had this database.
func (a *App) lastBase(ctx context.Context) (string, error) {
	if a.served.Load() != nil {
		return a.base(), nil
	}
	base, err := a.Store.Note(ctx, namePublicURL)
	if err == nil && base == "" {
		base = a.base()
	}
	return base, err
}
