package app

import (
	"context"
	"path/filepath"

	"groundwork/internal/client"
	"groundwork/internal/mirror"
)

// Mirror brings projects of another server into the installation, and tells of each what became of it.
func (a *App) Mirror(ctx context.Context, from *client.Client, o mirror.Options, each func(mirror.Report)) error {
	if o.Folder == "" {
		o.Folder = filepath.Join(a.Config.Data, "mirror")
	}
	return mirror.Run(ctx, a.archiving(), from, o, each)
}
