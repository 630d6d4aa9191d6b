package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"groundwork/internal/grant"
)

type appCreate struct {
	Name        string   `help:"The name that people see when they are asked." required:"" placeholder:"N"`
	RedirectURI []string `help:"Where people are sent back to. Can be repeated." name:"redirect-uri" sep:"none" required:"" placeholder:"U"`
	Email       string   `help:"The account that owns the application, and can change it on its pages. Without one it is the operator's." placeholder:"OWNER"`
	Implicit    bool     `help:"Allow the implicit grant, which old programs in browsers need."`
	Public      bool     `help:"The application cannot keep a secret: it gets none, and must use PKCE."`
}

// Run registers the application and prints it as JSON, with its secret, for the only time.
func (a *appCreate) Run(ctx context.Context, c *call) error {
	owner := ""
	if a.Email != "" {
		account, err := c.app.Auth.AccountByEmail(ctx, a.Email)
		if err != nil {
			return err
		}
		owner = account.UID
	}
	app, secret, err := c.app.Auth.CreateApplication(ctx, owner, grant.NewApplication{
		Name: a.Name, Redirects: a.RedirectURI, Public: a.Public, Implicit: a.Implicit,
	}, nil)
	if err != nil {
		return err
	}
	shown := struct {
		ID        string   `json:"client_id"`
		Secret    *string  `json:"client_secret"`
		Name      string   `json:"name"`
		Redirects []string `json:"redirect_uris"`
		Public    bool     `json:"public"`
		Implicit  bool     `json:"implicit"`
	}{app.UID, nil, app.Name, app.Redirects, app.Public, app.Implicit}
	if secret != "" {
		shown.Secret = &secret
	}
	text, err := json.Marshal(shown, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "%s\n", text)
	return err
}

type appList struct{}

// Run prints a table of all applications.
func (*appList) Run(ctx context.Context, c *call) error {
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLIENT ID\tNAME\tOWNER\tKIND\tCREATED\tREDIRECT URIS")
	err := c.app.Auth.EachApplication(ctx, func(a grant.Application) error {
		kind, owner := "confidential", a.Owner
		if a.Public {
			kind = "public"
		}
		if a.Implicit {
			kind += ", implicit"
		}
		if owner == "" {
			owner = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", a.UID, a.Name, owner, kind, moment(&a.CreatedAt),
			strings.Join(a.Redirects, " "))
		return nil
	})
	if err != nil {
		return err
	}
	return table.Flush()
}

type appDelete struct {
	ID string `arg:"" name:"client-id" help:"The client id, as app list shows it."`
}

// Run deletes the application; whoever uses it is shut out.
func (a *appDelete) Run(ctx context.Context, c *call) error {
	if err := c.app.Auth.DeleteApplication(ctx, a.ID); err != nil {
		return err
	}
	_, err := fmt.Fprintf(c.Out, "Application %s is deleted.\n", a.ID)
	return err
}
