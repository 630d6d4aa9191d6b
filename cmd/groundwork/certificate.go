package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"groundwork/internal/certificate"
)

// certificateCommand has the options of the network, as the server that runs may not be reached.
type certificateCommand struct {
	network `embed:""`
	List    certificateList   `cmd:"" help:"List the certificates, how long they are good for, and what failed last."`
	Renew   certificateRenew  `cmd:"" help:"Obtain another certificate now, with a new key."`
	Revoke  certificateRevoke `cmd:"" help:"Have the authority revoke a certificate, after another one was obtained."`
}

type certificateList struct{}

// Run prints a table of all domains.
func (*certificateList) Run(ctx context.Context, c *call) error {
	k, end, err := c.app.Certificates(ctx)
	if err != nil {
		return err
	}
	defer end()
	table, now := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0), time.Now()
	fmt.Fprintln(table, "DOMAIN\tISSUER\tUNTIL\tDAYS LEFT\tFAILED LAST")
	for _, one := range k.Look() {
		issuer, until, days, failed := "-", "-", "-", "-"
		if one.Issuer != "" {
			issuer, until, days = one.Issuer, one.Until.UTC().Format(time.RFC3339), fmt.Sprint(one.Days(now))
		}
		switch {
		case one.Broken != nil:
			failed = one.Broken.Error()
		case one.Failure != nil:
			failed = one.Failure.At.UTC().Format(time.RFC3339) + ": " + one.Failure.Why
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", one.Domain, issuer, until, days, failed)
	}
	return table.Flush()
}

type certificateRenew struct {
	Domain []string `help:"Whose (default: that of all domains). Can be repeated." placeholder:"NAME"`
}

// Run obtains new certificates.
func (r *certificateRenew) Run(ctx context.Context, c *call) error {
	k, end, err := c.app.Certificates(ctx)
	if err != nil {
		return err
	}
	defer end()
	domains := r.Domain
	if len(domains) == 0 {
		domains = k.Domains()
	}
	for _, domain := range domains {
		if err := k.Renew(ctx, domain); err != nil {
			return err
		}
		fmt.Fprintf(c.Out, "The certificate of %s is new.\n", domain)
	}
	return nil
}

type certificateRevoke struct {
	Domain string `help:"Whose." required:"" placeholder:"NAME"`
	Reason string `help:"Why: unspecified, key-compromise, superseded, or cessation when the name is given up." default:"unspecified" enum:"unspecified,key-compromise,superseded,cessation" placeholder:"REASON"`
}

// Run revokes a certificate.
func (r *certificateRevoke) Run(ctx context.Context, c *call) error {
	k, end, err := c.app.Certificates(ctx)
	if err != nil {
		return err
	}
	defer end()
	old, err := k.Revoke(ctx, r.Domain, certificate.Reasons[r.Reason])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Out, "The certificate %s of %s is revoked.\n", old.SerialNumber.Text(16), r.Domain)
	return err
}
