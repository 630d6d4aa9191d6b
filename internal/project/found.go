package project

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"groundwork/internal/auth"
	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/resource"
	"groundwork/internal/store"
)

// errDry takes back what was made to see whether it can be.
var errDry = errors.New("a dry run")

// found makes a project without a request, under a uid that the caller chose, for an account that becomes its Admin.
func found(ctx context.Context, site *family.Site, account *identity.Account, uid, name string, dry bool) error {
	if strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > mostName {
		return fault.New(fault.Invalid, "A project has a name of 1 to %d characters.", mostName)
	}
	err := site.Store.Write(ctx, func(tx *store.Tx) error {
		if err := site.Auth.MayFound(tx, account); err != nil {
			return err
		}
		scope, err := auth.Found(tx, account, uid)
		if err != nil {
			return err
		}
		first := &resource.Tx{Tx: tx, Scope: scope, Auth: site.Auth, Jobs: site.Jobs}
		if _, err := projects.Insert(first, uid, &Project{Name: name}); err != nil {
			return err
		}
		if err := furnish(first, site.Kinds); err != nil || !dry {
			return err
		}
		return errDry
	})
	if errors.Is(err, errDry) {
		return nil
	}
	return err
}

// mostName is how long the name of a project may be.
const mostName = 255
