package share

import (
	"context"
	"errors"
	"time"

	"groundwork/internal/family"
	"groundwork/internal/fault"
	"groundwork/internal/job"
	"groundwork/internal/store"
	"groundwork/internal/upload"
)

// tooOld is what is said of a shareable whose file is gone.
const tooOld = "The file was kept for 30 days and is gone. Please ask for it again."

// tooOpen is what is said of one whose file was removed because it may name somebody who was erased.
const tooOpen = "The file was removed, since somebody whom it may name was erased. Please ask for it again."

// settleAfter is how long a shareable may be incomplete before it is asked what became of its job.
const settleAfter = 30 * time.Minute

// Sweep removes the files of shareables that were kept long enough, and ends those whose jobs were given up.
func Sweep(ctx context.Context, q *job.Queue, t *Tools) error {
	return t.Store.Projects(ctx, func(p *store.Project) error {
		return errors.Join(settle(ctx, q, t, p), sweep(ctx, t, p, t.Store.Now()-Kept.Microseconds()))
	})
}

// withdraw removes the files of all shareables of a project, and gives how many: whoever asked for one asks again.
func withdraw(ctx context.Context, site *family.Site, p *store.Project) (n int, err error) {
	t := ToolsOf(site)
	for some := 1; some > 0; n += some {
		if some, err = remove(ctx, t, p, t.Store.Now()+1, tooOpen); err != nil {
			return n, err
		}
	}
	return n, nil
}

// settle ends the shareables whose jobs failed, or were forgotten.
func settle(ctx context.Context, q *job.Queue, t *Tools, p *store.Project) error {
	open := map[string]string{}
	err := t.Store.QueryIn(ctx, p, unended, []any{p.ID, t.Store.Now() - settleAfter.Microseconds()},
		func(c *store.Cols) error {
			open[c.Text(0)] = c.Text(1)
			return nil
		})
	for uid, id := range open {
		if err != nil {
			return err
		}
		j, lost := q.Get(ctx, id)
		if !fault.Is(lost, fault.NotFound) && (lost != nil || j.State != job.Failed) {
			continue
		}
		err = t.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
			return tx.Exec(failShareable, p.ID, uid, givenUp, tx.Now())
		})
	}
	return err
}

// sweep removes files, the object last: what is interrupted is done again by the next sweep.
func sweep(ctx context.Context, t *Tools, p *store.Project, before int64) error {
	_, err := remove(ctx, t, p, before, tooOld)
	return err
}

func remove(ctx context.Context, t *Tools, p *store.Project, before int64, why string) (n int, err error) {
	objects := map[string]string{}
	collect := func(c *store.Cols) error {
		objects[c.Text(0)] = c.Text(1)
		return nil
	}
	err = errors.Join(t.Store.QueryIn(ctx, p, expired, []any{p.ID, before}, collect),
		t.Store.QueryIn(ctx, p, abandonObject, []any{p.ID}, collect))
	for uid, object := range objects {
		if err != nil {
			return n, err
		}
		err = t.Store.Edit(ctx, p, 0, func(tx *store.Tx) error {
			return errors.Join(tx.Exec(expire, p.ID, uid, why), upload.DropFile(tx, object))
		})
		if err == nil {
			err = t.Files.Blobs.Delete(ctx, object)
		}
		if err == nil {
			err = t.Store.Edit(ctx, p, 0, func(tx *store.Tx) error { return tx.Exec(forgetObject, p.ID, uid) })
		}
		n++
	}
	return n, err
}
