package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"groundwork/internal/app"
)

type doctorCommand struct {
	network `embed:""`
	Verify  bool `help:"Also decode, check and encode again every stored document, and recompute counters, ordinals, numbers and links."`
	Files   bool `help:"Also compare the file store with the records: files that are missing, short or left over; with --verify, read every byte."`
	// The two are for a change on purpose: a server refuses to start with another file store or secret than before.
	AcceptStore  bool `help:"First say that the files of the installation lie in the file store that is named here, from now on. Stop all servers before."`
	AcceptSecret bool `help:"First say that the secret that is given here is the installation's, from now on. Stop all servers before."`
}

// Run looks at an open installation, as it was configured where it was opened.
func (d *doctorCommand) Run(ctx context.Context, c *call) error {
	if d.AcceptStore {
		if err := c.app.AcceptFiles(ctx); err != nil {
			return err
		}
	}
	if d.AcceptSecret {
		if err := c.app.AcceptSecret(ctx); err != nil {
			return err
		}
	}
	checks := append(app.Checks(c.app.Config), app.CheckSender(ctx, c.app.Config)...)
	checks = append(checks, c.app.Checks(ctx)...)
	if d.Verify {
		checks = append(checks, c.app.Verify(ctx)...)
	}
	if d.Files {
		checks = append(checks, c.app.VerifyFiles(ctx, d.Verify)...)
	}
	return examine(ctx, c.Streams, checks)
}

// without looks at what can be seen of an installation whose database cannot be opened.
func (d *doctorCommand) without(ctx context.Context, s app.Streams, c app.Config, why error) error {
	checks := app.Checks(c)
	if app.CheckSettings(c) != nil { // which the first check says
		why = app.Hint("It was not looked at, as the configuration is wrong.")
	} else {
		checks = append(checks, app.CheckSender(ctx, c)...)
	}
	return examine(ctx, s,
		append(checks, app.Check{Name: "database", Run: func(context.Context) error { return why }}))
}

// asked looks at what this command line names and the running server, which was asked about itself, may not use.
func (d *doctorCommand) asked(ctx context.Context, s app.Streams, c app.Config) error {
	if c.BlobURL == "" {
		return nil
	}
	return examine(ctx, s, []app.Check{app.CheckFiles(c)})
}

// examine prints one line for each check and fails when one does; a hint is no failure.
func examine(ctx context.Context, s app.Streams, checks []app.Check) error {
	var failed error
	for _, check := range checks {
		err := check.Run(ctx)
		if err == nil {
			fmt.Fprintf(s.Out, "ok  %s\n", check.Name)
			continue
		}
		if hint := app.Hint(""); errors.As(err, &hint) {
			fmt.Fprintf(s.Out, "--  %s: %s\n", check.Name, strings.Join(strings.Fields(string(hint)), " "))
			continue
		}
		failed = errShown
		fmt.Fprintf(s.Out, "BAD %s: %s\n", check.Name, strings.Join(strings.Fields(message(err)), " "))
	}
	return failed
}
