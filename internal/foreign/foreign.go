// Package foreign owns what comes from other services as files: which exports there are, what their columns say, how
// their rows become records here and how they are found again, and what is in a folder of drawings and pictures. Rows
// go the way of every create and update, through the catalogue of kinds. It refuses to know kinds beyond their plurals
// and fields, and how a file becomes a sheet, a document or a photo: whoever calls it does. Open is its entry point.
package foreign

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"groundwork/internal/auth"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/table"
)

// Site is the installation that records come into.
type Site struct {
	Store *store.Store
	Auth  *auth.Auth
	Jobs  *job.Queue
	Kinds *resource.Catalog
}

// Target is the project that records come into, with the rights of an Admin.
type Target struct {
	Project string // its uid, also where it does not exist yet
	Scope   auth.Scope
	// Exists is false where a dry run is for a project that would be made.
	Exists bool
	// Zone is where its days begin and end; nil where it does not say.
	Zone *time.Location
	// Team is who records can be assigned to.
	Team []Member
}

// Member is somebody on the team of a project.
type Member struct {
	UID, Email, First, Last string
}

// Options say how a file is read.
type Options struct {
	// From and Kind name the service and its tool; blank, they follow from the headings.
	From, Kind string
	// Source tells files of one tool apart whose rows have the same numbers; blank, all are one.
	Source string
	// AlthoughRenamed takes a file although most of its rows have other titles than the last time.
	AlthoughRenamed bool
	// List is the issue list of rows that name none.
	List     string
	DayFirst bool
	// People are addresses by names, as the file has them.
	People map[string]string
	Dry    bool
	// Progress is told how many of how many rows are done.
	Progress func(done, all int)
}

// Report is what came, or would come, of a file.
type Report struct {
	Called, Plural, Sheet string
	Columns               []Column
	Made, Changed, Same   int
	// Gone were deleted here and stay so; Refused did not come, and Notes say why.
	Gone, Refused int
	// Lists are the issue lists that were made.
	Lists []string
	Notes []string
	// More is how many further sentences about rows there would be.
	More int
}

// Column is a column of the file and where it went.
type Column struct {
	Heading, To string
	Known       bool
}

// Services are the services that files are known of.
func Services() (all []string) {
	for _, e := range exports {
		if !slices.Contains(all, e.service) {
			all = append(all, e.service)
		}
	}
	return all
}

// Kinds are the tools that files are known of.
func Kinds() (all []string) {
	for _, e := range exports {
		if !slices.Contains(all, e.name) {
			all = append(all, e.name)
		}
	}
	return all
}

// UID is the uid of what comes from elsewhere: the same whenever it comes again.
func UID(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	id := uuid.UUID(h.Sum(nil)[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8, of our own making
	return id.String()
}

// Source is a file of another service that was read, and whose columns are known.
type Source struct {
	*found
	options Options
	notes   []string
}

// Open reads a file of another service. What is wrong with it is told before anything is done.
func Open(path string, o Options) (*Source, error) {
	wrong := func(err error) error {
		return fmt.Errorf("%s cannot be imported: %w.", filepath.Base(path), err)
	}
	if o.From != "" && !slices.Contains(Services(), o.From) {
		return nil, fmt.Errorf("--from is %q; known are %s.", o.From, strings.Join(Services(), ", "))
	}
	if o.Kind != "" && !slices.Contains(Kinds(), o.Kind) {
		return nil, fmt.Errorf("--kind is %q; known are %s.", o.Kind, strings.Join(Kinds(), ", "))
	}
	tables, err := table.Read(path)
	if err != nil {
		return nil, wrong(err)
	}
	f, err := recognise(tables, o.From, o.Kind)
	if err != nil {
		return nil, wrong(err)
	}
	if len(f.rows) == 0 {
		return nil, wrong(errors.New("there are no rows below its headings"))
	}
	s := &Source{found: f, options: o, notes: f.table.Notes}
	for i := range tables {
		if t := &tables[i]; t != f.table {
			s.notes = append(s.notes, fmt.Sprintf("The sheet %q was left out; %q was read as %s.", t.Name, f.table.Name,
				f.called))
		}
	}
	return s, nil
}

// Bring brings the rows into a project, or says in a dry run what that would do. A row that came before is found again,
// and changes what changed in it; a run that was cut short is repeated.
func (s *Source) Bring(ctx context.Context, site Site, to Target) (rep Report, err error) {
	rep = Report{Called: s.called, Plural: s.plural, Sheet: s.table.Name, Notes: slices.Clone(s.notes)}
	b := &bringing{Site: site, Target: to, Options: s.options, found: s.found, report: &rep}
	if err := b.look(ctx); err != nil {
		return rep, err
	}
	r := b.reader()
	b.items = r.items()
	b.name()
	if err := b.another(); err != nil {
		return rep, err
	}
	b.number()
	rep.Columns = r.told()
	if err := b.run(ctx); err != nil {
		return rep, err
	}
	rep.Notes = append(rep.Notes, r.notes()...)
	return rep, nil
}
