package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"groundwork/internal/app"
	"groundwork/internal/archive"
	"groundwork/internal/foreign"
)

type exportCommand struct {
	Project string `help:"The uid of the project." required:"" placeholder:"UID"`
	Out     string `help:"The file that is written; it must not exist." required:"" type:"path" placeholder:"FILE.zip"`
	Bar     bool   `hidden:""`
}

// whole gives the command line by which another process finds the same file.
func (e *exportCommand) whole(s app.Streams) (args []string, err error) {
	if e.Out, err = filepath.Abs(e.Out); err != nil {
		return nil, err
	}
	args = []string{"export", "--project=" + e.Project, "--out=" + e.Out}
	if e.Bar = isTerminal(s.Err); e.Bar {
		args = append(args, "--bar")
	}
	return args, nil
}

// Run writes the archive and says what it has.
func (e *exportCommand) Run(ctx context.Context, c *call) error {
	bar := newBar(e.Bar, c.Err)
	made, size, err := c.app.Export(ctx, e.Project, e.Out, bar.show)
	bar.end()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "Archive of project %s: %s, %s and %s, %s.\n", e.Project,
		counted(int(made.Records), "record", "records"), counted(int(made.Changes), "change", "changes"),
		counted(int(made.Files), "file", "files"), amount(size))
	for _, lost := range made.Lost {
		fmt.Fprintf(c.Err, "groundwork: %s, so the archive does not have it.\n", lost)
	}
	if len(made.Lost) > 0 {
		return errShown
	}
	return nil
}

type importCommand struct {
	File   string `arg:"" help:"The archive of a project, as groundwork export writes it; or a table (CSV, XLSX) that PlanGrid, Procore or Fieldwire exported; or a folder of PDFs and pictures." type:"path"`
	DryRun bool   `help:"Verify the archive, or read the files, and say what would be brought, and change nothing."`
	// Although is how one says that a project is to come back.
	Although bool `name:"although-erased" help:"Of an archive: take the project although it was erased here."`
	fileOptions
	Bar bool `hidden:""`
}

// whole gives the command line by which another process finds the same file.
func (i *importCommand) whole(s app.Streams) (args []string, err error) {
	if i.File, err = filepath.Abs(i.File); err != nil {
		return nil, err
	}
	args = append([]string{"import"}, i.fileOptions.args()...)
	if i.DryRun {
		args = append(args, "--dry-run")
	}
	if i.Although {
		args = append(args, "--although-erased")
	}
	if i.Bar = isTerminal(s.Err); i.Bar {
		args = append(args, "--bar")
	}
	return append(args, "--", i.File), nil
}

// Run brings the project or the files and says what came, and what is missing before anybody sees it.
func (i *importCommand) Run(ctx context.Context, c *call) error {
	if err := i.bring(ctx, c); err != nil || i.DryRun {
		return err
	}
	return c.sayClosed(ctx)
}

// sayClosed says how the first person gets in, where the accounts let nobody in.
func (c *call) sayClosed(ctx context.Context) error {
	closed, err := c.app.Auth.Closed(ctx)
	if err != nil || !closed {
		return err
	}
	_, err = fmt.Fprintln(c.Out, app.NobodySignsIn)
	return err
}

func (i *importCommand) bring(ctx context.Context, c *call) error {
	switch i.sort() {
	case aFolder:
		return i.folder(ctx, c)
	case aTable:
		return i.table(ctx, c)
	}
	bar := newBar(i.Bar, c.Err)
	bring := c.app.Import
	if i.Although {
		bring = c.app.ImportAgain
	}
	r, err := bring(ctx, i.File, i.DryRun, bar.show)
	bar.end()
	if err != nil {
		return err
	}
	if r.Already {
		fmt.Fprintf(c.Out, "The project %s was imported before, or is as the archive has it. Nothing was changed.\n",
			projectOf(r))
		return nil
	}
	begin := "Imported"
	if i.DryRun {
		begin = "Would import"
	}
	var parts []string
	for _, n := range r.Counts {
		parts = append(parts, counted(int(n.N), forPeople(n.One), forPeople(n.What)))
	}
	fmt.Fprintf(c.Out, "%s the project %s as of %s: %s; %s, %s.\n", begin, projectOf(r), day(r.Moment), strings.Join(parts, ", "),
		counted(int(r.Files), "file", "files"), amount(r.Bytes))
	for _, p := range r.People {
		switch {
		case p.Erased:
			fmt.Fprintf(c.Out, "Somebody of the team was erased here, and stays so: %s. What the archive shows as name and address was replaced; look for other names with groundwork account erase UID --also TEXT.\n",
				p.Email)
		case p.New && i.DryRun:
			fmt.Fprintf(c.Out, "%s would get an account that lets nobody in before the address is proven.\n", p.Email)
		case p.New:
			fmt.Fprintf(c.Out, "%s got an account that lets nobody in before the address is proven.\n", p.Email)
		case p.Here != "":
			fmt.Fprintf(c.Out, "%s has an account here, with another uid than in the archive: %s.\n", p.Email, p.Here)
		default:
			fmt.Fprintf(c.Out, "%s has an account here.\n", p.Email)
		}
	}
	for _, m := range r.Missing {
		fmt.Fprintf(c.Err, "groundwork: %s; that was so when the archive was made.\n", m)
	}
	return nil
}

// projectOf names the project of an archive, for people and for commands.
func projectOf(r archive.Report) string {
	if r.Name == "" {
		return r.Project
	}
	return fmt.Sprintf("%q, %s,", foreign.Shown(r.Name), r.Project)
}

// forPeople is the name of a kind in a sentence.
func forPeople(kind string) string {
	return strings.NewReplacer("_", " ", "rfi", "RFI", "attachment", "document").Replace(strings.ToLower(kind))
}

// day is a moment of an archive in a sentence.
func day(moment string) string {
	t, err := time.Parse(time.RFC3339Nano, moment)
	if err != nil {
		return moment
	}
	return t.UTC().Format("2 January 2006, 15:04 UTC")
}
