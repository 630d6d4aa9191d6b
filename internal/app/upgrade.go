package app

import (
	"context"
	"errors"
	"time"

	"groundwork/internal/job"
	"groundwork/internal/store"
)

const (
	upgradeKind = "upgrade-documents"
	writtenName = "documents" // the note of the versions in which all documents are written
)

// askUpgrade leaves work where documents may be written in other versions than this release's.
func (a *App) askUpgrade(ctx context.Context) error {
	want := Catalog().Versions()
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		have, err := tx.Note(writtenName)
		if err != nil || have == want {
			return err
		}
		_, err = a.Jobs.Enqueue(tx, upgradeKind, want, job.Key(want))
		return err
	})
}

// declareUpgrade says how documents are brought to this release's versions. It may be repeated: what is written already
// is passed over.
func (a *App) declareUpgrade() {
	job.Handle(a.Jobs, upgradeKind, job.Options{Attempts: 50, Backoff: time.Minute, Timeout: time.Hour},
		func(ctx context.Context, versions string, _ *job.Run) error {
			if versions != Catalog().Versions() {
				return errors.New("this work is for another release of the service")
			}
			if err := Catalog().Upgrade(ctx, a.Store); err != nil {
				return err
			}
			return a.Store.SetNote(ctx, writtenName, versions)
		})
}
