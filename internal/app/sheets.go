package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/sheet/intake"
)

// Sheets is a set of drawings in files of this machine, and whose it is to be.
type Sheets struct {
	Email, Project, Version string
	Publish                 bool
	// Files are whole paths.
	Files []string
}

// lookAgain is how often the progress of a set is looked at.
const lookAgain = 200 * time.Millisecond

// UploadSheets uploads a set of drawings with the rights of an account and waits until it was read; tell is told how
// far it is. Where no server reads it, this process does. When ctx ends before, what was stored is read by the next
// server that starts.
func (a *App) UploadSheets(ctx context.Context, in Sheets, tell func(intake.Processing)) (uid string,
	done intake.Processing, err error,
) {
	account, err := a.able(ctx, in.Email)
	if err != nil {
		return "", done, err
	}
	scope, err := a.Auth.Enter(ctx, account, in.Project)
	if err != nil {
		return "", done, err
	}
	set := intake.Sending{Version: in.Version, Publish: in.Publish}
	for _, path := range in.Files {
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return "", done, fmt.Errorf("%s is no file that can be read.", path)
		}
		set.Files = append(set.Files, intake.Source{
			Name: filepath.Base(path), Open: func() (io.ReadCloser, error) { return os.Open(path) },
		})
	}
	end := a.readHere(ctx)
	defer func() { err = errors.Join(err, end()) }()
	if uid, err = intake.Send(ctx, a.Store, a.Jobs, a.Files, scope, set); err != nil {
		return "", done, err
	}
	done, err = a.awaitSheets(ctx, scope, uid, tell)
	return uid, done, err
}

// able finds the account of an address, unless it is shut out.
func (a *App) able(ctx context.Context, email string) (*identity.Account, error) {
	account, err := a.Auth.AccountByEmail(ctx, email)
	if err == nil && account.Disabled {
		err = fault.New(fault.Forbidden, "The account %s is disabled.", account.Email)
	}
	return account, err
}

// readHere has this process read sets where no server does, until end is called, which is final: it is called once for
// all sets.
func (a *App) readHere(ctx context.Context) (end func() error) {
	if a.served.Load() != nil {
		return func() error { return nil }
	}
	// What else waits is for a server, which has the settings for it.
	a.Jobs.Only(intake.Reading)
	a.Jobs.Start(ctx)
	return func() error {
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandsWithin)
		defer cancel()
		return a.Jobs.Stop(within)
	}
}

// awaitSheets waits until a set was read.
func (a *App) awaitSheets(ctx context.Context, scope auth.Scope, uid string,
	tell func(intake.Processing),
) (done intake.Processing, err error) {
	for {
		if done, err = intake.Progress(ctx, a.Store, scope.Project(), uid); err != nil {
			return done, err
		}
		tell(done)
		if done.Status == intake.Complete || done.Status == intake.Errored {
			return done, nil
		}
		select {
		case <-ctx.Done():
			return done, fmt.Errorf("The set %s is stored; it will be read when a server runs.", uid)
		case <-time.After(lookAgain):
		}
	}
}
