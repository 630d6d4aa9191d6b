package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"text/tabwriter"

	"groundwork/internal/app"
	"groundwork/internal/sheet/intake"
)

type sheetsUpload struct {
	Files     []string `arg:"" name:"file" help:"PDF files, in the order of the set."`
	Email     string   `help:"The account that uploads; it must be an Admin of the project." required:"" placeholder:"E"`
	Project   string   `help:"The uid of the project." required:"" placeholder:"UID"`
	Version   string   `help:"What the set is called, such as \"Issued for construction\"." required:"" placeholder:"NAME"`
	NoPublish bool     `help:"Leave the set to be looked through; an Admin publishes it later."`
	Bar       bool     `hidden:""`
}

// whole gives the command line by which another process finds the same files, and knows what it prints to.
func (u *sheetsUpload) whole(s app.Streams) ([]string, error) {
	args := []string{"sheets", "upload", "--email=" + u.Email, "--project=" + u.Project, "--version=" + u.Version}
	if u.NoPublish {
		args = append(args, "--no-publish")
	}
	if isTerminal(s.Err) {
		u.Bar = true
		args = append(args, "--bar")
	}
	args = append(args, "--")
	for i, path := range u.Files {
		whole, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		u.Files[i] = whole
		args = append(args, whole)
	}
	return args, nil
}

// Run uploads the set, waits until it was read, and prints what was recognised.
func (u *sheetsUpload) Run(ctx context.Context, c *call) error {
	b := &bar{to: io.Discard}
	if u.Bar {
		b.to = c.Err
	}
	set := app.Sheets{Email: u.Email, Project: u.Project, Version: u.Version, Publish: !u.NoPublish, Files: u.Files}
	uid, done, err := c.app.UploadSheets(ctx, set, func(p intake.Processing) {
		b.show(int(100 * p.PagesDone / max(p.PagesTotal, 1)))
	})
	b.end()
	if err != nil {
		return err
	}
	if done.Status == intake.Errored && done.Error != nil {
		return fmt.Errorf("%s", *done.Error)
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FILE\tPAGE\tNUMBER\tTITLE\tDATE\tSURE")
	good, waiting := 0, int(done.PagesWaiting)
	for _, f := range done.Files {
		for _, p := range f.Pages {
			if p.Name == nil {
				fmt.Fprintf(table, "%s\t%d\t-\t%s\t\t\n", *f.FileName, p.Page, or(p.Error))
				continue
			}
			good++
			fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%.0f%%\n", *f.FileName, p.Page, *p.Name, or(p.Description),
				or(p.Date), 100**p.NumberConfidence)
		}
		if f.Error != nil {
			fmt.Fprintf(table, "%s\t-\t-\t%s\t\t\n", *f.FileName, *f.Error)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	switch {
	case good == 0:
		return fmt.Errorf("No page of the set can be read, so there are no sheets of it.")
	case done.Published:
		_, err = fmt.Fprintf(c.Out, "%s published as version set %s.\n", counted(good-waiting, "sheet is", "sheets are"), uid)
	default:
		_, err = fmt.Fprintf(c.Out, "%s in version set %s to be published.\n",
			counted(good, "page waits", "pages wait"), uid)
	}
	if err == nil && waiting > 0 {
		_, err = fmt.Fprintf(c.Out, "%s until an Admin says what they are called: no number of them is sure.\n",
			counted(waiting, "page waits", "pages wait"))
	}
	return err
}

// counted says how many there are: "1 sheet is", "2 sheets are".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func or(text *string) string {
	if text == nil {
		return "-"
	}
	return *text
}
