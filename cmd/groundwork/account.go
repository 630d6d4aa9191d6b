package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"groundwork/internal/auth"
)

type accountCreate struct {
	Email         string `help:"The e-mail address; it is what the account signs in with." required:"" placeholder:"E"`
	Name          string `help:"The whole name; its last word is the last name." required:"" placeholder:"\"First Last\""`
	PasswordStdin bool   `help:"Read the password from standard input, one line of at least 12 characters." required:""`
	Admin         bool   `help:"Make the account an operator of this installation. That gives no right on any project."`
}

// Run creates the account and prints its uid.
func (a *accountCreate) Run(ctx context.Context, c *call) error {
	text, err := io.ReadAll(c.In)
	if err != nil {
		return err
	}
	password := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if strings.ContainsAny(password, "\r\n") {
		return errors.New("Standard input has more than one line; the password is one line.")
	}
	made, err := c.app.Auth.CreateAccount(ctx, auth.NewAccount{Email: a.Email, Name: a.Name, Password: auth.Secret(password), Operator: a.Admin})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Out, made.UID)
	return err
}
