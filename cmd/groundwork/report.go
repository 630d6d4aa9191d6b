package main

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"groundwork/internal/fault"
	"groundwork/internal/identity"
	"groundwork/internal/share"
)

type reportCommand struct {
	delivery     `embed:""`
	Format       string   `help:"pdf, xlsx or csv; without it, what the name of the file ends in, or else pdf." placeholder:"F"`
	Title        string   `help:"What stands on the cover." placeholder:"T"`
	Timezone     *string  `help:"The time zone in which times are shown, such as Europe/Athens; without it the project's, or else UTC." placeholder:"ZONE"`
	Paper        string   `help:"a4 or letter." enum:"a4,letter" default:"a4" placeholder:"P"`
	Issue        []string `help:"The uid of an issue. Can be repeated; without it the report has all issues." placeholder:"UID"`
	FieldReports bool     `help:"Report field reports instead of issues."`
	From         string   `help:"With --field-reports: the first day, such as 2026-03-01." placeholder:"DATE"`
	To           string   `help:"With --field-reports: the last day." placeholder:"DATE"`
}

// Run makes the report.
func (r *reportCommand) Run(ctx context.Context, c *call) error {
	for _, day := range []string{r.From, r.To} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return fault.New(fault.Invalid, "%q is no date such as 2026-03-01.", day)
		}
	}
	format := r.Format
	if format == "" {
		format = strings.ToLower(strings.TrimPrefix(filepath.Ext(r.Out), "."))
	}
	switch {
	case format == "pdf" || format == "xlsx" || format == "csv" && !r.FieldReports:
	case r.Format == "":
		format = "pdf"
	case r.FieldReports:
		return fault.New(fault.Invalid, "Field reports are written as pdf or xlsx, not as %q.", format)
	default:
		return fault.New(fault.Invalid, "Reports are written as pdf, xlsx or csv, not as %q.", format)
	}
	return r.deliver(ctx, c, func(t *share.Tools, who *identity.Account, progress func(int)) (share.File, error) {
		if r.FieldReports {
			return r.days(ctx, t, who, format, progress)
		}
		ask := share.IssueReport{IssueUIDs: r.Issue, Format: &format, Timezone: r.Timezone, Paper: &r.Paper}
		if r.Title != "" {
			ask.Title = &r.Title
		}
		return share.IssueReports.Now(ctx, t, who, r.Project, ask, progress)
	})
}

func (r *reportCommand) days(ctx context.Context, t *share.Tools, who *identity.Account, format string,
	progress func(int),
) (share.File, error) {
	scope, err := t.Auth.Enter(ctx, who, r.Project)
	if err != nil {
		return share.File{}, err
	}
	uids, err := share.FieldReports(ctx, t, scope, r.From, r.To)
	if err != nil {
		return share.File{}, err
	}
	if len(uids) == 0 {
		return share.File{}, fault.New(fault.NotFound, "The project has no field reports of these days.")
	}
	return share.FieldExports.Now(ctx, t, who, r.Project, share.FieldExport{
		FieldReportUIDs: uids, Timezone: r.Timezone, FileType: &format, Paper: &r.Paper,
	}, progress)
}
