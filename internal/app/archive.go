package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"groundwork/internal/archive"
	"groundwork/internal/auth"
	"groundwork/internal/forget"
	"groundwork/internal/identity"
	"groundwork/internal/store"
)

// archiving is the installation as archives are made of it and brought into it.
func (a *App) archiving() archive.Site {
	site := archive.Site{
		Store: a.Store, Blobs: a.Blob, Kinds: Catalog(), People: a.Auth.Directory, Gone: a.goneProject,
		Forgotten: a.gonePerson,
	}
	given := a.site()
	for _, f := range families() {
		site.Sides = append(site.Sides, f.Archives...)
	}
	site.Arrive = func(tx *store.Tx) error {
		for _, f := range families() {
			if f.Arrives == nil {
				continue
			}
			if err := f.Arrives(given, tx); err != nil {
				return err
			}
		}
		return nil
	}
	return site
}

// Export writes the archive of a project into a new file. Nothing stands under its name until all of it does.
func (a *App) Export(ctx context.Context, project, path string, progress func(int)) (made archive.Made, size int64,
	err error,
) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return made, 0, fmt.Errorf("%s exists already. An archive is written to a new file only.", path)
	}
	part, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return made, 0, fmt.Errorf("The archive cannot be written: %w.", err)
	}
	defer os.Remove(part.Name())
	to := bufio.NewWriterSize(part, 1<<20)
	made, err = archive.Export(ctx, a.archiving(), project, to, progress)
	if err = errors.Join(err, to.Flush(), part.Sync()); err != nil {
		return made, 0, errors.Join(err, part.Close())
	}
	info, err := part.Stat()
	if err = errors.Join(err, part.Close()); err != nil {
		return made, 0, err
	}
	// A link, not a renaming: what somebody put there meanwhile stays.
	return made, info.Size(), os.Link(part.Name(), path)
}

// exportFor writes the archive of a project for one of its Admins.
func (a *App) exportFor(ctx context.Context, who auth.Scope, to io.Writer, progress func(int)) error {
	made, err := archive.ExportFor(ctx, a.archiving(), who, to, progress)
	for _, lost := range made.Lost {
		a.Log.Error("an archive lacks a file", "project", who.Project().UID, "file", lost)
	}
	return err
}

// ImportAgain is Import of a project that may have been erased here: then the audit says that it was brought back.
func (a *App) ImportAgain(ctx context.Context, path string, dry bool, progress func(int)) (archive.Report, error) {
	site := a.archiving()
	site.Although = true
	r, err := archive.Import(ctx, site, path, dry, progress)
	if err != nil || dry || r.Already {
		return r, err
	}
	return r, a.Store.Write(ctx, func(tx *store.Tx) error {
		err := tx.Exec("UPDATE erasures SET what = $2, at = $3 WHERE uid = $1", r.Project, forget.Returned,
			tx.Now())
		if err == nil {
			err = forget.Note(tx, Service, forget.DidImport, r.Project, "")
		}
		return err
	})
}

// goneProject says when a project was erased here.
func (a *App) goneProject(ctx context.Context, uid string) (string, error) {
	e, err := a.Forgetting().Erasure(ctx, uid)
	if err != nil || e == nil || e.What != forget.Project {
		return "", err
	}
	return "on " + forget.Day(e.At) + " by " + e.By, nil
}

// gonePerson says of somebody who was erased here how an archive is rid of them.
func (a *App) gonePerson(ctx context.Context, uid string, shown identity.Shown) (*archive.Forgotten, error) {
	as, replace, err := a.Forgetting().Forgotten(ctx, uid, shown)
	if err != nil || replace == nil {
		return nil, err
	}
	return &archive.Forgotten{Shown: as, Replace: replace}, nil
}

// Import brings the project of an archive into the installation, or with dry says what that would do.
func (a *App) Import(ctx context.Context, path string, dry bool, progress func(int)) (archive.Report, error) {
	return archive.Import(ctx, a.archiving(), path, dry, progress)
}
