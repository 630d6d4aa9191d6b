package auth

import (
	"context"

	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/letter"
	"groundwork/internal/mail"
	"groundwork/internal/mail/paper"
	"groundwork/internal/store"
)

// Write makes the mail of a letter, with a fresh link where it carries one. Nobody is written to who has no account, or
// a disabled one: then to is false.
func (a *Auth) Write(ctx context.Context, base string, l letter.Letter) (m mail.Message, to bool, err error) {
	account, err := a.addressee(ctx, l)
	if fault.Is(err, fault.NotFound) || err == nil && account.Disabled {
		return m, false, nil
	}
	if err != nil {
		return m, false, err
	}
	m, err = l.Message(paper.House{Name: a.house, Base: base}, account, func() (string, error) {
		if l.Kind == letter.AboutReset {
			return a.link(ctx, base, Reset, account.UID)
		}
		return a.linkFor(ctx, base, Invitation, account.UID, Occasion{l.From, l.Project})
	})
	return m, err == nil, err
}

func (a *Auth) addressee(ctx context.Context, l letter.Letter) (*identity.Account, error) {
	if l.Account != "" {
		return a.Account(ctx, l.Account)
	}
	return a.AccountByEmail(ctx, l.Email)
}

func (a *Auth) link(ctx context.Context, base string, purpose Purpose, account string) (link string, err error) {
	return a.linkFor(ctx, base, purpose, account, Occasion{})
}

// linkFor is link with what an invitation is to.
func (a *Auth) linkFor(ctx context.Context, base string, purpose Purpose, account string, o Occasion) (link string,
	err error,
) {
	err = a.store.Write(ctx, func(tx *store.Tx) error {
		link, err = newLink(tx, base, purpose, account, ByMail, nil, nil, o)
		return err
	})
	return link, err
}
