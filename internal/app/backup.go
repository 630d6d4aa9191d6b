package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"groundwork/internal/backup"
	"groundwork/internal/blob"
	"groundwork/internal/store"
)

// Backup is what is asked of a backup.
type Backup struct {
	// To is a folder or an s3:// URL, which may hold a secret.
	To     string
	Secret backup.Secret
	// Keep is which backups stay; empty keeps all.
	Keep backup.Keep
}

// Backup makes a backup of the installation while it serves, then removes the backups that are not kept.
func (a *App) Backup(ctx context.Context, b Backup, progress func(int)) (backup.Made, backup.Removed, error) {
	to, err := backup.Open(ctx, b.To, true, a.Log)
	if err != nil {
		return backup.Made{}, backup.Removed{}, err
	}
	erased, err := a.erasedHere(ctx)
	if err != nil {
		return backup.Made{}, backup.Removed{}, err
	}
	made, err := backup.Make(ctx, to, backup.Source{
		Store: a.Store, Blobs: a.Blob, Release: a.Config.Version, Spool: a.Config.Data, Erased: erased,
	}, b.Secret, progress)
	if err != nil || len(b.Keep) == 0 {
		return made, backup.Removed{}, err
	}
	removed, err := to.Tidy(ctx, b.Keep)
	return made, removed, err
}

// Restore makes the installation that the configuration names of a backup. It must not exist: see backup.Restore. What
// was erased since the backup, as the place knows it or erased says, is erased again before anything else is done.
func Restore(ctx context.Context, c Config, from string, at time.Time, secret backup.Secret, erased []backup.Erased,
	progress func(int),
) (done backup.Restored, err error) {
	if done, err = restore(ctx, &c, from, at, secret, erased, progress); err == nil && len(done.Erased) > 0 {
		err = erasedNow(ctx, c)
	}
	return done, err
}

func restore(ctx context.Context, config *Config, from string, at time.Time, secret backup.Secret,
	erased []backup.Erased, progress func(int),
) (done backup.Restored, err error) {
	c := *config
	if c, err = c.settled(); err != nil {
		return done, err
	}
	*config = c
	place, err := backup.Open(ctx, from, false, c.Log)
	if err != nil {
		return done, err
	}
	if err := c.checkEmpty(); err != nil {
		return done, err
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return done, fmt.Errorf("The data folder cannot be made: %w.", err)
	}
	if file := c.file(); file != "" {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return done, fmt.Errorf("The folder of the database cannot be made: %w.", err)
		}
	}
	locks, err := takeFolders(c)
	if err != nil {
		return done, err
	}
	defer func() {
		for _, l := range locks {
			err = errors.Join(err, l.release())
		}
	}()
	left, _ := filepath.Glob(filepath.Join(c.Data, backup.SpoolPrefix+"*")) // by a restore that was killed
	for _, folder := range left {
		_ = os.RemoveAll(folder)
	}
	files, err := blob.Open(ctx, string(c.BlobURL), c.Log)
	if err != nil {
		return done, err
	}
	database := store.Config{URL: string(c.DatabaseURL), OwnerURL: string(c.DatabaseOwnerURL), Log: c.Log, Now: c.Now}
	now := time.Now()
	if c.Now != nil {
		now = c.Now()
	}
	since, unread, err := eraseSince(ctx, place, secret, erased)
	if err != nil {
		return done, err
	}
	notes, err := dueNotes(since)
	if err != nil {
		return done, err
	}
	done, err = backup.Restore(ctx, place, at, secret,
		backup.Target{Database: database, Blobs: files, Now: now, Notes: notes, Spool: c.Data}, progress)
	if err != nil {
		return done, err
	}
	done.Unread = unread
	for _, e := range since {
		if e.At.After(done.Moment) {
			done.Erased = append(done.Erased, e)
		}
	}
	// What a later release than the backup's changed in the schema is changed now, not when somebody waits for it.
	s, err := store.Open(ctx, database)
	if err != nil {
		return done, fmt.Errorf("The restored database cannot be opened: %w.", err)
	}
	return done, s.Close()
}

// ours are the names in a data folder that a restore may find there: of itself, cut short, and of looking.
var ours = []string{"lock", databaseFile, filesFolder, drawingFolder}

// checkEmpty refuses a data folder that somebody uses for something.
func (c Config) checkEmpty() error {
	entries, err := os.ReadDir(c.Data)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("The data folder cannot be read: %w.", err)
	}
	for _, e := range entries {
		known := false
		for _, name := range ours {
			known = known || e.Name() == name || strings.HasPrefix(e.Name(), databaseFile+"-") ||
				strings.HasPrefix(e.Name(), backup.SpoolPrefix)
		}
		if !known {
			return fmt.Errorf("The folder %s is not empty: there is %s. A backup is restored into a new folder only.", c.Data, e.Name())
		}
	}
	return nil
}
