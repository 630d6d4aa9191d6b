package share

import (
	"context"
	"io"
	"strings"
	"time"

	"groundwork/internal/auth"
	"groundwork/internal/fault"
)

// Archive is what is said of the archive of a project: nothing.
type Archive struct{}

// Archives have everything of a project that the asker may have, in one file: what groundwork export writes for the
// operator, without what others drew for themselves.
var Archives = &Kind[Archive]{
	Path: "archives", Name: "Project archive", Extension: true, Located: true, Optional: true, Admins: true, Whole: true,
	Check: func(*look, *Archive) error { return nil }, Make: makeArchive,
}

// makeArchive has it written while it is stored.
func makeArchive(ctx context.Context, o *Order[Archive]) (File, error) {
	if o.Scope.Role() != auth.Admin { // any more
		return File{}, fault.New(fault.Forbidden, "Only an Admin of the project can have its archive.")
	}
	row, err := o.All.Get(ctx, o.Store, o.Scope, "projects", o.Scope.Project().UID)
	if err != nil {
		return File{}, err
	}
	project, err := sites.Read(row)
	if err != nil {
		return File{}, err
	}
	return File{
		Type:  "application/zip",
		Name:  strings.TrimSpace(project.Name) + " " + project.day(o.Store.Now()).Format(time.DateOnly) + ".zip",
		Write: func(to io.Writer) error { return o.Archive(ctx, o.Scope, to, o.Progress) },
	}, nil
}
