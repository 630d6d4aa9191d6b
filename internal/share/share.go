// Package share owns shareables: files that somebody asked for and that are made in the background, such as packets of
// sheets. It keeps what was asked, how far it is, and the file for 30 days; only who asked sees it. It refuses to know
// how a file is composed, which package drawing does, and the nouns whose records it shows: it reads those by plural,
// as the asker sees them.
//
// A kind of shareable is one declaration, listed in kinds:
//
//	var Packets = &Kind[Packet]{Path: "sheets/packets", Name: "Sheet packet", Check: checkPacket, Make: makePacket}
//
// Packet is the body, with the same tags as a record's. Check refuses or completes it in the transaction of the
// request; what it leaves is kept with the job. Make makes the file: it may be begun again after a crash, so it writes
// nothing but the file. It reads records with Order.All, always with Order.Scope, and says how far it is with
// Order.Progress. A fault of the kinds Invalid, NotFound or Forbidden ends the shareable as errored with its message;
// any other error is tried again.
package share

import (
	"context"
	"io"
	"time"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/drawing"
	"groundwork/internal/family"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// Kept is how long the file of a shareable can be fetched.
const Kept = 30 * 24 * time.Hour

// kinds are all kinds of shareables.
func kinds() []declared { return []declared{Packets, IssueReports, FieldExports, Archives} }

// Kind declares a kind of shareable; Ask is the body with which one is asked for.
type Kind[Ask any] struct {
	// Path is where they are in a project; Name is what one is called in a sentence.
	Path, Name string
	// Extension says that the original API did not have it; Located that it shows its own address as resource_url too.
	Extension, Located bool
	// Optional says that one can be asked for without a word.
	Optional bool
	// Admins says that nobody else may ask for one, or fetch it.
	Admins bool
	// Whole says that one has all files of a project: it may take hours. Who asks again meanwhile is given the
	// same one; the newest of an asker takes the place of those before.
	Whole bool
	// Check refuses what is asked for, before it is noted.
	Check func(in *look, ask *Ask) error
	// Make makes the file.
	Make func(ctx context.Context, o *Order[Ask]) (File, error)
}

// look is where what is asked for is looked for.
type look struct {
	ctx     context.Context //nolint:containedctx // it lives inside one call
	store   *store.Store
	project *store.Project
	kinds   *resource.Catalog
}

// Tools are what files are made with.
type Tools struct {
	Store   *store.Store
	Auth    *auth.Auth
	Files   *upload.Desk
	Drawing *drawing.Workshop
	All     *resource.Catalog
	// Archive writes everything of a project that somebody may have.
	Archive func(ctx context.Context, who auth.Scope, to io.Writer, progress func(percent int)) error
}

// Order is one file to be made.
type Order[Ask any] struct {
	*Tools
	Ask Ask
	// Scope is who asked, as what they are in the project now.
	Scope auth.Scope
	// Progress tells how far it is, 0 to 100.
	Progress func(percent int)
}

// File is what was made, on this machine. Close removes it there.
type File struct {
	Path string
	// Write writes it while it is stored, where there is no Path: nothing of it lies on this machine.
	Write func(to io.Writer) error
	// Type is its content type, Name what it is saved under.
	Type, Name string
	Close      func() error
}

// declared is a kind whose body's type is not at hand.
type declared interface {
	path() string
	routes(all *resource.Catalog) []api.Route
	work(q *job.Queue, t *Tools)
}

// Family declares shareables. They are no records: their rows are its own.
func Family() family.Family {
	return family.Family{
		Name: "share", Routes: routes, Work: work, Tables: []string{"shareables"}, Views: views(),
		Withdraws: withdraw,
	}
}

// routes is everything the API does with shareables.
func routes(site *family.Site) (routes []api.Route) {
	for _, k := range kinds() {
		routes = append(routes, k.routes(site.Kinds)...)
	}
	return routes
}

// work declares how they are made in the background, and when they end.
func work(site *family.Site) {
	const sweeping = "forget-shareables"
	t := ToolsOf(site)
	for _, k := range kinds() {
		k.work(site.Jobs, t)
	}
	job.Handle(site.Jobs, sweeping, job.Options{Attempts: 5, Backoff: time.Minute},
		func(ctx context.Context, _ struct{}, _ *job.Run) error { return Sweep(ctx, site.Jobs, t) })
	site.Jobs.Every(sweeping, time.Hour)
}

// ToolsOf are the tools of an installation.
func ToolsOf(site *family.Site) *Tools {
	return &Tools{
		Store: site.Store, Auth: site.Auth, Files: site.Files, Drawing: site.Drawing, All: site.Kinds,
		Archive: site.Archive,
	}
}
