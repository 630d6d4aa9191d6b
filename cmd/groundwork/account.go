package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"groundwork/internal/identity"
	"groundwork/internal/redact"
)

type accountCreate struct {
	Email         string `help:"The e-mail address; it is what the account signs in with." required:"" placeholder:"E"`
	Name          string `help:"The whole name; its last word is the last name." required:"" placeholder:"\"First Last\""`
	PasswordStdin bool   `help:"Read the password from standard input, one line of at least 12 characters. Without it a link is printed, with which the person chooses one."`
	Admin         bool   `help:"Make the account an operator of this installation. That gives no right on any project."`
}

// Run creates the account and prints its uid; without a password also a link to choose one.
func (a *accountCreate) Run(ctx context.Context, c *call) error {
	password := redact.Secret(rand.Text()) // which nobody ever learns
	if a.PasswordStdin {
		var err error
		if password, err = readPassword(c.In); err != nil {
			return err
		}
	}
	made, err := c.app.Auth.CreateAccount(ctx, identity.NewAccount{
		Email: a.Email, Name: a.Name, Password: password, Operator: a.Admin,
	})
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintln(c.Out, made.UID); err != nil || a.PasswordStdin {
		return err
	}
	link, err := c.app.ResetLink(ctx, made.Email)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "Pass this link on. With it a password can be chosen, once, within an hour:\n%s\n",
		link)
	return err
}

func readPassword(in io.Reader) (redact.Secret, error) {
	text, err := io.ReadAll(in)
	password := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if err == nil && strings.ContainsAny(password, "\r\n") {
		err = errors.New("Standard input has more than one line; the password is one line.")
	}
	return redact.Secret(password), err
}

type accountList struct{}

// Run prints a table of all accounts.
func (*accountList) Run(ctx context.Context, c *call) error {
	const most = 500
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "UID\tEMAIL\tNAME\tSTATE\tCREATED")
	for after := ""; ; {
		all, err := c.app.Auth.Accounts(ctx, "", after, most)
		if err != nil {
			return err
		}
		bounced, err := c.app.Auth.BouncesOf(ctx, all)
		if err != nil {
			return err
		}
		for _, a := range all {
			state := stateOf(&a)
			if bounced[a.UID].Came() {
				state += ", mail comes back"
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", a.UID, a.Email, a.Name(), state, moment(&a.CreatedAt))
			after = a.Email
		}
		if len(all) < most {
			return table.Flush()
		}
	}
}

// stateOf is what an account is, in a word.
func stateOf(a *identity.Account) string {
	switch {
	case a.Erased:
		return "erased"
	case a.Disabled:
		return "disabled"
	case a.Operator:
		return "operator"
	case a.Invited:
		return "invited"
	case !a.Proven:
		return "unproven"
	}
	return "active"
}

type accountShow struct {
	Email string `arg:"" help:"The e-mail address of the account."`
}

// Run prints what is known of an account, a line each.
func (a *accountShow) Run(ctx context.Context, c *call) error {
	account, err := c.app.Auth.AccountByEmail(ctx, a.Email)
	if err != nil {
		return err
	}
	bounced, err := c.app.Auth.Bounced(ctx, account.UID)
	if err != nil {
		return err
	}
	mail := "no letter is known to have come back"
	if bounced.Came() {
		mail = fmt.Sprintf("came back, the last time on %s: %s", moment(&bounced.At), bounced.What)
	}
	if bounced.SilentAt(c.app.Store.Now()) {
		mail += "\n\tThey are told of nothing that happens in projects until a letter arrives, or groundwork mail clear;\n\ta letter is tried again a week after one was refused, and a month after one came back."
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "uid\t%s\nemail\t%s\nname\t%s\nstate\t%s\ncreated\t%s\nmail\t%s\n", account.UID, account.Email,
		account.Name(), stateOf(account), moment(&account.CreatedAt), mail)
	return table.Flush()
}

type accountDisable struct {
	Email string `arg:"" help:"The e-mail address of the account."`
	Undo  bool   `help:"Let the account in again."`
}

// Run shuts the account out, everywhere and within a second: keys, sessions, applications.
func (a *accountDisable) Run(ctx context.Context, c *call) error {
	account, err := c.app.Auth.AccountByEmail(ctx, a.Email)
	if err != nil {
		return err
	}
	if err := c.app.Auth.DisableAccount(ctx, account.UID, !a.Undo); err != nil {
		return err
	}
	state := "disabled"
	if a.Undo {
		state = "let in again"
	}
	_, err = fmt.Fprintf(c.Out, "%s is %s.\n", account.Email, state)
	return err
}

type accountProve struct {
	Email string `arg:"" help:"The e-mail address of the account."`
}

// Run takes the operator's word that the address belongs to whoever has the account.
func (a *accountProve) Run(ctx context.Context, c *call) error {
	account, err := c.app.Auth.AccountByEmail(ctx, a.Email)
	if err != nil {
		return err
	}
	if err := c.app.Auth.Prove(ctx, account.UID); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out,
		"%s is proven. The projects that have invited it are open to whoever has the account.\n", account.Email)
	return err
}

type accountReset struct {
	Email         string `arg:"" help:"The e-mail address of the account."`
	PasswordStdin bool   `help:"Read the new password from standard input, one line of at least 12 characters. Without it a link is printed, with which the person chooses one."`
}

// Run gives the account a password, or prints a link that does.
func (a *accountReset) Run(ctx context.Context, c *call) error {
	if a.PasswordStdin {
		password, err := readPassword(c.In)
		if err != nil {
			return err
		}
		account, ended, err := c.app.Auth.ResetPassword(ctx, a.Email, password)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.Out, "%s has a new password, and is signed out everywhere.\n", account.Email)
		if len(ended.Keys) > 0 {
			fmt.Fprintf(c.Out, "API keys that ended: %s.\n", strings.Join(ended.Keys, ", "))
		}
		if len(ended.Applications) > 0 {
			fmt.Fprintf(c.Out, "Applications that are shut out: %s.\n", strings.Join(ended.Applications, ", "))
		}
		return err
	}
	link, err := c.app.ResetLink(ctx, a.Email)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Out, link)
	return err
}
