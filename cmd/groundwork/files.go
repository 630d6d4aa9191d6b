package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"groundwork/internal/app"
	"groundwork/internal/follow"
	"groundwork/internal/foreign"
)

// fileOptions are what import asks for where it brings files of another service.
type fileOptions struct {
	Email     string   `help:"Of files: the account that imports, an Admin of the project." placeholder:"E"`
	Project   string   `help:"Of files: the uid of the project that they go into." placeholder:"UID"`
	New       string   `help:"Of files: make a project of this name for them. Repeated, it is the same project." placeholder:"NAME"`
	From      string   `help:"Of a table: the service that wrote it, plangrid, procore or fieldwire. Default: its headings say." placeholder:"SERVICE"`
	Kind      string   `help:"Of a table: what it has, tasks, punch, observations or rfis. Default: its headings say." placeholder:"KIND"`
	Source    string   `help:"Of a table: which one it is, where several have the same numbers. Give the same for it each time." placeholder:"NAME"`
	Renamed   bool     `name:"although-renamed" help:"Of a table: take it although most of its rows have other titles than the last time."`
	List      string   `help:"Of a table: the issue list of rows that name none." placeholder:"NAME"`
	DayFirst  bool     `help:"Of a table: days such as 3/4/2026 are in April."`
	Person    []string `help:"Of a table: whose address a name means, such as \"Ada Stone=ada@example.com\"; give it again for more." sep:"none" placeholder:"NAME=ADDRESS"`
	Documents bool     `help:"Of a folder: make documents of its PDFs, not drawings."`
	Version   string   `help:"Of a folder: what the set of drawings is called. Default: the folder's name." placeholder:"NAME"`
	NoPublish bool     `help:"Of a folder: leave the drawings to be looked through; an Admin publishes them later."`
}

// args is the command line of the same options.
func (o *fileOptions) args() (args []string) {
	for name, value := range map[string]string{
		"email": o.Email, "project": o.Project, "new": o.New, "from": o.From, "kind": o.Kind, "list": o.List,
		"version": o.Version, "source": o.Source,
	} {
		if value != "" {
			args = append(args, "--"+name+"="+value)
		}
	}
	for name, given := range map[string]bool{
		"day-first": o.DayFirst, "documents": o.Documents, "no-publish": o.NoPublish, "although-renamed": o.Renamed,
	} {
		if given {
			args = append(args, "--"+name)
		}
	}
	for _, person := range o.Person {
		args = append(args, "--person="+person)
	}
	slices.Sort(args)
	return args
}

// The sorts of what is imported.
const (
	anArchive = iota
	aTable
	aFolder
)

// tableEndings are the endings of files that are tables, or that somebody takes for tables.
var tableEndings = []string{".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".xls"}

// sort says what is to be imported: an archive, unless it is a folder, is named like a table, or options for files are
// given.
func (i *importCommand) sort() int {
	info, err := os.Stat(i.File)
	switch {
	case err == nil && info.IsDir():
		return aFolder
	case slices.Contains(tableEndings, strings.ToLower(filepath.Ext(i.File))), len(i.args()) > 0:
		return aTable
	}
	return anArchive
}

// into is where files go.
func (i *importCommand) into() (app.Files, error) {
	in := app.Files{Path: i.File, Email: i.Email, Project: i.Project, New: strings.TrimSpace(i.New)}
	switch {
	case i.Although:
		return in, errors.New("--although-erased is for archives.")
	case in.Email == "":
		return in, errors.New("Say with --email which account imports the files.")
	case in.Project == "" && in.New == "":
		return in, errors.New("Say with --project which project the files go into, or with --new what a new one is called.")
	case in.Project != "" && in.New != "":
		return in, errors.New("Give --project or --new, not both.")
	case in.Project != "" && !follow.IsUID(in.Project):
		return in, fmt.Errorf("--project is %q, which is no uid.", in.Project)
	}
	return in, nil
}

// people reads who is meant by which name.
func (o *fileOptions) people() (map[string]string, error) {
	all := map[string]string{}
	for _, text := range o.Person {
		at := strings.LastIndexByte(text, '=')
		if at < 1 || !strings.Contains(text[at:], "@") {
			return nil, fmt.Errorf("--person is %q; it must be a name and an address such as \"Ada Stone=ada@example.com\".",
				text)
		}
		all[text[:at]] = strings.ToLower(strings.TrimSpace(text[at+1:]))
	}
	return all, nil
}

// table brings the rows of a table and says what came.
func (i *importCommand) table(ctx context.Context, c *call) error {
	in, err := i.into()
	if err != nil {
		return err
	}
	named, err := i.people()
	if err != nil {
		return err
	}
	if i.Documents || i.Version != "" || i.NoPublish {
		return errors.New("--documents, --version and --no-publish are for folders.")
	}
	bar := newBar(i.Bar, c.Err)
	uid, made, r, err := c.app.ImportTable(ctx, in, foreign.Options{
		From: strings.ToLower(i.From), Kind: strings.ToLower(i.Kind), List: i.List, DayFirst: i.DayFirst, People: named,
		Source: strings.TrimSpace(i.Source), AlthoughRenamed: i.Renamed,
		Dry: i.DryRun, Progress: func(done, all int) { bar.show(100 * done / max(all, 1)) },
	})
	bar.end()
	i.founded(c, uid, made, err)
	if err != nil {
		return err
	}
	where := ""
	if r.Sheet != "" {
		where = fmt.Sprintf(", from the sheet %q", r.Sheet)
	}
	begin := "Imported"
	if i.DryRun {
		begin = "Would import"
	}
	fmt.Fprintf(c.Out, "%s %s as %s%s: %d new, %d changed, %d as they were.\n", begin, r.Called,
		strings.ReplaceAll(r.Plural, "rfis", "RFIs"), where, r.Made, r.Changed, r.Same)
	if r.Gone > 0 {
		fmt.Fprintf(c.Out, "%s here and stay so.\n", counted(r.Gone, "row was deleted", "rows were deleted"))
	}
	if len(r.Lists) > 0 {
		fmt.Fprintf(c.Out, "New issue lists: %s.\n", foreign.Shown(strings.Join(r.Lists, ", ")))
	}
	i.columns(c, r.Columns)
	return i.told(c, r.Notes, r.More, r.Refused, "row")
}

// founded says which project the files are in.
func (i *importCommand) founded(c *call, uid string, made bool, err error) {
	switch {
	case i.New == "" || uid == "":
	case made && i.DryRun:
		fmt.Fprintf(c.Out, "Would make the project %q, %s.\n", i.New, uid)
	case made:
		fmt.Fprintf(c.Out, "The project %q is %s.\n", i.New, uid)
	case err == nil:
		fmt.Fprintf(c.Out, "The project %q is here already: %s.\n", i.New, uid)
	}
}

// columns says what became of the columns: those that nobody knows are told by name.
func (i *importCommand) columns(c *call, all []foreign.Column) {
	var fields, kept, unknown []string
	for _, column := range all {
		switch {
		case !column.Known:
			unknown = append(unknown, column.Heading)
		case column.To == "kept as text":
			kept = append(kept, column.Heading)
		case strings.EqualFold(column.Heading, column.To):
			fields = append(fields, column.Heading)
		default:
			fields = append(fields, column.Heading+" ("+column.To+")")
		}
	}
	for _, group := range []struct {
		what  string
		names []string
	}{
		{"Columns with a place here", fields},
		{"Columns that are kept as text in each record", kept},
		{"Columns that are not known, kept as text too", unknown},
	} {
		if len(group.names) > 0 {
			fmt.Fprintf(c.Out, "%s: %s.\n", group.what, foreign.Shown(strings.Join(group.names, ", ")))
		}
	}
}

// told prints what else is to be said; a failure where something did not come.
func (i *importCommand) told(c *call, notes []string, more, refused int, what string) error {
	for _, note := range notes {
		fmt.Fprintf(c.Out, "- %s\n", foreign.Shown(note))
	}
	if more > 0 {
		fmt.Fprintf(c.Out, "- And %d more of these.\n", more)
	}
	if refused > 0 {
		fmt.Fprintf(c.Err, "groundwork: %s.\n", counted(refused, what+" did not come", what+"s did not come"))
		return errShown
	}
	return nil
}

// folder brings the files of a folder and says what came.
func (i *importCommand) folder(ctx context.Context, c *call) error {
	in, err := i.into()
	if err != nil {
		return err
	}
	if i.From != "" || i.Kind != "" || i.List != "" || i.DayFirst || len(i.Person) > 0 || i.Source != "" || i.Renamed {
		return errors.New(
			"--from, --kind, --source, --although-renamed, --list, --day-first and --person are for tables.")
	}
	bar := newBar(i.Bar, c.Err)
	uid, made, r, err := c.app.ImportFolder(ctx, in, app.FolderOptions{
		Documents: i.Documents, Version: i.Version, Publish: !i.NoPublish, Dry: i.DryRun, Progress: bar.show,
	})
	bar.end()
	i.founded(c, uid, made, err)
	if err != nil {
		return err
	}
	did, verb := "came", "is"
	if i.DryRun {
		did, verb = "would come", "would be"
	}
	if r.PDFs+r.PDFsHere > 0 {
		fmt.Fprintf(c.Out, "Drawings: %s %s, %s here.\n", counted(r.PDFs, "PDF", "PDFs"), did,
			counted(r.PDFsHere, "was", "were"))
	}
	for _, set := range r.Sets {
		fmt.Fprintf(c.Out, "The version set %s %s in the project.\n", set, verb)
	}
	if len(r.Sets) > 0 {
		fmt.Fprintf(c.Out, "%s published, %s until an Admin has looked at them.\n", counted(r.Sheets, "sheet is", "sheets are"),
			counted(r.SheetsWaiting, "page waits", "pages wait"))
	}
	if r.Documents+r.DocumentsHere > 0 {
		fmt.Fprintf(c.Out, "Documents: %d %s, %s here.\n", r.Documents, did, counted(r.DocumentsHere, "was", "were"))
	}
	if r.Photos+r.PhotosHere > 0 {
		fmt.Fprintf(c.Out, "Photos: %d %s, %s here.\n", r.Photos, did, counted(r.PhotosHere, "was", "were"))
	}
	some := r.Notes[:min(len(r.Notes), mostTold)]
	return i.told(c, some, len(r.Notes)-len(some), r.Refused, "file")
}

// mostTold is how many sentences about files there are.
const mostTold = 200
