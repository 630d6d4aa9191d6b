package app

import (
	"context"
	"errors"
	"time"

	"groundwork/internal/job"
	"groundwork/internal/store"
)

const indexKind = "index-words"

var errStop = errors.New("one is enough")

// settleIndex says of a new installation that everything in it can be searched: there is nothing.
func (a *App) settleIndex(ctx context.Context) error {
	err := a.Store.Projects(ctx, func(*store.Project) error { return errStop })
	if errors.Is(err, errStop) {
		return nil
	}
	if err != nil {
		return err
	}
	return Catalog().Index(ctx, a.Store)
}

// askIndex leaves work where records are not indexed as this release searches them.
func (a *App) askIndex(ctx context.Context) error {
	indexed, err := Catalog().Indexed(ctx, a.Store)
	if err != nil || indexed {
		return err
	}
	return a.Store.Write(ctx, func(tx *store.Tx) error {
		_, err := a.Jobs.Enqueue(tx, indexKind, struct{}{}, job.Key(indexKind))
		return err
	})
}

// declareIndex says how records are indexed for searches. It may be repeated: a kind that is done is passed over.
func (a *App) declareIndex() {
	job.Handle(a.Jobs, indexKind, job.Options{Attempts: 50, Backoff: time.Minute, Timeout: time.Hour},
		func(ctx context.Context, _ struct{}, _ *job.Run) error {
			return Catalog().Index(ctx, a.Store)
		})
}
