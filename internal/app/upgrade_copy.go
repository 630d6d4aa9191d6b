package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"groundwork/internal/backup"
	"groundwork/internal/blob"
	"groundwork/internal/store"
)

const (
	// upgradeFolder holds, in the data folder, copies of database files as they were before an upgrade.
	upgradeFolder = "before-upgrade"
	// keptCopies is how many of them stay, the newest.
	keptCopies = 3
)

// opening says how the database is opened: before its tables are changed it is copied.
func (a *App) opening() store.Config {
	c := &a.Config
	return store.Config{
		URL: string(c.DatabaseURL), OwnerURL: string(c.DatabaseOwnerURL), Log: c.Log, Now: c.Now, Trace: c.Trace,
		Release: c.Version, Before: a.copyBefore,
	}
}

// copyBefore keeps the database as it is before its tables are changed: in a backup, where the server makes some; else,
// of a database file, as a copy beside it.
func (a *App) copyBefore(ctx context.Context, from, to int64) error {
	log := a.Log.With("from", from, "to", to)
	switch {
	case a.Config.NoUpgradeCopy:
		log.Warn("the tables of the database are changed for this release, without a copy, as it was asked for")
		return nil
	case a.Config.Backups.To != "":
		return a.backupBefore(ctx, from, to)
	case a.Config.file() == "":
		log.Warn("the tables of the database are changed for this release, without a backup: --backup-to names no place for one")
		return nil
	}
	folder := filepath.Join(a.Config.Data, upgradeFolder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("the folder for its copy cannot be made: %w", err)
	}
	copied := filepath.Join(folder, fmt.Sprintf("schema-%03d-%s.db", from, a.now().UTC().Format("20060102T150405Z")))
	log.Info("the database is copied before its tables are changed for this release", "copy", copied)
	if err := store.CopyFile(ctx, a.Config.file(), copied); err != nil {
		return fmt.Errorf("it cannot be copied before its tables are changed: %w; make room in the data folder, or start once with --no-upgrade-copy", err)
	}
	return dropCopies(folder)
}

func (a *App) now() time.Time {
	if a.Config.Now != nil {
		return a.Config.Now()
	}
	return time.Now()
}

// dropCopies removes all but the newest copies. Their names are in the order of schema and time.
func dropCopies(folder string) error {
	all, err := filepath.Glob(filepath.Join(folder, "schema-*.db"))
	slices.Sort(all)
	for len(all) > keptCopies && err == nil {
		err, all = os.Remove(all[0]), all[1:]
	}
	return err
}

// backupBefore makes a backup of the installation as it is. Another process that starts meanwhile waits.
func (a *App) backupBefore(ctx context.Context, from, to int64) (err error) {
	a.Log.Info("a backup is made before the tables of the database are changed for this release", "from", from, "to", to)
	asIs := a.opening()
	asIs.AsIs, asIs.Before = true, nil
	old, err := store.Open(ctx, asIs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.Close()) }()
	files, err := blob.Open(ctx, string(a.Config.BlobURL), a.Log)
	if err != nil {
		return err
	}
	place, err := backup.Open(ctx, a.Config.Backups.To, true, a.Log)
	if err == nil {
		_, err = backup.Make(ctx, place, backup.Source{
			Store: old, Blobs: files, Release: fmt.Sprintf("before %s", a.Config.Version), Spool: a.Config.Data,
		}, a.Config.Backups.Secret, func(int) {})
	}
	if err != nil {
		return fmt.Errorf("no backup can be made before its tables are changed: %w Mend that, or start once with --no-upgrade-copy", err)
	}
	return nil
}
