package share

import (
	"context"
	"io"

	"groundwork/internal/api"
	"groundwork/internal/auth"
	"groundwork/internal/drawing"
	"groundwork/internal/job"
	"groundwork/internal/resource"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

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
