// Package family owns what a noun is to the rest of the program: one declaration of its kinds, routes, background work,
// side tables, what it tells people and what others may read of it. It refuses to know any noun. Compile is its entry
// point.
package family

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/drawing"
	"groundwork/internal/identity"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Family declares a noun. All but the name may be left out.
type Family struct {
	// Name is what the declaration is called where something is wrong with it.
	Name string
	// Kinds are its record kinds.
	Kinds []resource.AnyKind
	// Routes is everything the API does with it. It is also asked without an installation, to describe the API: then
	// the site has nothing but the kinds.
	Routes func(*Site) []api.Route
	// Work declares what is done in the background.
	Work func(*Site)
	// Tables are the side tables that it alone reads and writes, beside the ledger.
	Tables []string
	// Archives are those of its side tables that an archive of a project has.
	Archives []Side
	// Arrives leaves, in the transaction that brings a project from an archive, the work that its records wait for.
	Arrives func(*Site, *store.Tx) error
	// Takes are the kinds, by their plurals, whose records are made of a file, and how one is made without the API.
	Takes map[string]Take
	// Founds makes a project without the API, under a uid that was chosen; dry says whether it could.
	Founds func(ctx context.Context, s *Site, account *identity.Account, uid, name string, dry bool) error
	// Leaves takes somebody who is erased off the team of a project; left is false where they must stay.
	Leaves func(ctx context.Context, s *Site, p *store.Project, account string) (left bool, err error)
	// Withdraws removes what was made for people of a project to look at for a while, and gives how much, when somebody
	// is erased whom it may name.
	Withdraws func(ctx context.Context, s *Site, p *store.Project) (int, error)
	// Tells are its changes of which people are told by mail.
	Tells []Notice
	// Follows are what it does, in the background, after changes of whatever noun.
	Follows []Follower
	// Exports are the plurals of its kinds that other families may read by a view.
	Exports []string
	// Views are what it reads of records of other families.
	Views []resource.AnyView
}

// Site is what an opened installation gives its families.
type Site struct {
	Kinds   *resource.Catalog
	Store   *store.Store
	Auth    *auth.Auth
	Jobs    *job.Queue
	Files   *upload.Desk
	Drawing *drawing.Workshop
	// Tells are the changes, of all families, of which people are told; Silent says that nobody is written to of them.
	Tells  []Notice
	Silent func() bool
	// Archive writes everything of a project that somebody may have into one file, and tells how far it is.
	Archive func(ctx context.Context, who auth.Scope, to io.Writer, progress func(percent int)) error
	// Base gives the public address, Name what the installation is called in mails.
	Base, Name func() string
}

// Sending is a file that somebody sends without the API.
type Sending struct {
	// UID is that of the record which it becomes; Again gives, from 2, that of the record for a file which is there as
	// an earlier version and comes back.
	UID   string
	Again func(n int) string
	// Name is what the record is called.
	Name, Folder, Type string
	// SHA256 is what its content must have: it may change while it is read.
	SHA256 string
	Open   func() (io.ReadCloser, error)
	// Dry only asks what would be made.
	Dry bool
}

// Take makes a record of a file with the rights of a member: fault.Forbidden. One that has the uid already, deleted or
// not, is left alone: made is false. What did not come is fault.Invalid or fault.TooLarge.
type Take func(ctx context.Context, s *Site, scope auth.Scope, in Sending) (made bool, err error)

// Side is a side table of which each row belongs to a project, by its column project.
type Side struct {
	Table string
	// Person is the column that has the ordinal of a member; "" where there is none.
	Person string
	// Holds tells of a text that comes from elsewhere whether a column can have it; nil where any can.
	Holds func(column, text string) bool
}

// Follower is run after changes that wake it, with the place in the change log from which on it has not read: see
// resource.Follower.
type Follower struct {
	// Name is stored: never change it, and never use it again.
	Name string
	// Gather is how long what happens is gathered.
	Gather time.Duration
	// Wakes tells whether it is to be run for a change; told are the changes of which people are told.
	Wakes func(told []Notice, c *resource.Change) bool
	// Options are those of its jobs.
	Options job.Options
	// Run gives what reads the log, does something, and completes the run in one transaction of the project.
	Run func(*Site) func(ctx context.Context, at resource.Following, r *job.Run) error
}

// Notice is a change of which people are told.
type Notice struct {
	// Kind is the plural of the records.
	Kind string
	Of   Event
}

// Event is what happens to a record.
type Event uint8

const (
	// Assigned tells whoever is newly among a record's assigned_to.
	Assigned Event = iota + 1
	// Said tells those who made, or are assigned to, what a new record is about.
	Said
)

// Followed are the kinds whose records concern people: those to whom they are assigned, and who made them. Each has a
// page of its own, to which mails lead.
func Followed(told []Notice) (kinds []string) {
	for _, n := range told {
		if n.Of == Assigned {
			kinds = append(kinds, n.Kind)
		}
	}
	return kinds
}

// Compile compiles the kinds of all families. Its error says which declarations do not fit together.
func Compile(all []Family) (*resource.Catalog, error) {
	var kinds []resource.AnyKind
	tables := map[string]string{}
	for _, f := range all {
		kinds = append(kinds, f.Kinds...)
		for _, table := range f.Tables {
			if other := tables[table]; other != "" {
				return nil, fmt.Errorf("The families %s and %s both own the table %s.", other, f.Name, table)
			}
			tables[table] = f.Name
		}
	}
	catalog, err := resource.NewCatalog(kinds...)
	if err != nil {
		return nil, err
	}
	var told []Notice
	for _, f := range all {
		told = append(told, f.Tells...)
	}
	follower := map[string]string{}
	for _, f := range all {
		for _, w := range f.Follows {
			if other := follower[w.Name]; other != "" || w.Name == "" || w.Wakes == nil || w.Run == nil {
				return nil, fmt.Errorf("The family %s has a follower %q that lacks a part, or that %s has too.", f.Name, w.Name,
					cmp.Or(other, "nobody"))
			}
			follower[w.Name] = f.Name
			catalog.Follow(resource.Follower{
				Name: w.Name, Gather: w.Gather, Wakes: func(c *resource.Change) bool { return w.Wakes(told, c) },
			})
		}
	}
	var exported []string
	for _, f := range all {
		if err := f.check(catalog); err != nil {
			return nil, err
		}
		exported = append(exported, f.Exports...)
	}
	for _, f := range all {
		readable := append(resource.Plurals(f.Kinds), exported...)
		for _, v := range f.Views {
			if err := v.Check(catalog); err != nil {
				return nil, err
			}
			for _, plural := range v.Kinds() {
				if !slices.Contains(readable, plural) {
					return nil, fmt.Errorf("The family %s reads %s, which their own family does not export.", f.Name, plural)
				}
			}
		}
	}
	return catalog, nil
}

// check holds that what a family says of kinds is so.
func (f *Family) check(all *resource.Catalog) error {
	own := resource.Plurals(f.Kinds)
	for _, n := range f.Tells {
		if !slices.Contains(own, n.Kind) {
			return fmt.Errorf("The family %s tells of %s, which are not its own.", f.Name, n.Kind)
		}
		for _, field := range []string{"assigned_to", "title"} {
			if n.Of == Assigned && !all.Has(n.Kind, field) {
				return fmt.Errorf("The family %s tells who is assigned to %s, which have no field %s.", f.Name, n.Kind, field)
			}
		}
	}
	for _, side := range f.Archives {
		if !slices.Contains(f.Tables, side.Table) {
			return fmt.Errorf("The family %s archives the table %s, which is not its own.", f.Name, side.Table)
		}
	}
	for _, plural := range f.Exports {
		if !slices.Contains(own, plural) {
			return fmt.Errorf("The family %s lets others read %s, which are not its own.", f.Name, plural)
		}
	}
	return nil
}
