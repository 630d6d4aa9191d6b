package app

import (
	"context"
	"time"

	"groundwork/internal/blob"
	"groundwork/internal/fault"
	"groundwork/internal/health"
)

const (
	// watchEvery is how often it is looked whether what the service depends on works: a balancer asks /readyz about as
	// often, and no more than that is asked of a store that counts requests. While something does not work,
	// watchClosely is how often.
	watchEvery   = 10 * time.Second
	watchClosely = time.Second
	// watchWithin is how long a look may take.
	watchWithin = 5 * time.Second
)

// ready tells whether requests can be served, by what the last look and the requests since have found.
func (a *App) ready(ctx context.Context) error {
	if err := a.Store.Ping(ctx); err != nil {
		return err
	}
	return a.Health.Err()
}

// watch looks from time to time until ctx ends.
func (a *App) watch(ctx context.Context) {
	tick := time.NewTicker(watchClosely)
	defer tick.Stop()
	for looked := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if a.Health.Err() != nil || time.Since(looked) >= watchEvery {
			a.look(ctx)
			looked = time.Now()
		}
	}
}

// look sees whether troubles have begun or are over. A disk that is not known to be full is not written to: an idle
// service lets it rest.
func (a *App) look(ctx context.Context) {
	if a.Health.Troubled(health.Disk) {
		noted := a.Store.SetNote(ctx, "looked", time.Now().UTC().Format(time.RFC3339))
		if noted == nil && a.checkFiles(ctx) == nil {
			a.Health.End(health.Disk)
		}
	}
	if mark := a.mark.Load(); mark != nil {
		a.lookAtMark(ctx, *mark)
		return
	}
	if blob.Folder(string(a.Config.BlobURL)) != "" {
		return
	}
	// To be told that an object is not there takes one exchange, and everything on the way to the store.
	within, cancel := context.WithTimeout(ctx, watchWithin)
	_, told := a.Blob.Range(within, blob.NewName(), 0, 1)
	cancel()
	if fault.Is(told, fault.NotFound) {
		if a.unsure.Load() {
			if err := a.SameStores(ctx); err != nil {
				a.Health.Begin(health.Files, err)
				return
			}
		}
		a.Health.End(health.Files)
		return
	}
	a.tryFiles(ctx)
}

// lookAtMark asks for the mark that was found in the file store: where a disk went away, or a bucket was emptied, an
// answer alone says nothing.
func (a *App) lookAtMark(ctx context.Context, mark string) {
	within, cancel := context.WithTimeout(ctx, watchWithin)
	_, err := a.Blob.Range(within, blob.Part(mark, "mark"), 0, 1)
	cancel()
	switch {
	case err == nil:
		a.Health.End(health.Files)
	case fault.Is(err, fault.NotFound):
		a.Health.Begin(health.Files, errOtherFiles)
	default:
		a.tryFiles(ctx)
	}
}

// tryFiles notes whether the file store works; what it says tells what to do.
func (a *App) tryFiles(ctx context.Context) {
	switch err := a.checkFiles(ctx); {
	case err == nil:
		a.Health.End(health.Files)
	case ctx.Err() == nil:
		a.Health.Begin(health.Files, err)
	}
}

// checkFiles writes, reads and removes an object.
func (a *App) checkFiles(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, watchWithin)
	defer cancel()
	return a.Blob.Check(ctx)
}
