package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"groundwork/internal/mail/bounce"
)

type mailTest struct {
	Address string `arg:"" help:"Where the letter goes."`
}

// Run sends a letter and says how that went; it fails where the letter was not taken.
func (m *mailTest) Run(ctx context.Context, c *call) error {
	went, err := c.app.TestMail(ctx, m.Address)
	if err != nil {
		return err
	}
	if !went.Accepted {
		return errors.New(went.Sentence())
	}
	_, err = fmt.Fprintf(c.Out,
		"%s\nLook for it at %s, also among unwanted mail: that a server took a letter does not mean that it arrives.\n",
		went.Sentence(), m.Address)
	return err
}

// mailBounceName is the command that mail servers run.
const mailBounceName = "mail bounce"

// exitAgain is what mail servers take for: try again later (EX_TEMPFAIL of sysexits.h). They send whatever else ends
// with a failure back to its sender.
const exitAgain = 75

// again is the exit code of a command line whose settings cannot be read.
func again(args []string, exit int) int {
	if strings.HasPrefix(strings.Join(args, " ")+" ", mailBounceName+" ") {
		return exitAgain
	}
	return exit
}

type mailBounce struct{}

// Run reads a report from standard input. What is no report ends well: people and programs write to any address.
func (*mailBounce) Run(ctx context.Context, c *call) error {
	message, err := io.ReadAll(io.LimitReader(c.In, bounce.MostBytes))
	if err != nil {
		return err
	}
	sentence, err := c.app.TakeBounce(ctx, message)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Out, sentence)
	return err
}

type mailClear struct {
	Email string `arg:"" optional:"" help:"The e-mail address of the account."`
	All   bool   `help:"Of everybody, after the mail server was mended."`
}

// Run takes the operator's word that letters to the address arrive.
func (m *mailClear) Run(ctx context.Context, c *call) error {
	if m.All == (m.Email != "") {
		return errors.New("Name an address, or say --all for everybody.")
	}
	if m.All {
		n, err := c.app.Auth.ClearBounces(ctx)
		if err == nil {
			fmt.Fprintf(c.Out, "Noted: letters to everybody arrive. To %d accounts some had come back.\n", n)
		}
		return err
	}
	account, err := c.app.Auth.AccountByEmail(ctx, m.Email)
	if err != nil {
		return err
	}
	if err := c.app.Auth.ClearBounce(ctx, account.UID); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "Noted: letters to %s arrive.\n", account.Email)
	return err
}
