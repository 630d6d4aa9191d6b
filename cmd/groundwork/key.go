package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/credential"
)

type keyCreate struct {
	Email string   `help:"The account that the key belongs to; the key may do what the account may." required:"" placeholder:"E"`
	Name  string   `help:"What the key is for, to tell it from others." placeholder:"N"`
	Limit []string `help:"A rate limit of the key, such as all/1=40 or write/360=2000. Can be repeated; given limits replace all defaults." sep:"none" placeholder:"TYPE/SECONDS=N"`
}

// Run creates the key and prints it.
func (k *keyCreate) Run(ctx context.Context, c *call) error {
	limits, err := credential.ParseLimits(k.Limit)
	if err != nil {
		return err
	}
	secret, err := c.app.Auth.CreateKey(ctx, k.Email, k.Name, limits)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Out, secret)
	return err
}

type keyList struct{}

// Run prints a table of all keys.
func (*keyList) Run(ctx context.Context, c *call) error {
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tEMAIL\tNAME\tSTATE\tCREATED\tLAST USED\tLIMITS")
	err := c.app.Auth.EachKey(ctx, func(k auth.Key) error {
		state, name, limits := "active", k.Name, "default"
		if k.RevokedAt != nil {
			state = "deactivated"
		}
		if name == "" {
			name = "-"
		}
		if len(k.Limits) > 0 {
			texts := make([]string, len(k.Limits))
			for i, l := range k.Limits {
				texts[i] = l.String()
			}
			limits = strings.Join(texts, " ")
		}
		if k.CountedBy != "" {
			limits += ", counted with " + k.CountedBy
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k.UID, k.Email, name, state, moment(&k.CreatedAt),
			moment(k.LastUsedAt), limits)
		return nil
	})
	if err != nil {
		return err
	}
	return table.Flush()
}

func moment(micros *int64) string {
	if micros == nil {
		return "never"
	}
	return time.UnixMicro(*micros).UTC().Format("2006-01-02T15:04:05Z")
}

type keyRevoke struct {
	Key string `arg:"" name:"key-or-id" help:"The key itself, or its id as key list shows it."`
}

// Run deactivates the key.
func (k *keyRevoke) Run(ctx context.Context, c *call) error {
	uid, err := c.app.Auth.RevokeKey(ctx, k.Key)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "Key %s is deactivated.\n", uid)
	return err
}
